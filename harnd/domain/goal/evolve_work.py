"""What work, attempt and integration events make of a goal."""

from typing import TypeAlias, assert_never

import msgspec

from harnd.domain.goal import events as e
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.ledger import Ledger
from harnd.domain.goal.work import Attempt, Integration, Standing, Work
from protocol.ids import WorkId
from protocol.values import AttemptOutcome, Instant, Unit

replace = msgspec.structs.replace

WorkEvent: TypeAlias = (
    e.WorkCreated
    | e.AttemptStarted
    | e.AttemptObserved
    | e.AttemptEnded
    | e.AttemptSuperseded
    | e.WorkAccepted
    | e.WorkReopened
    | e.WorkRetried
    | e.WorkRequeued
    | e.WorkCancelled
    | e.IntegrationStarted
    | e.IntegrationProved
    | e.IntegrationParked
    | e.WorkIntegrated
)


def evolve_work(goal: Goal, event: WorkEvent, at: Instant) -> Goal:
    """Apply one work event."""
    match event:
        case e.WorkCreated():
            return _created(goal, event, at)
        case e.AttemptStarted():
            return _started(goal, event, at)
        case e.AttemptObserved():
            return _observed(goal, event)
        case e.AttemptEnded():
            return _ended(goal, event, at)
        case e.AttemptSuperseded():
            return goal
        case e.WorkAccepted():
            return _accepted(goal, event, at)
        case e.WorkReopened():
            return _reopened(goal, event, at)
        case e.WorkRetried(guidance=guidance):
            return _asked_again(goal, event.work, at, guidance=guidance)
        case e.WorkRequeued():
            changed = _with(goal, event.work, at, standing=Standing.ACCEPTED, blocked=None, blocked_detail="")
            return replace(changed, queue=(*changed.queue, event.work))
        case e.WorkCancelled(reason=reason):
            changed = _with(goal, event.work, at, standing=Standing.CANCELLED, cancelled_reason=reason)
            return _dequeued(changed, event.work)
        case e.IntegrationStarted():
            return _integrating(goal, event, at)
        case e.IntegrationProved(commit=commit, tree=tree, proof=proof):
            return _with_integration(goal, event.work, at, commit=commit, tree=tree, proof=proof)
        case e.IntegrationParked():
            return _parked(goal, event, at)
        case e.WorkIntegrated(commit=commit):
            changed = _with(goal, event.work, at, standing=Standing.INTEGRATED)
            return replace(_dequeued(changed, event.work), head=commit)
        case _:
            assert_never(event)


def _created(goal: Goal, event: e.WorkCreated, at: Instant) -> Goal:
    item = Work(
        id=event.work,
        key=event.key,
        plan=event.plan,
        title=event.title,
        objective=event.objective,
        acceptance=event.acceptance,
        dependencies=event.dependencies,
        template=event.template,
        paths=event.paths,
        created_at=at,
        since=at,
    )
    return replace(goal, work={**goal.work, item.id: item})


def _started(goal: Goal, event: e.AttemptStarted, at: Instant) -> Goal:
    attempt = Attempt(
        number=event.attempt, base=event.base, generation=event.generation, calls=event.calls, started_at=at
    )
    item = goal.work[event.work]
    changed = _with(goal, event.work, at, attempts=(*item.attempts, attempt), standing=Standing.RUNNING)
    ledger = changed.ledger.reserve(Unit.ATTEMPTS, 1).reserve(Unit.AGENT_CALLS, event.calls)
    return replace(changed, ledger=ledger)


def _observed(goal: Goal, event: e.AttemptObserved) -> Goal:
    item = goal.work[event.work]
    attempt = replace(item.attempts[-1], surroundings=event.surroundings)
    return _stored(goal, replace(item, attempts=(*item.attempts[:-1], attempt)))


def _ended(goal: Goal, event: e.AttemptEnded, at: Instant) -> Goal:
    item = goal.work[event.work]
    attempt = replace(
        item.attempts[-1],
        ended_at=at,
        outcome=event.outcome,
        failure=event.failure,
        charged=event.charged,
        detail=event.detail,
        output=event.output,
        commit=event.commit,
        tree=event.tree,
        changed=event.changed,
        undeclared=event.undeclared,
        changed_in_all=event.changed_in_all,
        proof=event.proof,
        protected=event.protected,
        reports=event.reports,
        usage=event.usage,
    )
    item = replace(item, attempts=(*item.attempts[:-1], attempt))
    answers = event.usage.calls if event.charged else 0  # what nobody pays for spends no budget at all
    changed = _stored(goal, replace(item, answers=item.answers + answers))
    changed = _with(changed, event.work, at, **_after(event))
    return replace(changed, ledger=_settled(changed, attempt.calls, event))


