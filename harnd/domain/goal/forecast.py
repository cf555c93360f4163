"""The forecast: what the rest of the active graph would take, at the mean of what is done.

It says nothing of milestones that nobody has planned.  What is not known is None: no item is done yet, or some call
that it rests on did not say what it used.
"""

from collections.abc import Iterable
from typing import Final

from harnd.domain.goal.goal import Goal
from harnd.domain.goal.usage import METERED
from harnd.domain.goal.work import Attempt, Standing, Work
from protocol.values import Unit

# An item that is proved takes no more of an agent, whatever a person decides about it.
_DONE: Final = (Standing.IN_REVIEW, Standing.ACCEPTED, Standing.INTEGRATING, Standing.INTEGRATED)
# Tokens and money are foretold whether they are limited or not, everything else where anything may be spent of it.
FORETOLD: Final = (Unit.ATTEMPTS, Unit.AGENT_CALLS, Unit.PLANNER_CALLS, Unit.ACTIVE_RUNTIME_US, *METERED)


def forecast(goal: Goal) -> dict[Unit, int | None]:
    """Return how much more each unit takes until the active graph is done and, in a mission, looked at again."""
    units = [unit for unit in FORETOLD if unit in METERED or goal.limit(unit)]
    to_do = [item for item in goal.active() if item.standing not in (*_DONE, Standing.CANCELLED)]
    done = [item for item in goal.work.values() if item.standing in _DONE]
    looks = 1 if goal.ending is None and goal.intent.mission is not None else 0
    if goal.ending is not None:
        return dict.fromkeys(units, 0)
    if goal.milestone is None:  # nothing is planned yet, and nobody knows how much it will be
        return dict.fromkeys(units)
    return {unit: _sum(_of_work(done, len(to_do), unit), _of_planner(goal, looks, unit)) for unit in units}


def _of_work(done: list[Work], to_do: int, unit: Unit) -> int | None:
    if not to_do or unit is Unit.PLANNER_CALLS:
        return 0
    return _mean((_of_item(item, unit) for item in done), times=to_do)


def _of_item(item: Work, unit: Unit) -> int | None:
    """Return what the attempts at an item took."""
    ended = [attempt for attempt in item.attempts if attempt.ended_at is not None]
    match unit:
        case Unit.ATTEMPTS:
            return item.charged_attempts()
        case Unit.AGENT_CALLS:
            return item.answers
        case Unit.ACTIVE_RUNTIME_US:
            return sum(_ran(attempt) for attempt in ended)
        case _:
            told = [attempt.metered.told(unit) for attempt in ended]
            return None if any(one.silent for one in told) else sum(one.amount for one in told)


def _ran(attempt: Attempt) -> int:
    """Return how long an attempt that has ended ran; while it was parked it took none of the active runtime."""
    return 0 if attempt.ended_at is None else attempt.ended_at - attempt.started_at - attempt.rested


def _of_planner(goal: Goal, looks: int, unit: Unit) -> int | None:
    calls = [call for plan in goal.plans for call in plan.calls if not call.open]
    if not looks or unit is Unit.ATTEMPTS:
        return 0
    if unit in (Unit.AGENT_CALLS, Unit.PLANNER_CALLS):
        return looks
    match unit:
        case Unit.ACTIVE_RUNTIME_US:
            took = [call.returned_at - call.started_at for call in calls if call.returned_at is not None]
            return _mean(took, times=looks)
        case Unit.TOKENS:
            return _mean((call.tokens for call in calls), times=looks)
        case _:
            return _mean((call.cost for call in calls), times=looks)


def _mean(amounts: Iterable[int | None], *, times: int) -> int | None:
    each = tuple(amounts)
    known = [amount for amount in each if amount is not None]
    return -(-sum(known) * times // len(known)) if known and len(known) == len(each) else None


def _sum(*amounts: int | None) -> int | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if len(known) == len(amounts) else None
