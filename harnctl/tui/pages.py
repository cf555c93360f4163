"""Pages: what is shown of a thing, as the blocks that the command line shows of it too, laid out once and kept.

Laying out a long log takes longer than a key may take, so the rows are kept until the thing, the page, the width or the
minute changes.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import assert_never

from harnctl.render import daemon, goal, inbox, patch, plan, plan_diff, work
from harnctl.render.blocks import Block, Gap, Paragraph, Style
from harnctl.render.layout import Row, lay_out
from harnctl.render.screen import Screen
from harnctl.tui.model import GoalThing, Page, PlanThing, Thing, WorkThing
from protocol.values import Instant


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
    return _rows(_Same(thing), page, now, columns, unicode)


@lru_cache(maxsize=8)
def _rows(same: _Same, page: Page, now: Instant, columns: int, unicode: bool) -> tuple[Row, ...]:  # noqa: FBT001
    screen = Screen(columns=columns, unicode=unicode, cells=True)
    return tuple(lay_out(blocks(same.thing, page, now), screen))


def blocks(thing: Thing, page: Page, now: Instant) -> Iterator[Block]:
    """Show one page of a thing."""
    match thing:
        case PlanThing():
            yield from _plan(thing, page, now)
        case WorkThing():
            yield from _work(thing, page, now)
        case GoalThing():
            yield from _goal(thing, page, now)
        case _:
            assert_never(thing)


def _plan(thing: PlanThing, page: Page, now: Instant) -> Iterator[Block]:
    if page is Page.DIFF:
        return plan_diff.compared(thing.view, thing.before)
    return plan.proposal(thing.view, now)


def _work(thing: WorkThing, page: Page, now: Instant) -> Iterator[Block]:
    match page:
        case Page.DIFF:
            return patch.changed(thing.diff) if thing.diff is not None else _reading()
        case Page.LOG:
            return work.logged(thing.log, now) if thing.log is not None else _reading()
        case _:
            return work.result(thing.view, now)


def _goal(thing: GoalThing, page: Page, now: Instant) -> Iterator[Block]:
    if page is Page.BUDGET:
        yield from daemon.budget(thing.budget)
        return
    yield from inbox.reasoned(thing.why, now)
    yield Gap()
    yield from goal.shown(thing.view, now)


def _reading() -> Iterator[Block]:
    yield Paragraph("reading …", style=Style.FAINT)
