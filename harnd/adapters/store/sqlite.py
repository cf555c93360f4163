"""The event store on SQLite: the port's methods, each one piece of work for a runner.

No SQL and no rule is here: both are in the modules named after what they keep.
"""

import sqlite3
from collections.abc import Callable
from typing import TypeVar

from harnd.adapters.store import append as appending
from harnd.adapters.store import health as measuring
from harnd.adapters.store import leases as granting
from harnd.adapters.store import reads, rows
from harnd.adapters.store.errors import translated
from harnd.adapters.store.runner import Runner
from harnd.ports.clock import Clock
from harnd.ports.store import Append, GoalRow, Health, InboxRow, Lease, Once, Recorded
from protocol.ids import GoalId, IdempotencyKey, InstanceId
from protocol.values import Instant, Micros

R = TypeVar("R")


class SqliteStore:
    """An `EventStore` in one SQLite database."""

    def __init__(self, runner: Runner, clock: Clock) -> None:
        self._runner = runner
        self._clock = clock

    async def append(self, change: Append) -> tuple[Recorded, ...]:
        """Make the facts durable and return them as recorded."""
        return await self._run(lambda conn: appending.append(conn, change))

    async def read(self, stream: GoalId, *, after: int = 0) -> list[Recorded]:
        """Return the events of one stream past version `after`, oldest first."""
        return await self._run(lambda conn: reads.read(conn, stream, after=after))

    async def read_all(self, *, after: int, limit: int, stream: GoalId | None = None) -> list[Recorded]:
        """Return up to `limit` events of all streams, or of one, past sequence `after`, oldest first."""
        return await self._run(lambda conn: reads.read_all(conn, after=after, limit=limit, stream=stream))

    async def newest(self) -> int:
        """Return the sequence of the last event of all streams."""
        return await self._run(reads.newest)

    async def goals(self) -> list[GoalRow]:
        """Return the row of every goal, by id."""
        return await self._run(rows.goals)

    async def row(self, goal: GoalId) -> GoalRow | None:
        """Return the row of one goal, or None when there is no such goal."""
        return await self._run(lambda conn: rows.row(conn, goal))

    async def due(self, *, now: Instant) -> list[GoalId]:
        """Return the goals that have something to do now, by id."""
        return await self._run(lambda conn: rows.due(conn, now=now))

    async def wakes(self) -> list[tuple[Instant, GoalId]]:
        """Return the deadlines of goals that sleep, soonest first."""
        return await self._run(rows.wakes)

    async def inbox(self) -> list[InboxRow]:
        """Return everything that waits for a person, oldest first."""
        return await self._run(rows.inbox)

    async def park(self, goal: GoalId, reason: str | None) -> None:
        """Note that the goal's supervisor gave up and why, or that it may try again."""
        await self._run(lambda conn: rows.park(conn, goal, reason))

    async def answered(self, key: IdempotencyKey) -> Once | None:
        """Return the answer stored under a key."""
        return await self._run(lambda conn: appending.answered(conn, key))

    async def acquire(self, stream: GoalId, holder: InstanceId, ttl: Micros) -> Lease:
        """Grant the lease with the next fence."""
        return await self._run(lambda conn: granting.acquire(conn, stream, holder, now=self._clock.now(), ttl=ttl))

    async def renew(self, leases: tuple[Lease, ...], ttl: Micros) -> frozenset[GoalId]:
        """Extend the leases that are still current; return the streams whose lease is lost."""
        return await self._run(lambda conn: granting.renew(conn, leases, now=self._clock.now(), ttl=ttl))

    async def release(self, lease: Lease) -> None:
        """Give a lease back."""
        await self._run(lambda conn: granting.release(conn, lease))

    async def usurp(self, holder: InstanceId) -> int:
        """Take every lease out of other hands and return how many there were."""
        return await self._run(lambda conn: granting.usurp(conn, holder))

    async def health(self) -> Health:
        """Measure the store."""
        return await self._run(measuring.health)

    async def _run(self, work: Callable[[sqlite3.Connection], R]) -> R:
        with translated():
            return await self._runner.run(work)
