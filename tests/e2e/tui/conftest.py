"""The real TUI on a terminal, in front of a real daemon or of one that follows a script."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.kit.daemons import ROOT, Home
from tests.kit.terminal import Terminal
from tests.kit.tmux import MISSING, WHY_SKIPPED, Tmux

TUI = (sys.executable, "-m", "harnctl", "tui")
Start = Callable[..., Any]  # a `Terminal` or a `Tmux`

IN_TMUX = pytest.param(Tmux, id="tmux", marks=pytest.mark.skipif(MISSING, reason=WHY_SKIPPED))
ON_BOTH = pytest.mark.parametrize("kind", [pytest.param(Terminal, id="pty"), IN_TMUX])


def environ_of(socket: Path, *, home: Path, **more: str) -> dict[str, str]:
    """What a person's terminal has in its environment."""
    usual = {"PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONPATH": str(ROOT)}
    return {**usual, "HARND_SOCKET": str(socket), **more}


@pytest.fixture
def tui(home: Home) -> Iterator[Start]:
    """Starts the TUI of a home's daemon, on whichever terminal."""
    with ExitStack() as stack:

        def start(kind: type[Terminal] | type[Tmux] = Terminal, *, columns: int = 100, rows: int = 30, **environ: str):
            asked = environ_of(home.socket, home=home.root, **environ)
            return stack.enter_context(kind.start(TUI, environ=asked, columns=columns, rows=rows, cwd=ROOT))

        yield start


@pytest.fixture
def editor(home: Home) -> Callable[[str], str]:
    """Makes an editor that writes a text as a person would, and says how to start it."""

    def make(text: str) -> str:
        script = home.write("editor.py", f"import sys\nopen(sys.argv[1], 'w').write({text!r})\n")
        return f"{sys.executable} {script}"

    return make
