"""What happened when accepted work was brought onto the goal's branch."""

from harnd.domain.goal.events.event import Event
from harnd.domain.goal.proof import Proof
from protocol.ids import CommitId, TreeId, WorkId
from protocol.values import FailureClass


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
