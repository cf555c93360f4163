"""How long the TUI takes from a key to the screen that shows what it did, with a thousand things that wait.

    make bench-tui

The real `harnctl tui` runs on a pseudo-terminal against a daemon that answers from memory.  The yardstick, in the same
run, is a program that does nothing but write a screenful for every key: what the machine and the terminal take by
themselves.  The last line is one JSON object, its times in milliseconds.
"""

import fcntl
import json
import os
import pty
import select
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pyte

from protocol.ids import GoalId
from protocol.views import InboxItem, InboxKind, InboxView
from tests.kit.scripted_daemon import ScriptedDaemon, golden

ROOT: Final = Path(__file__).parents[1]
ITEMS: Final = 1_000
KEYS: Final = 200
QUIET_S: Final = 0.05  # of a screen that has come to rest
KINDS: Final = (InboxKind.PLAN, InboxKind.WORK, InboxKind.BLOCKED, InboxKind.BUDGET, InboxKind.PARKED)
COLUMNS, ROWS = 132, 40
PATIENCE_S: Final = 20.0
YARDSTICK: Final = f"""
import sys, tty
tty.setraw(0)
sys.stdout.write("ready"); sys.stdout.flush()
while sys.stdin.buffer.raw.read(1):
    sys.stdout.write("\\x1b[H" + ("x" * {COLUMNS}) * {ROWS}); sys.stdout.flush()
"""


class Terminal:
    """A program on a pseudo-terminal, and every byte that it wrote."""

    def __init__(self, command: Sequence[str], environ: Mapping[str, str]) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=environ, cwd=ROOT, start_new_session=True
        )
        os.close(slave)
        self._poll = select.poll()
        self._poll.register(self._master, select.POLLIN)
        self.written = b""

    def press(self, key: bytes) -> float:
        """Press a key and return the seconds until the last byte of all that it led to was written."""
        begun = time.perf_counter()
        os.write(self._master, key)
        if not self._poll.poll(PATIENCE_S * 1_000):
            raise TimeoutError(f"{key!r} led to nothing")
        last = begun
        while self._poll.poll(QUIET_S * 1_000):
            self.written += os.read(self._master, 65_536)
            last = time.perf_counter()
        return last - begun

    def wait_for(self, shows: bytes) -> None:
        """Read until these bytes came, and then nothing more."""
        deadline = time.monotonic() + PATIENCE_S
        while shows not in self.written or self._poll.poll(QUIET_S * 1_000):
            if time.monotonic() > deadline or not self._poll.poll(PATIENCE_S * 1_000):
                raise TimeoutError(f"{shows!r} was not shown; the last was {self.written[-400:]!r}")
            self.written += os.read(self._master, 65_536)

    def screen(self) -> str:
        """Return what the terminal shows by now."""
        screen = pyte.Screen(COLUMNS, ROWS)
        pyte.ByteStream(screen).feed(self.written)
        return "\n".join(screen.display)

    def close(self) -> None:
        """End the program."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(PATIENCE_S)
        os.close(self._master)


def inbox() -> InboxView:
    """Return a thousand things that wait, of every kind a daemon has today."""
    since = golden("inbox.list").items[0].since
    return InboxView(
        tuple(
            InboxItem(
                goal=GoalId(f"g{number:04}"),
                kind=KINDS[number % len(KINDS)],
                subject="plan/1",
                summary=f"thing {number} waits for an answer, \N{SNOWMAN} and more than fits into a row",
                since=since,
                digest=None,
                verb="harnctl inbox",
            )
            for number in range(ITEMS)
        )
    )


@contextmanager
def tui(directory: Path) -> Iterator[Terminal]:
    """Run the TUI on those things."""
    socket = directory / "s"
    environ = {
        **{name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ},
        "HOME": str(directory),
        "TERM": "xterm-256color",
        "HARND_SOCKET": str(socket),
        "PYTHONPATH": str(ROOT),
        "PYTHONUTF8": "1",
    }
    with ScriptedDaemon(socket) as daemon:
        daemon.answers("inbox.list", inbox())
        terminal = Terminal((sys.executable, "-m", "harnctl", "tui"), environ)
        try:
            terminal.wait_for(b"g0000")
            terminal.wait_for(b"rationale")
            yield terminal
        finally:
            terminal.close()


def moves(terminal: Terminal) -> list[float]:
    """Go down the list, a thing at a time; each is read from the daemon and shown."""
    took = [terminal.press(b"j") for _ in range(KEYS)]
    if f"> {KINDS[KEYS % len(KINDS)]}" not in terminal.screen() or f"g{KEYS:04}" not in terminal.screen():
        raise AssertionError(terminal.screen())
    return took


def letters(terminal: Terminal) -> list[float]:
    """Type a filter, which every thing is held against, and take it back, again and again."""
    terminal.press(b"/")
    took: list[float] = []
    for _ in range(KEYS // 10):
        took += [terminal.press(letter) for letter in (b"t", b"h", b"i", b"n", b"g")]
        took += [terminal.press(b"\x7f") for _ in range(5)]
    return took


def yardstick() -> list[float]:
    """Press keys for a program that only writes a screenful each."""
    terminal = Terminal((sys.executable, "-c", YARDSTICK), {"PATH": os.environ["PATH"]})
    try:
        terminal.wait_for(b"ready")
        return [terminal.press(b"x") for _ in range(KEYS)]
    finally:
        terminal.close()


def p99(seconds: Sequence[float]) -> float:
    """Return the 99th percentile in milliseconds."""
    return round(statistics.quantiles(seconds, n=100)[98] * 1_000, 2)


def median(seconds: Sequence[float]) -> float:
    """Return the median in milliseconds."""
    return round(statistics.median(seconds) * 1_000, 2)


def main() -> None:
    """Measure, print a table, and one JSON object as the last line."""
    directory = Path(tempfile.mkdtemp(prefix="hb-"))
    try:
        floor = yardstick()
        with tui(directory) as terminal:
            moved, typed = moves(terminal), letters(terminal)
    finally:
        shutil.rmtree(directory)
    for name, took in (("a screenful, written", floor), ("down the list", moved), ("a letter of a filter", typed)):
        print(f"{name:22} median {median(took):7.2f} ms   p99 {p99(took):7.2f} ms")
    figures = {
        "items": ITEMS,
        "keys": len(moved) + len(typed),
        "redraw_ms_p50": median([*moved, *typed]),
        "redraw_ms_p99": p99([*moved, *typed]),
        "screenful_ms_p50": median(floor),
        "screenful_ms_p99": p99(floor),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
