"""The receipt of a review: its bytes as a function of what is stored, and whether a kept one is those bytes.

It tells every round with its candidate, each reviewer's verdict and findings, and what came of it.  No clock, no
directory and no nonce is in it, so that it can be rebuilt whenever it is missing, byte for byte.
"""

from enum import StrEnum
from typing import Final

import msgspec

from harnd.domain.digest import canonical, digest_of_bytes
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.plan import Plan
from harnd.domain.goal.plan_review import Review, Round, Seat
from protocol.ids import Digest
from protocol.values import PlanStatus, ReviewOutcome

_FORM: Final = "plan-review/1"


class Kept(StrEnum):
    """How what lies in the place of a receipt stands to it."""

    EXACT = "exact"
    DAMAGED = "damaged"  # it is not mended: nothing passes with it


def owed_receipt(goal: Goal) -> Plan | None:
    """Return the plan whose review is over and has no receipt yet."""
    plan = goal.plan
    if plan is None or plan.status is not PlanStatus.REVIEWING or plan.review is None:
        return None
    over = plan.review.outcome is None and _came_to(goal, plan.review) is not None
    return plan if over else None


def receipt(goal: Goal, plan: Plan, review: Review) -> bytes:
    """Write the receipt of a review that is over; the same from every state in which it is."""
    last = review.last
    if last is None:
        raise AssertionError(f"the review of plan {plan.number} has no rounds")
    return canonical(
        {
            "receipt": _FORM,
            "goal": goal.intent.goal,
            "intent": goal.intent_digest,
            "plan": plan.number,
            "trigger": plan.trigger.value,
            "review": review.number,
            "author": review.author.value,
            "reviewers": list(goal.intent.reviewing().reviewers),
            "max_revision_rounds": goal.intent.reviewing().max_revision_rounds,
            "rounds": [_round(each) for each in review.rounds],
            "unchanged": review.unchanged,
            "outcome": _outcome(goal, review).value,
            "digest": last.digest,
            "candidate": msgspec.to_builtins(last.candidate),
        }
    )


def receipt_digest(goal: Goal, plan: Plan, review: Review) -> Digest:
    """Identify the receipt of a review that is over."""
    return digest_of_bytes(receipt(goal, plan, review))


def compared(goal: Goal, plan: Plan, review: Review, kept: bytes) -> Kept:
    """Say whether what is kept is the receipt, whole and unchanged."""
    return Kept.EXACT if kept == receipt(goal, plan, review) else Kept.DAMAGED


def _came_to(goal: Goal, review: Review) -> ReviewOutcome | None:
    return review.came_to(goal.intent.reviewing().max_revision_rounds)


def _outcome(goal: Goal, review: Review) -> ReviewOutcome:
    if (outcome := _came_to(goal, review)) is None:
        raise AssertionError(f"review {review.number} is not over")
    return outcome


def _round(each: Round) -> dict[str, object]:
    return {
        "round": each.number,
        "digest": each.digest,
        "normalised": each.normalised,
        "subject": each.subject,
        "scaffold": each.scaffold,
        "seats": [_seat(seat) for seat in each.seats],
        "outcome": each.outcome.value if each.outcome is not None else "",
    }


def _seat(seat: Seat) -> dict[str, object]:
    said: dict[str, object] = {
        "reviewer": seat.reviewer,
        "partition": seat.partition,
        "criterion": seat.criterion,
        "attempts": len(seat.attempts),
    }
    if seat.reused is not None:
        said["reused"] = str(seat.reused)
    if seat.opinion is not None:
        said["opinion"] = msgspec.to_builtins(seat.opinion)
    elif seat.last is not None:
        said["failure"] = seat.last.failure.value if seat.last.failure is not None else ""
        said["detail"] = seat.last.detail
    outputs = [attempt.output for attempt in seat.attempts if attempt.output is not None]
    return {**said, "outputs": outputs, "models": [attempt.model or "" for attempt in seat.attempts]}
