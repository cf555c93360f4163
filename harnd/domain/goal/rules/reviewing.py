"""The review of a candidate: a panel is opened, its reviewers speak or fail, and the round is closed.

A failed attempt belongs to its seat.  Whether there is another one is the failure table's word, as it is for a planner:
charged attempts are bounded by the reviewer's schema attempts, uncharged ones by their own bounds.  A reviewer who is
given up leaves the round without an opinion, which helps nobody; a provider that stays unreachable ends the request,
uncharged and without a verdict.
"""

from collections.abc import Iterable
from typing import TypeAlias, assert_never

from harnd.domain.goal import commands as c
from harnd.domain.goal import events as e
from harnd.domain.goal import failure as failures
from harnd.domain.goal.evolve import evolve
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.plan import Plan
from harnd.domain.goal.plan_review import ReviewAttempt, Round, Seat
from harnd.domain.goal.receipt import owed_receipt, receipt_digest
from harnd.domain.goal.review_context import review_context
from harnd.domain.goal.review_evidence import evidence_key, fresh_job
from harnd.domain.goal.review_task import (
    contradiction,
    criterion_digest,
    partition_of,
    plan_scaffold,
    subject_digest,
)
from harnd.domain.goal.rules.cancel import jobs_withdrawn
from harnd.domain.goal.seats import given_up
from harnd.domain.review.freshness import Digests, mark_of
from harnd.domain.review.panel import Outcome, PlanVerdict, Severity, aggregate
from harnd.domain.review.provenance import Runner
from protocol.ids import Digest, SpecialistName
from protocol.values import FailureClass, Instant, Micros, ReviewOutcome

ReviewCommand: TypeAlias = c.ReportLeased | c.ReportReview | c.ReportReceipt


def decide_review(goal: Goal, command: ReviewCommand) -> list[e.GoalEvent]:
    """Apply the rules to a report of something that was done for a review."""
    match command:
        case c.ReportLeased():
            return _leased(goal, command)
        case c.ReportReview():
            return _returned(goal, command)
        case c.ReportReceipt():
            return _kept(goal, command)
        case _:
            assert_never(command)


# --- opening and closing a round


def with_panel(goal: Goal, happened: list[e.GoalEvent]) -> list[e.GoalEvent]:
    """Return what happened to bring a candidate, and the round in which it is read."""
    after = _after(goal, happened)
    if after.plan is None or after.plan.digest is None:
        raise AssertionError(f"{goal.intent.goal}: there is nothing to review")
    opened = _opened(after, after.plan, after.plan.digest)
    return [*happened, opened, *_closing(_after(after, [opened]))]


def _opened(goal: Goal, plan: Plan, digest: Digest) -> e.ReviewOpened:
    subject = subject_digest(digest, goal.graph_digest(), review_context(goal, plan))
    seats = tuple(_seat(goal, subject, reviewer) for reviewer in goal.intent.reviewing().reviewers)
    number = len(plan.rounds) + 1
    return e.ReviewOpened(
        plan=plan.number, round=number, digest=digest, subject=subject, scaffold=plan_scaffold(), seats=seats
    )


def _seat(goal: Goal, subject: Digest, reviewer: SpecialistName) -> e.SeatOpened:
    specialist = goal.intent.specialist(reviewer)
    criterion, partition = criterion_digest(specialist), partition_of(specialist)
    key = evidence_key(reviewer, partition)
    return e.SeatOpened(
        reviewer=reviewer,
        partition=partition,
        criterion=criterion,
        expected=mark_of(goal.baselines, key),
        reused=fresh_job(goal, key, Digests(subject, criterion, plan_scaffold())),
    )


def _closing(goal: Goal) -> list[e.GoalEvent]:
    """Close the round when its last reviewer is done."""
    plan, last = goal.plan, goal.plan.round if goal.plan is not None else None
    if plan is None or last is None or last.outcome is not None:
        return []
    if not all(seat.opinion is not None or given_up(goal.intent, seat) for seat in last.seats):
        return []
    outcome = aggregate(goal.intent.reviewing().reviewers, last.votes())
    return [e.ReviewClosed(plan=plan.number, round=last.number, outcome=outcome)]


