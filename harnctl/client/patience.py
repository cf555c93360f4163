"""Patience: which errors pass by themselves, how long somebody waits for that, and how long between two tries.

A daemon that is restarted is gone for a moment, and one that is stopping or full says so.  Asking again is safe: a
question changes nothing, and a change carries a key under which it is made once.  No clock is read here.
"""

from collections.abc import Iterator
from itertools import chain, repeat
from typing import Final

from harnctl.client.errors import Barred, ClientError, Late, Lost, Refused, Unreachable
from protocol.errors import Family, family_of
from protocol.requests import Change

PAUSES: Final = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0)  # seconds, and then the last one again and again


class Patience:
    """The tries at one question, or at one subscription that broke."""

    def __init__(self, seconds: float, *, now: float) -> None:
        """Begin at `now`, on a clock that only goes forward."""
        self._until = now + seconds
        self._pauses: Iterator[float] = chain(PAUSES, repeat(PAUSES[-1]))
        self._unsure = False
        self._lost = False

    def __repr__(self) -> str:
        return f"<Patience until={self._until} unsure={self._unsure}>"

    def pause(self, error: ClientError, *, now: float) -> float | None:
        """Return how many seconds to wait before the next try; None when it is of no use, or too late."""
        self._unsure = self._unsure or isinstance(error, Lost | Late)
        if not passes(error):
            return None
        if isinstance(error, Lost) and not self._lost:  # most often a restart; the first try after it costs no patience
            self._lost = True
            return 0.0
        left = self._until - now
        return min(next(self._pauses), left) if left > 0 else None

    def last_word(self, error: ClientError, request: object) -> ClientError:
        """Return the error to give up with, which tells whether a change may have been made."""
        if self._unsure and isinstance(request, Change) and passes(error):
            kind = Late if isinstance(error, Late) else Lost
            said = f"{error.message}; whether the change was made is not known"
            return kind(said, fix=error.fix, details=error.details)
        return error


def passes(error: ClientError) -> bool:
    """Tell whether an error may pass by itself, when the daemon is back or has room."""
    if isinstance(error, Refused):
        return family_of(error.code) is Family.TRY_LATER
    return isinstance(error, Unreachable) and not isinstance(error, Barred)
