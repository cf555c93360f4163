"""What happened to a goal.  Tags are written by hand with a version; a stream saved from a release folds for ever.

An event holds digests and structured data, never a raw prompt, reply or transcript.  When it happened is recorded by
the store beside it.
"""

from typing import TypeAlias

import msgspec

from harnd.domain.goal.candidate import Proposal
from harnd.domain.goal.intent import Criterion, Intent
from harnd.domain.goal.proof import Proof
from harnd.domain.goal.usage import Usage
from harnd.domain.problem import Problem
from protocol.ids import CommitId, Digest, InstanceId, TemplateName, TreeId, WorkId, WorkKey
from protocol.values import AttemptOutcome, FailureClass, MicroDollars, Micros, Trigger, Unit


class Event(msgspec.Struct, frozen=True, omit_defaults=True):
    """Anything that happened."""


# --- the goal itself


class GoalCreated(Event, frozen=True, tag="goal.created/1"):
    """A person enrolled it."""

    intent: Intent
    digest: Digest
    by: str


class GoalAttended(Event, frozen=True, tag="goal.attended/1"):
    """A new daemon instance took up a goal that had something running."""

    instance: InstanceId


class GoalTicked(Event, frozen=True, tag="goal.ticked/1"):
    """harnd moved it one bounded step; what follows in the same append is the step."""


class GoalCancelled(Event, frozen=True, tag="goal.cancelled/1"):
    """A person ended it."""

    by: str
    reason: str


class BudgetExtended(Event, frozen=True, tag="budget.extended/1"):
    """A person lets it spend more: each limit has grown by so much."""

    added: dict[Unit, int]
    by: str


# --- plans


class PlanRequested(Event, frozen=True, tag="plan.requested/1"):
    """A plan is owed; `graph` is the digest of the work graph it is asked about."""

    plan: int
    trigger: Trigger
    graph: Digest


class PlannerCalled(Event, frozen=True, tag="planner.called/1"):
    """A planner call is owed."""

    plan: int
    call: int


class PlannerReturned(Event, frozen=True, tag="planner.returned/1"):
    """A planner call ended, however; what it said follows in the same append."""

    plan: int
    call: int
    ran: Micros
    charged: bool
    reply: Digest | None = None  # the blob of the raw answer
    tokens: int | None = None  # None: not reported
    cost: MicroDollars | None = None


class PlannerFailed(Event, frozen=True, tag="planner.failed/1"):
    """The call gave no answer that can be read as a plan."""

    plan: int
    call: int
    failure: FailureClass
    detail: str


class AnswerRefused(Event, frozen=True, tag="planner.answer_refused/1"):
    """The answer is no legal plan; these are all its problems."""

    plan: int
    call: int
    problems: tuple[Problem, ...]


class PlanProposed(Event, frozen=True, tag="plan.proposed/1"):
    """A legal candidate lies before a person, under its digest."""

    plan: int
    call: int
    candidate: Proposal
    digest: Digest
    normalised: Digest


class PlanAttention(Event, frozen=True, tag="plan.attention/1"):
    """The planner asks a person."""

    plan: int
    call: int
    rationale: str
    question: str


class PlanFailed(Event, frozen=True, tag="plan.failed/1"):
    """The request came to nothing."""

    plan: int
    failure: FailureClass
    detail: str
    charged: bool


class PlanRejected(Event, frozen=True, tag="plan.rejected/1"):
    """A person said no to exactly this candidate, and why."""

    plan: int
    digest: Digest
    guidance: str
    by: str


class PlanRetried(Event, frozen=True, tag="plan.retried/1"):
    """A person answered an attention or a failure: a new request may be made."""

    plan: int
    guidance: str
    by: str


class WorkCreated(Event, frozen=True, tag="work.created/1"):
    """A work item exists; always in the append of the `plan.applied` it belongs to."""

    work: WorkId
    key: WorkKey
    plan: int
    title: str
    objective: str
    acceptance: tuple[Criterion, ...]
    dependencies: tuple[WorkId, ...]
    template: TemplateName
    paths: tuple[str, ...]


class PlanApplied(Event, frozen=True, tag="plan.applied/1"):
    """A person approved exactly this candidate, and its work exists."""

    plan: int
    digest: Digest
    root: WorkId
    by: str


class PlanCompleted(Event, frozen=True, tag="plan.completed/1"):
    """A person approved that the mission is met: the only way to success."""

    plan: int
    digest: Digest
    by: str


# --- work and attempts


