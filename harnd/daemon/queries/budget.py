"""The budget of a goal: its ledger, and what its calls reported to have used.

One call that did not report what it used makes the sum unknown; a goal that made no call has used nothing.
"""

from collections.abc import Iterator

from harnd.daemon.queries.about import Sources
from harnd.domain.goal.codec import decode
from harnd.domain.goal.events import PlannerReturned, Usage
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.ledger import Entry
from harnd.ports.store import Recorded
from protocol.requests import ShowBudget
from protocol.values import Instant, MicroDollars, Unit
from protocol.views import BudgetRow, BudgetView

_PLANNER_RETURNED = str(PlannerReturned.__struct_config__.tag)


async def shown(sources: Sources, request: ShowBudget) -> BudgetView:
    """Show what a goal may spend and has spent."""
    goal = await sources.goals.load(request.goal)
    history = await sources.world.store.read(request.goal)
    now = sources.now()
    used = [*_planned(history), *_attempted(goal)]
    cost = _sum(usage.cost for usage in used)
    return BudgetView(
        goal=request.goal,
        rows=tuple(_row(goal, unit, entry, now) for unit, entry in goal.ledger.entries.items()),
        tokens=_sum(usage.tokens for usage in used),
        cost=None if cost is None else MicroDollars(cost),
    )


def _row(goal: Goal, unit: Unit, entry: Entry, now: Instant) -> BudgetRow:
    if unit is Unit.ACTIVE_RUNTIME_US:  # it passes by itself, and is metered instead of booked
        spent, left = goal.active_runtime(now), goal.runtime_left(now)
        return BudgetRow(unit=unit, limit=entry.limit, spent=spent, reserved=0, left=left)
    return BudgetRow(unit=unit, limit=entry.limit, spent=entry.spent, reserved=entry.reserved, left=entry.left)


def _planned(history: list[Recorded]) -> Iterator[Usage]:
    """Read what planner calls reported from their events: a plan does not keep it."""
    for recorded in history:
        if recorded.tag == _PLANNER_RETURNED and isinstance(event := decode(recorded.body), PlannerReturned):
            yield Usage(calls=1, tokens=event.tokens, cost=event.cost)


def _attempted(goal: Goal) -> Iterator[Usage]:
    for item in goal.work.values():
        for attempt in item.attempts:
            # One that was cut short by a decision reports no calls, and may have made some all the same.
            if not attempt.open and (attempt.usage.calls or (attempt.calls and attempt.outcome == "cancelled")):
                yield attempt.usage


def _sum(amounts: Iterator[int | None]) -> int | None:
    total = 0
    for amount in amounts:
        if amount is None:
            return None
        total += amount
    return total
