"""What the reviewers of a plan are told of its goal beside the candidate: the same as its planner was.

What a review itself spends is left out: a reviewer's call would change what the next one is told.
"""

from typing import Final

from harnd.domain.goal.context import bounds_left, fitted, history, standstill, templates, wanted
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.plan import Plan
from protocol.values import Trigger, Unit

_UNITS: Final = (Unit.MILESTONES, Unit.WORK_ITEMS, Unit.ATTEMPTS)


def review_context(goal: Goal, plan: Plan) -> str:
    """Write what is known of a goal as it stands, for those who are to read a candidate of this plan."""
    title = f"# Goal {goal.intent.goal}: {goal.intent.title}\n\nA plan is asked for: trigger {plan.trigger}."
    head = [title, wanted(goal), bounds_left(goal, _UNITS), templates(goal)]
    if plan.trigger is Trigger.RECOVERY:
        head.append(standstill(goal))
    return fitted(head, list(history(goal)), [])
