"""A clock and dice for tests and simulations: the event loop's own time, and names that follow from a seed.

Under trio's mock clock a year passes as fast as nothing happens in it, and the same seed gives the same world.
"""

import hashlib
from itertools import count
from typing import Final

import anyio
import anyio.lowlevel

from protocol.values import SECOND, Instant

EPOCH: Final = Instant(1_767_225_600 * SECOND)  # 2026-01-01


class VirtualClock:
    """Wall time that starts at `epoch` and goes with the event loop's clock."""

    def __init__(self, epoch: Instant = EPOCH) -> None:
        self._epoch = epoch

    def now(self) -> Instant:
        """Tell the time, in UTC microseconds; needs a running event loop."""
        return Instant(self._epoch + round(anyio.current_time() * SECOND))

    async def sleep_until(self, at: Instant) -> None:
        """Return at `at` or a little later."""
        await anyio.lowlevel.checkpoint()
        while (left := at - self.now()) > 0:  # again, because seconds as floats may fall a microsecond short
            seconds = left / SECOND
            await anyio.sleep(seconds)


class SeededEntropy:
    """Names that follow from a seed, all different; a world has one and keeps it across crashes."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._numbers = count()

    def token(self) -> str:
        """Make the next 32 hex digits."""
        return hashlib.sha256(f"{self._seed}/{next(self._numbers)}".encode()).hexdigest()[:32]
