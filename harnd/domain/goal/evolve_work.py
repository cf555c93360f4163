"""What a person's decisions about work make of a goal."""

from typing import TypeAlias, assert_never

import msgspec

from harnd.domain.goal import events as e
from harnd.domain.goal.evolve_item import changed_item, dequeued
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.work import Standing, Work
from protocol.ids import WorkId
from protocol.values import Instant

replace = msgspec.structs.replace

WorkEvent: TypeAlias = (
    e.WorkCreated | e.WorkAccepted | e.WorkReopened | e.WorkRetried | e.WorkResolved | e.WorkRequeued | e.WorkCancelled
)


def evolve_work(goal: Goal, event: WorkEvent, at: Instant) -> Goal:
    """Apply one work event."""
    match event:
        case e.WorkCreated():
            return _created(goal, event, at)
        case e.WorkAccepted():
            return _accepted(goal, event, at)
        case e.WorkReopened():
            return _reopened(goal, event, at)
        case e.WorkRetried(guidance=guidance):
            return _asked_again(goal, event.work, at, guidance=guidance)
        case e.WorkResolved():
            return _resolved(goal, event, at)
        case e.WorkRequeued():
            changed = changed_item(goal, event.work, at, standing=Standing.ACCEPTED, blocked=None, blocked_detail="")
            return replace(changed, queue=(*changed.queue, event.work))
        case e.WorkCancelled(reason=reason):
            changed = changed_item(goal, event.work, at, standing=Standing.CANCELLED, cancelled_reason=reason)
            return dequeued(changed, event.work)
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


def _accepted(goal: Goal, event: e.WorkAccepted, at: Instant) -> Goal:
    item = goal.work[event.work]
    changed = changed_item(
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
    changed = changed_item(goal, event.work, at, findings=findings, findings_seen=seen)
    return _asked_again(changed, event.work, at, guidance="")


def _resolved(goal: Goal, event: e.WorkResolved, at: Instant) -> Goal:
    item = goal.work[event.work]
    guidance = event.note or item.guidance
    if item.parked is None:  # what could not be brought in: `work.requeued` follows
        return changed_item(goal, item.id, at, guidance=guidance)
    attempt = replace(item.attempts[-1], parked=replace(item.parked, cleared_by=event.by))
    return changed_item(
        goal,
        item.id,
        at,
        attempts=(*item.attempts[:-1], attempt),
        standing=Standing.PARKED,
        guidance=guidance,
        blocked=None,
        blocked_detail="",
    )


def _asked_again(goal: Goal, work: WorkId, at: Instant, *, guidance: str) -> Goal:
    item = goal.work[work]
    # A person's word is worth one attempt even when the template's are used up.
    granted = max(item.granted, item.charged_attempts() + 1 - goal.template_of(item).max_attempts)
    changed = changed_item(
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
    return dequeued(changed, work)
