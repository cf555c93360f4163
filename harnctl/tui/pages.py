"""Pages: what is shown of a thing, as the blocks that the command line shows of it too, laid out once and kept.

Laying out a long log or diff takes longer than a key may take, so its rows are kept until it is read anew or the width
changes, and there are no more than a person scrolls through.  Ages stand on the other pages, which are short.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Final, TypeVar, assert_never

from harnctl.render import approval, daemon, goal, inbox, patch, plan, plan_diff, work
from harnctl.render.blocks import Block, Command, Gap, Paragraph, Span, Style
from harnctl.render.layout import Row, lay_out, shown
from harnctl.render.screen import Screen
from harnctl.tui.things import ApprovalThing, GoalThing, Nothing, Page, PlanThing, Thing, WorkThing
from protocol.replies import WorkDiff, WorkLog
from protocol.values import Instant
from protocol.views import PlanView

PartT = TypeVar("PartT", WorkDiff, WorkLog)

MOST: Final = 3_000  # rows of one page


class _Same:
    """A thing that equals only itself: comparing two long logs would take as long as laying them out."""

    def __init__(self, thing: Thing) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.thing is self.thing

    def __hash__(self) -> int:
        return id(self.thing)


def rows_of(thing: Thing, page: Page, *, now: Instant, columns: int, unicode: bool) -> tuple[Row, ...]:
    """Return the rows of one page of a thing."""
    ageless = page in {Page.DIFF, Page.LOG}
    return _rows(_Same(thing), page, Instant(0) if ageless else now, columns, unicode)


@lru_cache(maxsize=8)
def _rows(same: _Same, page: Page, now: Instant, columns: int, unicode: bool) -> tuple[Row, ...]:  # noqa: FBT001
    screen = Screen(columns=columns, unicode=unicode, cells=True)
    rows = tuple(islice(lay_out(blocks(same.thing, page, now), screen), MOST + 1))
    cut = (Span(shown("… and more: the command line shows all of it", screen), Style.ASKS),)
    return rows if len(rows) <= MOST else (*rows[:MOST], cut)


def blocks(thing: Thing, page: Page, now: Instant) -> Iterator[Block]:
    """Show one page of a thing."""
    match thing:
        case PlanThing():
            yield from _without_commands(_plan(thing, page, now))
        case ApprovalThing():
            yield from approval.question(thing.view, now)
        case WorkThing():
            yield from _without_commands(_work(thing, page, now))
        case GoalThing():
            yield from _goal(thing, page, now)
        case _:
            assert_never(thing)


def _plan(thing: PlanThing, page: Page, now: Instant) -> Iterator[Block]:
    match page, thing.before:
        case Page.DIFF, None:
            return _reading()
        case Page.DIFF, Nothing(why) if why:
            return _nothing(why)
        case Page.DIFF, before:
            return plan_diff.compared(thing.view, before if isinstance(before, PlanView) else None)
        case _:
            return plan.proposal(thing.view, now)


def _work(thing: WorkThing, page: Page, now: Instant) -> Iterator[Block]:
    match page:
        case Page.DIFF:
            return _read(thing.diff, patch.changed)
        case Page.LOG:
            return _read(thing.log, lambda log: work.logged(log, now))
        case _:
            return work.result(thing.view, now)


def _goal(thing: GoalThing, page: Page, now: Instant) -> Iterator[Block]:
    if page is Page.BUDGET:
        yield from daemon.budget(thing.budget)
        return
    yield from inbox.reasoned(thing.why, now)
    yield Gap()
    yield from goal.shown(thing.view, now)


def _read(part: PartT | Nothing | None, show: Callable[[PartT], Iterator[Block]]) -> Iterator[Block]:
    """Show a part that may not be read yet, or not be there."""
    match part:
        case None:
            return _reading()
        case Nothing(why):
            return _nothing(why)
        case found:
            return show(found)


def _without_commands(shown_of: Iterator[Block]) -> Iterator[Block]:
    """Leave out what a person would type into harnctl: there is a key for it."""
    return (block for block in shown_of if not (isinstance(block, Command) and block.words[0] == "harnctl"))


def _reading() -> Iterator[Block]:
    yield Paragraph("reading …", style=Style.FAINT)


def _nothing(why: str) -> Iterator[Block]:
    yield Paragraph(why, style=Style.FAINT)
