"""What happened to an attempt."""

from harnd.domain.goal.events.event import Event
from harnd.domain.goal.parking import Again
from harnd.domain.goal.proof import Proof
from harnd.domain.goal.usage import Usage
from protocol.ids import CommitId, Digest, TreeId, WorkId
from protocol.values import AttemptOutcome, FailureClass, Micros, ParkCause, Unit


class AttemptStarted(Event, frozen=True, tag="attempt.started/1"):
    """An attempt is owed, on this commit, with this many agent calls set aside."""

    work: WorkId
    attempt: int
    base: CommitId
    generation: int
    calls: int
    set_aside: dict[Unit, int] = {}  # noqa: RUF012 - msgspec gives each its own; tokens and money, where limited


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
    protected: tuple[str, ...] = ()  # changed although the template protects them


class AttemptParked(Event, frozen=True, tag="attempt.parked/1"):
    """An attempt stopped where it can go on: it keeps its worktree and what was set aside for it."""

    work: WorkId
    attempt: int
    cause: ParkCause
    stage: str = ""
    failure: FailureClass | None = None
    detail: str = ""
    output: Digest | None = None  # the blob of what the stage printed
    ran: Micros = Micros(0)
    usage: Usage = Usage()  # so far
    again: tuple[Again, ...] = ()  # what is made again when it goes on
    reports: tuple[str, ...] = ()  # what differed around the attempt


class AttemptResumed(Event, frozen=True, tag="attempt.resumed/1"):
    """A parked attempt goes on where it stopped."""

    work: WorkId
    attempt: int
    by: str = ""  # who let it go on


class AttemptSuperseded(Event, frozen=True, tag="attempt.superseded/1"):
    """A late or foreign result: kept as a fact, acted on by nobody."""

    work: WorkId
    attempt: int
    outcome: AttemptOutcome
