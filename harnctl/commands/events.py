"""`harnctl events`: what happened, a page of it or as it happens."""

from typing import Annotated

import typer

from harnctl.client import Presence
from harnctl.commands.options import console_of
from harnctl.render import event as render
from harnctl.render.blocks import Block, Paragraph, Style
from protocol import ids
from protocol.bounds import EVENTS_PER_PAGE
from protocol.requests import ListEvents

EVENT = "events.event"  # the name of one event as a document

Of = Annotated[str | None, typer.Option("--goal", metavar="GOAL", help="Only those of one goal.")]
After = Annotated[int, typer.Option("--after", metavar="N", min=0, help="Only those past this sequence number.")]
Limit = Annotated[
    int, typer.Option("--limit", metavar="N", min=EVENTS_PER_PAGE.least, max=EVENTS_PER_PAGE.ceiling, help="How many.")
]
Follow = Annotated[bool, typer.Option("--follow", "-f", help="Go on with those that come, a line each.")]


def list_events(
    context: typer.Context,
    *,
    goal: Of = None,
    after: After = 0,
    limit: Limit = EVENTS_PER_PAGE.default,
    follow: Follow = False,
) -> None:
    """List what happened, oldest first; Ctrl-C only ends the listing."""
    console = console_of(context)
    of = None if goal is None else ids.GoalId(goal)
    if follow:
        with console.client().events(after, goal=of, presence=lambda there: console.tell([_presence(there)])) as events:
            for event in events:
                console.show(EVENT, event, render.event(event, now=console.now(), goal=of))
        return
    page = console.ask(ListEvents(after=after, limit=limit, goal=of))
    console.show(ListEvents.method, page, render.page(page, now=console.now(), limit=limit, goal=of))


def _presence(there: Presence) -> Block:
    match there:
        case Presence.GONE:
            return Paragraph("the daemon went away; waiting for it to come back", style=Style.ASKS)
        case Presence.BACK:
            return Paragraph("the daemon is back", style=Style.GOOD)
