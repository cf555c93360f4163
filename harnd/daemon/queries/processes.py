"""Processes: what runs at this moment, oldest first."""

from harnd.daemon.queries.about import Sources
from harnd.ports.processes import LiveProcess
from protocol import ids
from protocol.ids import GoalId, WorkId
from protocol.values import Instant, Micros
from protocol.views import ProcessList, ProcessView


async def listed(sources: Sources) -> ProcessList:
    """List every live process that harnd started."""
    live = await sources.world.processes.live()
    now = sources.now()
    return ProcessList(tuple(_view(process, now) for process in live))


def _view(process: LiveProcess, now: Instant) -> ProcessView:
    _, goal, kind, subject, *_ = process.key.split("/")  # `goal/billing/work/p1.parser/…` or `goal/billing/plan/2/…`
    return ProcessView(
        effect=process.key,
        pid=process.pid,
        age=Micros(max(0, now - process.started)),
        goal=GoalId(goal),
        work=WorkId(subject) if kind == "work" and ids.matches(ids.WORK_ID, subject) else None,
    )
