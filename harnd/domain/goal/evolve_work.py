"""What decisions about work make of a goal; how often harnd tried an item again counts until a person touches it."""

from typing import TypeAlias, assert_never

import msgspec

from harnd.domain.goal import events as e
from harnd.domain.goal.automation import decided_by_person
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
            return _asked_again(goal, event.work, at, guidance=guidance, by=event.by)
        case e.WorkResolved():
            return _resolved(goal, event, at)
        case e.WorkRequeued():
            return _requeued(goal, event, at)
        case e.WorkCancelled(reason=reason):
            changed = changed_item(
                goal, event.work, at, standing=Standing.CANCELLED, cancelled_reason=reason, unasked=0
            )
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
        unasked=0 if decided_by_person(event.by) else item.unasked,
        findings=(),
        dispositions=(*item.dispositions, *event.dispositions),
    )
    return replace(changed, queue=(*changed.queue, event.work))


def _reopened(goal: Goal, event: e.WorkReopened, at: Instant) -> Goal:
    item = goal.work[event.work]
    findings = (*item.findings, *event.findings)
    seen = item.findings_seen + len(event.findings)
    changed = changed_item(goal, event.work, at, findings=findings, findings_seen=seen)
    return _asked_again(changed, event.work, at, guidance="", by=event.by)


def _resolved(goal: Goal, event: e.WorkResolved, at: Instant) -> Goal:
    item = goal.work[event.work]
    guidance = event.note or item.guidance
    if item.parked is None:  # what could not be brought in: `work.requeued` follows, and counts
        return changed_item(goal, item.id, at, guidance=guidance)
    attempt = replace(item.attempts[-1], parked=replace(item.parked, cleared_by=event.by))
    return changed_item(
        goal,
        item.id,
        at,
        attempts=(*item.attempts[:-1], attempt),
        standing=Standing.PARKED,
        guidance=guidance,
        unasked=_unasked(item, event.by),
        blocked=None,
        blocked_detail="",
    )


def _requeued(goal: Goal, event: e.WorkRequeued, at: Instant) -> Goal:
    unasked = _unasked(goal.work[event.work], event.by)
    changed = changed_item(
        goal, event.work, at, standing=Standing.ACCEPTED, unasked=unasked, blocked=None, blocked_detail=""
    )
    return replace(changed, queue=(*changed.queue, event.work))


def _asked_again(goal: Goal, work: WorkId, at: Instant, *, guidance: str, by: str) -> Goal:
    item = goal.work[work]
    # Who asks is worth one attempt even when the template's are used up; only a person forgives what nobody paid for.
    granted = max(item.granted, item.charged_attempts() + 1 - goal.template_of(item).max_attempts)
    excused = len(item.attempts) if decided_by_person(by) else item.excused
    changed = changed_item(
        goal,
        work,
        at,
        standing=Standing.OPEN,
        guidance=guidance,
        granted=granted,
        excused=excused,
        unasked=_unasked(item, by),
        blocked=None,
        blocked_detail="",
        cancelled_reason="",
        accepted_proof=None,
        acknowledged=(),
        accepted_by="",
        accepted_at=None,
    )
    return dequeued(changed, work)


def _unasked(item: Work, by: str) -> int:
    return 0 if decided_by_person(by) else item.unasked + 1
