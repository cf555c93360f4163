"""Processes: what runs for harnd at this moment, and what is kept of what ran.  For people to read.

Nothing is decided by what is seen here: what is owed follows from events, and what ended is told by whoever ran it.
"""

from typing import Protocol

import msgspec

from harnd.ports.sessions import Ending, Output
from protocol.ids import EffectKey
from protocol.values import Instant


class LiveProcess(msgspec.Struct, frozen=True):
    """A process that runs now, at the head of all that it started."""

    key: EffectKey
    pid: int
    started: Instant
    spoke: Instant | None  # when it last wrote something; None: nothing yet, or more than is kept


class Trace(msgspec.Struct, frozen=True):
    """What is kept of a key that was started."""

    started: Instant
    ended: Instant | None  # None: it runs, or its end was lost
    ending: Ending | None  # None: it runs
    exit_code: int | None
    stdout: Output
    stderr: Output
    detail: str = ""  # why it was not started


class Processes(Protocol):
    """Looks at what harnd started.  Raises `UnavailableError` or `CorruptError` when what is kept cannot be read."""

    async def live(self) -> tuple[LiveProcess, ...]:
        """Return every process that runs now, oldest first."""
        ...

    async def trace(self, key: EffectKey) -> Trace | None:
        """Return what is kept of a key, or None when it was never started or has been cleared away."""
        ...

    async def obstacle(self, program: str) -> str | None:
        """Say in one sentence why a program, by name or absolute path, could not be started; None when it could."""
        ...