def _after(event: e.AttemptEnded) -> dict[str, object]:
    if event.outcome is AttemptOutcome.SUCCEEDED:
        return {"standing": Standing.IN_REVIEW, "blocked": None, "blocked_detail": ""}
    if not event.blocked:
        return {"standing": Standing.OPEN}
    return {"standing": Standing.BLOCKED, "blocked": event.failure, "blocked_detail": event.detail}


def _settled(goal: Goal, calls: int, event: e.AttemptEnded) -> Ledger:
    spent = event.usage.calls if event.charged else 0
    ledger = goal.ledger.settle(Unit.ATTEMPTS, reserved=1, spent=1 if event.charged else 0)
    return ledger.settle(Unit.AGENT_CALLS, reserved=calls, spent=spent)


def _accepted(goal: Goal, event: e.WorkAccepted, at: Instant) -> Goal:
    item = goal.work[event.work]
    changed = _with(
        goal,
        event.work,
        at,
        standing=Standing.ACCEPTED,
        accepted_proof=event.proof,
        acknowledged=event.acknowledged,
        accepted_by=event.by,
        accepted_at=at,
        findings=(),
        dispositions=(*item.dispositions, *event.dispositions),
    )
    return replace(changed, queue=(*changed.queue, event.work))


def _reopened(goal: Goal, event: e.WorkReopened, at: Instant) -> Goal:
    item = goal.work[event.work]
    findings = (*item.findings, *event.findings)
    seen = item.findings_seen + len(event.findings)
    changed = _with(goal, event.work, at, findings=findings, findings_seen=seen)
    return _asked_again(changed, event.work, at, guidance="")


def _asked_again(goal: Goal, work: WorkId, at: Instant, *, guidance: str) -> Goal:
    item = goal.work[work]
    # A person's word is worth one attempt even when the template's are used up.
    granted = max(item.granted, item.charged_attempts() + 1 - goal.template_of(item).max_attempts)
    changed = _with(
        goal,
        work,
        at,
        standing=Standing.OPEN,
        guidance=guidance,
        granted=granted,
        excused=len(item.attempts),
        blocked=None,
        blocked_detail="",
        cancelled_reason="",
        accepted_proof=None,
        acknowledged=(),
        accepted_by="",
        accepted_at=None,
    )
    return _dequeued(changed, work)


def _integrating(goal: Goal, event: e.IntegrationStarted, at: Instant) -> Goal:
    item = goal.work[event.work]
    integration = Integration(number=event.number, onto=event.onto, started_at=at)
    integrations = (*item.integrations, integration)
    return _with(goal, event.work, at, standing=Standing.INTEGRATING, integrations=integrations)


def _parked(goal: Goal, event: e.IntegrationParked, at: Instant) -> Goal:
    changed = _with_integration(
        goal, event.work, at, failure=event.failure, detail=event.detail, paths=event.paths, proof=event.proof
    )
    changed = _with(
        changed,
        event.work,
        at,
        standing=Standing.BLOCKED if event.blocked else Standing.OPEN,
        blocked=event.failure if event.blocked else None,
        blocked_detail=event.detail if event.blocked else "",
    )
    if not event.accepted:
        changed = _with(changed, event.work, at, accepted_proof=None, acknowledged=(), accepted_by="", accepted_at=None)
    return _dequeued(changed, event.work)


def _with(goal: Goal, work: WorkId, since: Instant, **changes: object) -> Goal:
    return _stored(goal, replace(goal.work[work], since=since, **changes))


def _stored(goal: Goal, item: Work) -> Goal:
    return replace(goal, work={**goal.work, item.id: item})


def _with_integration(goal: Goal, work: WorkId, at: Instant, **changes: object) -> Goal:
    item = goal.work[work]
    integration = replace(item.integrations[-1], **changes)
    return _with(goal, work, at, integrations=(*item.integrations[:-1], integration))


def _dequeued(goal: Goal, work: WorkId) -> Goal:
    return replace(goal, queue=tuple(name for name in goal.queue if name != work))
