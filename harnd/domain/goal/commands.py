"""What a goal can be asked: by a person, by the clock, or by a report of something that ended.

Whatever a rule needs from the world comes in with the command.  `by` is derived from the peer, never from its words.
"""

from typing import TypeAlias

import msgspec

from harnd.domain.goal.intent import Intent
from harnd.domain.goal.proof import Proof
from harnd.domain.goal.usage import Usage
from harnd.domain.problem import Problem
from protocol.ids import CommitId, Digest, InstanceId, TreeId, WorkId
from protocol.values import AttemptOutcome, FailureClass, Instant, MicroDollars, Micros, Unit


class Command(msgspec.Struct, frozen=True):
    """Anything that can be asked."""


# --- a person


class CreateGoal(Command, frozen=True):
    """Enrol an intent that its loader found legal."""

    intent: Intent
    by: str


class CancelGoal(Command, frozen=True):
    """End it now."""

    by: str
    reason: str


class ExtendGoal(Command, frozen=True):
    """Let it spend more: by how much each limit grows."""

    add: dict[Unit, int]
    by: str


class ApprovePlan(Command, frozen=True):
    """Apply or complete exactly the candidate with this digest."""

    plan: int
    digest: Digest
    by: str


class RejectPlan(Command, frozen=True):
    """Say no to exactly this candidate; the guidance reaches the next planner."""

    plan: int
    digest: Digest
    guidance: str
    by: str


class RetryPlan(Command, frozen=True):
    """Answer a plan that asks, or that failed."""

    plan: int
    guidance: str
    by: str


class AcceptWork(Command, frozen=True):
    """Accept exactly this proof, with a disposition for every open finding."""

    work: WorkId
    proof: Digest
    dispositions: tuple[tuple[str, str], ...]
    by: str


class ReopenWork(Command, frozen=True):
    """Ask for changes."""

    work: WorkId
    findings: tuple[str, ...]
    by: str


class RetryWork(Command, frozen=True):
    """Try a blocked item once more."""

    work: WorkId
    guidance: str
    by: str


class CancelWork(Command, frozen=True):
    """Give an item up."""

    work: WorkId
    reason: str
    by: str


# --- the clock and the daemon


class Attend(Command, frozen=True):
    """A daemon instance takes the goal up."""

    instance: InstanceId


class Tick(Command, frozen=True):
    """Move one bounded step, if anything can move."""

    now: Instant


# --- reports


class PlannerReport(msgspec.Struct, frozen=True):
    """How a planner call ended."""

    ran: Micros
    reply: Digest | None = None
    value: bytes | None = None  # the one JSON object it answered with
    failure: FailureClass | None = None  # set when there is no such object
    detail: str = ""
    problems: tuple[Problem, ...] = ()  # why the answer is no such object, for a correction
    tokens: int | None = None
    cost: MicroDollars | None = None


class ReportPlanner(Command, frozen=True):
    """A planner call ended."""

    plan: int
    call: int
    report: PlannerReport


class ReportObserved(Command, frozen=True):
    """What lies around an attempt was looked at."""

    work: WorkId
    attempt: int
    surroundings: Digest


class AttemptReport(msgspec.Struct, frozen=True):
    """How an attempt ended."""

    outcome: AttemptOutcome
    ran: Micros
    usage: Usage
    failure: FailureClass | None = None
    detail: str = ""
    output: Digest | None = None
    commit: CommitId | None = None
    tree: TreeId | None = None
    changed: tuple[str, ...] = ()
    proof: Proof | None = None
    reports: tuple[str, ...] = ()
    strayed: tuple[str, ...] = ()  # what changed meanwhile in the operator's checkout


class ReportAttempt(Command, frozen=True):
    """An attempt ended."""

    work: WorkId
    attempt: int
    report: AttemptReport


class ReportProved(Command, frozen=True):
    """The integrated tree was proved, for better or worse."""

    work: WorkId
    number: int
    commit: CommitId
    tree: TreeId
    proof: Proof


class ReportParked(Command, frozen=True):
    """The integration cannot go on."""

    work: WorkId
    number: int
    failure: FailureClass
    detail: str
    paths: tuple[str, ...] = ()


class ReportMoved(Command, frozen=True):
    """The goal's branch is at the integrated commit."""

    work: WorkId
    number: int


GoalCommand: TypeAlias = (
    CreateGoal
    | CancelGoal
    | ExtendGoal
    | ApprovePlan
    | RejectPlan
    | RetryPlan
    | AcceptWork
    | ReopenWork
    | RetryWork
    | CancelWork
    | Attend
    | Tick
    | ReportPlanner
    | ReportObserved
    | ReportAttempt
    | ReportProved
    | ReportParked
    | ReportMoved
)
