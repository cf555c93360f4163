"""Seats: whether a reviewer is called again, and which reviewers of a round are to be called at all."""

from harnd.domain.goal import failure as failures
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.intent import Intent
from harnd.domain.goal.plan_review import Seat
from protocol.values import FailureClass, PlanStatus


def given_up(intent: Intent, seat: Seat) -> bool:
    """Tell whether a reviewer failed and is not asked again in this round; what was only withdrawn is no failure."""
    last = seat.last
    if seat.opinion is not None or last is None or last.open or last.failure is None:
        return False
    in_a_row = last.failure is FailureClass.UPSTREAM
    return not failures.tried_again(
        last.failure,
        charged_before=seat.charged_attempts(),
        allowed=intent.specialist(seat.reviewer).schema_attempts,
        uncharged_before=seat.uncharged_in_a_row(last.failure) if in_a_row else seat.uncharged_in_all(last.failure),
    )


def uncalled(goal: Goal) -> tuple[Seat, ...]:
    """Return the seats whose reviewer is to be called next, in the order of the panel."""
    plan = goal.plan
    if plan is None or plan.status is not PlanStatus.REVIEWING or plan.round is None or plan.round.outcome is not None:
        return ()
    return tuple(
        seat
        for seat in plan.round.seats
        if seat.opinion is None and seat.open_attempt is None and not given_up(goal.intent, seat)
    )
