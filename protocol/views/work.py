"""Work items as a person sees them: state, tries, and what was established per criterion."""

from msgspec import Struct

from protocol.ids import CommitId, CriterionId, Digest, GoalId, TemplateName, WorkId
from protocol.values import AttemptOutcome, FailureClass, Instant, Verdict, WorkState


class WorkRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A work item in a list."""

    work: WorkId
    title: str
    state: WorkState
    reason: str  # one sentence
    template: TemplateName
    dependencies: tuple[WorkId, ...]
    attempts: int
    root: bool


class WorkList(Struct, frozen=True, forbid_unknown_fields=True):
    """Every work item of a goal, in the order of their plans."""

    goal: GoalId
    work: tuple[WorkRow, ...]


class Evidence(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing harnd established or an agent claimed about a criterion."""

    source: str  # such as `proof tests` or `claimed`
    said: str  # one sentence
    digest: Digest | None  # of the full text, where one is kept


class CriterionVerdict(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A criterion of a work item, what is known of it and from what."""

    id: CriterionId
    text: str
    verdict: Verdict
    evidence: tuple[Evidence, ...]


class AttemptView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One try.  What is not known yet is None."""

    number: int
    outcome: AttemptOutcome | None
    failure: FailureClass | None
    charged: bool | None
    started: Instant
    ended: Instant | None
    commit: CommitId | None
    changed: tuple[str, ...]
    detail: str
    base: CommitId | None = None  # what its commit is to be compared with
    undeclared: tuple[str, ...] = ()  # changed outside the declared paths
    changed_in_all: int = 0  # when more changed than `changed` names
    protected: tuple[str, ...] = ()  # changed although the template protects them


class FindingView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An objection that an accept must answer: `fixed`, or `deferred: reason`."""

    id: str
    text: str


class DoubtView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something that an accept must acknowledge by its name, and that harnd never accepts by itself."""

    name: str  # a criterion, or a path
    said: str  # one sentence: why


class WorkView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A work item in full."""

    goal: GoalId
    work: WorkId
    title: str
    objective: str
    state: WorkState
    reason: str  # one sentence
    template: TemplateName
    paths: tuple[str, ...]  # declared
    dependencies: tuple[WorkId, ...]
    criteria: tuple[CriterionVerdict, ...]
    attempts: tuple[AttemptView, ...]
    open_findings: tuple[FindingView, ...]
    proof_digest: Digest | None  # what an accept must name
    integrated_commit: CommitId | None
    unknowns: tuple[str, ...]
    repository: str | None = None  # absolute path, where commits can be looked at
    doubts: tuple[DoubtView, ...] = ()  # to be acknowledged before it is accepted
    acknowledged: tuple[str, ...] = ()  # when it was accepted
    would_clash: tuple[str, ...] = ()  # paths at which it could not be brought in now; only while it is in review
    resolvable: bool = False  # `work resolve` lets it go on where it stopped
