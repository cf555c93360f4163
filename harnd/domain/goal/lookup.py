"""Looking up: the plan, approval or work item of a goal that somebody named, or the refusal that there is none.

Decisions and questions name things alike, and are told the same where one is not there.
"""

from harnd.domain.goal.approval import Approval
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.plan import Plan
from harnd.domain.goal.work import Work
from harnd.domain.rejected import Rejected
from harnd.domain.verbs import verb
from protocol.ids import WorkId


def plan_numbered(goal: Goal, number: int) -> Plan:
    """Return a plan by its number; raises `Rejected`."""
    if not 1 <= number <= len(goal.plans):
        name = goal.intent.goal
        raise Rejected("plan.unknown", f"goal {name} has no plan {number}", fix=verb("plan", "list", name))
    return goal.plans[number - 1]


def approval_numbered(goal: Goal, number: int) -> Approval:
    """Return an approval by its number; raises `Rejected`."""
    if not 1 <= number <= len(goal.approvals):
        name = goal.intent.goal
        fix = verb("approval", "list", name, "--all")
        raise Rejected("approval.unknown", f"goal {name} has no approval {number}", fix=fix)
    return goal.approvals[number - 1]


def item_named(goal: Goal, work: WorkId) -> Work:
    """Return a work item by its id, of whichever plan; raises `Rejected`."""
    if (item := goal.work.get(work)) is None:
        name = goal.intent.goal
        raise Rejected("work.unknown", f"goal {name} has no work {work}", fix=verb("work", "list", name))
    return item
