"""Approvals as a person sees them, with everything that an answer needs."""

from msgspec import Struct

from protocol.ids import CommitId, Digest, GoalId, TreeId, WorkId
from protocol.values import ApprovalState, Instant, Risk


class ApprovalRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An approval in a list."""

    goal: GoalId
    approval: int  # its number within the goal
    state: ApprovalState  # one whose time is over is `expired`, whether or not a timer has noticed
    risk: Risk
    work: WorkId
    attempt: int
    stage: str
    question: str  # its first words
    digest: Digest  # what an answer must name
    requested_at: Instant
    expires_at: Instant


class ApprovalList(Struct, frozen=True, forbid_unknown_fields=True):
    """Approvals: those that wait by risk and then by when their time is over, and then the others, newest first."""

    approvals: tuple[ApprovalRow, ...]
    unreadable: tuple[GoalId, ...] = ()  # goals whose approvals could not be read


class ApprovalView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One approval in full."""

    goal: GoalId
    approval: int
    state: ApprovalState  # one whose time is over is `expired`, whether or not a timer has noticed
    risk: Risk
    work: WorkId
    title: str  # of the work item
    attempt: int
    stage: str
    question: str  # the exact text, as the digest covers it
    digest: Digest
    paths: tuple[str, ...]  # changed since the attempt began, as far as they are kept
    paths_in_all: int  # how many changed
    base: CommitId  # what the attempt began from
    tree: TreeId  # what would be approved
    repository: str  # absolute path, where the two can be compared
    requested_at: Instant
    expires_at: Instant
    since: Instant  # when it came to its state
    decided_by: str | None
    reason: str | None  # why it was denied or cancelled
    used: bool  # the attempt went on with it, which happens once
    asked_again: str | None = None  # what became of the same question before; None when it is asked for the first time
