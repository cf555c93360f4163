"""The lease keeper: renews every live lease of the daemon in one batch, and tells who has lost theirs.

With no live lease it sleeps without a timer.
"""

from collections.abc import Callable
from typing import Final

import anyio

from harnd.ports.clock import Clock
from harnd.ports.errors import UnavailableError
from harnd.ports.store import EventStore, Lease
from protocol import bounds
from protocol.ids import GoalId, InstanceId
from protocol.values import SECOND, Instant, Micros

TTL: Final = Micros(bounds.LEASE_S * SECOND)


class LeaseKeeper:
    """Holds the leases of one daemon instance."""

    def __init__(self, store: EventStore, clock: Clock, holder: InstanceId, lost: Callable[[GoalId], None]) -> None:
        self._store = store
        self._clock = clock
        self._holder = holder
        self._lost = lost
        self._live: dict[GoalId, Lease] = {}
        self._any = anyio.Event()

    def __repr__(self) -> str:
        return f"<LeaseKeeper live={len(self._live)}>"

    async def acquire(self, goal: GoalId) -> Lease:
        """Take the lease of a goal and keep it; raises `LeaseHeldError`."""
        lease = await self._store.acquire(goal, self._holder, TTL)
        self._live[goal] = lease
        self._any.set()
        return lease

    def held(self, goal: GoalId) -> Lease | None:
        """Return the lease of a goal, or None when it is not ours."""
        return self._live.get(goal)

    async def release(self, lease: Lease) -> None:
        """Give a lease back; a newer grant to somebody else is not touched."""
        self._live.pop(lease.stream, None)
        await self._store.release(lease)

    async def run(self) -> None:
        """Renew until cancelled."""
        while True:
            await self._any.wait()
            await self._clock.sleep_until(Instant(self._clock.now() + TTL // 3))
            if self._live:
                await self._renew()
            else:
                self._any = anyio.Event()

    async def _renew(self) -> None:
        try:
            lost = await self._store.renew(tuple(self._live.values()), TTL)
        except UnavailableError:
            return  # the leases stand for two more rounds, and the store checks the fence of every append
        for goal in sorted(lost):
            self._live.pop(goal, None)
            self._lost(goal)
