"""Plans as a person sees them, with everything a decision needs."""

from msgspec import Struct

from protocol.ids import CriterionId, Digest, GoalId, TemplateName, WorkId, WorkKey
from protocol.values import FailureClass, Instant, PlanAuthor, PlanDecision, PlanStatus, Trigger
from protocol.views.goal import CriterionView
from protocol.views.problem import ProblemView


class PlanRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A plan in a list."""

    plan: int
    trigger: Trigger
    status: PlanStatus
    decision: PlanDecision | None
    title: str  # of the milestone or, without one, the first words of rationale or question
    digest: Digest | None
    requested_at: Instant
    decided_at: Instant | None


class PlanList(Struct, frozen=True, forbid_unknown_fields=True):
    """Every plan of a goal, oldest first."""

    goal: GoalId
    plans: tuple[PlanRow, ...]


class PlanMilestone(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The milestone that a plan proposes."""

    sequence: int
    title: str
    objective: str
    acceptance: tuple[CriterionView, ...]


class PlanItem(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A work item that a plan proposes."""

    key: WorkKey
    title: str
    objective: str
    acceptance: tuple[CriterionView, ...]
    dependencies: tuple[WorkId | WorkKey, ...]  # active ids, or keys of the same plan
    template: TemplateName
    paths: tuple[str, ...]  # declared


class CompletionEvidence(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a plan that calls the mission complete holds against one criterion."""

    criterion: CriterionId
    text: str  # the criterion's own, as it was frozen
    note: str  # the planner's claim, which nobody proved
    references: tuple[str, ...]


class PlanView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A plan in full.  Parts that its decision does not have are None or empty."""

    goal: GoalId
    plan: int
    trigger: Trigger
    status: PlanStatus
    digest: Digest | None  # of the candidate: what a decision must name
    decision: PlanDecision | None
    rationale: str
    milestone: PlanMilestone | None
    items: tuple[PlanItem, ...]
    root: WorkKey | None
    question: str | None
    completion: tuple[CompletionEvidence, ...]
    guidance: str | None  # what a person said when it was rejected or asked for again
    problems: tuple[ProblemView, ...]  # of the last reply that was refused
    failure: FailureClass | None
    detail: str  # why it failed, as a clause; empty when it did not
    calls: int  # agent calls made for it
    requested_at: Instant
    decided_at: Instant | None
    decided_by: str | None
    author: PlanAuthor = PlanAuthor.PLANNER  # who wrote what is proposed
    invariants: tuple[CriterionView, ...] = ()  # of the mission, beside the claim that it is met
