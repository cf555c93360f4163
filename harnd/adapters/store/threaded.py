"""The threaded runner: SQL in aiosqlite's thread, one hop a transaction, for production.

aiosqlite makes one hop to its thread for every statement.  A transaction of six statements would pay six hops and
could be cut in two by a cancellation between any of them.  So a whole piece of work travels as the parameter of one
`execute`, and the connection (our own class, made in the thread by aiosqlite's public `factory`) runs it on arrival.
"""

import sqlite3
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, TypeVar

import aiosqlite
import anyio

from harnd.adapters.store.database import BUSY_TIMEOUT_S
from harnd.ports.errors import UnavailableError

R = TypeVar("R")

_ERRAND: Final = "-- the work is the parameter"


@dataclass(frozen=True, slots=True)
class Errand:
    """A piece of work on its way to the connection's thread."""

    do: Callable[[sqlite3.Connection], None]


class Positional(Protocol):
    """What sqlite3 takes as parameters by position."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> object: ...


class ErrandConnection(sqlite3.Connection):
    """A connection that runs an errand where a statement is expected."""

    def execute(self, sql: str, parameters: Positional | Mapping[str, object] = (), /) -> sqlite3.Cursor:
        """Run the statement, or the errand that came as its only parameter."""
        match parameters:
            case (Errand(do=do),):
                do(self)
                return self.cursor()
            case _:
                return super().execute(sql, parameters)


class ThreadedRunner:
    """Runs work in the thread of an aiosqlite connection, in the order it was handed in."""

    def __init__(self, db: aiosqlite.Connection) -> None:
        self._db = db
        self._open = True

    async def run(self, work: Callable[[sqlite3.Connection], R]) -> R:
        """Run the work in the connection's thread; what has been handed in runs also when the caller is cancelled."""
        if not self._open:
            raise UnavailableError("the store is closed")
        outcome: list[R] = []
        await self._db.execute(_ERRAND, (Errand(lambda conn: outcome.append(work(conn))),))
        return outcome[0]

    async def close(self) -> None:
        """Finish what has been handed in, then close the connection and end its thread."""
        self._open = False
        with anyio.CancelScope(shield=True):  # the thread is no daemon thread: unclosed, it would outlive the loop
            await self._db.close()


@asynccontextmanager
async def threaded_runner(path: Path) -> AsyncGenerator[ThreadedRunner]:
    """Open a connection to `path` in a thread of its own for the length of the block."""
    db = await aiosqlite.connect(path, factory=ErrandConnection, isolation_level=None, timeout=BUSY_TIMEOUT_S)
    runner = ThreadedRunner(db)
    try:
        yield runner
    finally:
        await runner.close()
