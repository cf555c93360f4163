"""Cancelling: what is running ends in the same append as the decision; ending the processes follows from that.

Whatever runs without being owed is stopped by the supervisor, so no rule here speaks of processes.
"""

from harnd.domain.goal import commands as c
from harnd.domain.goal import events as e
from harnd.domain.goal.goal import Ending, Goal
from harnd.domain.goal.rules.checks import bounded, refuse_ended
from harnd.domain.goal.work import Work
from protocol import bounds
from protocol.values import AttemptOutcome, FailureClass, Micros, PlanStatus


def cancel_goal(goal: Goal, command: c.CancelGoal) -> list[e.GoalEvent]:
    """End the goal and everything that is owed to it."""
    if goal.ending is Ending.CANCELLED:
        return []
    refuse_ended(goal)
    reason = bounded("reason", command.reason, bounds.GUIDANCE_CHARS)
    ended = [event for item in goal.work.values() for event in ended_by_person(item)]
    return [*call_withdrawn(goal), *ended, e.GoalCancelled(by=command.by, reason=reason)]


def ended_by_person(item: Work) -> list[e.GoalEvent]:
    """End the attempt of an item that runs or is parked, if there is one; nobody pays for it."""
    attempt = item.unended
    if attempt is None:
        return []
    return [
        e.AttemptEnded(
            work=item.id,
            attempt=attempt.number,
            outcome=AttemptOutcome.CANCELLED,
            charged=False,
            ran=Micros(0),
            usage=attempt.usage,  # of one that is parked it is known so far
            detail="cancelled by the operator",
        )
    ]


def call_withdrawn(goal: Goal) -> list[e.GoalEvent]:
    """Close the running calls of a planner and its reviewers, if there are any; nobody pays for them."""
    if goal.plan is None or goal.plan.open_call is None:
        return jobs_withdrawn(goal)
    number, call = goal.plan.number, goal.plan.open_call.number
    return [e.PlannerReturned(plan=number, call=call, ran=Micros(0), charged=False), *jobs_withdrawn(goal)]


def jobs_withdrawn(goal: Goal) -> list[e.GoalEvent]:
    """Close the running attempts of reviewers; what comes of them later is late."""
    return [
        e.ReviewJobReturned(
            plan=goal.plan.number,
            round=each.number,
            reviewer=seat.reviewer,
            attempt=attempt.number,
            ran=Micros(0),
            charged=False,
        )
        for each, seat, attempt in goal.open_jobs()
        if goal.plan is not None
    ]


def plan_withdrawn(goal: Goal, by: str, said: str) -> list[e.GoalEvent]:
    """Take back an undecided plan, because the graph it was made for is changing; what was not answered costs nothing.

    `said` is the reason, in whole words.
    """
    plan = goal.plan
    if plan is None:
        return []
    if plan.status is PlanStatus.PROPOSED and plan.digest is not None:
        return [e.PlanRejected(plan=plan.number, digest=plan.digest, guidance=said, by=by)]
    if plan.status in (PlanStatus.REQUESTED, PlanStatus.REVIEWING):
        failed = e.PlanFailed(plan=plan.number, failure=FailureClass.DECISION, detail=said, charged=False)
        return [*call_withdrawn(goal), failed, e.PlanRetried(plan=plan.number, guidance=said, by=by)]
    if plan.asks:
        return [e.PlanRetried(plan=plan.number, guidance=said, by=by)]
    return []
