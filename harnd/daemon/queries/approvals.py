"""Approvals: a row each, of one goal or of all, or one in full with everything that an answer needs.

What nobody answered in time reads as expired, whether or not the timer has noticed.  Of all goals only those are read
in which somebody is asked, unless those that were decided are wanted too.
"""

from collections.abc import Iterator
from typing import Final

from harnd.daemon.queries.about import Sources
from harnd.domain.goal.approval import Approval
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.lookup import approval_numbered
from protocol.errors import Refusal
from protocol.ids import GoalId
from protocol.requests import ListApprovals, ShowApproval
from protocol.values import ApprovalState, Instant, Risk
from protocol.views import ApprovalList, ApprovalRow, ApprovalView, InboxKind

WORDS: Final = 200  # characters of a question in a list
MOST_URGENT: Final = (Risk.CRITICAL, Risk.HIGH, Risk.MEDIUM, Risk.LOW)


async def listed(sources: Sources, request: ListApprovals) -> ApprovalList:
    """List approvals; a goal that cannot be read hides no other."""
    now = sources.now()
    if request.goal is not None:
        goal = await sources.goals.load(request.goal)
        return ApprovalList(_sorted(_rows(goal, now, decided=request.decided)))
    rows, unreadable = list[ApprovalRow](), list[GoalId]()
    for name in await _goals(sources, decided=request.decided):
        try:
            rows += _rows(await sources.goals.load(name), now, decided=request.decided)
        except Refusal:
            unreadable.append(name)
    return ApprovalList(_sorted(rows), tuple(unreadable))


async def shown(sources: Sources, request: ShowApproval) -> ApprovalView:
    """Show one approval in full."""
    goal = await sources.goals.load(request.goal)
    return view_of(goal, approval_numbered(goal, request.approval), sources.now())


def view_of(goal: Goal, approval: Approval, now: Instant) -> ApprovalView:
    """Write one approval in full."""
    state = approval.state_at(now)
    return ApprovalView(
        goal=goal.intent.goal,
        approval=approval.number,
        state=state,
        risk=approval.risk,
        work=approval.work,
        title=goal.work[approval.work].title,
        attempt=approval.attempt,
        stage=approval.stage,
        question=approval.question,
        digest=approval.digest,
        paths=approval.changed,
        paths_in_all=max(approval.changed_in_all, len(approval.changed)),
        base=approval.base,
        tree=approval.tree,
        repository=goal.intent.repository,
        requested_at=approval.requested_at,
        expires_at=approval.expires_at,
        since=approval.since if state is approval.state else approval.expires_at,
        decided_by=approval.decided_by or None,
        reason=approval.reason or None,
        used=approval.consumed,
        asked_again=goal.why_asked_again(approval) or None,
    )


async def _goals(sources: Sources, *, decided: bool) -> list[GoalId]:
    if decided:
        return [row.goal for row in await sources.world.store.goals()]
    asking = [row.goal for row in await sources.world.store.inbox() if row.kind == InboxKind.APPROVAL]
    return list(dict.fromkeys(asking))


def _rows(goal: Goal, now: Instant, *, decided: bool) -> Iterator[ApprovalRow]:
    for approval in goal.approvals:
        if decided or approval.state is ApprovalState.PENDING:
            yield _row(goal, approval, now)


def _row(goal: Goal, approval: Approval, now: Instant) -> ApprovalRow:
    words = " ".join(approval.question.split())
    return ApprovalRow(
        goal=goal.intent.goal,
        approval=approval.number,
        state=approval.state_at(now),
        risk=approval.risk,
        work=approval.work,
        attempt=approval.attempt,
        stage=approval.stage,
        question=words if len(words) <= WORDS else f"{words[: WORDS - 1]}…",
        digest=approval.digest,
        requested_at=approval.requested_at,
        expires_at=approval.expires_at,
    )


def _sorted(rows: Iterator[ApprovalRow] | list[ApprovalRow]) -> tuple[ApprovalRow, ...]:
    """Put what waits first, by risk and then by when its time is over; what was decided follows, newest first."""
    return tuple(sorted(rows, key=_rank))


def _rank(row: ApprovalRow) -> tuple[int, int, int, GoalId, int]:
    if row.state is ApprovalState.PENDING:
        return 0, MOST_URGENT.index(row.risk), row.expires_at, row.goal, row.approval
    return 1, 0, -row.requested_at, row.goal, -row.approval
