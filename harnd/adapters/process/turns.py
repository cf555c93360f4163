"""Turns: the same key asked for twice at once is run once, and then found to have ended."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio

from protocol.ids import EffectKey


class Turns:
    """One lock for every key that somebody is at or waits for; its length is the number of those keys."""

    def __init__(self) -> None:
        self._locks: dict[EffectKey, anyio.Lock] = {}

    def __len__(self) -> int:
        return len(self._locks)

    def taken(self, key: EffectKey) -> bool:
        """Tell whether somebody is at the key or waits for it."""
        return key in self._locks

    @asynccontextmanager
    async def of(self, key: EffectKey) -> AsyncGenerator[None]:
        """Hold the key; whoever comes later waits."""
        lock = self._locks.setdefault(key, anyio.Lock())
        try:
            async with lock:
                yield
        finally:
            if not lock.locked() and not lock.statistics().tasks_waiting:
                self._locks.pop(key, None)
