"""`harnctl config`: what the daemon runs with, and whether a configuration file is right.

A daemon that runs is asked.  Without one, and for every check, the `harnd` of this installation looks at the file by
itself, since that is who would have to start with it.
"""

import subprocess
from pathlib import Path
from typing import Annotated, Final

import msgspec
import typer

from harnctl.client import Unreachable
from harnctl.client.place import program
from harnctl.commands.options import console_of
from harnctl.console import Console
from harnctl.failures import Failure
from harnctl.render import config as render
from protocol.decoding import write
from protocol.requests import ShowConfig
from protocol.views import ConfigView

CHECKED: Final = "config.check"
LOOK_S: Final = 30.0  # for the installed harnd to start, read a file and end

app = typer.Typer(no_args_is_help=True)

Origins = Annotated[bool, typer.Option("--origin", help="Also show where each value comes from.")]
File = Annotated[
    Path | None, typer.Argument(metavar="FILE", help="The file; without it the one that harnd would read.")
]


@app.command("show")
def show(context: typer.Context, *, origin: Origins = False) -> None:
    """Show what the daemon runs with, or without a daemon what one would start with."""
    console = console_of(context)
    try:
        view = console.ask(ShowConfig())
    except Unreachable:
        view = looked_at(console)
        if view.problems:
            raise _invalid(view) from None
    console.show(ShowConfig.method, view, render.config(view, origin=origin))


@app.command("check")
def check(context: typer.Context, file: File = None) -> None:
    """Say everything that is wrong with a configuration; no daemon is needed for it."""
    console = console_of(context)
    view = looked_at(console, file)
    if view.problems:
        raise _invalid(view)
    console.show(CHECKED, view, render.checked(view))


def looked_at(console: Console, file: Path | None = None) -> ConfigView:
    """Have the installed harnd look at its configuration, or at a file."""
    chosen = (("--config", file), ("--state", console.state), ("--socket", console.socket))
    told = [word for option, path in chosen if path is not None for word in (option, str(path))]
    harnd = program()
    try:
        ended = subprocess.run(
            [*harnd, *told, "--check-config"],
            env=dict(console.environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LOOK_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Failure("config.unchecked", f"{harnd[0]} did not look at the configuration: {error}") from error
    try:
        return msgspec.json.decode(ended.stdout, type=ConfigView)
    except msgspec.DecodeError as error:  # an older harnd does not know how to
        said = ended.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise Failure("config.unchecked", f"{harnd[0]} cannot check a configuration: {said or error}") from error


def _invalid(view: ConfigView) -> Failure:
    details = {"path": view.path, "problems": [write(problem) for problem in view.problems]}
    return Failure("config.invalid", f"{view.path}: no daemon starts with this configuration", details=details)
