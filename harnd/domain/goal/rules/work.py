"""What a person decides about work items."""

from typing import TypeAlias, assert_never

from harnd.domain.goal import commands as c
from harnd.domain.goal import events as e
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.growth import extension
from harnd.domain.goal.rules.after_end import reopened
from harnd.domain.goal.rules.cancel import ended_by_person, plan_withdrawn
from harnd.domain.goal.rules.checks import active_item, bounded, refuse_ended
from harnd.domain.goal.rules.resolving import resolve_work
from harnd.domain.goal.work import Attempt, Standing, Work
from harnd.domain.measures import plain
from harnd.domain.rejected import Rejected
from harnd.domain.verbs import verb
from protocol import bounds
from protocol.values import DEFERRED, FIXED, Unit

WorkCommand: TypeAlias = c.AcceptWork | c.ReopenWork | c.RetryWork | c.ResolveWork | c.CancelWork

_REOPENABLE = (
    Standing.AWAITING_APPROVAL,
    Standing.PARKED,
    Standing.IN_REVIEW,
    Standing.BLOCKED,
    Standing.ACCEPTED,
    Standing.INTEGRATED,
    Standing.CANCELLED,
)


def reopen_goal(goal: Goal, command: c.ReopenGoal) -> list[e.GoalEvent]:
    """Reopen a success by a finding on its work: on the item that is named, or on the end of the active graph."""
    root = goal.root
    if goal.ending is None or root is None:
        name = goal.intent.goal
        raise Rejected(
            "goal.not_ended",
            f"goal {name} has not ended; its work is reopened item by item",
            fix=verb("work", "reopen", name, command.work or "WORK"),
        )
    return decide_work(goal, c.ReopenWork(work=command.work or root.id, findings=command.findings, by=command.by))


def decide_work(goal: Goal, command: WorkCommand) -> list[e.GoalEvent]:
    """Apply the rules to a person's decision about a work item."""
    item = active_item(goal, command.work)
    match command:
        case c.AcceptWork():
            return _accept(goal, item, command)
        case c.ReopenWork():
            return _reopen(goal, item, command)
        case c.RetryWork():
            return _retry(goal, item, command)
        case c.ResolveWork():
            return resolve_work(goal, item, command)
        case c.CancelWork():
            return _cancel(goal, item, command)
        case _:
            assert_never(command)


def _accept(goal: Goal, item: Work, command: c.AcceptWork) -> list[e.GoalEvent]:
    taken = item.standing in (Standing.ACCEPTED, Standing.INTEGRATING, Standing.INTEGRATED)
    if taken and item.accepted_proof == command.proof:
        return []
    refuse_ended(goal)
    attempt = item.last
    if item.standing is not Standing.IN_REVIEW or attempt is None or attempt.proof is None:
        raise Rejected(
            "work.not_in_review", f"{item.id} is {plain(goal.state_of(item))}; only work in review is accepted"
        )
    if attempt.proof.digest() != command.proof:
        raise Rejected(
            "work.stale_proof",
            f"the proof of {item.id} has digest {attempt.proof.digest()}, not {command.proof}",
            fix=f"look again: harnctl work show {goal.intent.goal} {item.id}",
        )
    _refuse_unanswered(goal, item, attempt, command)
    return [
        e.WorkAccepted(
            work=item.id,
            attempt=attempt.number,
            proof=command.proof,
            by=command.by,
            dispositions=command.dispositions,
            acknowledged=command.acknowledged,
        )
    ]


def _refuse_unanswered(goal: Goal, item: Work, attempt: Attempt, command: c.AcceptWork) -> None:
    """Refuse while a finding is open or a doubt is not named; all of both are told at once."""
    undisposed = _undisposed(item, dict(command.dispositions))
    unacknowledged = _unacknowledged(item, attempt, command.acknowledged)
    if undisposed:
        raise Rejected(
            "work.findings_open",
            "; ".join((*undisposed, *unacknowledged)),
            fix="pass --dispose FINDING=fixed for each",
        )
    if unacknowledged:
        raise Rejected(
            "work.unacknowledged",
            "; ".join(unacknowledged),
            fix=f"look: {verb('work', 'show', goal.intent.goal, item.id)}; then pass --acknowledge for each",
        )