class AttemptStarted(Event, frozen=True, tag="attempt.started/1"):
    """An attempt is owed, on this commit, with this many agent calls set aside."""

    work: WorkId
    attempt: int
    base: CommitId
    generation: int
    calls: int


class AttemptObserved(Event, frozen=True, tag="attempt.observed/1"):
    """What lies around an attempt was looked at before anything of it ran."""

    work: WorkId
    attempt: int
    surroundings: Digest  # the blob to compare with afterwards, also by another daemon


class AttemptEnded(Event, frozen=True, tag="attempt.ended/1"):
    """An attempt ended; with a commit when there is one, and a proof when one was tried."""

    work: WorkId
    attempt: int
    outcome: AttemptOutcome
    charged: bool
    ran: Micros
    usage: Usage
    failure: FailureClass | None = None
    blocked: bool = False  # whether a person is asked; otherwise it is tried again
    detail: str = ""
    output: Digest | None = None  # the blob of what the failing stage printed
    commit: CommitId | None = None
    tree: TreeId | None = None
    changed: tuple[str, ...] = ()
    undeclared: tuple[str, ...] = ()  # changed outside the declared paths
    changed_in_all: int = 0  # when there are more than are kept
    proof: Proof | None = None
    reports: tuple[str, ...] = ()  # what differed around the attempt


class AttemptSuperseded(Event, frozen=True, tag="attempt.superseded/1"):
    """A late or foreign result: kept as a fact, acted on by nobody."""

    work: WorkId
    attempt: int
    outcome: AttemptOutcome


class OpenFinding(msgspec.Struct, frozen=True):
    """Something a person wants changed before they accept."""

    id: str  # f1, f2 …: unique in the work item
    text: str


class WorkAccepted(Event, frozen=True, tag="work.accepted/1"):
    """A person accepted exactly this proof."""

    work: WorkId
    attempt: int
    proof: Digest
    by: str
    dispositions: tuple[tuple[str, str], ...] = ()  # finding id, `fixed` or `deferred: reason`


class WorkReopened(Event, frozen=True, tag="work.reopened/1"):
    """A person wants it changed."""

    work: WorkId
    findings: tuple[OpenFinding, ...]
    by: str


class WorkRetried(Event, frozen=True, tag="work.retried/1"):
    """A person wants a blocked item tried once more."""

    work: WorkId
    guidance: str
    by: str


class WorkRequeued(Event, frozen=True, tag="work.requeued/1"):
    """A person wants accepted work brought in again that could not be."""

    work: WorkId
    by: str


class WorkCancelled(Event, frozen=True, tag="work.cancelled/1"):
    """A person gave the item up."""

    work: WorkId
    by: str
    reason: str


# --- integration


class IntegrationStarted(Event, frozen=True, tag="integration.started/1"):
    """Bringing accepted work onto the goal's branch is owed; `number` counts within the work item."""

    work: WorkId
    number: int
    onto: CommitId


class IntegrationProved(Event, frozen=True, tag="integration.proved/1"):
    """The integrated tree passed; moving the branch to `commit` is owed."""

    work: WorkId
    number: int
    commit: CommitId
    tree: TreeId
    proof: Proof


class IntegrationParked(Event, frozen=True, tag="integration.parked/1"):
    """It could not be brought in; `paths` clash."""

    work: WorkId
    number: int
    failure: FailureClass
    detail: str
    blocked: bool  # whether a person is asked; otherwise another attempt is made
    accepted: bool  # whether the work can come in later as it was accepted
    paths: tuple[str, ...] = ()
    proof: Proof | None = None


class WorkIntegrated(Event, frozen=True, tag="work.integrated/1"):
    """The goal's branch contains the work."""

    work: WorkId
    number: int
    commit: CommitId
    tree: TreeId


GoalEvent: TypeAlias = (
    GoalCreated
    | GoalAttended
    | GoalTicked
    | GoalCancelled
    | BudgetExtended
    | PlanRequested
    | PlannerCalled
    | PlannerReturned
    | PlannerFailed
    | AnswerRefused
    | PlanProposed
    | PlanAttention
    | PlanFailed
    | PlanRejected
    | PlanRetried
    | WorkCreated
    | PlanApplied
    | PlanCompleted
    | AttemptStarted
    | AttemptObserved
    | AttemptEnded
    | AttemptSuperseded
    | WorkAccepted
    | WorkReopened
    | WorkRetried
    | WorkRequeued
    | WorkCancelled
    | IntegrationStarted
    | IntegrationProved
    | IntegrationParked
    | WorkIntegrated
)
