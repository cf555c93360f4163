"""Worktrees that nobody owes any more: left by a daemon that died between two steps, discarded before anything starts.

What is discarded is rescued first, by the workspace: no commit and no changed file is lost.  A repository that is gone
or a goal that cannot be read is left as it is, and said.
"""

from harnd.actors.places import held, place_of
from harnd.daemon.logs import log
from harnd.domain.goal.codec import UnreadableEventError, fold
from harnd.domain.goal.due import due
from harnd.domain.goal.goal import Goal
from harnd.ports.errors import PortError
from harnd.ports.workspace import Place
from harnd.ports.world import World
from protocol.ids import GoalId


async def discard_unowned(world: World) -> int:
    """Discard what is no place of anything that a stored goal owes or has parked; return how many there were."""
    occupied = await world.workspace.occupied()
    discarded = 0
    for name in sorted({found.goal for found in occupied}):
        goal = await _read(world, name)
        if goal is None:
            continue
        owed = {place_of(goal, effect) for effect in due(goal, world.clock.now())} | held(goal)
        places = {
            Place(goal.intent.repository, name, each.work, each.attempt) for each in occupied if each.goal == name
        }
        for place in sorted(places - owed, key=lambda place: (place.work, place.attempt)):
            discarded += await _discard(world, place)
    return discarded


async def _read(world: World, goal: GoalId) -> Goal | None:
    try:
        return fold((event.at, event.body) for event in await world.store.read(goal))
    except UnreadableEventError as error:
        log.warning("worktrees.kept", goal=goal, error=str(error))
        return None


async def _discard(world: World, place: Place) -> int:
    try:
        await world.workspace.discard(place)
    except PortError as error:
        log.warning("worktrees.kept", goal=place.goal, work=place.work, error=str(error))
        return 0
    return 1
