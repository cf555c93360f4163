"""Status: the daemon in one look.  A store that does not answer is said, and what only it knows is left out."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from harnd.daemon.queries.about import Sources
from harnd.domain.measures import MIB, size
from harnd.ports.errors import PortError
from harnd.ports.store import GoalRow, Health
from protocol.values import Micros, Phase
from protocol.views import StatusView, StoreHealth

WAL_BYTES: Final = 64 * MIB  # beyond it the log is not being folded into the database


async def shown(sources: Sources) -> StatusView:
    """Show the daemon in one look."""
    about, now = sources.about, sources.now()
    rows, inbox, health, notes = await _stored(sources)
    return StatusView(
        pid=about.pid,
        version=about.version,
        instance=about.instance,
        uptime=Micros(max(0, now - about.started_at)),
        state_dir=about.state_dir,
        socket=about.socket,
        goals=dict(Counter(Phase(row.phase) for row in rows)),
        running_sessions=len(await sources.world.processes.live()),
        inbox=inbox,
        store=_measured(health) if health else None,
        draining=sources.roster.draining,
        notes=(*notes, *noted(rows, health)),
    )


async def _stored(sources: Sources) -> tuple[list[GoalRow], int, Health | None, list[str]]:
    store = sources.world.store
    try:
        rows = await store.goals()
        inbox = len(await store.inbox()) + sum(row.parked is not None for row in rows)
        return rows, inbox, await store.health(), []
    except PortError as error:
        return [], 0, None, [f"the store does not answer, so goals and inbox are not known: {error}"]


def noted(rows: list[GoalRow], health: Health | None) -> Iterator[str]:
    """Say what a person should look at, a line each."""
    yield from (f"goal {row.goal} is parked: {row.parked}" for row in rows if row.parked is not None)
    if health is not None and health.wal_bytes > WAL_BYTES:
        yield f"the store's log has grown to {size(health.wal_bytes)}"


def _measured(health: Health) -> StoreHealth:
    return StoreHealth(
        engine=health.engine,
        schema=health.schema,
        events=health.events,
        size_bytes=health.size_bytes,
        wal_bytes=health.wal_bytes,
    )
