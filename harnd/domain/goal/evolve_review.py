"""What the events of reviews make of a goal."""

from typing import TypeAlias, assert_never

import msgspec

from harnd.domain.goal import events as e
from harnd.domain.goal.evolve_plan import settle_request, with_plan
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.plan_review import Lease, Review, ReviewAttempt, Round, Seat
from harnd.domain.goal.review_context import review_context
from harnd.domain.goal.review_evidence import digests_of, evidence_key, opinion_of
from harnd.domain.goal.usage import Usage
from harnd.domain.review.freshness import advanced
from protocol.values import FailureClass, Instant, PlanAuthor, PlanStatus, Unit

replace = msgspec.structs.replace

ReviewEvent: TypeAlias = (
    e.PlanCandidate
    | e.ReviewOpened
    | e.ReviewJobCalled
    | e.ReviewJobLeased
    | e.ReviewJobReturned
    | e.ReviewJobCompleted
    | e.ReviewJobRefused
    | e.ReviewJobFailed
    | e.ReviewJobExpired
    | e.ReviewJobSuperseded
    | e.ReviewClosed
    | e.RevisionUnchanged
    | e.PlanReviewed
    | e.PlanReviewAttention
    | e.PlanOverridden
)


def evolve_review(goal: Goal, event: ReviewEvent, at: Instant) -> Goal:
    """Apply one event of a review."""
    match event:
        case e.PlanCandidate():
            return _candidate(goal, event, at)
        case e.ReviewOpened():
            return _opened(goal, event, at)
        case (
            e.ReviewJobCalled()
            | e.ReviewJobLeased()
            | e.ReviewJobReturned()
            | e.ReviewJobCompleted()
            | e.ReviewJobRefused()
            | e.ReviewJobFailed()
            | e.ReviewJobExpired()
            | e.ReviewJobSuperseded()
        ):
            return _job(goal, event, at)
        case e.ReviewClosed():
            return _closed(goal, event, at)
        case e.RevisionUnchanged():
            changed = _with_review(goal, event.plan, unchanged=True)
            return with_plan(changed, event.plan, at, status=PlanStatus.REVIEWING, calls_before=event.call)
        case e.PlanReviewed(receipt=receipt, outcome=outcome, damaged=damaged):
            told = {"receipt": receipt, "outcome": outcome, "damaged": damaged, "reviewed_at": at}
            return _with_review(goal, event.plan, **told)
        case e.PlanReviewAttention(reason=reason):
            changed = with_plan(goal, event.plan, at, status=PlanStatus.ATTENTION, question=reason)
            return settle_request(changed, event.plan, charged=True)
        case e.PlanOverridden(reason=reason):
            return with_plan(goal, event.plan, at, override=reason, question="")
        case _:
            assert_never(event)


def _candidate(goal: Goal, event: e.PlanCandidate, at: Instant) -> Goal:
    plan = goal.plans[event.plan - 1]
    return with_plan(
        goal,
        event.plan,
        at,
        status=PlanStatus.REVIEWING,
        candidate=event.candidate,
        digest=event.digest,
        normalised=event.normalised,
        rationale=event.candidate.rationale,
        calls_before=event.call,
        reviews=plan.reviews or (Review(number=1, author=PlanAuthor.PLANNER),),
    )


def _opened(goal: Goal, event: e.ReviewOpened, at: Instant) -> Goal:
    plan = goal.plans[event.plan - 1]
    review = plan.reviews[-1]
    if plan.candidate is None or plan.normalised is None:
        raise AssertionError(f"plan {event.plan} is reviewed without a candidate")
    opened = Round(
        number=event.round,
        candidate=plan.candidate,
        digest=event.digest,
        normalised=plan.normalised,
        subject=event.subject,
        scaffold=event.scaffold,
        context=review_context(goal, plan),
        seats=tuple(_seat(goal, seat) for seat in event.seats),
        opened_at=at,
    )
    return _with_review(goal, event.plan, rounds=(*review.rounds, opened))


def _seat(goal: Goal, opened: e.SeatOpened) -> Seat:
    return Seat(
        reviewer=opened.reviewer,
        partition=opened.partition,
        criterion=opened.criterion,
        expected=opened.expected,
        reused=opened.reused,
        opinion=opinion_of(goal, opened.reused) if opened.reused is not None else None,
    )


def _closed(goal: Goal, event: e.ReviewClosed, at: Instant) -> Goal:
    last = goal.plans[event.plan - 1].reviews[-1].rounds[-1]
    changed = _with_round(goal, event.plan, replace(last, outcome=event.outcome, closed_at=at, context=""))
    review = changed.plans[event.plan - 1].reviews[-1]
    revised = review.came_to(goal.intent.reviewing().max_revision_rounds) is None
    return with_plan(changed, event.plan, at, status=PlanStatus.REQUESTED) if revised else changed


# --- jobs


