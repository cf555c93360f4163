"""What a person can ask about a work item."""

from harnd.domain.goal.commands.command import Command
from protocol.ids import Digest, WorkId


class AcceptWork(Command, frozen=True):
    """Accept exactly this proof, with a disposition for every open finding and every doubt named."""

    work: WorkId
    proof: Digest
    dispositions: tuple[tuple[str, str], ...]
    by: str
    acknowledged: tuple[str, ...] = ()


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


class ResolveWork(Command, frozen=True):
    """Say that what blocked an item is gone; `note` is told to whoever goes on."""

    work: WorkId
    note: str
    by: str
