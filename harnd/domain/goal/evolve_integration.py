"""What integration events make of a goal."""

from typing import TypeAlias, assert_never

import msgspec

from harnd.domain.goal import events as e
from harnd.domain.goal.evolve_item import changed_item, dequeued
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.work import Integration, Standing
from protocol.ids import WorkId
from protocol.values import Instant

replace = msgspec.structs.replace

IntegrationEvent: TypeAlias = e.IntegrationStarted | e.IntegrationProved | e.IntegrationParked | e.WorkIntegrated


def evolve_integration(goal: Goal, event: IntegrationEvent, at: Instant) -> Goal:
    """Apply one integration event."""
    match event:
        case e.IntegrationStarted():
            return _integrating(goal, event, at)
        case e.IntegrationProved(commit=commit, tree=tree, proof=proof):
            return _with_integration(goal, event.work, at, commit=commit, tree=tree, proof=proof)
        case e.IntegrationParked():
            return _parked(goal, event, at)
        case e.WorkIntegrated(commit=commit):
            changed = changed_item(goal, event.work, at, standing=Standing.INTEGRATED)
            return replace(dequeued(changed, event.work), head=commit)
        case _:
            assert_never(event)


def _integrating(goal: Goal, event: e.IntegrationStarted, at: Instant) -> Goal:
    item = goal.work[event.work]
    integration = Integration(number=event.number, onto=event.onto, started_at=at)
    integrations = (*item.integrations, integration)
    return changed_item(goal, event.work, at, standing=Standing.INTEGRATING, integrations=integrations)


def _parked(goal: Goal, event: e.IntegrationParked, at: Instant) -> Goal:
    changed = _with_integration(
        goal, event.work, at, failure=event.failure, detail=event.detail, paths=event.paths, proof=event.proof
    )
    changed = changed_item(
        changed,
        event.work,
        at,
        standing=Standing.BLOCKED if event.blocked else Standing.OPEN,
        blocked=event.failure if event.blocked else None,
        blocked_detail=event.detail if event.blocked else "",
    )
    if not event.accepted:
        changed = changed_item(
            changed, event.work, at, accepted_proof=None, acknowledged=(), accepted_by="", accepted_at=None
        )
    return dequeued(changed, event.work)


def _with_integration(goal: Goal, work: WorkId, at: Instant, **changes: object) -> Goal:
    item = goal.work[work]
    integration = replace(item.integrations[-1], **changes)
    return changed_item(goal, work, at, integrations=(*item.integrations[:-1], integration))
