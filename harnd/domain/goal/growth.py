"""Growth: which limits of a goal a person can add to, how far, and what they type for it.

Only what bounds the spending of a whole life grows: attempts, agent calls, ticks, active runtime, and tokens and money
where they are limited at all.  How often the
planner may be asked, how many milestones and how much work there may be say what was enrolled, and stay; so does
`answers_per_work`, which bounds one item and keeps it from eating everybody else's share.  What only those hold up is
led out of by ending the goal.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from harnd.domain.goal.goal import Goal
from harnd.domain.verbs import verb
from protocol import bounds
from protocol.values import SECOND, Unit

MINUTES: Final = 60 * SECOND
HOURS: Final = 60 * MINUTES
DOLLAR: Final = 1_000_000


class Growth(NamedTuple):
    """How one limit grows."""

    ceiling: int
    usual: int  # how much a person is told to add, unless more is missing
    option: str
    grain: int = 1  # what is told to be added is a multiple of it


GROWTHS: Final[Mapping[Unit, Growth]] = MappingProxyType(
    {
        Unit.ATTEMPTS: Growth(bounds.ATTEMPTS.ceiling, 10, "--attempts"),
        Unit.AGENT_CALLS: Growth(bounds.AGENT_CALLS.ceiling, 50, "--agent-calls"),
        Unit.TICKS: Growth(bounds.TICKS.ceiling, 500, "--ticks"),
        Unit.ACTIVE_RUNTIME_US: Growth(bounds.ACTIVE_RUNTIME_S.ceiling * SECOND, HOURS * 2, "--runtime", MINUTES),
        Unit.TOKENS: Growth(bounds.TOKENS, 500_000, "--tokens", 1_000),
        Unit.MICRO_DOLLARS: Growth(bounds.MICRO_DOLLARS, 10 * DOLLAR, "--money", DOLLAR // 100),
    }
)


def room(goal: Goal, unit: Unit) -> int:
    """Return by how much a limit can still grow; 0 when it is one that does not."""
    growth = GROWTHS.get(unit)
    return 0 if growth is None or not goal.ledger.has(unit) else max(0, growth.ceiling - goal.limit(unit))


def extension(goal: Goal, unit: Unit, missing: int = 1) -> str | None:
    """Return the verb that adds what is missing, and a usual amount where that is more; None when nothing can."""
    growth = GROWTHS.get(unit)
    if growth is None:
        return None
    most = min(max(growth.usual, missing), room(goal, unit))
    amount = most - most % growth.grain
    if amount < missing and amount + growth.grain <= room(goal, unit):
        amount += growth.grain  # what is missing is no multiple: a grain more is enough
    return _typed(goal.intent.goal, unit, amount) if amount >= max(missing, 1) else None


def usual_extension(goal: str, unit: Unit) -> str:
    """Return the verb that adds the usual amount to a limit of which `grows_as_usual` is true."""
    return _typed(goal, unit, GROWTHS[unit].usual)


def grows_as_usual(goal: Goal, unit: Unit, missing: int = 1) -> bool:
    """Tell whether the usual amount may be added and is enough."""
    growth = GROWTHS.get(unit)
    return growth is not None and missing <= growth.usual <= room(goal, unit)


def _typed(goal: str, unit: Unit, amount: int) -> str:
    typed = f"{amount / DOLLAR:.2f}" if unit is Unit.MICRO_DOLLARS else str(amount)
    if unit is Unit.ACTIVE_RUNTIME_US:
        typed = f"{amount // MINUTES}m" if amount % HOURS else f"{amount // HOURS}h"
    return verb("goal", "extend", goal, GROWTHS[unit].option, typed)
