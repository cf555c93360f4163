"""`harnctl inbox` and `why`: what waits for a person, and why a thing stands where it stands."""

from typing import Annotated

import typer

from harnctl.commands.options import console_of
from harnctl.render import inbox as render
from protocol.requests import ListInbox, ShowWhy

Target = Annotated[str, typer.Argument(metavar="GOAL[/WORK]", help="A goal, or one of its work items.")]
Part = Annotated[str | None, typer.Argument(metavar="[WORK]", help="The work item, when it is not named behind a /.")]


def list_inbox(context: typer.Context) -> None:
    """List everything that waits for you, by risk and age."""
    console = console_of(context)
    inbox = console.ask(ListInbox())
    console.show(ListInbox.method, inbox, render.waiting(inbox, console.now()))


def show_why(context: typer.Context, target: Target, work: Part = None) -> None:
    """Show what holds a goal or a work item, and what would change it."""
    console = console_of(context)
    request = ShowWhy(target if work is None else f"{target}/{work}")
    why = console.ask(request)
    console.show(request.method, why, render.reasoned(why, console.now()))
