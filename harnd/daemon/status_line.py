"""The status line: how the daemon stands, in one sentence that the service manager shows.

It is written anew when something has happened, at most once in `PAUSE_S`, and said only when it reads differently.
While nothing happens nobody wakes.
"""

from collections import Counter
from collections.abc import Callable
from typing import Final

import anyio

from harnd.domain.measures import count
from harnd.ports.errors import PortError
from harnd.ports.store import EventStore, GoalRow
from protocol.values import Phase

PAUSE_S: Final = 1.0
OVER: Final = (Phase.SUCCEEDED, Phase.CANCELLED)


class StatusLine:
    """What was said last, and what there is to say now."""

    def __init__(self, store: EventStore, say: Callable[[str], None], remark: Callable[[], str]) -> None:
        """Say it with `say`; what `remark` has to say comes first."""
        self._store = store
        self._say = say
        self._remark = remark
        self._said = ""
        self._moved = anyio.Event()
        self._ended = False

    def __repr__(self) -> str:
        return f"<StatusLine {self._said!r}>"

    def moved(self) -> None:
        """Take note that something has happened."""
        self._moved.set()

    def end(self) -> None:
        """Say nothing more: the daemon has other things to say now."""
        self._ended = True

    async def text(self) -> str:
        """Write the line, which then counts as said."""
        self._said = self._remark() + await standing(self._store)
        return self._said

    async def run(self) -> None:
        """Keep the line current until cancelled."""
        while True:
            await self._moved.wait()
            self._moved = anyio.Event()  # before looking: what happens meanwhile is looked at again
            before = self._said
            if (now := await self.text()) != before and not self._ended:
                self._say(now)
            await anyio.sleep(PAUSE_S)


async def standing(store: EventStore) -> str:
    """Say how many goals there are, how they stand, and what waits for a person."""
    try:
        rows, asks = await store.goals(), await store.inbox()
    except PortError:
        return "the store does not answer; see `harnctl doctor`"
    waiting = len(asks) + sum(row.parked is not None for row in rows)
    return f"{goals(rows)}; {count(waiting, 'thing')} {'waits' if waiting == 1 else 'wait'} for a person"


def goals(rows: list[GoalRow]) -> str:
    """Count the goals that are not over, by where they stand."""
    phases = Counter(Phase(row.phase) for row in rows if row.phase not in OVER)
    if not phases:
        return "no goal is under way"
    parts = ", ".join(f"{phases[phase]} {phase.replace('_', ' ')}" for phase in Phase if phases[phase])
    return f"{count(phases.total(), 'goal')}: {parts}"
