"""What happened to an approval: it was asked for, and came to one end."""

from harnd.domain.goal.events.event import Event
from protocol.ids import CommitId, Digest, TreeId, WorkId
from protocol.values import Instant, Risk


class ApprovalRequested(Event, frozen=True, tag="approval.requested/1"):
    """A person is asked whether an attempt may go on with exactly this; in the append that parks it."""

    approval: int
    work: WorkId
    attempt: int
    stage: str
    question: str
    digest: Digest  # of all that a decision is about
    base: CommitId
    tree: TreeId  # of the worktree, as it stands
    risk: Risk
    expires_at: Instant
    changed: tuple[str, ...] = ()
    changed_in_all: int = 0  # when there are more than are kept


class ApprovalApproved(Event, frozen=True, tag="approval.approved/1"):
    """A person allowed exactly this."""

    approval: int
    digest: Digest
    by: str


class ApprovalDenied(Event, frozen=True, tag="approval.denied/1"):
    """A person refused it; the attempt ends in the same append."""

    approval: int
    digest: Digest
    by: str
    reason: str


class ApprovalExpired(Event, frozen=True, tag="approval.expired/1"):
    """Nobody answered in time: the attempt stays where it is, and a person may have it ask again."""

    approval: int


class ApprovalCancelled(Event, frozen=True, tag="approval.cancelled/1"):
    """What it was about is no more: the attempt ended, or is not what it was."""

    approval: int
    reason: str


class ApprovalConsumed(Event, frozen=True, tag="approval.consumed/1"):
    """The attempt was found to be exactly what was approved, and goes on with it; that happens once."""

    approval: int
