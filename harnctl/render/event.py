"""Events for a reader: one line each, in the order in which they were committed."""

from collections.abc import Iterator
from typing import Final

from harnctl.render.blocks import Block, Gap, Line, Paragraph, Span, Style, command
from harnctl.render.story import told
from harnctl.render.words import moment
from protocol.bounds import FRAME_BYTES
from protocol.ids import GoalId
from protocol.replies import EventPage
from protocol.values import Instant
from protocol.views import EventView

LONG: Final = FRAME_BYTES // 2  # characters of bodies, from which on a page may have been cut to fit into a frame


def page(listed: EventPage, *, now: Instant, limit: int, goal: GoalId | None) -> Iterator[Block]:
    """Show a page of events, and the command for what lies past it where something may."""
    if not listed.events:
        yield Paragraph("Nothing happened since.")
    for happened in listed.events:
        yield from event(happened, now=now, goal=goal)
    if len(listed.events) >= limit or sum(len(str(happened.body)) for happened in listed.events) > LONG:
        yield Gap()
        yield command("events", "--after", listed.next_after, *(("--goal", goal) if goal else ()))


def event(happened: EventView, *, now: Instant, goal: GoalId | None) -> Iterator[Block]:
    """Tell one event, if there is anything to tell: its sequence number first, since that is what `--after` takes."""
    sentence = told(happened)
    if sentence is not None:
        whose = "" if goal else f"{happened.goal}  "
        when = f"{happened.seq}  {moment(happened.at, now)}  "
        yield Line((Span(when, Style.FAINT), Span(whose, Style.STRONG), Span(sentence)))
