"""The same as `tests.kit.terminal` by way of tmux: a second opinion on what a terminal shows, by another emulator.

Every terminal is a tmux server of its own, which reads no configuration, is reached by a socket of its own and is gone
at the end.  A client in control mode tells of all output, so that a test waits on what the program writes and never on
time.
"""

import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Self

from tests.kit.terminal import KEYS, PATIENCE_S, TAIL, Seen, Wanted, is_there, named

MISSING: Final = shutil.which("tmux") is None
WHY_SKIPPED: Final = "install tmux to see these run"

ENVIRON: Final = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TERM": "screen-256color"}  # of tmux itself
OCTAL: Final = re.compile(rb"\\([0-7]{3})")  # how control mode writes what is no letter
NAMES: Final[Mapping[str, str]] = {  # of keys, to tmux
    "enter": "Enter",
    "esc": "Escape",
    "tab": "Tab",
    "shift-tab": "BTab",
    "backspace": "BSpace",
    "space": "Space",
    "up": "Up",
    "down": "Down",
    "right": "Right",
    "left": "Left",
    "home": "Home",
    "end": "End",
    "insert": "IC",
    "delete": "DC",
    "page-up": "PPage",
    "page-down": "NPage",
    "f1": "F1",
    "f2": "F2",
    **{name: f"C-{name.removeprefix('ctrl-')}" for name in KEYS if name.startswith("ctrl-")},
}
# What tmux tells of the private modes, and which they are.
FLAGS: Final[Mapping[str, int]] = {
    "alternate_on": 1049,
    "mouse_standard_flag": 1000,
    "mouse_button_flag": 1002,
    "mouse_all_flag": 1003,
    "mouse_sgr_flag": 1006,
}


