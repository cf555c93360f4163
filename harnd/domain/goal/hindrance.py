"""Hindrances: the one rule of what keeps an open item from being started, and a wanted plan from being asked for.

The tick starts what nothing hinders; whoever tells a person why something does not start words what is returned here.
What only a person can end comes first, then what a clock ends, then what ends with something that runs.  Integrations
are hindered by nothing but their order, and ended goals and items of older plans are nobody's business here.
"""

from typing import TypeAlias

import msgspec

from harnd.domain.goal.backoff import attempt_not_before, call_not_before, seat_not_before
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.overlap import overlap
from harnd.domain.goal.plan_review import Seat
from harnd.domain.goal.shortage import Shortage, Spent, metered, out_of_runtime, resume_shortage, shortage, spent
from harnd.domain.goal.wanted import ROOM, wanted_trigger
from harnd.domain.goal.work import Standing, Work
from protocol.ids import WorkId
from protocol.values import Instant, PlanStatus, Trigger, Unit


class Waits(msgspec.Struct, frozen=True):
    """Dependencies are not yet on the goal's branch."""

    dependencies: tuple[WorkId, ...]


class Resting(msgspec.Struct, frozen=True):
    """A person paused the goal."""

    by: str


class Pauses(msgspec.Struct, frozen=True):
    """The provider failed, and what failed is tried again from this instant on."""

    until: Instant


class Overlaps(msgspec.Struct, frozen=True):
    """The declared paths could meet those of running items, or of parked ones."""

    holders: tuple[WorkId, ...]
    parked: tuple[WorkId, ...] = ()  # of them


class NoSlot(msgspec.Struct, frozen=True):
    """As many items run as may at once."""

    holders: tuple[WorkId, ...]


class NoAgent(msgspec.Struct, frozen=True):
    """Fewer agents are free than there are to be at work; a planner's call takes one too, and so does a reviewer's."""

    holders: tuple[WorkId, ...]
    needed: int
    free: int
    most: int


Crowd: TypeAlias = Overlaps | NoSlot | NoAgent
Hindrance: TypeAlias = Waits | Resting | Shortage | Pauses | Crowd


def hindrance(goal: Goal, item: Work, now: Instant) -> Hindrance | None:
    """Return what keeps an open item of the active graph from being started, or None when it starts."""
    if unmet := goal.unmet(item):
        return Waits(unmet)
    if goal.paused is not None:
        return Resting(goal.paused.by)
    if (short := shortage(goal, item, now)) is not None:
        return short
    not_before = attempt_not_before(item)
    if not_before is not None and now < not_before:
        return Pauses(not_before)
    return _crowd(goal, item, beside=goal.parked())


def resume_hindrance(goal: Goal, item: Work, now: Instant) -> Resting | Spent | Crowd | None:
    """Return what keeps a parked attempt from going on, or None when it does; what it set aside it still has."""
    if goal.paused is not None:
        return Resting(goal.paused.by)
    return resume_shortage(goal, now) or _crowd(goal, item, beside=())


def call_hindrance(goal: Goal, now: Instant) -> Spent | Pauses | None:
    """Return what keeps the planner from being called for a plan that is requested, or wanted and not yet requested."""
    plan = goal.plan if goal.plan is not None and goal.plan.status is PlanStatus.REQUESTED else None
    if (short := call_shortage(goal, now)) is not None:
        return short
    not_before = call_not_before(plan) if plan is not None else None
    return Pauses(not_before) if not_before is not None and now < not_before else None


def seat_hindrance(goal: Goal, seat: Seat, now: Instant) -> Spent | Pauses | NoAgent | None:
    """Return what keeps a reviewer from being called in the round that is open."""
    if (short := call_shortage(goal, now)) is not None:
        return short
    not_before = seat_not_before(seat)
    if not_before is not None and now < not_before:
        return Pauses(not_before)
    most, busy = goal.intent.limits.agent_concurrency, _agents_busy(goal)
    names = tuple(other.id for other in goal.in_standing(Standing.RUNNING))
    return NoAgent(names, 1, most - busy, most) if busy >= most else None


def call_shortage(goal: Goal, now: Instant) -> Spent | None:
    """Return the budget that does not allow planner or reviewers to be called; only a new request takes a request.

    For recovery it is not even asked when there is no room for what it would propose.
    """
    requested = goal.plan is not None and goal.plan.status in (PlanStatus.REQUESTED, PlanStatus.REVIEWING)
    # What does not grow is told first: more of the others would not help.
    fresh = () if requested else _needed_for_request(goal)
    return (
        next((short for unit in fresh if (short := spent(goal, unit, 1)) is not None), None)
        or spent(goal, Unit.TICKS, 1)
        or spent(goal, Unit.AGENT_CALLS, 1)
        or metered(goal)
        or out_of_runtime(goal, now)
    )


def _needed_for_request(goal: Goal) -> tuple[Unit, ...]:
    # A mission can be completed, or a question asked, without room for more work.
    return (*ROOM, Unit.ATTEMPTS) if wanted_trigger(goal) is Trigger.RECOVERY else (Unit.PLANNER_CALLS,)


def _crowd(goal: Goal, item: Work, *, beside: tuple[Work, ...]) -> Crowd | None:
    """Return who is in the way; what is parked `beside` takes no slot, but will go on at the same paths."""
    running, limits = goal.in_standing(Standing.RUNNING), goal.intent.limits
    names = tuple(other.id for other in running)
    if clashing := tuple(other.id for other in (*running, *beside) if overlap(item.paths, other.paths)):
        return Overlaps(clashing, tuple(other.id for other in beside if other.id in clashing))
    if len(running) >= limits.parallel_work:
        return NoSlot(names)
    most = limits.agent_concurrency
    busy = _agents_busy(goal)
    needed = min(most, goal.template_of(item).width())  # where one item is too wide, it runs alone, its agents in turn
    return NoAgent(names, needed, most - busy, most) if busy + needed > most else None


def _agents_busy(goal: Goal) -> int:
    most = goal.intent.limits.agent_concurrency
    planning = 1 if goal.plan is not None and goal.plan.open_call is not None else 0
    running = goal.in_standing(Standing.RUNNING)
    return planning + len(goal.open_jobs()) + sum(min(most, goal.template_of(other).width()) for other in running)
