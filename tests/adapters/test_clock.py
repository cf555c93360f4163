"""The clocks: real ones that are set while somebody sleeps, and virtual ones that skip over nothing."""

import time

import anyio
import anyio.lowlevel
import pytest
import trio.testing

from harnd.adapters.clock import SystemClock
from harnd.adapters.virtual import EPOCH, SeededEntropy, VirtualClock
from protocol.values import SECOND, Instant

HOUR = 3_600 * SECOND


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    return "trio", {"clock": trio.testing.MockClock(autojump_threshold=0)}


class WallClock(SystemClock):
    """A system clock on a wall that can be set: the loop's time, and what somebody added to it."""

    def __init__(self) -> None:
        self.step = 0

    def now(self) -> Instant:
        return Instant(round(anyio.current_time() * SECOND) + self.step)


async def test_a_sleep_ends_at_its_time():
    clock = WallClock()

    await clock.sleep_until(Instant(5 * HOUR))

    assert clock.now() == 5 * HOUR


async def test_a_sleep_until_the_past_returns_at_once_and_lets_others_run():
    clock = WallClock()
    ran: list[str] = []

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(anyio.lowlevel.checkpoint)
        await clock.sleep_until(Instant(-1))
        ran.append("slept")

    assert (ran, clock.now()) == (["slept"], 0)


async def test_a_clock_set_forward_ends_a_sleep_within_a_minute():
    clock = WallClock()

    async def set_forward() -> None:
        await anyio.sleep(90)
        clock.step = 5 * HOUR  # as a suspend of five hours would

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(set_forward)
        await clock.sleep_until(Instant(5 * HOUR))

    assert 90 < anyio.current_time() <= 150


async def test_a_clock_set_back_prolongs_a_sleep():
    clock = WallClock()

    async def set_back() -> None:
        await anyio.sleep(10)
        clock.step = -HOUR

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(set_back)
        await clock.sleep_until(Instant(HOUR))

    assert clock.now() == HOUR
    assert anyio.current_time() == 7_200


def test_the_system_clock_tells_microseconds_of_utc():
    assert abs(SystemClock().now() - time.time() * 1e6) < 60e6


async def test_virtual_time_starts_at_its_epoch_and_passes_with_the_loop():
    clock = VirtualClock()
    before = clock.now()

    await clock.sleep_until(Instant(EPOCH + 365 * 24 * HOUR + 1))

    assert (before, clock.now()) == (EPOCH, EPOCH + 365 * 24 * HOUR + 1)


async def test_virtual_sleepers_wake_in_the_order_of_their_times():
    clock = VirtualClock()
    woken: list[int] = []

    async def sleeper(after: int) -> None:
        await clock.sleep_until(Instant(EPOCH + after))
        woken.append(after)

    async with anyio.create_task_group() as tasks:
        for after in (3, 1, 2):
            tasks.start_soon(sleeper, after)

    assert woken == [1, 2, 3]


def test_tokens_are_32_hex_digits_and_never_the_same():
    entropy = SeededEntropy(7)
    tokens = [entropy.token() for _ in range(1_000)]

    assert {len(token) for token in tokens} == {32}
    assert set("".join(tokens)) <= set("0123456789abcdef")
    assert len(set(tokens)) == 1_000


def test_the_same_seed_gives_the_same_tokens_and_another_seed_others():
    def first(seed: int) -> list[str]:
        entropy = SeededEntropy(seed)
        return [entropy.token() for _ in range(3)]

    assert first(7) == first(7)
    assert set(first(7)).isdisjoint(first(8))
