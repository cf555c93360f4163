"""Worktrees that nobody owes any more: left by a daemon that died between two steps, discarded before anything starts.

What is discarded is rescued first, by the workspace: no commit and no changed file is lost.  A repository that is gone
or a goal that cannot be read is left as it is, and said.
"""

from harnd.daemon.logs import log
from harnd.domain.goal.codec import UnreadableEventError, fold
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.work import Standing
from harnd.ports.errors import PortError
from harnd.ports.workspace import Occupied, Place
from harnd.ports.world import World
from protocol.ids import GoalId


async def discard_unowned(world: World) -> int:
    """Discard what no running attempt, call or integration of a stored goal has use for; return how many."""
    goals: dict[GoalId, Goal | None] = {}
    discarded = 0
    for found in await world.workspace.occupied():
        if found.goal not in goals:
            goals[found.goal] = await _read(world, found.goal)
        goal = goals[found.goal]
        if goal is not None and not _in_use(goal, found):
            discarded += await _discard(world, Place(goal.intent.repository, found.goal, found.work, found.attempt))
    return discarded


async def _read(world: World, goal: GoalId) -> Goal | None:
    try:
        return fold((event.at, event.body) for event in await world.store.read(goal))
    except UnreadableEventError as error:
        log.warning("worktrees.kept", goal=goal, error=str(error))
        return None


def _in_use(goal: Goal, found: Occupied) -> bool:
    if goal.ending is not None:
        return False
    item = goal.work.get(found.work)
    if item is None:
        return goal.plan is not None and goal.plan.open_call is not None
    running = item.running is not None and item.running.number == found.attempt
    return running or item.standing is Standing.INTEGRATING


async def _discard(world: World, place: Place) -> int:
    try:
        await world.workspace.discard(place)
    except PortError as error:
        log.warning("worktrees.kept", goal=place.goal, work=place.work, error=str(error))
        return 0
    return 1
