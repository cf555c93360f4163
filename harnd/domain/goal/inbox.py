"""The inbox of one goal: everything about it that waits for a person, whatever else is running."""

from collections.abc import Iterator

import msgspec

from harnd.domain.goal import failure as failures
from harnd.domain.goal.approval import Approval
from harnd.domain.goal.candidate import Apply
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.plan import Plan
from harnd.domain.goal.position import position
from harnd.domain.goal.rules.resolving import approved, resolvable
from harnd.domain.goal.rules.unattended import accepted_unasked, applied_unasked, retried_unasked
from harnd.domain.goal.wanted import left_to_planner
from harnd.domain.goal.work import Standing, Work
from harnd.domain.measures import count
from protocol import subjects
from protocol.ids import Digest
from protocol.values import Instant, NextAction, Phase, PlanStatus


class Ask(msgspec.Struct, frozen=True):
    """One thing that waits for a person."""

    kind: str  # plan, attention, approval, work, blocked, budget
    subject: str  # such as `plan/2`, `approval/1`, `p1.parser` or `budget/attempts`
    summary: str
    since: Instant
    digest: Digest | None = None  # what a decision about it must name


def asks(goal: Goal, now: Instant) -> tuple[Ask, ...]:
    """Return what waits for a person, oldest first."""
    if goal.ending is not None:
        return ()
    return tuple(sorted(_asks(goal, now), key=lambda ask: (ask.since, ask.subject)))


def _asks(goal: Goal, now: Instant) -> Iterator[Ask]:
    if goal.plan is not None:
        yield from () if applied_unasked(goal, now) else _about_plan(goal.plan)
    for approval in goal.pending_approvals():
        yield _about_approval(goal, approval)
    for item in goal.in_standing(Standing.AWAITING_APPROVAL):
        if approved(goal, item):
            yield Ask("blocked", item.id, "approved, and waits to be told that it may go on: resolve it", item.since)
    for item in goal.in_standing(Standing.IN_REVIEW):
        if not accepted_unasked(goal, item):
            yield _about_review(item)
    blocked = goal.in_standing(Standing.BLOCKED)
    for item in blocked:
        if left_to_planner(goal, item) or retried_unasked(goal, item, now) is not None:
            continue
        told = failures.told(item.blocked, item.blocked_detail, resolvable=resolvable(item))
        yield Ask("blocked", item.id, f"blocked {told}", item.since)
    where = position(goal, now)
    if where.phase is Phase.BUDGET_EXHAUSTED:
        subject = subjects.budget(where.grows) if where.grows else goal.intent.goal
        yield Ask("budget", subject, where.reason, goal.since)
    elif where.next_action is NextAction.RESOLVE_BLOCKED and not blocked:
        yield Ask("blocked", goal.intent.goal, where.reason, goal.since)


def _about_approval(goal: Goal, approval: Approval) -> Ask:
    subject = subjects.approval(approval.number)
    why = goal.why_asked_again(approval)
    again = f" again, because {why}" if why else ""
    summary = f"{approval.work} asks{again} ({approval.risk} risk): {approval.question}"
    return Ask("approval", subject, summary, approval.requested_at, approval.digest)


def _about_review(item: Work) -> Ask:
    proof = item.last.proof if item.last else None
    doubts = item.last.doubts() if item.last else ()
    proved = f"proved, with {count(len(doubts), 'doubt')} to acknowledge" if doubts else "proved"
    return Ask(
        "work", item.id, f"{item.title}: {proved}, to be accepted", item.since, proof.digest() if proof else None
    )


def _about_plan(plan: Plan) -> Iterator[Ask]:
    subject = subjects.plan(plan.number)
    if plan.status is PlanStatus.PROPOSED:
        what = "apply" if isinstance(plan.candidate, Apply) else "complete"
        yield Ask("plan", subject, f"{what}: {plan.rationale}", plan.since, plan.digest)
    elif plan.asks:
        if plan.in_review_attention:
            yield Ask("attention", subject, f"did not pass its review: {plan.question}", plan.since, plan.digest)
            return
        failed = f"failed {failures.told(plan.failure, plan.detail)}"
        said = plan.question if plan.status is PlanStatus.ATTENTION else failed
        yield Ask("attention", subject, said, plan.since)
