"""`harnctl gc`: what piles up on the disk, cleared away, or only shown."""

from typing import Annotated, Final

import typer

from harnctl.client import new_key
from harnctl.commands.goal import micros
from harnctl.commands.options import console_of
from harnctl.render import gc as render
from protocol.requests import RunGc, ShowGc
from protocol.values import Micros

USUAL: Final = "14d"

DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would go, and what each goal takes.")]
OlderThan = Annotated[
    str, typer.Option("--older-than", metavar="TIME", help="What ended longer ago may go: 90m, 12h or 14d.")
]


def clear_away(context: typer.Context, *, dry_run: DryRun = False, older_than: OlderThan = USUAL) -> None:
    """Clear away what is not needed any more; nothing that is unsaved goes."""
    console = console_of(context)
    age = Micros(micros(older_than))
    request = ShowGc(older_than=age) if dry_run else RunGc(key=new_key(), older_than=age)
    view = console.ask(request)
    console.show(request.method, view, render.cleared(view))
