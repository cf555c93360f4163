"""Supervision: how often an actor that failed is started again, and when it is given up.

The budget is counted over a window, so that a failure once a day is never held against an actor.
"""

from collections import deque
from typing import Final

from protocol.values import SECOND, Instant

RESTARTS: Final = 5
WINDOW_S: Final = 300
_FIRST_PAUSE_US: Final = 200_000
_LONGEST_PAUSE_S: Final = 60


class RestartBudget:
    """The restarts of one actor."""

    def __init__(self) -> None:
        self._failures: deque[Instant] = deque(maxlen=RESTARTS + 1)

    def __repr__(self) -> str:
        return f"<RestartBudget failures={len(self._failures)} of {RESTARTS}>"

    def failed(self, now: Instant) -> Instant | None:
        """Note a failure; return when to start again, or None when the budget is spent."""
        while self._failures and self._failures[0] <= now - WINDOW_S * SECOND:
            self._failures.popleft()
        self._failures.append(now)
        if len(self._failures) > RESTARTS:
            return None
        return Instant(now + pause(len(self._failures)))


def pause(failures: int) -> int:
    """Return how long to wait after so many failures in a row, in microseconds."""
    return int(min(_FIRST_PAUSE_US * 2 ** min(failures - 1, 20), _LONGEST_PAUSE_S * SECOND))
