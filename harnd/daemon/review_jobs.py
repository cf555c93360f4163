"""Directories of review jobs that nobody needs any more: left by a daemon that died, removed before anything starts.

What a worker wrote is kept with the report of its attempt, so that nothing is rescued first.  As long as one goal
cannot be read, nobody can tell whose a directory is, and all of them stay.
"""

from harnd.daemon.logs import log
from harnd.domain.goal.codec import UnreadableEventError, fold
from harnd.ports.errors import PortError
from harnd.ports.world import World


async def discard_unowned(world: World) -> int:
    """Remove what belongs to no attempt of a reviewer that is still to report; return how many there were."""
    try:
        lying = await world.review_jobs.lying()
        leased = await _leased(world) if lying else set[str]()
        unowned = [token for token in lying if token not in leased]
        for token in unowned:
            await world.review_jobs.discard(token)
    except (PortError, UnreadableEventError) as error:
        log.warning("review_jobs.kept", error=str(error))
        return 0
    return len(unowned)


async def _leased(world: World) -> set[str]:
    tokens: set[str] = set()
    for row in await world.store.goals():
        goal = fold((event.at, event.body) for event in await world.store.read(row.goal))
        leases = (attempt.lease for _, _, attempt in goal.open_jobs()) if goal is not None else ()
        tokens |= {lease.token for lease in leases if lease is not None}
    return tokens
