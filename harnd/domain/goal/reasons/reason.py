"""A reason: why something stands where it stands, in whole sentences; and the ones that budgets give.

What holds an item is told by `reasons.item`, what holds a whole goal by `position`.
"""

from typing import Final

import msgspec

from harnd.domain.goal.goal import Goal
from harnd.domain.goal.growth import extension, grows_as_usual
from harnd.domain.goal.shortage import Spent
from harnd.domain.goal.work import Work
from harnd.domain.verbs import verb
from protocol.values import Instant, Unit

NOTHING_GROWS: Final = "nothing: this limit does not grow"


class Reason(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why something stands where it stands, in whole sentences."""

    condition: str
    since: Instant
    would_change: str
    next_automatic: str | None = None
    next_automatic_at: Instant | None = None
    verbs: tuple[str, ...] = ()
    grows: Unit | None = None  # the budget of which the usual amount more would move it


def about(goal: Goal, item: Work, *decisions: str) -> tuple[str, ...]:
    """Return the verbs about one item."""
    return tuple(verb("work", decision, goal.intent.goal, item.id) for decision in decisions)


# --- budgets


def out_of_budget(goal: Goal, condition: str, short: Spent, *, since: Instant) -> Reason:
    """Say that too little is left of a budget, and what leads out: more of it where it grows, else the end."""
    name, missing = goal.intent.goal, short.needed - short.left
    more = extension(goal, short.unit, missing)
    return Reason(
        condition=condition,
        since=since,
        would_change=NOTHING_GROWS if more is None else "a larger budget",
        verbs=(verb("budget", name), *([more] if more else ()), verb("goal", "cancel", name)),
        grows=short.unit if grows_as_usual(goal, short.unit, missing) else None,
    )


def attempts_first(goal: Goal) -> tuple[str, ...]:
    """Return the verb without which a retry or a reopening is refused, when it is."""
    more = extension(goal, Unit.ATTEMPTS) if goal.left(Unit.ATTEMPTS) < 1 else None
    return (more,) if more else ()


def without_attempts(goal: Goal) -> str:
    """Say that no attempt is left, as the end of a sentence; empty when one is."""
    return "; and every attempt of the goal is spent" if goal.left(Unit.ATTEMPTS) < 1 else ""
