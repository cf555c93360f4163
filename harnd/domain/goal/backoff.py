"""When something that failed upstream is tried again: later each time, from the moment it failed."""

from typing import Final

from harnd.domain.goal.plan import Plan
from harnd.domain.goal.work import Work
from protocol.values import SECOND, FailureClass, Instant

_FIRST_S: Final = 30


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


def _later(failed_at: Instant, times: int) -> Instant | None:
    return Instant(failed_at + _FIRST_S * 2 ** (times - 1) * SECOND) if times else None
