"""The terminal: the editor run in it by a program that waits, and given back the way it was.

While an editor has the terminal, Ctrl-C is its business: the signal reaches this program as well, which takes no notice
and looks at how the editor ended.  What the editor prints goes to the terminal, also when standard output is a file.
"""

import io
import signal
import subprocess
import termios
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Final, TextIO

from harnctl.console import Console, Undecided
from harnctl.editing.draft import command_of, draft, failed, not_started, written_in

KEYBOARD: Final = (signal.SIGINT, signal.SIGQUIT)  # what a terminal sends to everybody in the foreground
SHELL_SAYS: Final = 128  # and the number of a signal, when the editor was started by a shell


def edited(console: Console, *, about: str) -> str:
    """Open the person's editor and return what they wrote; raises `Failure` when that is nothing."""
    with draft(about=about) as file:
        edit(console, file)
        return written_in(file)


def edit(console: Console, file: Path) -> None:
    """Run the person's editor on a file; raises `Undecided` when it was interrupted, `Failure` when it failed."""
    command = command_of(console.environ, file)
    with _left_alone(), _put_back(console.stdin):
        try:
            code = subprocess.run(command, stdout=_terminal_of(console), check=False).returncode
        except OSError as error:
            raise not_started(command, error) from error
    if -code in KEYBOARD or code - SHELL_SAYS in KEYBOARD:
        console.err.write("\n")  # the cursor stands behind a ^C
        raise Undecided
    if code:
        raise failed(code)


@contextmanager
def _left_alone() -> Generator[None]:
    def take_no_notice(_number: int, _frame: FrameType | None) -> None:
        """Unlike an ignored signal, one that is handled is as ever for the editor."""

    before = {number: signal.signal(number, take_no_notice) for number in KEYBOARD}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _put_back(terminal: TextIO) -> Generator[None]:
    """Set the terminal afterwards as it was before: an editor that is killed leaves it without echo."""
    try:
        descriptor = terminal.fileno()
        before = termios.tcgetattr(descriptor)
    except (io.UnsupportedOperation, termios.error):
        yield
        return
    try:
        yield
    finally:
        with suppress(termios.error):
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def _terminal_of(console: Console) -> int | None:
    try:
        return console.err.fileno()
    except io.UnsupportedOperation:
        return None