def _after(goal: Goal, happened: Iterable[e.GoalEvent]) -> Goal:
    for event in happened:
        goal = evolve(goal, event, goal.last_at)
    return goal


# --- an attempt


def _attempt(goal: Goal, command: c.ReportLeased | c.ReportReview) -> tuple[Round, Seat, ReviewAttempt] | None:
    if not 1 <= command.plan <= len(goal.plans):
        return None
    rounds = goal.plans[command.plan - 1].rounds
    each = rounds[command.round - 1] if 1 <= command.round <= len(rounds) else None
    seat = each.seat(command.reviewer) if each is not None else None
    if each is None or seat is None or not 1 <= command.attempt <= len(seat.attempts):
        return None
    return each, seat, seat.attempts[command.attempt - 1]


def _job(command: c.ReportLeased | c.ReportReview) -> e.JobName:
    return e.JobName(command.plan, command.round, command.reviewer, command.attempt)


def _leased(goal: Goal, command: c.ReportLeased) -> list[e.GoalEvent]:
    found, job = _attempt(goal, command), _job(command)
    if found is None or goal.ending is not None or not found[2].open or found[2].lease is not None:
        return []
    return [
        e.ReviewJobLeased(
            *job.parts,
            token=command.token,
            nonce=command.nonce,
            prompt=command.prompt,
            expires_at=command.expires_at,
        )
    ]


def _returned(goal: Goal, command: c.ReportReview) -> list[e.GoalEvent]:
    found = _attempt(goal, command)
    if found is None:
        return []
    each, seat, attempt = found
    job = _job(command)
    if not attempt.open or goal.ending is not None:
        return _late(attempt, job, command.report.output)
    said = _said(goal, each, seat, job, command.report)
    charged = failures.charged(said.failure) if isinstance(said, e.ReviewJobFailed) else True
    happened: list[e.GoalEvent] = [_return(job, command.report, charged=charged), said]
    after = _after(goal, happened)
    return [*happened, *(_without_provider(after, job) or _closing(after))]


def _late(attempt: ReviewAttempt, job: e.JobName, output: Digest | None) -> list[e.GoalEvent]:
    replayed = output is not None and attempt.output == output
    if attempt.open or attempt.late or replayed:
        return []
    return [e.ReviewJobSuperseded(*job.parts, output=output)]


def _said(goal: Goal, each: Round, seat: Seat, job: e.JobName, report: c.ReviewReport) -> e.GoalEvent:
    if report.touched:
        detail = f"it changed more than its output: {', '.join(report.touched[:5])}"
        return e.ReviewJobFailed(*job.parts, failure=FailureClass.PERMISSION, detail=detail)
    harness = goal.intent.specialist(seat.reviewer).harness
    if (other := contradiction(seat, Runner(harness, report.model, report.effort))) is not None:
        return e.ReviewJobFailed(*job.parts, failure=FailureClass.ENVIRONMENT, detail=str(other))
    if report.failure is not None:
        return e.ReviewJobFailed(*job.parts, failure=report.failure, detail=report.detail)
    if report.opinion is None:
        return e.ReviewJobRefused(*job.parts, problems=report.problems)
    if mark_of(goal.baselines, evidence_key(seat.reviewer, seat.partition)) != seat.expected:
        detail = f"the evidence has moved on since round {each.number} began"
        return e.ReviewJobFailed(*job.parts, failure=FailureClass.DECISION, detail=detail)
    return e.ReviewJobCompleted(*job.parts, assessment=report.opinion)


def _return(job: e.JobName, report: c.ReviewReport, *, charged: bool) -> e.ReviewJobReturned:
    return e.ReviewJobReturned(
        *job.parts,
        ran=report.ran,
        charged=charged,
        output=report.output,
        tokens=report.tokens,
        cost=report.cost,
        model=report.model,
        effort=report.effort,
        self_reported_model=report.self_reported_model,
        touched=report.touched,
    )


