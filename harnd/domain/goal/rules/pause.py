"""Pausing: a person holds a goal, and lets it go on.

While it is held nothing starts and nothing wakes it, and every decision stays possible; what a decision allows is
started once the goal is resumed.  What runs is let finish, or it is parked at once: an attempt then goes on where it
stopped, and a planner's call is made again.  Bringing in accepted work is always let finish.
"""

from harnd.domain.goal import commands as c
from harnd.domain.goal import events as e
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.rules.cancel import call_withdrawn
from harnd.domain.goal.rules.checks import bounded, refuse_ended
from protocol import bounds
from protocol.values import Hold, ParkCause


def pause_goal(goal: Goal, command: c.PauseGoal) -> list[e.GoalEvent]:
    """Hold the goal; a goal that is held already stays so, for the reason it was held first."""
    refuse_ended(goal)
    reason = bounded("reason", command.reason, bounds.GUIDANCE_CHARS) if command.reason else ""
    held = [e.GoalPaused(by=command.by, reason=reason)] if goal.paused is None else []
    return [*held, *_parked(goal)] if command.hold is Hold.PARK else [*held]


def _parked(goal: Goal) -> list[e.GoalEvent]:
    """Park what runs; ending its processes follows from that."""
    attempts = [
        e.AttemptParked(work=item.id, attempt=running.number, cause=ParkCause.PAUSE, usage=running.usage)
        for item in goal.work.values()
        if (running := item.running) is not None
    ]
    return [*call_withdrawn(goal), *attempts]


def resume_goal(goal: Goal, command: c.ResumeGoal) -> list[e.GoalEvent]:
    """Let the goal go on; one that nobody holds goes on anyway."""
    refuse_ended(goal)
    return [] if goal.paused is None else [e.GoalResumed(by=command.by)]
