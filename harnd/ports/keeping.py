"""Keeping: what lies under the state directory by name, what it weighs, and how one thing of it is let go.

Each kind of thing that piles up is kept so: outputs of processes, blobs, whatever is cached.  What may go is told by
whoever knows the goals; nothing here knows what is still needed.
"""

from enum import StrEnum
from typing import Protocol

import msgspec

from protocol.ids import GoalId
from protocol.values import Instant


class Shelf(StrEnum):
    """A kind of thing that is kept."""

    OUTPUTS = "outputs"  # of agents and commands: the directories of effect keys
    PREPARED = "prepared"  # directories that `prepare` stages built; using one counts as writing it
    TEXTS = "texts"  # blobs


class Kept(msgspec.Struct, frozen=True):
    """One thing that is kept."""

    name: str
    size: int  # bytes that it takes on the disk
    written_at: Instant  # the last time
    goal: GoalId | None = None  # whose it is, where its name says so


class Keeping(Protocol):
    """A place where one kind of thing lies.  Raises `UnavailableError` when it cannot be read or written."""

    async def inventory(self) -> tuple[Kept, ...]:
        """Return everything that lies there, by name."""
        ...

    async def let_go(self, name: str, *, written_before: Instant) -> bool:
        """Remove a thing unless it is in use or was written since; tell whether it is gone.

        What is not there is gone.  Cut short, it leaves the thing whole, or something that `inventory` still names.
        """
        ...
