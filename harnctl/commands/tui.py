"""`harnctl tui`: everything that waits for a person, live, and the keys that answer it."""

import anyio
import typer

from harnctl.commands.options import console_of
from harnctl.failures import Failure


def tui(context: typer.Context) -> None:
    """Answer what waits for you, across all goals, on a full screen."""
    console = console_of(context)
    if console.json or not console.has_screen:
        raise Failure("usage", "the TUI needs a terminal, at both ends and other than a dumb one", fix="harnctl inbox")
    from harnctl.tui.app import Tui  # noqa: PLC0415 - prompt_toolkit is loaded for nobody else

    raise typer.Exit(anyio.run(Tui(console.socket_path, console).run))
