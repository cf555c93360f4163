"""When something that failed is tried again by itself: later each time, from the moment it failed or was blocked.

What failed upstream is tried again at once in the ordinary way; what is blocked only where the goal opted in.
"""

from typing import Final

from harnd.domain.goal import failure as failures
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.plan import Plan
from harnd.domain.goal.plan_review import Seat
from harnd.domain.goal.shortage import Shortage, resume_shortage, shortage, spent
from harnd.domain.goal.work import Standing, Work
from protocol import bounds
from protocol.values import SECOND, FailureClass, Instant, Unit

_FIRST_S: Final = 30
_FIRST_BLOCKED_S: Final = 600
_LONGER_BLOCKED: Final = 3  # times the pause before


def attempt_not_before(item: Work) -> Instant | None:
    """Return the instant before which no further attempt at an item starts."""
    attempt = item.last
    if attempt is None or attempt.failure is not FailureClass.UPSTREAM or attempt.ended_at is None:
        return None
    return _later(attempt.ended_at, item.uncharged(FailureClass.UPSTREAM))


def call_not_before(plan: Plan) -> Instant | None:
    """Return the instant before which no further planner call of a request starts."""
    call = plan.last_call
    if call is None or call.failure is not FailureClass.UPSTREAM or call.returned_at is None:
        return None
    return _later(call.returned_at, plan.uncharged_in_a_row(FailureClass.UPSTREAM))


def seat_not_before(seat: Seat) -> Instant | None:
    """Return the instant before which a reviewer is not called again."""
    attempt = seat.last
    if attempt is None or attempt.failure is not FailureClass.UPSTREAM or attempt.returned_at is None:
        return None
    return _later(attempt.returned_at, seat.uncharged_in_a_row(FailureClass.UPSTREAM))


def retry_not_before(goal: Goal, item: Work, now: Instant) -> Instant | None:
    """Return the instant from which harnd tries a blocked item again unasked; None when that is for others to decide.

    It is no time for it while a plan around the item is undecided, and none that a budget would not allow at `now`.
    """
    if not _may_be_retried(goal, item) or _retry_shortage(goal, item, now) is not None:
        return None
    return Instant(item.since + _FIRST_BLOCKED_S * _LONGER_BLOCKED**item.unasked * SECOND)


def _may_be_retried(goal: Goal, item: Work) -> bool:
    automation = goal.intent.automation
    if automation is None or not automation.retry_blocked or item.unasked >= bounds.UNASKED_RETRIES:
        return False
    if item.standing is not Standing.BLOCKED or item.blocked is None or not failures.ROWS[item.blocked].unattended:
        return False
    return goal.plan is None or goal.plan.settled


def _retry_shortage(goal: Goal, item: Work, now: Instant) -> Shortage | None:
    if item.parked is not None:
        return resume_shortage(goal, now)
    if item.accepted_proof is not None:  # it only waits to be brought in
        return spent(goal, Unit.TICKS, 1)
    return shortage(goal, item, now)


def _later(failed_at: Instant, times: int) -> Instant | None:
    return Instant(failed_at + _FIRST_S * 2 ** (times - 1) * SECOND) if times else None
