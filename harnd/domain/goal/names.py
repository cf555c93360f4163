"""Names: what the texts of a template may name, as plain values.

They are taken from the stored state when a text is filled in and are read once: a value that looks like a template
stays what it is.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from harnd.domain.goal.intent import Criterion
from protocol.ids import CriterionId, GoalId, WorkId, WorkKey


class GoalNames(msgspec.Struct, frozen=True):
    """The goal."""

    id: GoalId
    title: str


class MissionNames(msgspec.Struct, frozen=True):
    """What the goal is for, as it was frozen."""

    objective: str
    acceptance: tuple[Criterion, ...]
    invariants: tuple[Criterion, ...] = ()
    non_goals: tuple[Criterion, ...] = ()


class MilestoneNames(msgspec.Struct, frozen=True):
    """The step of the mission that the work belongs to."""

    sequence: int
    title: str
    objective: str
    acceptance: tuple[Criterion, ...]


class WorkNames(msgspec.Struct, frozen=True):
    """The work item itself."""

    id: WorkId
    key: WorkKey
    title: str
    objective: str
    acceptance: tuple[Criterion, ...]
    paths: tuple[str, ...] = ()
    dependencies: tuple[WorkId, ...] = ()


class AttemptNames(msgspec.Struct, frozen=True):
    """Which try it is, from 1."""

    number: int


class Names(msgspec.Struct, frozen=True):
    """Everything a text may name."""

    goal: GoalNames
    mission: MissionNames
    milestone: MilestoneNames
    work: WorkNames
    attempt: AttemptNames
    feedback: tuple[str, ...] = ()  # what the last attempt failed on and what the operator found; empty at first
    outputs: dict[str, str] = {}  # answers of earlier stages, under the names the stages gave them


ALL: Final = frozenset(Names.__struct_fields__)
WITHOUT_AGENTS: Final = ALL - {"feedback", "outputs"}  # what a proof may name: nothing that an agent said
FIELDS: Final[dict[str, frozenset[str]]] = {
    "goal": frozenset(GoalNames.__struct_fields__),
    "mission": frozenset(MissionNames.__struct_fields__),
    "milestone": frozenset(MilestoneNames.__struct_fields__),
    "work": frozenset(WorkNames.__struct_fields__),
    "attempt": frozenset(AttemptNames.__struct_fields__),
}


def trials(outputs: Iterable[str]) -> tuple[Names, Names]:
    """Make up two attempts to try a text on: a first one with little to say, and one that has everything."""
    criteria = (Criterion(CriterionId("WC-1"), "It holds."), Criterion(CriterionId("WC-2"), "It still holds."))
    first = Names(
        goal=GoalNames(GoalId("goal"), "A goal"),
        mission=MissionNames("An objective.", criteria),
        milestone=MilestoneNames(1, "A milestone", "An objective.", criteria),
        work=WorkNames(WorkId("p1.work"), WorkKey("work"), "Some work", "An objective.", criteria),
        attempt=AttemptNames(1),
        outputs=dict.fromkeys(outputs, "An answer."),
    )
    full = msgspec.structs.replace(
        first,
        mission=MissionNames("An objective.", criteria, invariants=criteria, non_goals=criteria),
        work=msgspec.structs.replace(first.work, paths=("a", "b"), dependencies=(WorkId("p1.a"), WorkId("p1.b"))),
        attempt=AttemptNames(2),
        feedback=("It failed.", "It still failed."),
    )
    return first, full
