"""Ids: what a thing is called, in stored events, on the wire and in branch names.

Every grammar here is also legal as a git ref component and as a file name, so an id is checked once, at the door,
and used verbatim afterwards.  The two grammars of work cannot meet: a key has no dot, a work id always has one.
"""

import re
from typing import Final, NewType

GoalId = NewType("GoalId", str)
WorkKey = NewType("WorkKey", str)  # what a planner calls new work, within one plan
WorkId = NewType("WorkId", str)  # `p<plan>.<key>`: what everybody else calls it afterwards; plan 0 is the operator's
CriterionId = NewType("CriterionId", str)  # AC-1 (mission), MC-1 (milestone), WC-1 (work item), unique in their owner
SpecialistName = NewType("SpecialistName", str)
TemplateName = NewType("TemplateName", str)
HarnessName = NewType("HarnessName", str)
Digest = NewType("Digest", str)  # lower-case SHA-256, 64 hex digits
CommitId = NewType("CommitId", str)  # a full git object name
TreeId = NewType("TreeId", str)
EffectKey = NewType("EffectKey", str)  # such as `goal/billing/plan/2/call/1`
InstanceId = NewType("InstanceId", str)  # one run of one daemon
IdempotencyKey = NewType("IdempotencyKey", str)

GOAL_ID: Final = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
WORK_KEY: Final = r"[a-z][a-z0-9-]{0,31}"
WORK_ID: Final = r"p(?:0|[1-9][0-9]{0,3})\.[a-z][a-z0-9-]{0,31}"
NAME: Final = r"[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?"  # specialists and templates
DIGEST: Final = r"[0-9a-f]{64}"
ENV_NAME: Final = r"[A-Za-z_][A-Za-z0-9_]{0,127}"
IDEMPOTENCY_KEY: Final = r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}"
RESCUES: Final = "refs/harnd/rescue/"
GOAL_BRANCHES: Final = "harn/"  # the folder of all goals' branches


def matches(grammar: str, text: str) -> bool:
    """Tell whether the whole of `text` is of the grammar (a final newline is not)."""
    return re.fullmatch(grammar, text) is not None


def work_id(plan: int, key: WorkKey) -> WorkId:
    """Name the work item that plan number `plan` calls `key`."""
    return WorkId(f"p{plan}.{key}")


def goal_branch(goal: str) -> str:
    """Name the branch that carries a goal's integrated work."""
    return f"{GOAL_BRANCHES}{goal}"


def rescued_under(goal: str, work: str, attempt: int) -> str:
    """Name the folder of refs that keep what an attempt made and the goal's branch does not contain."""
    return f"{RESCUES}{goal}/{work}.{attempt}/"
