"""Pausing: a person holds a goal, and lets it go on.

While it is held nothing starts and nothing wakes it; what runs is let finish, and every decision stays possible.  What
a decision allows is started once the goal is resumed.
"""

from harnd.domain.goal import commands as c
from harnd.domain.goal import events as e
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.rules.checks import bounded, refuse_ended
from protocol import bounds


def pause_goal(goal: Goal, command: c.PauseGoal) -> list[e.GoalEvent]:
    """Hold the goal; a goal that is held already stays so, for the reason it was held first."""
    refuse_ended(goal)
    if goal.paused is not None:
        return []
    reason = bounded("reason", command.reason, bounds.GUIDANCE_CHARS) if command.reason else ""
    return [e.GoalPaused(by=command.by, reason=reason)]


def resume_goal(goal: Goal, command: c.ResumeGoal) -> list[e.GoalEvent]:
    """Let the goal go on; one that nobody holds goes on anyway."""
    refuse_ended(goal)
    return [] if goal.paused is None else [e.GoalResumed(by=command.by)]
