"""Evolve: what each event makes of a goal.  Total, pure, and without judgment: the rules have already decided.

Events of a saved release fold here for ever; a new meaning gets a new version of the tag.
"""

from typing import Final, assert_never

import msgspec

from harnd.domain.goal import events as e
from harnd.domain.goal.evolve_approval import evolve_approval
from harnd.domain.goal.evolve_attempt import evolve_attempt
from harnd.domain.goal.evolve_integration import evolve_integration
from harnd.domain.goal.evolve_plan import evolve_plan, supplied
from harnd.domain.goal.evolve_review import evolve_review
from harnd.domain.goal.evolve_work import evolve_work
from harnd.domain.goal.goal import Ending, Goal, Pause
from harnd.domain.goal.ledger import opened
from protocol.values import Instant, Micros, Unit

replace = msgspec.structs.replace


_METERED: Final = (  # what starts or ends a run
    e.PlannerCalled,
    e.PlannerReturned,
    e.ReviewJobCalled,
    e.ReviewJobReturned,
    e.AttemptStarted,
    e.AttemptParked,
    e.AttemptResumed,
    e.AttemptEnded,
)


def evolve(goal: Goal | None, event: e.GoalEvent, at: Instant) -> Goal:
    """Apply one event that happened at `at`; the first event of a stream creates the goal."""
    if isinstance(event, e.GoalCreated):
        return _created(event, at)
    if goal is None:
        raise AssertionError(f"a stream cannot begin with {type(event).__name__}")
    since = goal.since if isinstance(event, e.GoalTicked | e.GoalAttended) else at
    changed = replace(_apply(goal, event, at), version=goal.version + 1, since=since, last_at=at)
    return _metered(changed, at) if isinstance(event, _METERED) else changed


def _created(event: e.GoalCreated, at: Instant) -> Goal:
    return Goal(
        intent=event.intent,
        intent_digest=event.digest,
        created_at=at,
        created_by=event.by,
        since=at,
        last_at=at,
        head=event.intent.base_commit,
        ledger=opened(event.intent),
        version=1,
    )


def _apply(goal: Goal, event: e.GoalEvent, at: Instant) -> Goal:
    match event:
        case e.GoalCreated():
            raise AssertionError("a goal is created once")
        case e.RootSupplied(root=root):
            return supplied(goal, root, at)
        case e.GoalAttended():
            return _attended(goal, event, at)
        case e.GoalTicked():
            return replace(goal, ledger=goal.ledger.spend(Unit.TICKS))
        case e.GoalSucceeded():
            return replace(goal, ending=Ending.SUCCEEDED, ledger=goal.ledger.closed())
        case e.GoalCancelled():
            ledger = goal.ledger.closed()
            return replace(goal, ending=Ending.CANCELLED, ended_reason=event.reason, ledger=ledger)
        case e.GoalPaused(by=by, reason=reason):
            return replace(goal, paused=Pause(by=by, reason=reason, since=at))
        case e.GoalResumed():
            return replace(goal, paused=None)
        case e.GoalReopened():
            return replace(goal, ending=None, paused=None)  # an end had the last word over any pause
        case e.GoalArchived():
            return replace(goal, archived=True)
        case e.BudgetExtended(added=added):
            return replace(goal, ledger=goal.ledger.extended(added))
        case (
            e.PlanRequested()
            | e.PlannerCalled()
            | e.PlannerReturned()
            | e.PlannerFailed()
            | e.AnswerRefused()
            | e.PlanProposed()
            | e.PlanEdited()
            | e.PlanAttention()
            | e.PlanFailed()
            | e.PlanRejected()
            | e.PlanRetried()
            | e.PlanApplied()
            | e.PlanCompleted()
        ):
            return evolve_plan(goal, event, at)
        case (
            e.PlanCandidate()
            | e.ReviewOpened()
            | e.ReviewJobCalled()
            | e.ReviewJobLeased()
            | e.ReviewJobReturned()
            | e.ReviewJobCompleted()
            | e.ReviewJobRefused()
            | e.ReviewJobFailed()
            | e.ReviewJobExpired()
            | e.ReviewJobSuperseded()
            | e.ReviewClosed()
            | e.RevisionUnchanged()
            | e.PlanReviewed()
            | e.PlanReviewAttention()
            | e.PlanOverridden()
        ):
            return evolve_review(goal, event, at)
        case (
            e.WorkCreated()
            | e.WorkAccepted()
            | e.WorkReopened()
            | e.WorkRetried()
            | e.WorkResolved()
            | e.WorkRequeued()
            | e.WorkCancelled()
        ):
            return evolve_work(goal, event, at)
        case (
            e.AttemptStarted()
            | e.AttemptObserved()
            | e.AttemptParked()
            | e.AttemptResumed()
            | e.AttemptEnded()
            | e.AttemptSuperseded()
        ):
            return evolve_attempt(goal, event, at)
        case (
            e.ApprovalRequested()
            | e.ApprovalApproved()
            | e.ApprovalDenied()
            | e.ApprovalExpired()
            | e.ApprovalCancelled()
            | e.ApprovalConsumed()
        ):
            return evolve_approval(goal, event, at)
        case e.IntegrationStarted() | e.IntegrationProved() | e.IntegrationParked() | e.WorkIntegrated():
            return evolve_integration(goal, event, at)
        case _:
            assert_never(event)


def _attended(goal: Goal, event: e.GoalAttended, at: Instant) -> Goal:
    # Whatever was running stopped running when the last daemon died, at the latest just after its last append:
    # the time in which no daemon lived is nobody's runtime.
    before = Micros(goal.active_before + max(0, goal.last_at - (goal.active_since or goal.last_at)))
    since = at if goal.active_since is not None else None
    return replace(goal, attended_by=event.instance, active_before=before, active_since=since)


def _metered(goal: Goal, at: Instant) -> Goal:
    running = goal.calls_running
    if running and goal.active_since is None:
        return replace(goal, active_since=at)
    if not running and goal.active_since is not None:
        spent = Micros(max(0, at - goal.active_since))
        return replace(goal, active_since=None, active_before=Micros(goal.active_before + spent))
    return goal
