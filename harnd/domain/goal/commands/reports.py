"""Reports: how something that ran has ended."""

import msgspec

from harnd.domain.goal.commands.command import Command
from harnd.domain.goal.parking import Again
from harnd.domain.goal.proof import Proof
from harnd.domain.goal.usage import Usage
from harnd.domain.problem import Problem
from protocol.ids import CommitId, Digest, TreeId, WorkId
from protocol.values import AttemptOutcome, FailureClass, Instant, MicroDollars, Micros, Risk


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


class Asks(msgspec.Struct, frozen=True):
    """What a stage asks a person before the attempt goes on."""

    question: str
    risk: Risk
    tree: TreeId  # of the worktree, as it stands
    changed: tuple[str, ...]
    at: Instant


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
    stage: str = ""  # in which it stopped
    again: tuple[Again, ...] = ()  # what came to nothing, should it go on later
    asks: Asks | None = None  # it has not ended: a person is asked, and it is parked
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
