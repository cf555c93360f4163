"""Creating: a goal comes to be with its intent, and with the work that its operator wrote."""

from harnd.domain.goal import commands as c
from harnd.domain.goal import events as e
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.graph import created, root_of
from harnd.domain.goal.intent import Intent
from harnd.domain.rejected import Rejected
from protocol import ids

OWN_PLAN = 0  # the number under which the operator's own graph stands where others have that of their plan


def create_goal(goal: Goal | None, command: c.CreateGoal) -> list[e.GoalEvent]:
    """Enrol an intent; the same one again changes nothing."""
    digest = command.intent.digest()
    if goal is None:
        return [e.GoalCreated(intent=command.intent, digest=digest, by=command.by), *_supplied(command.intent)]
    if goal.intent_digest == digest:
        return []
    raise Rejected(
        "goal.exists",
        f"goal {goal.intent.goal} exists with another intent; an intent is never edited",
        fix="choose another goal id",
    )


def _supplied(intent: Intent) -> list[e.GoalEvent]:
    if not intent.graph:
        return []
    root = root_of(intent.graph)
    if root is None:
        raise AssertionError(f"{intent.goal}: no one item ends its graph")
    return [*created(OWN_PLAN, intent.graph), e.RootSupplied(root=ids.work_id(OWN_PLAN, root))]