class Tmux:
    """A program in the only pane of a tmux server."""

    def __init__(self, place: Path, *, columns: int, rows: int) -> None:
        """Take an empty directory of its own; `start` makes these."""
        self.raw = b""  # what the program wrote, as far as it was waited for
        self._place = place
        self._size = columns, rows
        self._listener: subprocess.Popen[bytes] | None = None
        self._program = -1  # a pidfd
        self._told = b""  # by tmux, up to the end of a line

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
        """Start a program; it sees `environ` and the TERM of tmux, and begins when its output is heard."""
        made = cls(Path(tempfile.mkdtemp(prefix="tmux-")), columns=columns, rows=rows)
        try:
            made._start(command, environ, cwd)
        except BaseException:
            made.close()
            raise
        return made

    def _start(self, command: Sequence[str], environ: Mapping[str, str], cwd: Path | str | None) -> None:
        columns, rows = self._size
        words = [f"{name}={value}" for name, value in {**environ, "TERM": "screen-256color"}.items()]
        # The shell waits until its output is listened to, so that not a byte of the program's is missed.
        go = self._place / "go"
        waits = ("sh", "-c", 'read -r _ <"$0" && exec "$@"', os.fspath(go), "env", "-i", *words)
        os.mkfifo(go)
        self._tmux(
            *("start-server", ";", "set-option", "-g", "exit-empty", "off", ";", "set-option", "-g", "status", "off"),
            *(";", "set-option", "-g", "remain-on-exit", "on", ";", "set-option", "-g", "remain-on-exit-format", ""),
            *(";", "set-option", "-sg", "escape-time", "0"),
            *(";", "new-session", "-d", "-x", str(columns), "-y", str(rows), "-c", os.fspath(cwd or Path.cwd())),
            *("--", *waits, *command),
        )
        self._tmux("set-option", "-g", "window-size", "manual")  # and not what the listener's window would be
        self._program = os.pidfd_open(int(self._tell("#{pane_pid}")))
        pipe = subprocess.PIPE
        self._listener = subprocess.Popen([*self._server(), "-C", "attach"], env=ENVIRON, stdin=pipe, stdout=pipe)
        while b"%session-changed" not in self._told:
            self._told += os.read(self._heard, 65536)
        # From here on the server ends with its listener, and so with the tests, however they end.
        self._tmux("set-option", "-g", "destroy-unattached", "on", ";", "set-option", "-g", "exit-empty", "on")
        go.write_text("\n")

    @property
    def _heard(self) -> int:
        if self._listener is None or self._listener.stdout is None:
            raise AssertionError("nobody listens to tmux")
        return self._listener.stdout.fileno()

    def __repr__(self) -> str:
        return f"<Tmux {self._size[0]}x{self._size[1]} {self._place.name}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # --- looking

    @property
    def seen(self) -> Seen:
        """What is on the screen now."""
        lines = self._tmux("capture-pane", "-p", "-N").rstrip("\n").split("\n")
        column, row = self._tell("#{cursor_x} #{cursor_y}").split()
        padded = [*lines, *[""] * (self._size[1] - len(lines))]
        return Seen(tuple(line.rstrip() for line in padded), (int(column), int(row)))

    def wait_for(self, wanted: Wanted, *, within_s: float = PATIENCE_S) -> Seen:
        """Wait until the screen has a text, or is as a predicate wants it; return it then."""
        deadline = time.monotonic() + within_s
        while True:
            over = self._is_over(0)  # asked before looking: what it wrote last is to be seen
            if is_there(wanted, seen := self.seen):
                return seen
            left = deadline - time.monotonic()
            if over or left <= 0 or not self._hear(left):
                raise AssertionError(self._complaint(f"{named(wanted)} was not seen"))

    @property
    def modes_left(self) -> frozenset[int]:
        """The private modes that are other than in a fresh terminal, as far as tmux tells."""
        told = self._tell(" ".join(f"#{{{flag}}}" for flag in (*FLAGS, "cursor_flag", "pane_dead"))).split()
        on = {mode for mode, flag in zip(FLAGS.values(), told, strict=False) if flag == "1"}
        hidden = told[-2:] == ["0", "0"]  # in a pane whose program has ended tmux itself hides the cursor
        return frozenset(on | ({25} if hidden else set()))

    # --- acting

    def keys(self, *names: str) -> None:
        """Press keys by their names; anything else is typed as text."""
        for name in names:
            if name in NAMES:
                self._tmux("send-keys", NAMES[name])
            else:
                for number, part in enumerate(name.split("\n")):
                    self._tmux("send-keys", "Enter") if number else None
                    self._tmux("send-keys", "-l", "--", part) if part else None

    def resize(self, columns: int, rows: int) -> None:
        """Give the window another size."""
        self._size = columns, rows
        self._tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def signal(self, number: signal.Signals) -> None:
        """Send the program a signal from elsewhere."""
        os.kill(int(self._tell("#{pane_pid}")), number)

    # --- ending

    def ended(self, *, within_s: float = PATIENCE_S) -> int:
        """Wait until the program has ended; its code, or minus its signal."""
        deadline = time.monotonic() + within_s
        while not self._is_over(deadline - time.monotonic()):
            if time.monotonic() > deadline:
                raise AssertionError(self._complaint("the program goes on"))
        code, by = self._tell("#{pane_dead_status}/#{pane_dead_signal}").split("/")
        return int(code) if code else -int(by)

    def close(self) -> None:
        """End the server and whatever runs in it."""
        subprocess.run([*self._server(), "kill-server"], env=ENVIRON, capture_output=True, check=False)
        if self._listener is not None:
            self._listener.communicate()
        if self._program >= 0:
            os.close(self._program)
        shutil.rmtree(self._place)

    # --- underneath

    def _server(self) -> tuple[str, ...]:
        return ("tmux", "-S", os.fspath(self._place / "server"), "-f", os.devnull)

    def _tmux(self, *words: str) -> str:
        command = [*self._server(), *words]
        ran = subprocess.run(command, env=ENVIRON, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        if ran.returncode:
            raise AssertionError(f"{command} ended with {ran.returncode}: {ran.stderr}")
        return ran.stdout

    def _tell(self, what: str) -> str:
        return self._tmux("display-message", "-p", what).rstrip("\n")

    def _is_over(self, within_s: float) -> bool:
        """Wait until the program has ended; tell whether it has, and tmux knows how and has drawn everything."""
        if not select.select([self._program], [], [], max(within_s, 0))[0]:
            return False
        dead, code, by = self._tell("#{pane_dead}/#{pane_dead_status}/#{pane_dead_signal}").split("/")
        if dead == "1" and not (code or by):  # tmux 3.3 may leave one child unwaited for until another one ends
            self._tmux("run-shell", "true")
        return dead == "1" and bool(code or by)

    def _hear(self, within_s: float) -> bool:
        """Wait until the program writes something or ends; tell whether it did."""
        ready, _, _ = select.select([self._heard, self._program], [], [], within_s)
        if self._heard in ready:
            *whole, self._told = (self._told + os.read(self._heard, 65536)).split(b"\n")
            self.raw += b"".join(OCTAL.sub(_byte, line.split(b" ", 2)[2]) for line in whole if b"%output " in line[:8])
        return bool(ready)

    def _complaint(self, what: str) -> str:
        return f"{what}; {self!r}\n{self.seen.drawn(self._size[0])}\nthe last that it wrote: {self.raw[-TAIL:]!r}"


def _byte(escaped: re.Match[bytes]) -> bytes:
    return bytes([int(escaped[1], 8)])
