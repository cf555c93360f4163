"""The timer queue: one task, the soonest deadline first, and no timer when there is none."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import pytest
import trio.lowlevel

from harnd.actors.timers import Timers
from harnd.adapters.clock import SystemClock
from protocol.ids import GoalId
from protocol.values import SECOND, Instant

BILLING, SEARCH, SHOP = GoalId("billing"), GoalId("search"), GoalId("shop")


class WallClock(SystemClock):
    """A system clock on a wall that can be set: the loop's time, and what somebody added to it."""

    def __init__(self) -> None:
        self.set_by = 0

    def now(self) -> Instant:
        return Instant(round(anyio.current_time() * SECOND) + self.set_by)

    def jump(self, seconds: float) -> None:
        self.set_by += round(seconds * SECOND)


class Bell:
    """Hears which goal is woken, and when by the loop's clock."""

    def __init__(self) -> None:
        self.rung: list[tuple[float, GoalId]] = []
        self.clock = WallClock()
        self.timers = Timers(self.clock, self._ring)

    def _ring(self, goal: GoalId) -> None:
        self.rung.append((round(anyio.current_time(), 3), goal))

    def arm(self, goal: GoalId, seconds: float | None) -> None:
        """Arm a goal so many seconds from now, or not by time."""
        self.timers.arm(goal, None if seconds is None else Instant(self.clock.now() + round(seconds * SECOND)))


@asynccontextmanager
async def running() -> AsyncGenerator[Bell]:
    bell = Bell()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(bell.timers.run)
        await anyio.wait_all_tasks_blocked()
        yield bell
        tasks.cancel_scope.cancel()


async def test_goals_are_woken_soonest_first_each_at_its_time():
    async with running() as bell:
        for goal, seconds in ((SEARCH, 20), (BILLING, 10), (SHOP, 30)):
            bell.arm(goal, seconds)

        await anyio.sleep(100)

        assert bell.rung == [(10, BILLING), (20, SEARCH), (30, SHOP)]
        assert repr(bell.timers) == "<Timers armed=0>"


async def test_goals_of_one_instant_are_woken_together_by_id():
    async with running() as bell:
        for goal in (SHOP, BILLING):
            bell.arm(goal, 10)

        await anyio.sleep(10)
        await anyio.wait_all_tasks_blocked()

        assert bell.rung == [(10, BILLING), (10, SHOP)]


async def test_a_goal_is_woken_once():
    async with running() as bell:
        bell.arm(BILLING, 10)

        await anyio.sleep(1_000)

        assert bell.rung == [(10, BILLING)]


@pytest.mark.parametrize(("second", "woken"), [(5, [(6, BILLING)]), (50, [(51, BILLING)]), (None, [])])
async def test_the_last_word_about_a_goal_counts(second, woken):
    async with running() as bell:
        bell.arm(BILLING, 10)
        await anyio.sleep(1)

        bell.arm(BILLING, second)

        await anyio.sleep(1_000)
        assert bell.rung == woken


async def test_a_deadline_that_has_passed_wakes_at_once():
    async with running() as bell:
        bell.arm(BILLING, -10)

        await anyio.wait_all_tasks_blocked()

        assert bell.rung == [(0, BILLING)]


async def test_to_disarm_what_is_not_armed_changes_nothing():
    async with running() as bell:
        bell.arm(BILLING, None)

        await anyio.wait_all_tasks_blocked()

        assert bell.rung == []


async def test_with_nothing_armed_no_timer_runs():
    async with running() as bell:
        bell.arm(BILLING, 10)
        await anyio.sleep(20)

        asleep = trio.lowlevel.current_statistics()

        assert bell.rung == [(10, BILLING)]
        assert asleep.seconds_to_next_deadline == float("inf")


async def test_a_clock_that_is_set_forward_wakes_within_a_minute():
    async with running() as bell:
        bell.arm(BILLING, 5 * 3600)
        await anyio.sleep(1)

        bell.clock.jump(6 * 3600)
        await anyio.sleep(60)

        assert [goal for _, goal in bell.rung] == [BILLING]


async def test_a_clock_that_is_set_back_wakes_when_the_wall_says_so():
    async with running() as bell:
        bell.arm(BILLING, 100)
        await anyio.sleep(1)

        bell.clock.jump(-3600)
        await anyio.sleep(3698)
        assert bell.rung == []
        await anyio.sleep(2)

        assert bell.rung == [(3700, BILLING)]
