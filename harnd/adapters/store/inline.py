"""The inline runner: SQL in the event loop's own thread, for simulations.

It blocks the loop while a statement runs, is deterministic, and works on any loop and under any clock.  The connection
is lent: whoever lent it can lend it again, to the next incarnation of a daemon that has crashed.
"""

import sqlite3
from collections.abc import Callable
from typing import TypeVar

import anyio.lowlevel

from harnd.ports.errors import UnavailableError

R = TypeVar("R")


class InlineRunner:
    """Runs work at once, on a connection it does not own."""

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn: sqlite3.Connection | None = conn

    async def run(self, work: Callable[[sqlite3.Connection], R]) -> R:
        """Run the work after one checkpoint; cancellation strikes there, before anything was done."""
        await anyio.lowlevel.checkpoint()
        if self._conn is None:
            raise UnavailableError("the store is closed")
        return work(self._conn)

    def abandon(self) -> None:
        """Let go of the connection, as a crash would: every later call, and any that waits, is refused."""
        self._conn = None
