"""Deadlines: the instants from which a goal moves by itself.  One timer of the daemon wakes it for the next of them."""

from harnd.domain.goal.backoff import attempt_not_before, call_not_before, retry_not_before, seat_not_before
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.hindrance import call_shortage
from harnd.domain.goal.seats import uncalled
from harnd.domain.goal.shortage import shortage
from harnd.domain.goal.work import Standing
from protocol.values import Instant, PlanStatus


def deadlines(goal: Goal, now: Instant) -> tuple[Instant, ...]:
    """Return the instants, passed or not, from which harnd moves by itself: it tries again, or an approval expires."""
    return (*retries(goal, now), *expiries(goal))


def expiries(goal: Goal) -> tuple[Instant, ...]:
    """Return the instants, passed or not, from which it is too late to answer what is asked of people and reviewers."""
    leases = tuple(attempt.lease.expires_at for _, _, attempt in goal.open_jobs() if attempt.lease is not None)
    return (*(each.expires_at for each in goal.pending_approvals()), *leases)


def retries(goal: Goal, now: Instant) -> tuple[Instant, ...]:
    """Return the instants, passed or not, from which what failed may be tried again without a person."""
    times = [attempt_not_before(item) for item in goal.ready() if shortage(goal, item, now) is None]
    times += [retry_not_before(goal, item, now) for item in goal.in_standing(Standing.BLOCKED)]
    if goal.plan is not None and goal.plan.status is PlanStatus.REQUESTED and call_shortage(goal, now) is None:
        times.append(call_not_before(goal.plan))
    if call_shortage(goal, now) is None:
        times += [seat_not_before(seat) for seat in uncalled(goal)]
    return tuple(at for at in times if at is not None)


def end_of_runtime(goal: Goal, now: Instant) -> Instant | None:
    """Return when what runs will have used the active runtime up; None while nothing runs, or nothing is left."""
    left = goal.runtime_left(now)
    return Instant(now + left) if goal.calls_running and left > 0 else None