def _without_provider(goal: Goal, job: e.JobName) -> list[e.GoalEvent]:
    """End a request whose reviewer cannot be reached: that is no verdict, and nobody pays for it."""
    seat = next(seat for seat in goal.plans[job.plan - 1].rounds[job.round - 1].seats if seat.reviewer == job.reviewer)
    if seat.last is None or seat.last.failure is not FailureClass.UPSTREAM or not given_up(goal.intent, seat):
        return []
    detail = f"the provider of reviewer {job.reviewer} is unreachable: {seat.last.detail}"
    failed = e.PlanFailed(plan=job.plan, failure=FailureClass.UPSTREAM, detail=detail, charged=False)
    return [*jobs_withdrawn(goal), failed]


def expire_jobs(goal: Goal, now: Instant) -> list[e.GoalEvent]:
    """End the attempts whose lease has run out; nobody pays for them."""
    happened: list[e.GoalEvent] = []
    for each, seat, attempt in goal.open_jobs() if goal.ending is None else ():
        if attempt.lease is None or attempt.lease.expires_at > now or goal.plan is None:
            continue
        job = e.JobName(goal.plan.number, each.number, seat.reviewer, attempt.number)
        happened.append(e.ReviewJobReturned(*job.parts, ran=Micros(0), charged=False))
        happened.append(e.ReviewJobExpired(*job.parts))
    return [*happened, *_closing(_after(goal, happened))] if happened else []


# --- the end of a review


def _kept(goal: Goal, command: c.ReportReceipt) -> list[e.GoalEvent]:
    plan = owed_receipt(goal) if goal.ending is None else None
    if plan is None or plan.number != command.plan or plan.review is None or plan.review.number != command.review:
        return []
    right = receipt_digest(goal, plan, plan.review)
    wrong = f"the receipt that was kept is {command.receipt[:12]}, expected {right[:12]}"
    damaged = command.damaged or ("" if command.receipt == right else wrong)
    outcome = plan.review.came_to(goal.intent.reviewing().max_revision_rounds)
    last = plan.review.last
    if outcome is None or last is None or plan.digest is None:
        raise AssertionError(f"the review of plan {plan.number} is not over")
    reviewed = e.PlanReviewed(
        plan=plan.number,
        receipt=right,
        outcome=ReviewOutcome.FAILED if damaged else outcome,
        rounds=len(plan.review.rounds),
        blocking=last.count(Severity.BLOCKING),
        advisory=last.count(Severity.ADVISORY),
        damaged=damaged,
    )
    return [reviewed, _follows(plan, plan.digest, last, reviewed)]


def _follows(plan: Plan, digest: Digest, last: Round, reviewed: e.PlanReviewed) -> e.GoalEvent:
    if reviewed.outcome is not ReviewOutcome.PASSED:
        reason = reviewed.damaged or _objection(plan, last)
        return e.PlanReviewAttention(plan=plan.number, digest=digest, reason=reason)
    if plan.candidate is None or plan.normalised is None:
        raise AssertionError(f"plan {plan.number} was reviewed without a candidate")
    return e.PlanProposed(
        plan=plan.number,
        call=plan.calls_before,
        candidate=plan.candidate,
        digest=digest,
        normalised=plan.normalised,
    )


def _objection(plan: Plan, last: Round) -> str:
    """Say in one sentence what stands in the way of a candidate."""
    silent = [seat for seat in last.seats if seat.opinion is None]
    if last.outcome is Outcome.FAILED and silent:
        first = silent[0]
        why = f" ({first.last.failure}): {first.last.detail}" if first.last and first.last.failure else ""
        return f"reviewer {first.reviewer} gave no valid opinion{why}"
    said = [(seat.reviewer, seat.opinion) for seat in last.seats if seat.opinion is not None]
    asks = [(name, opinion) for name, opinion in said if opinion.verdict is PlanVerdict.ATTENTION]
    if asks:
        return f"reviewer {asks[0][0]} asks for a person: {asks[0][1].rationale}"
    codes = [
        finding.code for _, opinion in said for finding in opinion.findings if finding.severity is Severity.BLOCKING
    ]
    found = f"its reviewers object: {', '.join(dict.fromkeys(codes)) or 'without a blocking finding'}"
    return f"{found}; the planner gave the same candidate back" if plan.review and plan.review.unchanged else found
