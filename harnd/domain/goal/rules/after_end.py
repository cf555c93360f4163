"""After the end: what a person can still do with a goal that has succeeded or was cancelled.

A success can be reopened, by a finding on work that was accepted; the goal and its work are reopened in one append.
Anything that has ended can be archived, and that is the last thing that happens to it.
"""

from typing import Final

from harnd.domain.goal import commands as c
from harnd.domain.goal import events as e
from harnd.domain.goal.goal import Ending, Goal
from harnd.domain.goal.growth import room
from harnd.domain.rejected import Rejected
from harnd.domain.verbs import verb
from protocol.values import Unit

NOT_REOPENABLE: Final = "goal.not_reopenable"


def archive_goal(goal: Goal, command: c.ArchiveGoal) -> list[e.GoalEvent]:
    """Put a goal away that has ended."""
    if goal.archived:
        return []
    if goal.ending is None:
        name = goal.intent.goal
        raise Rejected(
            "goal.not_ended",
            f"goal {name} has neither succeeded nor been cancelled; only what has ended is archived",
            fix=f"end it first: {verb('goal', 'cancel', name)}",
        )
    return [e.GoalArchived(by=command.by)]


def reopened(goal: Goal, by: str) -> list[e.GoalEvent]:
    """Reopen a goal for work that is reopened in the same append; nothing where the goal has not ended."""
    if goal.ending is None:
        return []
    if (refused := refused_reopening(goal)) is not None:
        raise refused
    return [e.GoalReopened(by=by)]


def refused_reopening(goal: Goal) -> Rejected | None:
    """Return why a goal that has ended cannot be reopened, None when it can.

    What could only end in giving it up is refused here: a success is worth more than that.
    """
    name = goal.intent.goal
    fork = f"go on in a new goal: {verb('goal', 'fork', name)} FILE"
    if goal.archived:
        return Rejected("goal.archived", f"goal {name} is archived; that is final", fix=fork)
    if goal.ending is not Ending.SUCCEEDED:
        return Rejected("goal.ended", f"goal {name} was cancelled; only a success is reopened", fix=fork)
    if goal.intent.mission is not None and goal.left(Unit.PLANNER_CALLS) < 1:
        said = "every plan request of this goal is spent, and without one the mission could not be looked at again"
        return Rejected(NOT_REOPENABLE, said, fix=fork)
    for unit in (Unit.ATTEMPTS, Unit.AGENT_CALLS, Unit.TICKS):
        if goal.left(unit) < 1 and room(goal, unit) < 1:
            said = f"the {goal.limit(unit)} {unit.replace('_', ' ')} of this goal are spent, and no goal may have more"
            return Rejected(NOT_REOPENABLE, said, fix=fork)
    return None
