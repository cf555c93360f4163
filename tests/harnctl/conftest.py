"""One command line, run as the program would run it, against a daemon that follows a script."""

import io
import json
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from harnctl.app import run
from harnctl.console import Console
from tests.kit.scripted_daemon import ScriptedDaemon

NOW = 1_790_003_600_000_000  # an hour past what the golden messages tell of


class Terminal(io.StringIO):
    """A stream with a person at it."""

    encoding = "utf-8"

    def isatty(self):
        return True


class Pipe(io.StringIO):
    """A stream with a program at it."""

    encoding = "utf-8"


@dataclass(frozen=True)
class Ran:
    """What came of a command line."""

    code: int
    out: str
    err: str

    @property
    def document(self):
        """The one document on standard output."""
        (line,) = self.out.splitlines()
        return json.loads(line)


@dataclass
class Shell:
    """Where command lines are typed."""

    environ: dict[str, str]

    def __call__(self, *argv, typed=None, piped="", columns=80, **environ):
        """Run a command line: `typed` is what a person answers at a terminal, `piped` what a program sends."""
        at_terminal = typed is not None
        out, err = (Terminal(), Terminal()) if at_terminal else (Pipe(), Pipe())
        console = Console(
            out=out,
            err=err,
            stdin=Terminal(typed) if at_terminal else Pipe(piped),
            environ={"NO_COLOR": "1", "COLUMNS": str(columns), **self.environ, **environ},
            clock=lambda: NOW / 1_000_000,
        )
        code = run(argv, console)
        return Ran(int(code), out.getvalue(), err.getvalue())


@pytest.fixture
def place() -> Iterator[Path]:
    """A directory whose name is short enough for a socket, as pytest's own are not."""
    path = Path(tempfile.mkdtemp(prefix="harnctl-"))
    yield path
    shutil.rmtree(path)


@pytest.fixture
def daemon(place) -> Iterator[ScriptedDaemon]:
    """A daemon that answers what the golden messages say, until it is told otherwise."""
    with ScriptedDaemon(place / "harnd.sock") as scripted:
        yield scripted


@pytest.fixture
def harnctl(place) -> Shell:
    """The command line, pointed at `daemon` where a test has one, and at nothing where it has not."""
    return Shell({"HARND_SOCKET": str(place / "harnd.sock"), "HOME": str(place)})
