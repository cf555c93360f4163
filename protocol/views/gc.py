"""What piles up: what can go or went, what stays and why, and what each goal takes."""

from enum import StrEnum

from msgspec import Struct

from protocol.ids import GoalId
from protocol.values import Micros, Phase


class GarbageKind(StrEnum):
    """A kind of thing that can go."""

    WORKTREES = "worktrees"  # and branches, of attempts that are over
    REFS = "refs"  # that keep nothing which the goal's branch does not keep
    OUTPUTS = "outputs"  # of agents and commands of goals that ended long enough ago
    PREPARED = "prepared"  # by `prepare` stages, and unused for long enough
    TEXTS = "texts"  # that no event names


class GarbageRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything of one kind."""

    kind: GarbageKind
    things: int
    bytes: int  # on the disk; refs count as none


class GarbageItem(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing that can go, or went."""

    kind: GarbageKind
    name: str
    goal: GoalId | None
    bytes: int


class DiskRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one goal takes after that, in bytes on the disk; its commits lie in its repository and are not counted."""

    goal: GoalId
    phase: Phase
    worktrees: int
    outputs: int
    texts: int  # what two goals name counts for both
    rescued: int | None  # refs that keep what was not brought in; None: the repository does not tell


class GcView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What can go, or went; nothing that is unsaved or still needed is ever in it."""

    removed: bool  # False: this is what would go
    older_than: Micros
    rows: tuple[GarbageRow, ...]  # one for each kind, in a fixed order
    items: tuple[GarbageItem, ...]  # the first of them, largest first
    omitted: int  # items that are not listed
    stays: tuple[str, ...]  # what could not be judged or removed, and why; a sentence each
    goals: tuple[DiskRow, ...]
    database: int | None  # bytes of the event store; None: it did not say
    free: int | None  # bytes left where the state directory lies; None: unknown
