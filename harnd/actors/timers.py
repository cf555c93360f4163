"""The timer queue: one task for all deadlines of the daemon.

It sleeps until the soonest deadline and wakes that goal; with no deadline it does not wake at all.
"""

from collections.abc import Callable

import anyio

from harnd.ports.clock import Clock
from protocol.ids import GoalId
from protocol.values import Instant


class Timers:
    """When which goal wants to be looked at again."""

    def __init__(self, clock: Clock, wake: Callable[[GoalId], None]) -> None:
        self._clock = clock
        self._wake = wake
        self._deadlines: dict[GoalId, Instant] = {}
        self._changed = anyio.Event()

    def __repr__(self) -> str:
        return f"<Timers armed={len(self._deadlines)}>"

    def arm(self, goal: GoalId, at: Instant | None) -> None:
        """Wake the goal at `at`, or (None) not by time."""
        if self._deadlines.get(goal) == at:
            return
        if at is None:
            del self._deadlines[goal]
        else:
            self._deadlines[goal] = at
        self._changed.set()

    async def run(self) -> None:
        """Wake goals until cancelled."""
        while True:
            self._changed = anyio.Event()
            self._wake_passed()
            await self._sleep()

    def _wake_passed(self) -> None:
        now = self._clock.now()
        for goal in sorted(goal for goal, at in self._deadlines.items() if at <= now):
            del self._deadlines[goal]
            self._wake(goal)

    async def _sleep(self) -> None:
        soonest = min(self._deadlines.values(), default=None)
        if soonest is None:
            await self._changed.wait()
            return
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._wait_for_change, tasks.cancel_scope)
            await self._clock.sleep_until(soonest)
            tasks.cancel_scope.cancel()

    async def _wait_for_change(self, scope: anyio.CancelScope) -> None:
        await self._changed.wait()
        scope.cancel()