JobEvent: TypeAlias = (
    e.ReviewJobCalled
    | e.ReviewJobLeased
    | e.ReviewJobReturned
    | e.ReviewJobCompleted
    | e.ReviewJobRefused
    | e.ReviewJobFailed
    | e.ReviewJobExpired
    | e.ReviewJobSuperseded
)


def _job(goal: Goal, event: JobEvent, at: Instant) -> Goal:
    match event:
        case e.ReviewJobCalled():
            return _called(goal, event, at)
        case e.ReviewJobLeased(token=token, nonce=nonce, prompt=prompt, expires_at=expires_at):
            return _with_attempt(goal, event, lease=Lease(token, nonce, prompt, expires_at))
        case e.ReviewJobReturned():
            return _returned(goal, event, at)
        case e.ReviewJobCompleted():
            return _completed(goal, event)
        case e.ReviewJobRefused(problems=problems):
            detail = f"the output was refused: {problems[0]}" if problems else "the output was refused"
            return _with_attempt(goal, event, problems=problems, failure=FailureClass.SCHEMA, detail=detail)
        case e.ReviewJobFailed(failure=failure, detail=detail):
            return _with_attempt(goal, event, failure=failure, detail=detail)
        case e.ReviewJobExpired():
            told = "its lease ran out, and nobody said what became of it"
            return _with_attempt(goal, event, expired=True, failure=FailureClass.LOST, detail=told)
        case e.ReviewJobSuperseded():
            return _with_attempt(goal, event, late=True)
        case _:
            assert_never(event)


def _called(goal: Goal, event: e.ReviewJobCalled, at: Instant) -> Goal:
    each, seat = _found(goal, event)
    attempt = ReviewAttempt(number=event.attempt, called_at=at, set_aside=event.set_aside)
    changed = _with_seat(goal, event, each, replace(seat, attempts=(*seat.attempts, attempt)))
    ledger = changed.ledger.reserve(Unit.AGENT_CALLS, 1).set_aside(event.set_aside)
    return replace(changed, ledger=ledger)


def _returned(goal: Goal, event: e.ReviewJobReturned, at: Instant) -> Goal:
    _, seat = _found(goal, event)
    set_aside = seat.attempts[event.attempt - 1].set_aside
    changed = _with_attempt(
        goal,
        event,
        returned_at=at,
        charged=event.charged,
        tokens=event.tokens,
        cost=event.cost,
        model=event.model,
        effort=event.effort,
        self_reported_model=event.self_reported_model,
        output=event.output,
        touched=event.touched,
    )
    ledger = changed.ledger.settle(Unit.AGENT_CALLS, reserved=1, spent=1 if event.charged else 0)
    return replace(changed, ledger=ledger.metered(set_aside, Usage(1, event.tokens, event.cost)))


def _completed(goal: Goal, event: e.ReviewJobCompleted) -> Goal:
    changed = _with_attempt(goal, event, opinion=event.assessment)
    each, seat = _found(changed, event)
    changed = _with_seat(changed, event, each, replace(seat, opinion=event.assessment))
    moved = advanced(
        goal.baselines,
        evidence_key(seat.reviewer, seat.partition),
        expected=seat.expected,
        digests=digests_of(each, seat),
        job=str(event.job),
    )
    return replace(changed, baselines=moved)


def _found(goal: Goal, event: e.JobEvent) -> tuple[Round, Seat]:
    each = goal.plans[event.plan - 1].rounds[event.round - 1]
    seat = each.seat(event.reviewer)
    if seat is None:
        raise AssertionError(f"{event.reviewer} has no seat in round {event.round} of plan {event.plan}")
    return each, seat


def _with_attempt(goal: Goal, event: e.JobEvent, **changes: object) -> Goal:
    each, seat = _found(goal, event)
    number = event.attempt
    attempt = replace(seat.attempts[number - 1], **changes)
    attempts = (*seat.attempts[: number - 1], attempt, *seat.attempts[number:])
    return _with_seat(goal, event, each, replace(seat, attempts=attempts))


def _with_seat(goal: Goal, event: e.JobEvent, each: Round, seat: Seat) -> Goal:
    seats = tuple(seat if one.reviewer == seat.reviewer else one for one in each.seats)
    return _with_round(goal, event.plan, replace(each, seats=seats))


def _with_round(goal: Goal, number: int, changed: Round) -> Goal:
    plan = goal.plans[number - 1]
    reviews = tuple(
        replace(review, rounds=tuple(changed if one.number == changed.number else one for one in review.rounds))
        for review in plan.reviews
    )
    return with_plan(goal, number, plan.since, reviews=reviews)


def _with_review(goal: Goal, number: int, **changes: object) -> Goal:
    plan = goal.plans[number - 1]
    return with_plan(goal, number, plan.since, reviews=(*plan.reviews[:-1], replace(plan.reviews[-1], **changes)))
