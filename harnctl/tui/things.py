"""Things: what an item of the inbox is about, by name and as it was read.

A decision is only ever about a thing as it was read: its digest is what the decision binds to, and its stamp is what
may not change between drawing and deciding.
"""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from protocol import subjects
from protocol.ids import Digest, GoalId, WorkId
from protocol.replies import WorkDiff, WorkLog
from protocol.values import ApprovalState, PlanStatus, Unit, WorkState
from protocol.views import (
    ApprovalView,
    BudgetView,
    GoalView,
    InboxItem,
    InboxKind,
    PlanView,
    WhyView,
    WorkView,
)


class Page(StrEnum):
    """One way to look at a thing."""

    SUMMARY = "summary"
    DIFF = "diff"
    LOG = "log"
    BUDGET = "budget"


class Subject(Struct, frozen=True):
    """What an item of the inbox is about, by name."""

    goal: GoalId
    kind: InboxKind
    name: str  # `plan/2`, `approval/1`, `budget/attempts`, a work id, or the goal again

    @classmethod
    def of(cls, item: InboxItem) -> "Subject":
        """Name the subject of an item."""
        return cls(item.goal, item.kind, item.subject)

    @property
    def plan(self) -> int | None:
        """The number of the plan, when it is about one."""
        return subjects.plan_in(self.name)

    @property
    def approval(self) -> int | None:
        """The number of the approval, when it is about one."""
        return subjects.approval_in(self.name)

    @property
    def work(self) -> WorkId | None:
        """The work item, when it is about one."""
        return subjects.work_in(self.name)

    @property
    def budget(self) -> Unit | None:
        """The budget that is used up, when it is about one."""
        return subjects.budget_in(self.name)

    @property
    def pages(self) -> tuple[Page, ...]:
        """The ways to look at it."""
        if self.plan is not None:
            return (Page.SUMMARY, Page.DIFF)
        if self.approval is not None:
            return (Page.SUMMARY,)
        return (Page.SUMMARY, Page.DIFF, Page.LOG) if self.work is not None else (Page.SUMMARY, Page.BUDGET)

    @property
    def label(self) -> str:
        """What it is called in a sentence."""
        if self.plan is not None:
            return f"plan {self.plan} of {self.goal}"
        if self.approval is not None:
            return f"approval {self.approval} of {self.goal}"
        return f"{self.name} of {self.goal}" if self.work is not None else self.goal

    @property
    def key(self) -> tuple[GoalId, str]:
        """What stays the same when it asks for something else."""
        return self.goal, self.name


# --- things


class Nothing(Struct, frozen=True):
    """A page that has nothing to show, and why; a page that was not read yet is None."""

    why: str


class PlanThing(Struct, frozen=True):
    """A plan, and the last one before it that proposed work, once that was looked for."""

    view: PlanView
    before: PlanView | Nothing | None = None

    @property
    def digest(self) -> Digest | None:
        """What a decision binds to; None when it waits for none."""
        return self.view.digest if self.view.status is PlanStatus.PROPOSED else None

    @property
    def asks(self) -> bool:
        """Tell whether it waits for an answer, and not for a decision about what it proposes."""
        return self.view.status in (PlanStatus.ATTENTION, PlanStatus.FAILED) and self.view.decided_at is None

    @property
    def stamp(self) -> object:
        """What may not change between drawing and deciding."""
        return self.view.status, self.view.digest


class WorkThing(Struct, frozen=True):
    """A work item, with its diff and its log once they were looked at."""

    view: WorkView
    diff: WorkDiff | Nothing | None = None
    log: WorkLog | Nothing | None = None

    @property
    def digest(self) -> Digest | None:
        """What a decision binds to; None when it waits for none."""
        return self.view.proof_digest if self.view.state is WorkState.IN_REVIEW else None

    @property
    def stamp(self) -> object:
        """What may not change between drawing and deciding."""
        view = self.view
        return view.state, view.proof_digest, view.open_findings, len(view.attempts), view.resolvable


class ApprovalThing(Struct, frozen=True):
    """What work asks of a person before it goes on."""

    view: ApprovalView

    @property
    def digest(self) -> Digest | None:
        """What an answer binds to; None when it waits for none."""
        return self.view.digest if self.view.state is ApprovalState.PENDING else None

    @property
    def stamp(self) -> object:
        """What may not change between drawing and deciding."""
        return self.view.state, self.view.digest


class GoalThing(Struct, frozen=True):
    """A goal as a whole: where it stands, why, and what it may spend."""

    view: GoalView
    why: WhyView
    budget: BudgetView

    @property
    def digest(self) -> None:
        """Nothing about a goal as a whole is bound to a digest."""

    @property
    def stamp(self) -> object:
        """What may not change between drawing and deciding."""
        return self.view.phase, self.view.next_action, limits(self.budget)


Thing: TypeAlias = PlanThing | WorkThing | ApprovalThing | GoalThing


class Drawn(Struct, frozen=True):
    """A thing as a person saw it: what they decide about, whatever is chosen or shown later."""

    subject: Subject
    thing: Thing


def limits(budget: BudgetView) -> tuple[tuple[Unit, int], ...]:
    """Return what may not change of a budget between drawing and deciding."""
    return tuple((row.unit, row.limit) for row in budget.rows)
