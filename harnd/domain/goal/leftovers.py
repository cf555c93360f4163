"""Leftovers: which places of a goal nothing will ever work in again, so that what lies there can be cleared away.

A place belongs to an attempt, or with number 0 to the calls of a plan.  The rule is asked while the goal goes on, by
somebody who does not act for it: so it says yes only where no event that may come in the meantime can change that.  The
newest attempt of an item that is not over may be parked and resumed, or be brought in later.
"""

from typing import Final

from harnd.domain.goal.goal import Goal
from harnd.domain.goal.work import Standing
from protocol.ids import SpecialistName, WorkId
from protocol.values import Instant

PLANNER: Final = 0  # the number of the place of a plan's calls; attempts count from 1
OVER: Final = (Standing.INTEGRATED, Standing.CANCELLED)


def planner_work(plan: int) -> WorkId:
    """Name whose place a plan's calls work in."""
    return WorkId(f"p{plan}.planner")


def review_work(plan: int, number: int, reviewer: SpecialistName, attempt: int) -> WorkId:
    """Name whose place an attempt of a reviewer works in; no reviewer's name makes it the planner's."""
    return WorkId(f"p{plan}.review-{number}-{attempt}-{reviewer}")


def receipt_work(plan: int) -> WorkId:
    """Name the place of a receipt, in which nothing lies."""
    return WorkId(f"p{plan}.receipt")


def is_over(goal: Goal, work: WorkId, attempt: int) -> bool:
    """Tell whether nothing will work again in the place of an attempt."""
    if goal.ending is not None:
        return True
    if attempt == PLANNER:
        return any(planner_work(plan.number) == work for plan in goal.plans[:-1]) or work in _returned(goal)
    item = goal.work.get(work)
    if item is None or attempt > len(item.attempts):
        return False
    return attempt < len(item.attempts) or item.standing in OVER


def _returned(goal: Goal) -> set[WorkId]:
    """Name the places of reviewers' attempts that have returned."""
    return {
        review_work(plan.number, each.number, seat.reviewer, attempt.number)
        for plan in goal.plans
        for each in plan.rounds
        for seat in each.seats
        for attempt in seat.attempts
        if not attempt.open
    }


def busy_since(goal: Goal) -> Instant | None:
    """Return from when on something may have been written that no event names yet; None when nothing is under way."""
    if goal.ending is not None:
        return None
    starts = [item.last.started_at for item in goal.work.values() if item.last and item.standing not in OVER]
    starts += [item.integrations[-1].started_at for item in goal.in_standing(Standing.INTEGRATING)]
    if goal.plan is not None and goal.plan.open_call is not None:
        starts.append(goal.plan.open_call.started_at)
    starts += [attempt.called_at for _, _, attempt in goal.open_jobs()]
    return min(starts, default=None)
