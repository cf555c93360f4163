"""The budget of a goal: its ledger, and what its calls reported to have used."""

from harnd.daemon.queries.about import Sources
from harnd.domain.goal.forecast import forecast
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.ledger import Entry
from protocol.requests import ShowBudget
from protocol.values import Instant, Unit
from protocol.views import BudgetRow, BudgetView, ForecastRow


async def shown(sources: Sources, request: ShowBudget) -> BudgetView:
    """Show what a goal may spend and has spent; without a planner there are no plans to count."""
    goal = await sources.goals.load(request.goal)
    now, used = sources.now(), goal.used()
    return BudgetView(
        goal=request.goal,
        rows=tuple(_row(goal, unit, entry, now) for unit, entry in goal.ledger.entries.items() if entry.limit),
        tokens=used.tokens,
        cost=used.cost,
        forecast=tuple(ForecastRow(unit=unit, more=more) for unit, more in forecast(goal).items()),
    )


def _row(goal: Goal, unit: Unit, entry: Entry, now: Instant) -> BudgetRow:
    if unit is Unit.ACTIVE_RUNTIME_US:  # it passes by itself, and is metered instead of booked
        spent, left = goal.active_runtime(now), goal.runtime_left(now)
        return BudgetRow(unit=unit, limit=entry.limit, spent=spent, reserved=0, left=left)
    return BudgetRow(
        unit=unit, limit=entry.limit, spent=entry.spent, reserved=entry.reserved, left=entry.left, unknown=entry.untold
    )
