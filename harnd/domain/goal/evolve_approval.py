"""What approval events make of a goal.  What becomes of the attempt is said beside them, except when it waits on."""

from typing import TypeAlias, assert_never

import msgspec

from harnd.domain.goal import events as e
from harnd.domain.goal.approval import Approval, valid_for
from harnd.domain.goal.evolve_item import changed_item, stored_item
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.work import Standing
from harnd.domain.measures import span
from protocol.values import ApprovalState, FailureClass, Instant

replace = msgspec.structs.replace

ApprovalEvent: TypeAlias = (
    e.ApprovalRequested
    | e.ApprovalApproved
    | e.ApprovalDenied
    | e.ApprovalExpired
    | e.ApprovalCancelled
    | e.ApprovalConsumed
)


def evolve_approval(goal: Goal, event: ApprovalEvent, at: Instant) -> Goal:
    """Apply one approval event."""
    match event:
        case e.ApprovalRequested():
            return replace(goal, approvals=(*goal.approvals, _requested(event, at)))
        case e.ApprovalApproved(by=by):
            changed = _with(goal, event.approval, state=ApprovalState.APPROVED, since=at, decided_by=by)
            return _approved(_touched(changed, event), event, at)
        case e.ApprovalDenied(by=by, reason=reason):
            denied = _with(goal, event.approval, state=ApprovalState.DENIED, since=at, decided_by=by, reason=reason)
            return _touched(denied, event)
        case e.ApprovalExpired():
            return _blocked(_with(goal, event.approval, state=ApprovalState.EXPIRED, since=at), event, at)
        case e.ApprovalCancelled(reason=reason):
            return _with(goal, event.approval, state=ApprovalState.CANCELLED, since=at, reason=reason)
        case e.ApprovalConsumed():
            return _with(goal, event.approval, consumed=True)
        case _:
            assert_never(event)


def _requested(event: e.ApprovalRequested, at: Instant) -> Approval:
    return Approval(
        number=event.approval,
        work=event.work,
        attempt=event.attempt,
        stage=event.stage,
        question=event.question,
        digest=event.digest,
        base=event.base,
        tree=event.tree,
        risk=event.risk,
        changed=event.changed,
        changed_in_all=event.changed_in_all,
        requested_at=at,
        expires_at=event.expires_at,
        since=at,
    )


def _approved(goal: Goal, event: e.ApprovalApproved, at: Instant) -> Goal:
    item = goal.work[goal.approvals[event.approval - 1].work]
    parked = item.parked
    if parked is None or not goal.resumes_approved:
        return goal
    attempt = replace(item.attempts[-1], parked=replace(parked, cleared_by=event.by))
    attempts = (*item.attempts[:-1], attempt)
    return changed_item(goal, item.id, at, attempts=attempts, standing=Standing.PARKED)


def _touched(goal: Goal, event: e.ApprovalApproved | e.ApprovalDenied) -> Goal:
    """Begin anew what counts until a person decides about an item."""
    item = goal.work[goal.approvals[event.approval - 1].work]
    return stored_item(goal, replace(item, unasked=0))


def _blocked(goal: Goal, event: e.ApprovalExpired, at: Instant) -> Goal:
    approval = goal.approvals[event.approval - 1]
    detail = f"nobody answered approval {approval.number} within {span(valid_for(approval.risk))}"
    return changed_item(
        goal, approval.work, at, standing=Standing.BLOCKED, blocked=FailureClass.DECISION, blocked_detail=detail
    )


def _with(goal: Goal, number: int, **changes: object) -> Goal:
    approval = replace(goal.approvals[number - 1], **changes)
    return replace(goal, approvals=(*goal.approvals[: number - 1], approval, *goal.approvals[number:]))
