"""The survey: everything that decides what may go, looked at once, before anything goes.

The order matters.  Attempts on the disk are listed before goals are read, so that whatever is listed had been started
by then, and a goal that is read later knows it.
"""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import anyio

from harnd.daemon.loading import Loader
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.leftovers import busy_since
from harnd.ports.errors import PortError
from harnd.ports.workspace import KeptRefs, Occupied
from harnd.ports.world import World
from protocol.errors import Refusal
from protocol.ids import GoalId
from protocol.values import SECOND, Instant, Micros

GIT_S: Final = 30.0  # for one repository; one on a dead disk must not hold up the rest
PAGE: Final = 500
DIGESTS: Final = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")


@dataclass(frozen=True, slots=True)
class Survey:
    """What was seen."""

    now: Instant
    cutoff: Instant  # what was last needed before this is old
    occupied: tuple[Occupied, ...]
    goals: Mapping[GoalId, Goal]
    unread: Mapping[GoalId, str]  # goals that this harnd cannot read, and why
    refs: Mapping[GoalId, KeptRefs]
    unreached: Mapping[GoalId, str]  # goals whose repository does not tell, and why
    named: Mapping[GoalId, frozenset[str]]  # digests that a goal's events name

    @property
    def untouched_since(self) -> Instant:
        """Return the instant before which everything that was written and is needed is named by an event."""
        starts = (busy_since(goal) for goal in self.goals.values())
        # Files are dated by a clock that ticks a few hundred times a second.
        return min((Instant(at - SECOND) for at in starts if at is not None), default=self.now)


async def take(world: World, goals: Loader, older_than: Micros) -> Survey:
    """Look at everything."""
    now = world.clock.now()
    occupied = await world.workspace.occupied()
    read: dict[GoalId, Goal] = {}
    unread: dict[GoalId, str] = {}
    for row in await world.store.goals():
        try:
            read[row.goal] = await goals.load(row.goal)
        except Refusal as refusal:
            unread[row.goal] = refusal.message
    refs: dict[GoalId, KeptRefs] = {}
    unreached: dict[GoalId, str] = {}
    for name, goal in read.items():
        found = await _refs(world, goal)
        if isinstance(found, KeptRefs):
            refs[name] = found
        else:
            unreached[name] = found
    cutoff = Instant(now - older_than)
    return Survey(now, cutoff, occupied, read, unread, refs, unreached, await _named(world))


async def _refs(world: World, goal: Goal) -> KeptRefs | str:
    intent = goal.intent
    try:
        with anyio.fail_after(GIT_S):
            return await world.workspace.kept_refs(intent.repository, intent.goal)
    except TimeoutError:
        return f"git did not answer within {GIT_S:g} seconds"
    except PortError as error:
        return str(error)


async def _named(world: World) -> dict[GoalId, frozenset[str]]:
    """Collect whatever looks like a digest in any event, also in one that this harnd cannot read."""
    found: defaultdict[GoalId, set[str]] = defaultdict(set)
    after = 0
    while page := await world.store.read_all(after=after, limit=PAGE):
        for event in page:
            found[event.stream].update(digest.decode() for digest in DIGESTS.findall(event.body))
        after = page[-1].seq
    return {goal: frozenset(digests) for goal, digests in found.items()}