def _unacknowledged(item: Work, attempt: Attempt, named: tuple[str, ...]) -> list[str]:
    doubts = attempt.doubts()
    wrong = [f"{name} is no doubt about {item.id}" for name in named if name not in doubts]
    flaky = attempt.proof.flaky() if attempt.proof else ()
    wrong += [f"{name} is flaky and must be acknowledged" for name in flaky if name not in named]
    wrong += [
        f"{path} is protected, was changed and must be acknowledged" for path in attempt.protected if path not in named
    ]
    return wrong


def _undisposed(item: Work, dispositions: dict[str, str]) -> list[str]:
    known = {finding.id for finding in item.findings}
    wrong = [f"{name} is no open finding" for name in dispositions if name not in known]
    for finding in item.findings:
        said = dispositions.get(finding.id, "")
        reason = said.removeprefix(DEFERRED).strip() if said.startswith(DEFERRED) else ""
        if said != FIXED and not reason:
            wrong.append(f"{finding.id} ({finding.text!r}) must be `fixed` or `deferred: reason`")
        elif len(reason) > bounds.CRITERION_CHARS:
            wrong.append(f"the reason for {finding.id} is longer than {bounds.CRITERION_CHARS} characters")
    return wrong


def _reopen(goal: Goal, item: Work, command: c.ReopenWork) -> list[e.GoalEvent]:
    ended = reopened(goal, command.by)
    if item.standing not in _REOPENABLE:
        raise Rejected("work.not_reopenable", f"{item.id} is {plain(goal.state_of(item))}; there is nothing to reopen")
    if not 1 <= len(command.findings) <= bounds.REOPEN_FINDINGS - len(item.findings):
        raise Rejected(
            "work.findings_count",
            f"{len(command.findings)} findings beside {len(item.findings)} open ones; "
            f"expected at least one and at most {bounds.REOPEN_FINDINGS} in all",
        )
    findings = tuple(
        e.OpenFinding(f"f{item.findings_seen + number}", bounded("finding", text, bounds.FINDING_CHARS))
        for number, text in enumerate(command.findings, 1)
    )
    if not ended:  # a goal that had ended could not be extended before: it asks for more when it is open again
        _refuse_without_attempt(goal, item)
    withdrawn = _withdrawn(goal, command.by, "reopened")
    reopened_now = e.WorkReopened(work=item.id, findings=findings, by=command.by)
    return [*ended, *withdrawn, *ended_by_person(item), reopened_now]


def _retry(goal: Goal, item: Work, command: c.RetryWork) -> list[e.GoalEvent]:
    refuse_ended(goal)
    if item.standing is not Standing.BLOCKED and item.parked is None:
        raise Rejected("work.not_blocked", f"{item.id} is {plain(goal.state_of(item))}; only blocked work is retried")
    if item.accepted_proof is not None and not command.guidance:
        requeued = e.WorkRequeued(work=item.id, by=command.by)  # nothing is wrong with the work itself
        return [*_withdrawn(goal, command.by, "retried"), requeued]
    _refuse_without_attempt(goal, item)
    guidance = bounded("guidance", command.guidance, bounds.GUIDANCE_CHARS) if command.guidance else ""
    retried = e.WorkRetried(work=item.id, guidance=guidance, by=command.by)
    return [*_withdrawn(goal, command.by, "retried"), *ended_by_person(item), retried]


def _withdrawn(goal: Goal, by: str, done: str) -> list[e.GoalEvent]:
    # A plan that was made for the graph as it was has lost its ground.
    return plan_withdrawn(goal, by, f"work was {done} after this plan was requested")


def _refuse_without_attempt(goal: Goal, item: Work) -> None:
    if goal.left(Unit.ATTEMPTS) < 1 and item.parked is None:  # what is parked gives its attempt back
        fix = extension(goal, Unit.ATTEMPTS) or verb("goal", "cancel", goal.intent.goal)
        raise Rejected("budget.attempts", "every attempt of this goal is spent", fix=fix)


def _cancel(goal: Goal, item: Work, command: c.CancelWork) -> list[e.GoalEvent]:
    if item.standing is Standing.CANCELLED:
        return []
    refuse_ended(goal)
    if item.standing in (Standing.INTEGRATED, Standing.INTEGRATING):
        raise Rejected("work.integrated", f"{item.id} is on the goal's branch already", fix="reopen it with a finding")
    reason = bounded("reason", command.reason, bounds.GUIDANCE_CHARS)
    withdrawn = _withdrawn(goal, command.by, "cancelled")
    return [*withdrawn, *ended_by_person(item), e.WorkCancelled(work=item.id, by=command.by, reason=reason)]
