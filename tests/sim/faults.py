"""Faults: the points at which a daemon can die, and the ports that pass through them.

A point is a named place between two steps of the engine.  A crash there lets nothing more be stored by this
incarnation, ends its tasks, and leaves the disk as it is.
"""

import random
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import msgspec

from harnd.ports.errors import UnavailableError
from harnd.ports.sessions import CommandTask, Ended, SessionEnd, SessionTask
from harnd.ports.store import Append, Recorded
from protocol.ids import InstanceId
from protocol.values import SECOND, Micros

if TYPE_CHECKING:
    from tests.sim.engine import Disk

R = TypeVar("R")


class Faults:
    """Which points are crashed at: the `crash_at`-th one reached, or each with `chance`, `most` times in all.

    `theft` is the chance that another instance takes the lease before an append.
    """

    def __init__(
        self,
        *,
        crash_at: int | None = None,
        chance: float = 0.0,
        theft: float = 0.0,
        most: int = 5,
        seed: int = 0,
    ) -> None:
        self._crash_at = crash_at
        self._theft = theft
        self._chance = chance
        self._most = most
        self._dice = random.Random(seed)
        self.passed = 0
        self.crashes = 0

    def strikes(self) -> bool:
        """Tell whether the point just reached is crashed at."""
        self.passed += 1
        if self.passed == self._crash_at:
            return True
        return self.crashes < self._most and self._dice.random() < self._chance

    def steals(self) -> bool:
        """Tell whether somebody else takes the lease before the next append."""
        return self._dice.random() < self._theft


class _Faulty:
    def __init__(self, inner: Any, disk: "Disk", faults: Faults, scope: anyio.CancelScope) -> None:
        self._inner = inner
        self._disk = disk
        self._faults = faults
        self._scope = scope
        self._dead = False

    async def _point(self, name: str) -> None:
        if self._faults.strikes():
            self._faults.crashes += 1
            self._dead = True
            self._disk.note(f"crash at {name} (point {self._faults.passed})")
            self._disk.machine.crash()
            self._scope.cancel()
            await anyio.lowlevel.checkpoint()

    async def _around(self, name: str, call: Callable[[], Awaitable[R]]) -> R:
        await self._point(f"before {name}")
        outcome = await call()
        if self._scope.cancel_called:
            await anyio.lowlevel.checkpoint()  # the dead notice nothing
        await self._point(f"after {name}")
        return outcome

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class FaultyStore(_Faulty):
    """A store with a point before and after every append."""

    async def append(self, change: Append) -> tuple[Recorded, ...]:
        tags = ",".join(fact.tag for fact in change.facts)
        if self._scope.cancel_called:
            raise UnavailableError("the daemon is dead")
        if self._faults.steals():
            await self._steal(change)
        await self._point(f"before append {tags}")
        recorded: tuple[Recorded, ...] = await self._inner.append(change)
        self._disk.note(f"append {change.stream} fence={change.fence} {tags}")
        self._disk.invariants.appended(change, recorded)
        await self._point(f"after append {tags}")
        return recorded

    async def _steal(self, change: Append) -> None:
        thief = InstanceId("thief")
        await self._inner.usurp(thief)
        lease = await self._inner.acquire(change.stream, thief, Micros(30 * SECOND))
        self._disk.note(f"lease stolen under fence {lease.fence}")


class FaultySessions(_Faulty):
    """Sessions with a point before and after every call, in circumstances that pass."""

    async def run(self, task: SessionTask) -> SessionEnd:
        self._disk.invariants.effect_started(task.key)
        self._disk.note(f"session {task.key}")
        prompt = self._disk.mission.circumstances(task.prompt, anyio.current_time())
        task = msgspec.structs.replace(task, prompt=prompt)
        end: SessionEnd = await self._around(f"session {task.key}", lambda: self._inner.run(task))
        self._disk.invariants.effect_ended(task.key, end)
        return end


class FaultyCommands(_Faulty):
    """Commands with a point before and after every run."""

    async def run(self, task: CommandTask) -> Ended:
        self._disk.invariants.effect_started(task.key)
        if self._disk.mission.is_unplugged(task.key, anyio.current_time()):
            task = msgspec.structs.replace(task, argv=("unplugged", *task.argv))
        ended: Ended = await self._around(f"command {task.key}", lambda: self._inner.run(task))
        if not task.fresh:
            self._disk.invariants.effect_ended(task.key, ended)
        return ended


class FaultyWorkspace(_Faulty):
    """A workspace with a point before and after everything that changes it, or that much is decided by."""

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._inner, name)
        if name not in (
            "open_branch",
            "open_worktree",
            "snapshot",
            "record",
            "checkout",
            "merge",
            "advance",
            "discard",
        ):
            return method

        async def wrapped(*args: Any, **kwargs: Any) -> Any:
            return await self._around(f"workspace {name}", lambda: method(*args, **kwargs))

        return wrapped
