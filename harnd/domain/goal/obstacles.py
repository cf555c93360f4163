"""Obstacles: how the budgets and the neighbours that keep an item from running are worded."""

from typing import assert_never

from harnd.domain.goal.goal import Goal
from harnd.domain.goal.hindrance import Crowd, NoAgent, NoSlot, Overlaps
from harnd.domain.goal.shortage import Answered, Shortage, Spent
from harnd.domain.goal.work import Work
from harnd.domain.measures import count, dollars, span
from protocol.values import Unit


def crowd_told(item: Work, held: Crowd) -> str:
    """Say who is in the way of an item, as the rest of a sentence."""
    holders = ", ".join(held.holders)
    match held:
        case Overlaps() if not item.paths:
            return f"declares no paths, and so cannot run beside {holders}"
        case Overlaps():
            return f"and its paths overlap with those of {holders}, which {_under_way(held)}"
        case NoSlot():
            return f"and there is no free slot: {len(held.holders)} at a time, now {holders}"
        case NoAgent(needed=needed, free=free, most=most):
            return f"and too few agents are free: it takes {needed}, and {free} of {most} can be had"
        case _:
            assert_never(held)


def _under_way(held: Overlaps) -> str:
    are, run = ("is", "runs") if len(held.holders) == 1 else ("are", "run")
    if not held.parked:
        return run
    return f"{are} parked" if len(held.parked) == len(held.holders) else f"{run} or {are} parked"


def shortage_told(goal: Goal, short: Shortage) -> str:
    """Say which budget allows no more of what was wanted."""
    match short:
        case Answered(answers=answers, allowed=allowed):
            most = f"{count(allowed, 'answer')} {_are(allowed)} allowed"
            return f"agents have answered {count(answers, 'time')} for it, and {most}"
        case Spent(unit=Unit.TICKS):
            return "every tick is spent"
        case Spent(unit=Unit.ATTEMPTS):
            return "every attempt is spent or set aside"
        case Spent(unit=Unit.PLANNER_CALLS):
            return "every plan request is spent"
        case Spent(unit=Unit.ACTIVE_RUNTIME_US):
            return f"the active runtime of {span(goal.limit(Unit.ACTIVE_RUNTIME_US))} is used up"
        case Spent(unit=Unit.TOKENS):
            return f"the {goal.limit(Unit.TOKENS):,} tokens are used up or set aside"
        case Spent(unit=Unit.MICRO_DOLLARS):
            return f"the {dollars(goal.limit(Unit.MICRO_DOLLARS))} are used up or set aside"
        case Spent(unit=unit, needed=needed, left=left):
            noun = unit.value.removesuffix("s").replace("_", " ")
            return f"it takes {count(needed, noun)}, and {left or 'none'} {_are(left)} left"
        case _:
            assert_never(short)


def _are(number: int) -> str:
    return "is" if number <= 1 else "are"
