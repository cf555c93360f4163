"""What a person can say to an approval, and what an attempt says of one that it was given."""

from harnd.domain.goal.commands.command import Command
from protocol.ids import Digest, TreeId, WorkId
from protocol.values import Instant


class GiveApproval(Command, frozen=True):
    """Allow exactly what has this digest."""

    approval: int
    digest: Digest
    by: str
    now: Instant


class DenyApproval(Command, frozen=True):
    """Refuse exactly what has this digest; the reason reaches the next attempt."""

    approval: int
    digest: Digest
    reason: str
    by: str
    now: Instant


class UseApproval(Command, frozen=True):
    """Go on with an approval that was given; `question` and `tree` are what would be asked now."""

    work: WorkId
    attempt: int
    approval: int
    question: str
    tree: TreeId
