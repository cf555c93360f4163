"""Decide: what is asked of a goal → what happens to it.  Pure: the same goal and command give the same events.

`Rejected` means that nothing happens.  An empty list means that what was asked already holds.
"""

from typing import assert_never

from harnd.domain.goal import commands as c
from harnd.domain.goal.events import GoalAttended, GoalEvent
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.rules.after_end import archive_goal
from harnd.domain.goal.rules.approvals import decide_approval, with_approvals_cancelled
from harnd.domain.goal.rules.attempts import decide_attempt
from harnd.domain.goal.rules.cancel import cancel_goal
from harnd.domain.goal.rules.creation import create_goal
from harnd.domain.goal.rules.extend import extend_goal
from harnd.domain.goal.rules.integration import decide_integration
from harnd.domain.goal.rules.pause import pause_goal, resume_goal
from harnd.domain.goal.rules.planning import decide_planner
from harnd.domain.goal.rules.plans import decide_plan
from harnd.domain.goal.rules.reviewing import decide_review
from harnd.domain.goal.rules.success import success
from harnd.domain.goal.rules.tick import tick
from harnd.domain.goal.rules.work import decide_work, reopen_goal
from harnd.domain.rejected import Rejected


def decide(goal: Goal | None, command: c.GoalCommand) -> list[GoalEvent]:
    """Apply the rules to one command."""
    if goal is None:
        if isinstance(command, c.CreateGoal):
            return create_goal(None, command)
        raise Rejected("goal.unknown", "there is no such goal", fix="harnctl goal list")
    events = with_approvals_cancelled(goal, _decided(goal, command))
    return [*events, *success(goal, events)]


def _decided(goal: Goal, command: c.GoalCommand) -> list[GoalEvent]:
    match command:
        case c.CreateGoal():
            return create_goal(goal, command)
        case c.CancelGoal():
            return cancel_goal(goal, command)
        case c.PauseGoal():
            return pause_goal(goal, command)
        case c.ResumeGoal():
            return resume_goal(goal, command)
        case c.ReopenGoal():
            return reopen_goal(goal, command)
        case c.ArchiveGoal():
            return archive_goal(goal, command)
        case c.ExtendGoal():
            return extend_goal(goal, command)
        case c.ApprovePlan() | c.EditPlan() | c.RejectPlan() | c.RetryPlan():
            return decide_plan(goal, command)
        case c.AcceptWork() | c.ReopenWork() | c.RetryWork() | c.ResolveWork() | c.CancelWork():
            return decide_work(goal, command)
        case c.GiveApproval() | c.DenyApproval() | c.UseApproval():
            return decide_approval(goal, command)
        case c.Attend(instance=instance):
            new = goal.calls_running and goal.attended_by != instance
            return [GoalAttended(instance)] if new else []
        case c.Tick(now=now):
            return tick(goal, now)
        case c.ReportPlanner():
            return decide_planner(goal, command)
        case c.ReportLeased() | c.ReportReview() | c.ReportReceipt():
            return decide_review(goal, command)
        case c.ReportObserved() | c.ReportAttempt():
            return decide_attempt(goal, command)
        case c.ReportProved() | c.ReportParked() | c.ReportMoved():
            return decide_integration(goal, command)
        case _:
            assert_never(command)
