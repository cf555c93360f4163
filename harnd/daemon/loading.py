"""Loading: a goal as its stored events make it, for reading only.

Nothing is leased and nobody's supervisor is asked, so a goal that rests stays at rest and one that is stuck can be
looked at.  What was folded last is kept for a few goals; next time only the events past it are read.
"""

from collections import OrderedDict
from typing import Final

import anyio.lowlevel

from harnd.domain.goal.codec import UnreadableEventError, fold
from harnd.domain.goal.goal import Goal
from harnd.ports.store import EventStore, Recorded
from protocol.errors import Refusal
from protocol.ids import GoalId

KEPT: Final = 16
STRETCH: Final = 200  # events folded before others get a turn


class Loader:
    """Goals by id, each at the version of its stream."""

    def __init__(self, store: EventStore, *, keep: int = KEPT) -> None:
        self._store = store
        self._keep = keep
        self._folded: OrderedDict[GoalId, Goal] = OrderedDict()

    def __repr__(self) -> str:
        return f"<Loader {' '.join(f'{name}@{goal.version}' for name, goal in self._folded.items())}>"

    async def load(self, name: GoalId) -> Goal:
        """Return the goal as it is stored now; raises `Refusal` when there is none or it cannot be read."""
        known = self._folded.get(name)
        tail = await self._store.read(name, after=known.version if known else 0)
        goal = await _folded(name, tail, known)
        if goal is None:
            raise unknown_goal(name)
        self._remember(name, goal)
        return goal

    def _remember(self, name: GoalId, goal: Goal) -> None:
        # Somebody may have read further meanwhile; going back to an earlier version costs a few events and no more.
        self._folded[name] = goal
        self._folded.move_to_end(name)
        if len(self._folded) > self._keep:
            self._folded.popitem(last=False)


def unknown_goal(name: GoalId) -> Refusal:
    """Say that there is no such goal."""
    return Refusal("goal.unknown", f"there is no goal {name}", fix="harnctl goal list")


async def _folded(name: GoalId, events: list[Recorded], goal: Goal | None) -> Goal | None:
    for start in range(0, len(events), STRETCH):
        stretch = events[start : start + STRETCH]
        try:
            goal = fold(((event.at, event.body) for event in stretch), goal)
        except UnreadableEventError as error:
            raise Refusal(
                "goal.unreadable",
                f"an event of goal {name} cannot be read by this harnd: {error}",
                fix="start the harnd that wrote it",
                details={"goal": name, "after_version": goal.version if goal else 0},
            ) from error
        await anyio.lowlevel.checkpoint()
    return goal
