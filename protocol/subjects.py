"""Subjects: what something within a goal is called where plans, approvals, budgets and work stand side by side.

`plan/2`, `approval/1` and `budget/attempts`; a work item is called by its id as it is, and the goal itself by its own.
The two grammars of ids have no slash, so a subject says by itself what it names.
"""

from typing import Final

from protocol import ids
from protocol.ids import WorkId
from protocol.values import Unit

_PLAN: Final = "plan/"
_APPROVAL: Final = "approval/"
_BUDGET: Final = "budget/"


def plan(number: int) -> str:
    """Name a plan."""
    return f"{_PLAN}{number}"


def approval(number: int) -> str:
    """Name an approval."""
    return f"{_APPROVAL}{number}"


def budget(unit: Unit) -> str:
    """Name a budget."""
    return f"{_BUDGET}{unit.value}"


def plan_in(subject: str) -> int | None:
    """Return the number of the plan that a subject names, None where it names something else."""
    return int(subject.removeprefix(_PLAN)) if subject.startswith(_PLAN) else None


def approval_in(subject: str) -> int | None:
    """Return the number of the approval that a subject names, None where it names something else."""
    return int(subject.removeprefix(_APPROVAL)) if subject.startswith(_APPROVAL) else None


def budget_in(subject: str) -> Unit | None:
    """Return the budget that a subject names, None where it names something else."""
    return Unit(subject.removeprefix(_BUDGET)) if subject.startswith(_BUDGET) else None


def work_in(subject: str) -> WorkId | None:
    """Return the work item that a subject names, None where it names something else."""
    return WorkId(subject) if ids.matches(ids.WORK_ID, subject) else None
