"""Graphs: in which order the items of a plan can be done, at a glance.

An item stands below everything that it waits for, and is indented by how many steps come before it.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from harnctl.render.blocks import Block, Line, Span, Style
from protocol.ids import WorkKey
from protocol.views import PlanItem

DEEPEST: Final = 4  # steps that are still told by indenting


def graph(items: Sequence[PlanItem], root: WorkKey | None) -> Iterator[Block]:
    """Draw the graph of a plan with more than one item, a line each."""
    if len(items) > 1:
        depths = steps(items)
        for item in sorted(items, key=lambda one: depths[one.key]):
            yield _line(item, depth=min(depths[item.key], DEEPEST), root=item.key == root)


def steps(items: Sequence[PlanItem]) -> dict[WorkKey, int]:
    """Count for each item the steps of the same plan that come before it, along the longest way."""
    known: dict[WorkKey, int] = {item.key: 0 for item in items}
    for _ in items:  # one round per step at most; a circle, which no daemon proposes, ends here as well
        for item in items:
            before = [known[WorkKey(name)] for name in item.dependencies if WorkKey(name) in known]
            known[item.key] = max((1 + one for one in before), default=0)
    return known


def _line(item: PlanItem, *, depth: int, root: bool) -> Line:
    arrow = "  " * depth + ("→ " if depth else "")
    after = f"  after {', '.join(item.dependencies)}" if item.dependencies else ""
    ends = "  (root)" if root else ""
    return Line((Span(f"  {arrow}"), Span(item.key, Style.STRONG), Span(after + ends, Style.FAINT)))
