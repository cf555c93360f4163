"""Editing: from the plan file a person wrote to what the rules are asked, or to everything that is wrong with it.

The rules look once more when they decide: the goal may have moved on since the file was read.
"""

from harnd.daemon.problems import listed
from harnd.domain.files.plan_file import read_plan
from harnd.domain.goal.commands import EditPlan
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.lookup import plan_numbered
from protocol import requests as wire
from protocol.errors import Refusal


def edited(goal: Goal, request: wire.EditPlan, by: str) -> EditPlan:
    """Read a plan file against the goal it is for; raises `Rejected`, or `Refusal` with all problems."""
    read = read_plan(goal, plan_numbered(goal, request.plan).trigger, request.file)
    if isinstance(read, list):
        count, details = listed(read)
        said = f"the plan has {count}; nothing was changed"
        raise Refusal("plan.invalid_edit", said, fix="mend it and edit again", details=details)
    return EditPlan(plan=request.plan, candidate=read, by=by, digest=request.digest)
