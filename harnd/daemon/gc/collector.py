"""The collector: says what may go, or lets it go, and what is left."""

import shutil
from collections import Counter
from collections.abc import Iterator
from typing import Final

import anyio.to_thread

from harnd.daemon.gc.kinds import KINDS, Garbage
from harnd.daemon.gc.survey import Survey, take
from harnd.daemon.loading import Loader
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.position import position
from harnd.domain.measures import count
from harnd.ports.errors import PortError
from harnd.ports.keeping import Kept, Shelf
from harnd.ports.world import World
from protocol.bounds import GARBAGE_LISTED
from protocol.ids import GoalId
from protocol.values import Micros, Phase
from protocol.views import DiskRow, GarbageItem, GarbageKind, GarbageRow, GcView

NO_SUCH_GOAL: Final = "there is no such goal"


class Collector:
    """Clears away under one state directory."""

    def __init__(self, world: World, goals: Loader, state: str) -> None:
        self._world = world
        self._goals = goals
        self._state = state

    def __repr__(self) -> str:
        return f"<Collector {self._state}>"

    async def look(self, older_than: Micros) -> GcView:
        """Say what would go; nothing does."""
        survey, found, stays = await self._found(older_than)
        return await self._view(survey, found, stays, older_than, removed=False)

    async def collect(self, older_than: Micros) -> GcView:
        """Let go of everything that may; what cannot be removed is said, and the rest goes all the same."""
        survey, found, stays = await self._found(older_than)
        gone: list[Garbage] = []
        for each in found:
            try:
                if await each.remove():
                    gone.append(each)
                else:
                    stays.append(f"{_told(each)} stays: it is in use")
            except PortError as error:
                stays.append(f"{_told(each)} stays: {error}")
        return await self._view(survey, gone, stays, older_than, removed=True)

    async def _found(self, older_than: Micros) -> tuple[Survey, list[Garbage], list[str]]:
        survey = await take(self._world, self._goals, older_than)
        found: list[Garbage] = []
        stays = list(_unjudged(survey))
        for kind, find in KINDS.items():
            try:
                found += [each async for each in find(self._world, survey)]
            except PortError as error:
                stays.append(f"{kind} stay: {error}")
        return survey, found, stays

    # --- what is said

    async def _view(
        self, survey: Survey, garbage: list[Garbage], stays: list[str], older_than: Micros, *, removed: bool
    ) -> GcView:
        largest = sorted(garbage, key=lambda each: (-each.size, each.kind, each.name))[:GARBAGE_LISTED]
        things, sizes = Counter(each.kind for each in garbage), Counter[GarbageKind]()
        for each in garbage:
            sizes[each.kind] += each.size
        return GcView(
            removed=removed,
            older_than=older_than,
            rows=tuple(GarbageRow(kind=kind, things=things[kind], bytes=sizes[kind]) for kind in KINDS),
            items=tuple(GarbageItem(kind=one.kind, name=one.name, goal=one.goal, bytes=one.size) for one in largest),
            omitted=len(garbage) - len(largest),
            stays=tuple(stays),
            goals=await self._disk(survey),
            database=await self._database(),
            free=await anyio.to_thread.run_sync(_free, self._state),
        )

    async def _disk(self, survey: Survey) -> tuple[DiskRow, ...]:
        weights, outputs = Counter[GoalId](), Counter[GoalId | None]()
        for each in await self._world.workspace.occupied():
            weights[each.goal] += await self._world.workspace.weight(each)
        for kept in await self._inventory(Shelf.OUTPUTS):
            outputs[kept.goal] += kept.size
        sizes = {kept.name: kept.size for kept in await self._inventory(Shelf.TEXTS)}
        return tuple(
            DiskRow(
                goal=name,
                phase=self._phase(goal),
                worktrees=weights[name],
                outputs=outputs[name],
                texts=sum(sizes.get(digest, 0) for digest in survey.named.get(name, ())),
                rescued=len(survey.refs[name].rescued) if name in survey.refs else None,
            )
            for name, goal in survey.goals.items()
        )

    def _phase(self, goal: Goal) -> Phase:
        return position(goal, self._world.clock.now()).phase

    async def _inventory(self, shelf: Shelf) -> tuple[Kept, ...]:
        keeping = self._world.shelves.get(shelf)
        try:
            return await keeping.inventory() if keeping is not None else ()
        except PortError:  # which has been said by the kind of the shelf
            return ()

    async def _database(self) -> int | None:
        try:
            health = await self._world.store.health()
        except PortError:
            return None
        return health.size_bytes + health.wal_bytes


def _unjudged(survey: Survey) -> Iterator[str]:
    """Say whose things could not be judged, and are left alone."""
    yield from (f"everything of {name} stays: {why}" for name, why in survey.unread.items())
    yield from (f"worktrees and refs of {name} stay: {why}" for name, why in survey.unreached.items())
    unknown = Counter(each.goal for each in survey.occupied if each.goal not in {*survey.goals, *survey.unread})
    for name, number in sorted(unknown.items()):
        yield f"{count(number, 'worktree')} of {name} {'stays' if number == 1 else 'stay'}: {NO_SUCH_GOAL}"


def _told(garbage: Garbage) -> str:
    whose = f" of {garbage.goal}" if garbage.goal is not None else ""
    return f"{garbage.name}{whose} ({garbage.kind})"


def _free(state: str) -> int | None:
    try:
        return shutil.disk_usage(state).free
    except OSError:
        return None
