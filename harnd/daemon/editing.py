"""Editing: from the plan file a person wrote to what the rules are asked, or to everything that is wrong with it.

The rules look once more when they decide: the goal may have moved on since the file was read.
"""

from harnd.daemon.problems import listed
from harnd.domain.files.plan_file import read_plan
from harnd.domain.goal.commands import EditPlan
from harnd.domain.goal.goal import Goal
from harnd.domain.verbs import verb
from protocol import requests as wire
from protocol.errors import Refusal


def edited(goal: Goal, request: wire.EditPlan, by: str) -> EditPlan:
    """Read a plan file against the goal it is for; raises `Refusal` with all problems."""
    name = goal.intent.goal
    if not 1 <= request.plan <= len(goal.plans):
        raise Refusal("plan.unknown", f"goal {name} has no plan {request.plan}", fix=verb("plan", "list", name))
    read = read_plan(goal, goal.plans[request.plan - 1].trigger, request.file)
    if isinstance(read, list):
        count, details = listed(read)
        said = f"the plan has {count}; nothing was changed"
        raise Refusal("plan.invalid_edit", said, fix="mend it and edit again", details=details)
    return EditPlan(plan=request.plan, candidate=read, by=by, digest=request.digest)
