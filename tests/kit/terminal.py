"""A real terminal for tests: a program in a session of its own on a pty, keys for it, and the screen that it draws.

    with Terminal.start(["harnctl", "tui"], environ=environ, columns=100, rows=30) as terminal:
        terminal.wait_for("waits for you")
        terminal.keys("down", "enter")
        terminal.resize(40, 20)
        terminal.keys("q")
        assert (terminal.ended(), terminal.modes_left) == (0, frozenset())

Nothing here sleeps: a thread reads what the program writes, and whoever waits is woken by it.  `tests.kit.tmux` has the
same by way of a tmux server, which is another terminal and another opinion.
"""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from tests.kit.emulator import FRESH, Emulator

PATIENCE_S: Final = 20.0
TAIL: Final = 600  # bytes of output that a failure shows

# What a key sends (xterm); one of more than a character that is not named here is typed as text.
KEYS: Final[Mapping[str, bytes]] = {
    "enter": b"\r",
    "esc": b"\x1b",
    "tab": b"\t",
    "shift-tab": b"\x1b[Z",
    "backspace": b"\x7f",
    "space": b" ",
    "up": b"\x1b[A",
    "down": b"\x1b[B",
    "right": b"\x1b[C",
    "left": b"\x1b[D",
    "home": b"\x1b[H",
    "end": b"\x1b[F",
    "insert": b"\x1b[2~",
    "delete": b"\x1b[3~",
    "page-up": b"\x1b[5~",
    "page-down": b"\x1b[6~",
    "f1": b"\x1bOP",
    "f2": b"\x1bOQ",
    **{f"ctrl-{letter}": bytes([number]) for number, letter in enumerate("abcdefghijklmnopqrstuvwxyz", start=1)},
    "ctrl-\\": b"\x1c",
}


@dataclass(frozen=True)
class Seen:
    """What a person sees at a moment."""

    lines: tuple[str, ...]
    cursor: tuple[int, int]  # column and row, from 0

    def __contains__(self, text: str) -> bool:
        return text in self.text

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def drawn(self, columns: int) -> str:
        """The screen in a frame, for the reader of a failure."""
        edge = f"+{'-' * columns}+"
        return "\n".join((edge, *(f"|{line.ljust(columns)}|" for line in self.lines), edge))


Wanted = str | Callable[[Seen], bool]


def is_there(wanted: Wanted, seen: Seen) -> bool:
    return wanted in seen if isinstance(wanted, str) else wanted(seen)


def named(wanted: Wanted) -> str:
    return repr(wanted) if isinstance(wanted, str) else f"what {wanted.__name__} looks for"


