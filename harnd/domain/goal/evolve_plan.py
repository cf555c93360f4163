"""What plan events make of a goal."""

from typing import TypeAlias, assert_never

import msgspec

from harnd.domain.goal import events as e
from harnd.domain.goal.candidate import Apply
from harnd.domain.goal.goal import Ending, Goal, Milestone
from harnd.domain.goal.intent import Criterion
from harnd.domain.goal.plan import Plan, PlannerCall
from harnd.domain.goal.plan_review import Review
from harnd.domain.goal.usage import Usage
from protocol.ids import CriterionId, WorkId
from protocol.values import Instant, PlanAuthor, PlanStatus, Unit

replace = msgspec.structs.replace

PlanEvent: TypeAlias = (
    e.PlanRequested
    | e.PlannerCalled
    | e.PlannerReturned
    | e.PlannerFailed
    | e.AnswerRefused
    | e.PlanProposed
    | e.PlanEdited
    | e.PlanAttention
    | e.PlanFailed
    | e.PlanRejected
    | e.PlanRetried
    | e.PlanApplied
    | e.PlanCompleted
)


def evolve_plan(goal: Goal, event: PlanEvent, at: Instant) -> Goal:
    """Apply one plan event."""
    match event:
        case e.PlanRequested():
            return _requested(goal, event, at)
        case e.PlannerCalled():
            return _called(goal, event, at)
        case e.PlannerReturned():
            return _returned(goal, event, at)
        case e.PlannerFailed(failure=failure, detail=detail):
            return _with_call(goal, event.plan, failure=failure, detail=detail)
        case e.AnswerRefused(problems=problems):
            return _with_call(goal, event.plan, problems=problems)
        case e.PlanProposed():
            return _proposed(goal, event, at)
        case e.PlanEdited():
            return _edited(goal, event, at)
        case e.PlanAttention(rationale=rationale, question=question):
            status = PlanStatus.ATTENTION
            changed = with_plan(goal, event.plan, at, status=status, rationale=rationale, question=question)
            return settle_request(changed, event.plan, charged=True)
        case e.PlanFailed():
            return _failed(goal, event, at)
        case e.PlanRejected(guidance=guidance, by=by):
            return with_plan(goal, event.plan, at, status=PlanStatus.REJECTED, guidance=guidance, decided_by=by)
        case e.PlanRetried(guidance=guidance, by=by):
            return with_plan(goal, event.plan, at, answered=True, guidance=guidance, decided_by=by)
        case e.PlanApplied():
            return _applied(goal, event, at)
        case e.PlanCompleted(by=by):
            changed = with_plan(goal, event.plan, at, status=PlanStatus.COMPLETED, decided_by=by)
            return replace(changed, ending=Ending.SUCCEEDED)
        case _:
            assert_never(event)


def _requested(goal: Goal, event: e.PlanRequested, at: Instant) -> Goal:
    plan = Plan(
        number=event.plan,
        trigger=event.trigger,
        graph=event.graph,
        requested_at=at,
        status=PlanStatus.REQUESTED,
        since=at,
    )
    return replace(goal, plans=(*goal.plans, plan), ledger=goal.ledger.reserve(Unit.PLANNER_CALLS, 1))


def _called(goal: Goal, event: e.PlannerCalled, at: Instant) -> Goal:
    plan = goal.plans[event.plan - 1]
    calls = (*plan.calls, PlannerCall(number=event.call, started_at=at, set_aside=event.set_aside))
    changed = with_plan(goal, event.plan, plan.since, calls=calls)
    ledger = changed.ledger.reserve(Unit.AGENT_CALLS, 1).set_aside(event.set_aside)
    return replace(changed, ledger=ledger)


def _returned(goal: Goal, event: e.PlannerReturned, at: Instant) -> Goal:
    changed = _with_call(
        goal,
        event.plan,
        returned_at=at,
        charged=event.charged,
        tokens=event.tokens,
        cost=event.cost,
        reply=event.reply,
    )
    spent = 1 if event.charged else 0
    ledger = changed.ledger.settle(Unit.AGENT_CALLS, reserved=1, spent=spent)
    set_aside = goal.plans[event.plan - 1].calls[-1].set_aside
    return replace(changed, ledger=ledger.metered(set_aside, Usage(1, event.tokens, event.cost)))


