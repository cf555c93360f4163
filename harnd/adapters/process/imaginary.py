"""Imaginary processes: keys that complete once, on a machine that exists in memory only.

The machine outlives its daemon, as a disk does.  `crash` is the daemon's death: from then on nothing is stored, so what
was under way is lost when the next daemon, after `restart`, asks for it.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import TypeAlias, TypeVar

import anyio

from harnd.adapters.process import words
from harnd.adapters.process.text import NOTHING
from harnd.adapters.process.turns import Turns
from harnd.ports.errors import MissingError
from harnd.ports.sessions import Ended, Ending, SessionEnd
from protocol.ids import EffectKey
from protocol.values import Micros

FilesAt: TypeAlias = Callable[[str], MutableMapping[str, bytes]]
"""Gives the files at an absolute path, by relative path, to read and to write; raises `MissingError`."""

E = TypeVar("E", Ended, SessionEnd)


def among(*places: FilesAt) -> FilesAt:
    """Give the files at a path from the first of these that has it."""

    def files(path: str) -> MutableMapping[str, bytes]:
        for place in places:
            with suppress(MissingError):
                return place(path)
        raise MissingError(f"there is no directory {path}")

    return files


class ImaginaryMachine:
    """What is left when an imaginary daemon dies: receipts, and results."""

    def __init__(self) -> None:
        self._receipts: dict[EffectKey, float] = {}  # and when it was taken, by the loop's clock
        self._results: dict[EffectKey, tuple[Ended | SessionEnd, float]] = {}
        self._playing: set[EffectKey] = set()
        self._crashed = False
        self._turns = Turns()

    def __repr__(self) -> str:
        state = "crashed" if self._crashed else "up"
        return f"<ImaginaryMachine {state} receipts={len(self._receipts)} results={len(self._results)}>"

    def crash(self) -> None:
        """Let the daemon die: nothing that it still does leaves a trace.  Cancel its tasks next."""
        self._crashed = True

    def restart(self) -> None:
        """Let the next daemon begin."""
        self._crashed = False
        self._turns = Turns()
        self._playing.clear()

    def playing(self) -> list[tuple[EffectKey, float]]:
        """Return the keys that are under way, each with its beginning by the loop's clock, oldest first."""
        return [(key, began) for key, began in self._receipts.items() if key in self._playing]

    def began(self, key: EffectKey) -> float | None:
        """Return when a key was started, by the loop's clock; None when it was not."""
        return self._receipts.get(key)

    def result(self, key: EffectKey) -> tuple[Ended | SessionEnd, float] | None:
        """Return how a key ended, and when by the loop's clock; None when it did not."""
        return self._results.get(key)

    async def once(
        self,
        key: EffectKey,
        play: Callable[[], Awaitable[E]],
        *,
        cut: Callable[[Ending], E],
        fresh: bool,
        anew: bool = False,
    ) -> E:
        """Play the key to its end, or tell how it ended earlier; `cut` words an end that is not the key's own."""
        async with self._turns.of(key):
            if not anew and (known := self._known(key, cut, fresh=fresh)) is not None:
                return known
            self._take_receipt(key)
            try:
                end = await play()
            except anyio.get_cancelled_exc_class():
                self._store(key, cut(Ending.INTERRUPTED))
                raise
            finally:
                self._playing.discard(key)
            self._store(key, end)
            return end

    def _take_receipt(self, key: EffectKey) -> None:
        self._receipts.pop(key, None)  # a key that runs again begins again
        self._results.pop(key, None)
        self._receipts[key] = anyio.current_time()
        self._playing.add(key)

    def _known(self, key: EffectKey, cut: Callable[[Ending], E], *, fresh: bool) -> E | None:
        if key not in self._receipts:
            return None
        lost = cut(Ending.LOST)
        known = self._results[key][0] if key in self._results else lost
        ended = known.ended if isinstance(known, SessionEnd) else known
        if fresh and ended.ending in (Ending.LOST, Ending.INTERRUPTED):
            return None
        if not isinstance(known, type(lost)):
            raise TypeError(f"{key} is the key of a {type(known).__name__}")
        return known

    def _store(self, key: EffectKey, end: Ended | SessionEnd) -> None:
        if not self._crashed:
            self._results[key] = (end, anyio.current_time())


def cut_short(ending: Ending) -> Ended:
    """Return the end of a process that came to none of its own."""
    return _without_output(ending, words.ended(ending, killed=0, limit=Micros(0), last_words=""))


def not_started(why: str) -> Ended:
    """Return the end of a process that never began."""
    return _without_output(Ending.NOT_STARTED, why)


def _without_output(ending: Ending, detail: str) -> Ended:
    return Ended(ending, None, NOTHING, NOTHING, Micros(0), detail=detail)
