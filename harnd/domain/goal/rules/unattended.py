"""Unattended plans: what `replanning.auto_apply` decides in a person's place, and what it leaves to them.

It is a move of a tick like any other, so that one cut short by a crash is made by the next daemon.
"""

from typing import Final

from harnd.domain.goal import commands as c
from harnd.domain.goal import events as e
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.plan import Plan
from harnd.domain.goal.rules.plans import decide_plan
from harnd.domain.rejected import Rejected
from protocol.values import Instant, PlanAuthor, PlanStatus, Unit

AUTO_APPLY: Final = "automation.auto_apply"


def apply_unasked(goal: Goal, _now: Instant) -> list[e.GoalEvent]:
    """Apply or complete what the planner proposed; nothing where that is a person's decision."""
    plan = goal.plan
    if plan is None or plan.digest is None or not _may_be_applied(goal, plan):
        return []
    try:
        return decide_plan(goal, c.ApprovePlan(plan=plan.number, digest=plan.digest, by=AUTO_APPLY))
    except Rejected:  # it fits no longer, and a person says what instead
        return []


def applied_unasked(goal: Goal, now: Instant) -> bool:
    """Tell whether the next tick decides the plan that lies before a person."""
    return goal.paused is None and goal.left(Unit.TICKS) > 0 and bool(apply_unasked(goal, now))


def _may_be_applied(goal: Goal, plan: Plan) -> bool:
    replanning = goal.intent.replanning
    if replanning is None or not replanning.auto_apply:
        return False
    # The one place for what else a proposal must have, such as a passed review where one is configured.
    return plan.status is PlanStatus.PROPOSED and plan.author is PlanAuthor.PLANNER