class Terminal:
    """A program on a pty."""

    def __init__(self, process: "subprocess.Popen[bytes]", master: int, *, columns: int, rows: int) -> None:
        """Take a program that was started on a pty; `start` makes these."""
        self.process = process
        self.raw = b""  # all that the program wrote
        self.before = termios.tcgetattr(master)  # overwritten by `start`, which knows it from before the program
        self._master = master
        self._emulator = Emulator(columns, rows, answer=self._write)
        self._news = threading.Condition()
        self._silent = False  # nothing more will come
        self._wake_reader, self._wake = os.pipe()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @classmethod
    def start(
        cls,
        command: Sequence[str],
        *,
        environ: Mapping[str, str],
        columns: int = 80,
        rows: int = 24,
        cwd: Path | str | None = None,
    ) -> Self:
        """Start a program whose controlling terminal is a new pty; it sees `environ` and a TERM."""
        master, slave = pty.openpty()
        before: list[Any] = termios.tcgetattr(slave)
        _set_size(master, columns, rows)
        # The leader of a session that opens a terminal by its name gets it as its controlling one (termios(4)).
        opens = ("sh", "-c", 'exec "$@" <>"$0" >&0 2>&0', os.ttyname(slave), *command)
        try:
            process = subprocess.Popen(
                opens,
                env={"TERM": "xterm-256color", **environ},
                cwd=cwd,
                stdin=slave,
                stdout=slave,
                stderr=slave,
                start_new_session=True,
            )
        except BaseException:
            os.close(master)
            raise
        finally:
            os.close(slave)
        made = cls(process, master, columns=columns, rows=rows)
        made.before = before
        return made

    def __repr__(self) -> str:
        return f"<Terminal {self._emulator.columns}x{self._emulator.rows} pid={self.process.pid} {self._state()}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # --- looking

    @property
    def seen(self) -> Seen:
        """What is on the screen now."""
        with self._news:
            return self._look()

    def wait_for(self, wanted: Wanted, *, within_s: float = PATIENCE_S) -> Seen:
        """Wait until the screen has a text, or is as a predicate wants it; return it then."""
        deadline = time.monotonic() + within_s
        with self._news:
            while not is_there(wanted, seen := self._look()):
                left = deadline - time.monotonic()
                if self._silent or left <= 0:
                    raise AssertionError(self._complaint(f"{named(wanted)} was not seen"))
                self._news.wait(left)
            return seen

    def wait_for_output(self, wanted: bytes, *, within_s: float = PATIENCE_S) -> None:
        """Wait until the program has written these bytes, whatever became of them on the screen."""
        deadline = time.monotonic() + within_s
        with self._news:
            while wanted not in self.raw:
                left = deadline - time.monotonic()
                if self._silent or left <= 0:
                    raise AssertionError(self._complaint(f"{wanted!r} was not written"))
                self._news.wait(left)

    @property
    def modes(self) -> frozenset[int]:
        """The private modes (DECSET) that are on: 1049 second screen, 2004 paste, 1000 to 1006 mouse, 1004 focus…"""
        with self._news:
            return frozenset(self._emulator.modes)

    @property
    def modes_left(self) -> frozenset[int]:
        """The private modes that are other than in a fresh terminal; 25 is there when the cursor is hidden."""
        return self.modes ^ FRESH

    @property
    def title(self) -> str:
        with self._news:
            return self._emulator.title

    @property
    def cursor_shape(self) -> int:
        """The shape that was asked for (DECSCUSR); 0 is the terminal's own."""
        with self._news:
            return self._emulator.cursor_shape

    @property
    def after(self) -> list[Any]:
        """How the terminal is set now (termios), to be compared with `before`."""
        return termios.tcgetattr(self._master)

    # --- acting

    def keys(self, *names: str) -> None:
        """Press keys by their names, such as `down`, `ctrl-c` and `a`; anything else is typed as text."""
        self._write(b"".join(KEYS.get(name) or name.replace("\n", "\r").encode() for name in names))

    def paste(self, text: str) -> None:
        """Paste, in brackets if the program asked for them."""
        brackets = (b"\x1b[200~", b"\x1b[201~") if 2004 in self.modes else (b"", b"")
        self._write(text.replace("\n", "\r").encode().join(brackets))

    def resize(self, columns: int, rows: int) -> None:
        """Give the window another size; the program hears of it by SIGWINCH."""
        with self._news:
            self._emulator.resize(columns, rows)
        _set_size(self._master, columns, rows)

    def signal(self, number: signal.Signals) -> None:
        """Send the program a signal from elsewhere."""
        self.process.send_signal(number)

    def hang_up(self) -> None:
        """Close the window: the session gets SIGHUP, and nothing more is seen."""
        if self._reader.is_alive():
            os.write(self._wake, b"x")
            self._reader.join()
        if self._master >= 0:
            os.close(self._master)
            self._master = -1

    # --- ending

    def ended(self, *, within_s: float = PATIENCE_S) -> int:
        """Wait until the program has ended and all it wrote is on the screen; its code, or minus its signal."""
        try:
            code = self.process.wait(within_s)
        except subprocess.TimeoutExpired:
            raise AssertionError(self._complaint("the program goes on")) from None
        self._reader.join(within_s)
        if self._reader.is_alive():
            raise AssertionError(self._complaint("something that the program started still has the terminal"))
        return code

    def close(self) -> None:
        """Be sure that the program is gone and give everything back."""
        self.hang_up()
        if self.process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        for end in (self._wake_reader, self._wake):
            if end >= 0:
                os.close(end)
        self._wake_reader = self._wake = -1

    # --- underneath

    def _write(self, data: bytes) -> None:
        with suppress(OSError):  # nobody reads any more, as when a key is pressed at a program that has ended
            while data:
                data = data[os.write(self._master, data) :]

    def _read(self) -> None:
        """Take what the program writes, until every end of the terminal is closed or the window is."""
        while True:
            ready, _, _ = select.select([self._master, self._wake_reader], [], [])
            try:
                data = b"" if self._wake_reader in ready else os.read(self._master, 65536)
            except OSError:  # EIO: nobody has the other end open
                data = b""
            with self._news:
                self.raw += data
                self._emulator.feed(data)
                self._silent = not data
                self._news.notify_all()
            if not data:
                return

    def _look(self) -> Seen:
        return Seen(self._emulator.lines, self._emulator.cursor)

    def _state(self) -> str:
        code = self.process.poll()
        return "runs" if code is None else f"ended with {code}"

    def _complaint(self, what: str) -> str:
        screen = self._look().drawn(self._emulator.columns)
        return f"{what}; {self!r}\n{screen}\nthe last that it wrote: {self.raw[-TAIL:]!r}"


def _set_size(master: int, columns: int, rows: int) -> None:
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
