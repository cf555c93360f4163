"""An approval: a person's word that something may go on, bound to the digest of all that it is about.

It is asked for in the append that parks an attempt, decided once, and used once, when what is there has been found to
be exactly what was approved.
"""

from typing import Final

import msgspec

from harnd.domain.digest import digest_of
from harnd.domain.goal.intent import Intent
from protocol import bounds
from protocol.ids import CommitId, Digest, TreeId, WorkId
from protocol.values import SECOND, ApprovalState, Instant, Micros, Risk


class Approval(msgspec.Struct, frozen=True):
    """One question to a person, and its answer."""

    number: int
    work: WorkId
    attempt: int
    stage: str
    question: str
    digest: Digest
    base: CommitId
    tree: TreeId
    risk: Risk
    changed: tuple[str, ...]
    changed_in_all: int
    requested_at: Instant
    expires_at: Instant
    state: ApprovalState = ApprovalState.PENDING
    since: Instant = Instant(0)
    decided_by: str = ""
    reason: str = ""  # why it was denied or cancelled
    consumed: bool = False

    @property
    def at(self) -> tuple[WorkId, int, str]:
        """Return where it is asked: the item, its attempt and the stage."""
        return self.work, self.attempt, self.stage

    @property
    def open(self) -> bool:
        """Tell whether anything can still come of it: it waits for an answer, or was approved and not used."""
        return self.state is ApprovalState.PENDING or (self.state is ApprovalState.APPROVED and not self.consumed)

    def state_at(self, now: Instant) -> ApprovalState:
        """Return the state as it is at an instant: what nobody answered in time has expired, whoever has noticed."""
        late = self.state is ApprovalState.PENDING and now >= self.expires_at
        return ApprovalState.EXPIRED if late else self.state


_VALID_S: Final = {
    Risk.LOW: bounds.APPROVAL_S,
    Risk.MEDIUM: bounds.APPROVAL_S,
    Risk.HIGH: bounds.APPROVAL_HIGH_S,
    Risk.CRITICAL: bounds.APPROVAL_CRITICAL_S,
}


def valid_for(risk: Risk) -> Micros:
    """Return how long an approval waits for an answer."""
    return Micros(_VALID_S[risk] * SECOND)


def approval_digest(
    intent: Intent, work: WorkId, attempt: int, stage: str, *, question: str, base: CommitId, tree: TreeId
) -> Digest:
    """Bind a decision to everything that it is about."""
    return digest_of([intent.goal, work, attempt, stage, question, base, tree])
