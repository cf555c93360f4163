"""Goals as a person sees them."""

from msgspec import Struct

from protocol.ids import CommitId, CriterionId, Digest, GoalId, SpecialistName, WorkId
from protocol.values import Instant, NextAction, Phase
from protocol.views.inbox import InboxItem
from protocol.views.work import WorkRow


class GoalRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A goal in a list."""

    goal: GoalId
    title: str
    phase: Phase
    next_action: NextAction
    reason: str  # one sentence
    since: Instant
    wake_at: Instant | None  # when harnd looks again by itself
    waiting: int  # how many things wait for a person
    parked: str | None  # why its supervisor gave up
    archived: bool = False  # put away for good


class GoalList(Struct, frozen=True, forbid_unknown_fields=True):
    """Goals, by id."""

    goals: tuple[GoalRow, ...]


class CriterionView(Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that must hold, under an id that is unique in its owner (AC-1, MC-1, WC-1, INV-1, NG-1)."""

    id: CriterionId
    text: str


class MilestoneView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A milestone that a plan materialised, or the operator's own graph."""

    sequence: int
    title: str
    objective: str
    acceptance: tuple[CriterionView, ...]
    plan: int  # 0: the operator wrote it
    outcome: str | None  # a word or a sentence; None while it is under way


class PlanCounts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many plans were asked for and what became of them, against the bounds of the intent."""

    requested: int
    applied: int
    rejected: int
    failed: int
    max_requests: int
    max_milestones: int


class InheritedView(Struct, frozen=True, forbid_unknown_fields=True):
    """Work that the parent of a goal had accepted when the goal was enrolled."""

    work: WorkId
    title: str
    proof: Digest
    commit: CommitId


class ParentView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The goal that a goal goes on from, as it was then."""

    goal: GoalId
    intent_digest: Digest
    head: CommitId  # of its branch
    accepted: tuple[InheritedView, ...]


class GoalView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A goal in full: where it stands, what was frozen, what came of it."""

    goal: GoalId
    title: str
    phase: Phase
    next_action: NextAction
    reason: str  # one sentence
    since: Instant
    would_change: str  # one sentence: what would move it
    wake_at: Instant | None
    parked: str | None
    repository: str  # absolute path
    branch: str
    head: CommitId | None  # None when the branch could not be read
    base_ref: str
    base_commit: CommitId
    planner: SpecialistName | None  # None: nobody plans, the work is the operator's own
    labels: tuple[str, ...]
    objective: str | None  # of the mission; None: there is none, and the milestones say what is wanted
    acceptance: tuple[CriterionView, ...]
    invariants: tuple[CriterionView, ...]
    non_goals: tuple[CriterionView, ...]
    intent_digest: Digest
    generation: int  # number of applied plans
    milestones: tuple[MilestoneView, ...]
    plans: PlanCounts
    work: tuple[WorkRow, ...]
    attention: tuple[InboxItem, ...]
    fence: int | None  # of the lease under which the goal is worked on; None at rest
    version: int  # of the goal's stream
    archived: bool = False  # put away for good
    parent: ParentView | None = None
    unasked: tuple[str, ...] = ()  # what is decided in a person's place, in words
