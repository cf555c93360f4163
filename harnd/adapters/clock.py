"""The machine's clock."""

import time
from typing import Final

import anyio
import anyio.lowlevel

from protocol.values import SECOND, Instant

_LONGEST_NAP_S: Final = 60.0


class SystemClock:
    """The machine's wall clock."""

    def now(self) -> Instant:
        """Tell the time, in UTC microseconds."""
        return Instant(time.time_ns() // 1_000)

    async def sleep_until(self, at: Instant) -> None:
        """Return at `at` or a little later, within a minute of a suspend's end or a change of the clock."""
        await anyio.lowlevel.checkpoint()
        # Timers of an event loop run on the monotonic clock, which stands still in a suspend and does not follow when
        # the wall clock is set.  So a long sleep is made of naps, and the wall clock is read after each.
        while (left := at - self.now()) > 0:
            nap = min(left / SECOND, _LONGEST_NAP_S)
            await anyio.sleep(nap)
