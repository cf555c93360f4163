"""The lease keeper: all live leases in one batch, a word to whoever lost theirs, and no timer when there is none."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
import pytest
import trio.lowlevel

from harnd.actors.lease_keeper import TTL, LeaseKeeper
from harnd.ports.errors import LeaseHeldError, UnavailableError
from protocol.ids import GoalId
from tests.kit.bench import Bench
from tests.kit.stores import BILLING, ME, OTHER, SEARCH

THIRD = TTL / 3 / 1_000_000  # of a lease's life, in seconds


@dataclass
class Desk:
    keeper: LeaseKeeper
    lost: list[GoalId] = field(default_factory=list)


@asynccontextmanager
async def keeping(bench: Bench) -> AsyncGenerator[Desk]:
    lost: list[GoalId] = []
    desk = Desk(LeaseKeeper(bench.store, bench.clock, ME, lost.append), lost)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(desk.keeper.run)
        await anyio.wait_all_tasks_blocked()
        yield desk
        tasks.cancel_scope.cancel()


async def test_every_live_lease_is_renewed_in_one_batch_every_third_of_its_life(bench):
    async with keeping(bench) as desk:
        await desk.keeper.acquire(BILLING)
        await desk.keeper.acquire(SEARCH)

        await anyio.sleep(3 * THIRD + 1)

        assert bench.store.renewed == [(BILLING, SEARCH)] * 3
        assert repr(desk.keeper) == "<LeaseKeeper live=2>"


async def test_a_renewed_lease_keeps_others_out(bench):
    async with keeping(bench) as desk:
        lease = await desk.keeper.acquire(BILLING)

        await anyio.sleep(10 * THIRD)

        with pytest.raises(LeaseHeldError):
            await bench.store.acquire(BILLING, OTHER, TTL)
        assert desk.keeper.held(BILLING) == lease


async def test_whoever_lost_a_lease_is_told_and_the_others_are_kept(bench):
    async with keeping(bench) as desk:
        await desk.keeper.acquire(BILLING)
        await bench.store.usurp(OTHER)
        search = await desk.keeper.acquire(SEARCH)

        await anyio.sleep(THIRD + 1)

        assert desk.lost == [BILLING]
        assert (desk.keeper.held(BILLING), desk.keeper.held(SEARCH)) == (None, search)


async def test_a_lease_held_by_somebody_else_is_not_ours(bench):
    await bench.store.acquire(BILLING, OTHER, TTL)
    async with keeping(bench) as desk:
        with pytest.raises(LeaseHeldError):
            await desk.keeper.acquire(BILLING)

        assert desk.keeper.held(BILLING) is None


async def test_a_released_lease_is_free_and_no_longer_renewed(bench):
    async with keeping(bench) as desk:
        await desk.keeper.release(await desk.keeper.acquire(BILLING))

        assert bench.store.holder(BILLING) is None
        await anyio.sleep(10 * THIRD)
        assert bench.store.renewed == []


async def test_a_store_that_does_not_answer_costs_one_round_and_nobody_their_lease(bench):
    async with keeping(bench) as desk:
        lease = await desk.keeper.acquire(BILLING)
        bench.store.breaks("renew", UnavailableError("busy"))

        await anyio.sleep(2 * THIRD + 1)

        assert (desk.lost, desk.keeper.held(BILLING)) == ([], lease)
        assert bench.store.renewed == [(BILLING,)] * 2


async def test_without_a_live_lease_no_timer_runs(bench):
    async with keeping(bench) as desk:
        assert trio.lowlevel.current_statistics().seconds_to_next_deadline == float("inf")
        await desk.keeper.release(await desk.keeper.acquire(BILLING))
        await anyio.sleep(THIRD + 1)

        assert trio.lowlevel.current_statistics().seconds_to_next_deadline == float("inf")


async def test_it_wakes_again_for_the_next_lease(bench):
    async with keeping(bench) as desk:
        await desk.keeper.release(await desk.keeper.acquire(BILLING))
        await anyio.sleep(100)

        await desk.keeper.acquire(SEARCH)
        await anyio.sleep(THIRD + 1)

        assert bench.store.renewed == [(SEARCH,)]
