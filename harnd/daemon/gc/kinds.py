"""Kinds: for each kind of thing that piles up, what of it may go, and how it goes.

A new kind is a function here, a line in `KINDS`, a member of `GarbageKind`, and what it keeps is a `Shelf`.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from harnd.daemon.gc.survey import Survey
from harnd.domain.goal.leftovers import is_over
from harnd.ports.keeping import Keeping, Kept, Shelf
from harnd.ports.workspace import Occupied, Place
from harnd.ports.world import World
from protocol.ids import GoalId
from protocol.values import SECOND, Instant, Micros
from protocol.views import GarbageKind

# A blob is put before the event that names it, by whatever puts one: no such thing takes an hour.
NOT_YET_NAMED: Final = Micros(3600 * SECOND)


@dataclass(frozen=True, slots=True)
class Garbage:
    """One thing that may go."""

    kind: GarbageKind
    name: str
    goal: GoalId | None
    size: int
    remove: Callable[[], Awaitable[bool]]  # tells whether it is gone


Kind: TypeAlias = Callable[[World, Survey], AsyncIterator[Garbage]]


async def worktrees(world: World, survey: Survey) -> AsyncIterator[Garbage]:
    """Find what attempts that are over left on the disk or as a branch; all of it is rescued before it goes."""
    left = {*survey.occupied, *(each for refs in survey.refs.values() for each in refs.attempts)}
    for each in sorted(left, key=lambda one: (one.goal, one.work, one.attempt)):
        goal = survey.goals.get(each.goal)
        if goal is None or each.goal not in survey.refs or not is_over(goal, each.work, each.attempt):
            continue
        place = Place(goal.intent.repository, each.goal, each.work, each.attempt)
        size = await world.workspace.weight(each)
        name = f"{each.work}.{each.attempt}"
        yield Garbage(GarbageKind.WORKTREES, name, each.goal, size, partial(_discard, world, place, each))


async def refs(world: World, survey: Survey) -> AsyncIterator[Garbage]:
    """Find refs that keep nothing which the goal's branch does not keep."""
    for name, found in survey.refs.items():
        repository = survey.goals[name].intent.repository
        for ref in found.merged:
            yield Garbage(GarbageKind.REFS, ref, name, 0, partial(_forget, world, repository, name))


async def outputs(world: World, survey: Survey) -> AsyncIterator[Garbage]:
    """Find what was kept of processes of goals that ended long enough ago."""
    if (shelf := world.shelves.get(Shelf.OUTPUTS)) is None:
        return
    for kept in await shelf.inventory():
        goal = survey.goals.get(kept.goal) if kept.goal is not None else None
        if goal is not None and goal.ending is not None and max(goal.last_at, kept.written_at) < survey.cutoff:
            yield _on(shelf, kept, GarbageKind.OUTPUTS, before=survey.cutoff)


async def prepared(world: World, survey: Survey) -> AsyncIterator[Garbage]:
    """Find what `prepare` stages built and nobody has used for long enough, nor since what is under way began."""
    if (shelf := world.shelves.get(Shelf.PREPARED)) is None:
        return
    before = min(survey.cutoff, survey.untouched_since)
    for kept in await shelf.inventory():
        if kept.written_at < before:
            yield _on(shelf, kept, GarbageKind.PREPARED, before=before)


async def texts(world: World, survey: Survey) -> AsyncIterator[Garbage]:
    """Find blobs that no event names, and none that is yet to come will name."""
    if (shelf := world.shelves.get(Shelf.TEXTS)) is None:
        return
    named = {digest for digests in survey.named.values() for digest in digests}
    before = min(survey.cutoff, Instant(survey.now - NOT_YET_NAMED), survey.untouched_since)
    for kept in await shelf.inventory():
        if kept.name not in named and kept.written_at < before:
            yield _on(shelf, kept, GarbageKind.TEXTS, before=before)


KINDS: Final[Mapping[GarbageKind, Kind]] = {
    GarbageKind.WORKTREES: worktrees,
    GarbageKind.REFS: refs,
    GarbageKind.OUTPUTS: outputs,
    GarbageKind.PREPARED: prepared,
    GarbageKind.TEXTS: texts,
}


def _on(shelf: Keeping, kept: Kept, kind: GarbageKind, *, before: Instant) -> Garbage:
    remove = partial(shelf.let_go, kept.name, written_before=before)
    return Garbage(kind, kept.name, kept.goal, kept.size, remove)


async def _discard(world: World, place: Place, attempt: Occupied) -> bool:
    await world.workspace.discard(place)
    return not await world.workspace.weight(attempt)  # with somebody at work inside, it stays


async def _forget(world: World, repository: str, goal: GoalId) -> bool:
    await world.workspace.forget_merged(repository, goal)
    return True
