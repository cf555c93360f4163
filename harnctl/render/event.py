"""Events for a reader: one line each, in the order in which they were committed."""

import json
from collections.abc import Iterator

from harnctl.render.blocks import Block, Gap, Line, Paragraph, Span, Style, command
from harnctl.render.words import stamp
from protocol.ids import GoalId
from protocol.replies import EventPage
from protocol.views import EventView


def page(listed: EventPage, *, after: int, goal: GoalId | None) -> Iterator[Block]:
    """Show a page of events and the command for what lies past it."""
    if not listed.events:
        yield Paragraph("Nothing happened since.")
    yield from map(event, listed.events)
    if listed.next_after > after:
        yield Gap()
        yield command("events", "--after", listed.next_after, *(("--goal", goal) if goal else ()))


def event(happened: EventView) -> Line:
    """Show one event: its sequence number first, since that is what `--after` takes."""
    said = {name: value for name, value in happened.body.items() if name != "type"}  # which is the tag again
    body = json.dumps(said, ensure_ascii=False, separators=(", ", ": "))
    return Line(
        (
            Span(f"{happened.seq}  ", Style.FAINT),
            Span(happened.tag, Style.STRONG),
            Span(f"  {happened.goal}"),
            Span(f"  {stamp(happened.at)}  {body}", Style.FAINT),
        )
    )
