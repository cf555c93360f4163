"""Shortages: of which budget too little is left for what an item needs next.

Budgets are only read here.  What else is in the way of an item is `hindrance`; what the planner needs is told there
too, since it depends on why it is wanted.
"""

from typing import TypeAlias

import msgspec

from harnd.domain.goal.goal import Goal
from harnd.domain.goal.usage import METERED
from harnd.domain.goal.work import Work
from protocol.values import Instant, Unit


class Spent(msgspec.Struct, frozen=True):
    """Of one budget too little is left."""

    unit: Unit
    needed: int
    left: int


class Answered(msgspec.Struct, frozen=True):
    """Agents have answered for the item so often that another attempt could pass what is allowed."""

    answers: int
    needed: int
    allowed: int


Shortage: TypeAlias = Spent | Answered


def shortage(goal: Goal, item: Work, now: Instant) -> Shortage | None:
    """Return the budget that does not allow one more attempt at an item."""
    calls = len(goal.template_of(item).agent_stages())
    found = (
        spent(goal, Unit.TICKS, 1)
        or spent(goal, Unit.ATTEMPTS, 1)
        or spent(goal, Unit.AGENT_CALLS, calls)
        or (metered(goal) if calls else None)
        or out_of_runtime(goal, now)
    )
    if found is None and goal.answers_spent(item):
        return Answered(item.answers, calls, goal.intent.limits.answers_per_work)
    return found


def resume_shortage(goal: Goal, now: Instant) -> Spent | None:
    """Return the budget that does not allow a parked attempt to go on; what it set aside it still has."""
    return spent(goal, Unit.TICKS, 1) or out_of_runtime(goal, now)


def spent(goal: Goal, unit: Unit, needed: int) -> Spent | None:
    """Return a budget of which less is left than is needed."""
    return Spent(unit, needed, goal.left(unit)) if goal.left(unit) < needed else None


def metered(goal: Goal) -> Spent | None:
    """Return which of tokens and money is limited and used up: a call begins as long as anything is left of both."""
    return next((short for unit in METERED if goal.ledger.has(unit) and (short := spent(goal, unit, 1))), None)


def out_of_runtime(goal: Goal, now: Instant) -> Spent | None:
    """Read the meter: runtime passes by itself and is not booked."""
    return Spent(Unit.ACTIVE_RUNTIME_US, 1, 0) if goal.runtime_left(now) < 1 else None
