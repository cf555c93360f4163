"""`simulate`: the whole engine from objective to its end, on trio's mock clock, repeatable from a seed.

The scheduler's dice are trio's own and private; they are touched in one place, here, and a test fails loudly should
they vanish.  A failing run prints its seed and the end of its trace.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import anyio
import trio.testing
from trio._core import _run as scheduler

from harnd.domain.goal.goal import Ending, Goal
from protocol.ids import TreeId
from protocol.values import WorkState
from tests.sim.engine import Disk, daemon
from tests.sim.faults import Faults
from tests.sim.missions import REPOSITORY, SimMission
from tests.sim.people import Operator

_TRACE_SHOWN = 40
_MOST_INCARNATIONS = 60
_VIRTUAL_DAYS = 20 * 24 * 3600


@dataclass(frozen=True)
class Result:
    """How a simulated mission ended."""

    ending: Ending | None
    tree: TreeId
    accepted: tuple[str, ...]
    points: int
    crashes: int
    trace: tuple[str, ...]
    goal: Goal
    disk: Disk

    @property
    def outcome(self) -> tuple[Ending | None, TreeId, tuple[str, ...]]:
        """What must be the same after crashes: phase, tree and accepted work."""
        return self.ending, self.tree, self.accepted


def simulate(mission: SimMission, *, seed: int = 0, faults: Faults | None = None, moody: bool = False) -> Result:
    """Run one mission to its end and check every invariant on the way."""
    disk = Disk(mission, seed)
    chosen = faults or Faults()
    try:
        return seeded(seed, lambda: _live(disk, chosen, Operator(seed, moody=moody)))
    except BaseException as error:
        tail = "\n".join(disk.trace[-_TRACE_SHOWN:])
        error.add_note(f"seed {seed}, after {disk.incarnations} incarnations; the last of the trace:\n{tail}")
        raise


def seeded(seed: int, main: Callable[[], Awaitable[Result]]) -> Result:
    """Run an async function on a mock clock with a scheduler that follows from the seed."""
    inside: dict[str, Any] = scheduler.__dict__
    assert "_ALLOW_DETERMINISTIC_SCHEDULING" in inside, "trio has renamed its switch"
    inside["_ALLOW_DETERMINISTIC_SCHEDULING"] = True
    inside["_r"].seed(seed)
    clock = trio.testing.MockClock(autojump_threshold=0)
    return anyio.run(main, backend="trio", backend_options={"clock": clock})


async def _live(disk: Disk, faults: Faults, operator: Operator) -> Result:
    with anyio.fail_after(_VIRTUAL_DAYS):
        while not operator.is_content(disk.invariants.goal):
            if disk.incarnations > _MOST_INCARNATIONS:
                raise AssertionError("the goal never ends")
            await _incarnation(disk, faults, operator)
    await disk.invariants.at_rest()
    return await _result(disk, faults)


async def _incarnation(disk: Disk, faults: Faults, operator: Operator) -> None:
    async with daemon(disk, faults) as running:
        if disk.invariants.goal is None:
            await running.create(disk.mission, disk.base)
        await operator.attend(disk, running)
    if disk.invariants.bugs:
        raise disk.invariants.bugs[0]


async def _result(disk: Disk, faults: Faults) -> Result:
    goal = disk.invariants.goal
    assert goal is not None
    accepted = tuple(sorted(item.id for item in goal.work.values() if goal.state_of(item) is WorkState.SUCCEEDED))
    return Result(
        ending=goal.ending,
        tree=await disk.workspace.tree(REPOSITORY, goal.head),
        accepted=accepted,
        points=faults.passed,
        crashes=faults.crashes,
        trace=tuple(disk.trace),
        goal=goal,
        disk=disk,
    )
