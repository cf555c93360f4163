"""The clock: the only source of time."""

from typing import Protocol

from protocol.values import Instant


class Clock(Protocol):
    """Wall time.  It may jump; whoever waits on it looks again after waking."""

    def now(self) -> Instant:
        """Tell the time, in UTC microseconds."""
        ...

    async def sleep_until(self, at: Instant) -> None:
        """Return at `at` or a little later, also when the machine was suspended or the clock was set meanwhile."""
        ...
