"""Approvals: asking a person, the answer, and its one use.

The first decision wins: the same again is the same answer, another one is refused.  An approval is used once, by the
attempt that asked for it and only where it is still exactly what was approved; otherwise the person is asked anew.
"""

from typing import TypeAlias, assert_never

from harnd.domain.goal import commands as c
from harnd.domain.goal import events as e
from harnd.domain.goal.approval import Approval, approval_digest, valid_for
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.lookup import approval_numbered
from harnd.domain.goal.overlap import kept, kept_of
from harnd.domain.goal.rules.checks import bounded, refuse_ended
from harnd.domain.goal.work import Attempt, Work
from harnd.domain.rejected import Rejected
from harnd.domain.verbs import verb
from protocol import bounds
from protocol.ids import Digest, WorkId
from protocol.values import ApprovalState, AttemptOutcome, FailureClass, Instant, Micros, ParkCause

ApprovalCommand: TypeAlias = c.GiveApproval | c.DenyApproval | c.UseApproval
Decision: TypeAlias = c.GiveApproval | c.DenyApproval


def decide_approval(goal: Goal, command: ApprovalCommand) -> list[e.GoalEvent]:
    """Apply the rules to a decision about an approval, or to its use."""
    match command:
        case c.GiveApproval():
            return _give(goal, command)
        case c.DenyApproval():
            return _deny(goal, command)
        case c.UseApproval():
            return _use(goal, command)
        case _:
            assert_never(command)


# --- asking


def asked(goal: Goal, attempt: Attempt, command: c.ReportAttempt, asks: c.Asks) -> list[e.GoalEvent]:
    """Ask a person, and park the attempt in the same append; what was approved before is not what is there now."""
    report, work = command.report, command.work
    void = _void(goal, work, attempt)
    requested = e.ApprovalRequested(
        approval=len(goal.approvals) + 1,
        work=work,
        attempt=attempt.number,
        stage=report.stage,
        question=asks.question,
        digest=_digest(goal, work, attempt, report.stage, asks),
        base=attempt.base,
        tree=asks.tree,
        risk=asks.risk,
        expires_at=Instant(asks.at + valid_for(asks.risk)),
        changed=kept(asks.changed),
        changed_in_all=kept_of(asks.changed),
    )
    parked = e.AttemptParked(
        work=work,
        attempt=attempt.number,
        cause=ParkCause.APPROVAL,
        stage=report.stage,
        ran=report.ran,
        usage=report.usage,
        reports=tuple(line[: bounds.REPORT_CHARS] for line in report.reports[: bounds.REPORTS_KEPT]),
    )
    return [*void, requested, parked]


def _void(goal: Goal, work: WorkId, attempt: Attempt) -> list[e.GoalEvent]:
    reason = "what was approved has changed since"
    return [
        e.ApprovalCancelled(approval=each.number, reason=reason)
        for each in goal.approvals
        if (each.work, each.attempt) == (work, attempt.number) and each.open
    ]


def _digest(goal: Goal, work: WorkId, attempt: Attempt, stage: str, asks: c.Asks | c.UseApproval) -> Digest:
    return approval_digest(
        goal.intent, work, attempt.number, stage, question=asks.question, base=attempt.base, tree=asks.tree
    )


# --- the answer


def _give(goal: Goal, command: c.GiveApproval) -> list[e.GoalEvent]:
    approval = _named(goal, command)
    if approval.state is ApprovalState.APPROVED:
        return []
    _refuse_undecidable(goal, approval, command.now)
    return [e.ApprovalApproved(approval=approval.number, digest=approval.digest, by=command.by)]


def _deny(goal: Goal, command: c.DenyApproval) -> list[e.GoalEvent]:
    approval = _named(goal, command)
    if approval.state is ApprovalState.DENIED:
        return []
    _refuse_undecidable(goal, approval, command.now)
    reason = bounded("reason", command.reason, bounds.GUIDANCE_CHARS)
    denied = e.ApprovalDenied(approval=approval.number, digest=approval.digest, by=command.by, reason=reason)
    return [
        denied,
        _ended(goal.work[approval.work], f"{command.by} denied what stage {approval.stage} asked: {reason}"),
    ]


def _ended(item: Work, detail: str) -> e.AttemptEnded:
    attempt = item.attempts[-1]
    return e.AttemptEnded(
        work=item.id,
        attempt=attempt.number,
        outcome=AttemptOutcome.FAILED,
        charged=False,
        ran=Micros(0),
        usage=attempt.usage,
        failure=FailureClass.DECISION,
        blocked=True,
        detail=detail,
    )


def _named(goal: Goal, command: Decision) -> Approval:
    """Return the approval that a decision is about, if it is about what the person saw."""
    approval = approval_numbered(goal, command.approval)
    if approval.digest != command.digest:
        raise Rejected(
            "approval.stale",
            f"approval {approval.number} has digest {approval.digest}, not {command.digest}",
            fix=f"look again: {verb('approval', 'show', goal.intent.goal, approval.number)}",
        )
    return approval


def _refuse_undecidable(goal: Goal, approval: Approval, now: Instant) -> None:
    what, again = f"approval {approval.number}", verb("work", "resolve", goal.intent.goal, approval.work)
    match approval.state_at(now):
        case ApprovalState.PENDING:
            refuse_ended(goal)
        case ApprovalState.APPROVED | ApprovalState.DENIED as state:
            raise Rejected("approval.decided", f"{what} was {state} by {approval.decided_by}; that stands")
        case ApprovalState.EXPIRED:
            raise Rejected("approval.expired", f"{what} was not answered in time", fix=f"have it asked again: {again}")
        case ApprovalState.CANCELLED:
            raise Rejected("approval.cancelled", f"{what} is no longer asked for: {approval.reason}")


# --- its use and its end


def _use(goal: Goal, command: c.UseApproval) -> list[e.GoalEvent]:
    """Use an approval up, if what is there is exactly what was approved; otherwise nothing happens, and it is asked."""
    item = goal.work.get(command.work)
    attempt = item.running if item is not None and goal.ending is None else None
    if attempt is None or attempt.number != command.attempt or not 1 <= command.approval <= len(goal.approvals):
        return []
    approval = goal.approvals[command.approval - 1]
    fits = approval.digest == _digest(goal, command.work, attempt, approval.stage, command)
    usable = approval.state is ApprovalState.APPROVED and not approval.consumed
    return [e.ApprovalConsumed(approval=approval.number)] if fits and usable else []


def expire_approvals(goal: Goal, now: Instant) -> list[e.GoalEvent]:
    """End what nobody answered in time."""
    late = [each for each in goal.pending_approvals() if each.state_at(now) is ApprovalState.EXPIRED]
    return [e.ApprovalExpired(approval=each.number) for each in late]


def with_approvals_cancelled(goal: Goal, events: list[e.GoalEvent]) -> list[e.GoalEvent]:
    """Cancel what an attempt asked for when it ends in any other way than by the answer."""
    answered = {event.approval for event in events if isinstance(event, e.ApprovalDenied)}
    complete: list[e.GoalEvent] = []
    for event in events:
        if isinstance(event, e.AttemptEnded):
            open_ones = [each for each in goal.approvals if each.open and each.number not in answered]
            complete += [
                e.ApprovalCancelled(approval=each.number, reason=f"attempt {event.attempt} at {event.work} ended")
                for each in open_ones
                if (each.work, each.attempt) == (event.work, event.attempt)
            ]
        complete.append(event)
    return complete
