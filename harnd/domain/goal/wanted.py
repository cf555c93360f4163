"""Wanted: whether a plan is needed now, and why.  The one rule of when the planner is turned to.

A graph that can still move by itself, or that waits for a person, wants no plan.  What recovery replaces stays as it
is: nothing here ends an item, and while its plan is undecided a person may still set the old graph going again.
"""

from typing import Final

from harnd.domain.goal import failure as failures
from harnd.domain.goal.backoff import retry_not_before
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.work import Standing, Work
from protocol.values import Asked, Trigger, Unit

# Without each of these there is no plan for recovery, and no person can add any.
ROOM: Final = (Unit.PLANNER_CALLS, Unit.MILESTONES, Unit.WORK_ITEMS)


def wanted_trigger(goal: Goal) -> Trigger | None:
    """Return why a plan is needed now, whatever the budgets say."""
    if not _settled(goal):
        return None
    if goal.milestone is None:
        return Trigger.INITIAL
    if goal.milestone_met():
        # Without a mission nobody asks what comes next: that the work is accepted is success.
        return Trigger.MILESTONE if goal.intent.mission is not None else None
    return Trigger.RECOVERY if goal.intent.replanning is not None and _stuck(goal) else None


def recovering(goal: Goal) -> bool:
    """Tell whether a plan for recovery is under way: requested, or before a person in whatever form."""
    plan = goal.plan
    return plan is not None and plan.trigger is Trigger.RECOVERY and not _settled(goal)


def given_up(goal: Goal) -> tuple[Work, ...]:
    """Return the active items on which nothing follows by itself, and which hold up the milestone."""
    return tuple(item for item in goal.active() if _without_move(goal, item))


def left_to_planner(goal: Goal, item: Work) -> bool:
    """Tell whether what is blocked waits for the planner and not for a person, who can be quicker all the same."""
    if item.standing is not Standing.BLOCKED or _waits_for_person(item):
        return False
    if recovering(goal):
        return True
    return goal.intent.replanning is not None and all(goal.left(unit) > 0 for unit in ROOM)


def _settled(goal: Goal) -> bool:
    return goal.plan is None or goal.plan.settled


def _stuck(goal: Goal) -> bool:
    """Tell whether no item can go on, not even by being tried again later, and no person is waited for.

    Whatever stands in a way that is not named here is on its way, or with somebody.
    """
    return all(
        item.standing is Standing.INTEGRATED
        or (item.standing is Standing.OPEN and bool(goal.unmet(item)))
        or (_without_move(goal, item) and not _waits_for_person(item) and not _tried_again_later(goal, item))
        for item in goal.active()
    )


def _without_move(goal: Goal, item: Work) -> bool:
    match item.standing:
        case Standing.BLOCKED | Standing.CANCELLED:
            return True
        case Standing.OPEN:  # how often agents may answer for one item does not grow
            return not goal.unmet(item) and goal.answers_spent(item)
        case _:
            return False


def _tried_again_later(goal: Goal, item: Work) -> bool:
    # Where it matters nothing runs, and no runtime has passed since the last event.
    return retry_not_before(goal, item, goal.last_at) is not None


def _waits_for_person(item: Work) -> bool:
    cause = item.blocked if item.standing is Standing.BLOCKED else None
    return cause is not None and failures.ROWS[cause].asked is Asked.PERSON