def _proposed(goal: Goal, event: e.PlanProposed, at: Instant) -> Goal:
    changed = with_plan(
        goal,
        event.plan,
        at,
        status=PlanStatus.PROPOSED,
        candidate=event.candidate,
        digest=event.digest,
        normalised=event.normalised,
        rationale=event.candidate.rationale,
    )
    return settle_request(changed, event.plan, charged=True)


def _edited(goal: Goal, event: e.PlanEdited, at: Instant) -> Goal:
    # The request was settled when it was answered, or came to nothing: a person's words cost none.
    plan = goal.plans[event.plan - 1]
    reviewed = goal.intent.review is not None
    review = Review(number=len(plan.reviews) + 1, author=PlanAuthor.OPERATOR)
    return with_plan(
        goal,
        event.plan,
        at,
        status=PlanStatus.REVIEWING if reviewed else PlanStatus.PROPOSED,
        reviews=(*plan.reviews, review) if reviewed else plan.reviews,
        candidate=event.candidate,
        digest=event.digest,
        normalised=event.normalised,
        rationale=event.candidate.rationale,
        author=PlanAuthor.OPERATOR,
        question="",
        failure=None,
        detail="",
    )


def _failed(goal: Goal, event: e.PlanFailed, at: Instant) -> Goal:
    changed = with_plan(
        goal,
        event.plan,
        at,
        status=PlanStatus.FAILED,
        failure=event.failure,
        detail=event.detail,
        charged=event.charged,
    )
    return settle_request(changed, event.plan, charged=event.charged)


def _applied(goal: Goal, event: e.PlanApplied, at: Instant) -> Goal:
    match goal.plans[event.plan - 1].candidate:
        case Apply(milestone=draft, work=work):
            milestone = Milestone(
                sequence=draft.sequence,
                title=draft.title,
                objective=draft.objective,
                acceptance=numbered("MC", draft.acceptance),
                plan=event.plan,
                root=event.root,
                applied_at=at,
            )
        case _:
            raise AssertionError(f"plan {event.plan} was applied without a graph")
    changed = with_plan(goal, event.plan, at, status=PlanStatus.APPLIED, decided_by=event.by)
    ledger = changed.ledger.spend(Unit.MILESTONES).spend(Unit.WORK_ITEMS, len(work))
    return replace(changed, milestones=(*changed.milestones, milestone), ledger=ledger)


def supplied(goal: Goal, root: WorkId, at: Instant) -> Goal:
    """Make the operator's graph the first milestone; what its root is to reach is what the milestone is."""
    item = goal.work[root]
    milestone = Milestone(
        sequence=1,
        title=item.title,
        objective=item.objective,
        acceptance=numbered("MC", tuple(criterion.text for criterion in item.acceptance)),
        plan=item.plan,
        root=root,
        applied_at=at,
    )
    return replace(goal, milestones=(*goal.milestones, milestone), ledger=goal.ledger.spend(Unit.MILESTONES))


def numbered(prefix: str, texts: tuple[str, ...]) -> tuple[Criterion, ...]:
    """Give criteria their ids, in order, such as `MC-1` and `MC-2`."""
    return tuple(Criterion(CriterionId(f"{prefix}-{number}"), text) for number, text in enumerate(texts, 1))


def settle_request(goal: Goal, number: int, *, charged: bool) -> Goal:
    """Settle the request of a plan, once: what a person makes of its answer later costs none."""
    plan = goal.plans[number - 1]
    if plan.paid:
        return goal
    ledger = goal.ledger.settle(Unit.PLANNER_CALLS, reserved=1, spent=1 if charged else 0)
    return with_plan(replace(goal, ledger=ledger), number, plan.since, paid=True)


def with_plan(goal: Goal, number: int, since: Instant, **changes: object) -> Goal:
    """Change fields of one plan."""
    plan = replace(goal.plans[number - 1], since=since, **changes)
    return replace(goal, plans=(*goal.plans[: number - 1], plan, *goal.plans[number:]))


def _with_call(goal: Goal, number: int, **changes: object) -> Goal:
    plan = goal.plans[number - 1]
    call = replace(plan.calls[-1], **changes)
    return with_plan(goal, number, plan.since, calls=(*plan.calls[:-1], call))
