"""Success of a goal without a mission: its root is accepted and on its branch.  No command asks for it.

With a mission only a plan that a person approved says that it is met.
"""

from harnd.domain.goal import events as e
from harnd.domain.goal.evolve import evolve
from harnd.domain.goal.goal import Goal


def success(goal: Goal, happened: list[e.GoalEvent]) -> list[e.GoalEvent]:
    """Return the success that what happens now brings about, to be stored with it."""
    if goal.intent.mission is not None or goal.ending is not None or not happened:
        return []
    after = goal
    for event in happened:
        after = evolve(after, event, goal.last_at)
    root = after.root
    if after.ending is not None or root is None or not after.milestone_met():
        return []
    return [e.GoalSucceeded(root=root.id)]
