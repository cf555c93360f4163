"""What every event store holds, whatever it is made of: each sentence of the port, once."""

import sqlite3
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import NamedTuple

import anyio
import anyio.lowlevel
import msgspec
import pytest

from harnd.adapters.store import memory, open_inline_store, open_store
from harnd.ports.errors import (
    ConflictError,
    FencedError,
    KeyReusedError,
    LeaseHeldError,
    MissingError,
    UnavailableError,
)
from harnd.ports.store import EventStore, Lease, Recorded
from protocol.ids import GoalId, IdempotencyKey
from protocol.values import Instant
from tests.kit.stores import BILLING, ME, OTHER, SEARCH, TTL, SetClock, change, fact, goal_row, inbox_row, once

NOBODY = GoalId("nobody")
Opening = Callable[[], AbstractAsyncContextManager[EventStore]]


class Kind(NamedTuple):
    backend: str
    runner: str


@pytest.fixture(
    params=[
        Kind("asyncio", "threaded"),
        Kind("asyncio", "inline"),
        Kind("trio", "inline"),
        Kind("trio", "inline-file"),
    ],
    ids="-".join,
)
def kind(request: pytest.FixtureRequest) -> Kind:
    return Kind(*request.param)


@pytest.fixture
def anyio_backend(kind: Kind) -> str:
    return kind.backend


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def opening(kind: Kind, clock: SetClock, tmp_path: Path) -> Opening:
    """Opens the same store again and again: each time it is another daemon's life."""
    match kind.runner:
        case "threaded":
            return lambda: open_store(tmp_path / "harnd.db", clock)
        case "inline":
            disk: sqlite3.Connection = memory()
            return lambda: open_inline_store(disk, clock)
        case _:
            return lambda: open_inline_store(tmp_path / "harnd.db", clock)


@pytest.fixture
async def store(opening: Opening) -> AsyncGenerator[EventStore]:
    async with opening() as store:
        yield store


@pytest.fixture
async def lease(store: EventStore) -> Lease:
    """The first lease of BILLING, held by ME."""
    return await store.acquire(BILLING, ME, TTL)


# --- append


async def test_an_append_returns_its_facts_as_recorded(store, lease):
    recorded = await store.append(change(facts=(fact(1), fact(2)), at=70))

    assert recorded == (
        Recorded(1, BILLING, 1, Instant(70), "thing.happened/1", b'{"n":1}'),
        Recorded(2, BILLING, 2, Instant(70), "thing.happened/1", b'{"n":2}'),
    )
    assert await store.read(BILLING) == list(recorded)


async def test_sequences_count_over_all_streams_and_versions_within_one(store, lease):
    await store.acquire(SEARCH, ME, TTL)
    await store.append(change(BILLING, expected=0))
    await store.append(change(SEARCH, expected=0))
    await store.append(change(BILLING, expected=1))

    events = await store.read_all(after=0, limit=10)

    assert [(e.seq, e.stream, e.version) for e in events] == [(1, BILLING, 1), (2, SEARCH, 1), (3, BILLING, 2)]


@pytest.mark.parametrize("body", [b"{}", '{"t":"é 漢 🜚"}'.encode(), b'{"t":"\\u0000"}', b'{ "spaced" : 1 }\n'])
async def test_a_body_comes_back_byte_for_byte(store, lease, body):
    await store.append(change(facts=(msgspec.structs.replace(fact(), body=body),)))

    assert [e.body for e in await store.read(BILLING)] == [body]


async def test_time_is_recorded_as_it_was_told_also_when_it_goes_backwards(store, lease):
    await store.append(change(expected=0, at=9))
    await store.append(change(expected=1, at=3))

    assert [e.at for e in await store.read(BILLING)] == [9, 3]


async def test_an_append_without_facts_writes_rows_and_answer_only(store, lease):
    await store.append(change(expected=0))

    recorded = await store.append(change(expected=1, facts=(), row=goal_row(title="New"), once=once()))

    assert recorded == ()
    assert len(await store.read(BILLING)) == 1
    assert [(g.title, g.version) for g in await store.goals()] == [("New", 1)]
    assert await store.answered(once().key) == once()


async def nothing_was_written(store: EventStore) -> bool:
    answer = await store.answered(once().key)
    return not (await store.read(BILLING) or await store.goals() or await store.inbox() or answer)


@pytest.mark.parametrize("expected", [1, 2])
async def test_an_append_on_another_version_conflicts_and_writes_nothing(store, lease, expected):
    with pytest.raises(ConflictError):
        await store.append(change(expected=expected, inbox=(inbox_row(),), once=once()))

    assert await nothing_was_written(store)


async def test_a_second_append_on_the_same_version_conflicts(store, lease):
    await store.append(change(expected=0))

    with pytest.raises(ConflictError):
        await store.append(change(expected=0))

    assert len(await store.read(BILLING)) == 1


@pytest.mark.parametrize("fence", [0, 2])
async def test_an_append_under_another_fence_is_fenced_and_writes_nothing(store, lease, fence):
    with pytest.raises(FencedError):
        await store.append(change(fence=fence, inbox=(inbox_row(),), once=once()))

    assert await nothing_was_written(store)


async def test_an_append_without_any_lease_is_fenced(store):
    with pytest.raises(FencedError):
        await store.append(change(fence=0))


async def test_an_append_under_the_fence_of_another_stream_is_fenced(store, lease):
    with pytest.raises(FencedError):
        await store.append(change(SEARCH, fence=lease.fence))


async def test_expiry_alone_does_not_fence(store, clock, lease):
    clock.at = lease.expires_at + 1

    await store.append(change())

    assert len(await store.read(BILLING)) == 1


async def test_a_newer_grant_fences_the_older_one(store, clock, lease):
    clock.at = lease.expires_at
    newer = await store.acquire(BILLING, OTHER, TTL)

    with pytest.raises(FencedError):
        await store.append(change(fence=lease.fence))
    await store.append(change(fence=newer.fence))


async def test_a_lease_given_back_fences_who_gave_it(store, lease):
    await store.release(lease)

    with pytest.raises(FencedError):
        await store.append(change(fence=lease.fence))


async def test_who_is_fenced_and_late_hears_of_the_fence(store, clock, lease):
    with pytest.raises(FencedError):
        await store.append(change(fence=7, expected=9))


# --- answers


async def test_an_answer_is_kept_under_its_key(store, lease):
    await store.append(change(once=once("k1", answer=b"\x00raw")))

    assert await store.answered(IdempotencyKey("k1")) == once("k1", answer=b"\x00raw")
    assert await store.answered(IdempotencyKey("k2")) is None


async def test_a_key_used_for_another_payload_is_refused_and_writes_nothing(store, lease):
    await store.append(change(expected=0, once=once("k1")))

    with pytest.raises(KeyReusedError):
        await store.append(change(expected=1, once=once("k1", payload="bb" * 32, answer=b"other")))

    assert len(await store.read(BILLING)) == 1
    assert await store.answered(IdempotencyKey("k1")) == once("k1")


async def test_the_same_request_again_conflicts_so_that_its_answer_is_looked_up(store, lease):
    await store.append(change(expected=0, once=once("k1")))

    with pytest.raises(ConflictError):
        await store.append(change(expected=1, once=once("k1", answer=b"another answer")))

    assert len(await store.read(BILLING)) == 1
    assert await store.answered(IdempotencyKey("k1")) == once("k1")


async def test_a_key_is_one_for_all_streams(store, lease):
    await store.acquire(SEARCH, ME, TTL)
    await store.append(change(BILLING, once=once("k1")))

    with pytest.raises(KeyReusedError):
        await store.append(change(SEARCH, once=once("k1", payload="bb" * 32)))


# --- reading


async def test_a_stream_is_read_past_a_version(store, lease):
    recorded = await store.append(change(facts=(fact(1), fact(2), fact(3))))

    assert await store.read(BILLING, after=2) == list(recorded[2:])
    assert await store.read(BILLING, after=3) == []


async def test_an_unknown_stream_has_no_events(store):
    assert await store.read(NOBODY) == []


async def test_all_streams_are_read_past_a_sequence_and_up_to_a_limit(store, lease):
    recorded = await store.append(change(facts=tuple(map(fact, range(5)))))

    assert await store.read_all(after=1, limit=2) == list(recorded[1:3])
    assert await store.read_all(after=5, limit=2) == []
    assert await store.read_all(after=0, limit=0) == []


async def test_one_stream_is_read_past_a_sequence_and_up_to_a_limit_of_its_own(store, lease):
    await store.acquire(SEARCH, ME, TTL)
    await store.append(change(SEARCH, expected=0, facts=tuple(map(fact, range(3)))))
    mine = await store.append(change(BILLING, expected=0, facts=(fact(1), fact(2))))
    await store.append(change(SEARCH, expected=3))
    mine += await store.append(change(BILLING, expected=2))

    assert [event.seq for event in mine] == [4, 5, 7]
    assert await store.read_all(after=0, limit=9, stream=BILLING) == list(mine)
    assert await store.read_all(after=3, limit=2, stream=BILLING) == list(mine[:2])
    assert await store.read_all(after=4, limit=9, stream=BILLING) == list(mine[1:])
    assert await store.read_all(after=7, limit=9, stream=BILLING) == []
    assert await store.read_all(after=0, limit=9, stream=NOBODY) == []


async def test_the_newest_sequence_is_that_of_the_last_event_of_all_streams(store, lease):
    assert await store.newest() == 0

    await store.acquire(SEARCH, ME, TTL)
    await store.append(change(BILLING, facts=(fact(1), fact(2))))
    await store.append(change(SEARCH))

    assert await store.newest() == 3


# --- rows


async def write_row(store: EventStore, goal: str, *, due: bool = False, wake_at: int | None = None) -> None:
    lease = await store.acquire(GoalId(goal), ME, TTL)
    row = goal_row(GoalId(goal), due=due, wake_at=wake_at)
    await store.append(change(GoalId(goal), fence=lease.fence, row=row))


async def test_a_row_is_replaced_whole_and_carries_the_version(store, lease):
    await store.append(change(expected=0, facts=(fact(1), fact(2)), row=goal_row(title="Old", due=True, wake_at=5)))
    await store.append(change(expected=2, row=goal_row(title="New")))

    assert await store.goals() == [msgspec.structs.replace(goal_row(title="New"), version=3)]


async def test_goals_are_told_by_id(store):
    for goal in ("b", "a", "c"):
        await write_row(store, goal)

    assert [row.goal for row in await store.goals()] == ["a", "b", "c"]


async def test_a_row_says_whether_its_goal_was_archived(store, lease):
    await store.append(change())
    assert [row.archived for row in await store.goals()] == [False]
    await store.append(change(expected=1, row=msgspec.structs.replace(goal_row(), archived=True)))
    assert [row.archived for row in await store.goals()] == [True]


async def test_the_row_of_one_goal_is_the_one_that_the_list_has(store):
    for goal in ("b", "a"):
        await write_row(store, goal, due=True, wake_at=5)
    await store.park(GoalId("a"), "a bug")

    assert [await store.row(GoalId(goal)) for goal in ("a", "b")] == await store.goals()
    assert await store.row(NOBODY) is None


async def test_due_is_what_can_be_done_or_has_reached_its_deadline(store):
    await write_row(store, "later", wake_at=101)
    await write_row(store, "passed", wake_at=99)
    await write_row(store, "instant", wake_at=100)
    await write_row(store, "both", due=True, wake_at=100)
    await write_row(store, "now", due=True)
    await write_row(store, "quiet")

    assert await store.due(now=Instant(100)) == ["both", "instant", "now", "passed"]


async def test_wakes_are_the_deadlines_of_goals_that_sleep_soonest_first(store):
    await write_row(store, "second", wake_at=200)
    await write_row(store, "first", wake_at=100)
    await write_row(store, "also-first", wake_at=100)
    await write_row(store, "awake", due=True, wake_at=50)
    await write_row(store, "quiet")

    assert await store.wakes() == [(100, "also-first"), (100, "first"), (200, "second")]


async def test_a_parked_goal_says_why_and_is_neither_due_nor_woken(store):
    await write_row(store, "poisoned", due=True)
    await write_row(store, "sleeper", wake_at=5)
    await store.park(GoalId("poisoned"), "five crashes in a minute")
    await store.park(GoalId("sleeper"), "a bug")

    assert [row.parked for row in await store.goals()] == ["five crashes in a minute", "a bug"]
    assert await store.due(now=Instant(100)) == []
    assert await store.wakes() == []


async def test_a_goal_no_longer_parked_is_due_again(store):
    await write_row(store, "poisoned", due=True)
    await store.park(GoalId("poisoned"), "a bug")
    await store.park(GoalId("poisoned"), None)

    assert await store.due(now=Instant(0)) == ["poisoned"]
    assert [row.parked for row in await store.goals()] == [None]


async def test_an_append_leaves_the_note_of_parking(store, lease):
    await store.append(change(expected=0))
    await store.park(BILLING, "a bug")
    await store.append(change(expected=1, row=goal_row(due=True)))

    assert [row.parked for row in await store.goals()] == ["a bug"]


async def test_a_goal_without_a_row_cannot_be_parked(store):
    with pytest.raises(MissingError):
        await store.park(NOBODY, "a bug")


async def test_the_inbox_tells_everything_that_waits_oldest_first(store, lease):
    await store.acquire(SEARCH, ME, TTL)
    mine = (inbox_row(subject="plan/2", since=30), inbox_row(subject="plan/1", since=10))
    yours = (inbox_row(SEARCH, since=20),)
    await store.append(change(BILLING, inbox=mine))
    await store.append(change(SEARCH, inbox=yours))

    assert await store.inbox() == [mine[1], yours[0], mine[0]]


async def test_what_waits_since_one_instant_keeps_its_order(store, lease):
    waiting = tuple(inbox_row(subject=subject) for subject in ("plan/2", "plan/10", "plan/1", "plan/1"))
    await store.append(change(inbox=waiting))

    assert await store.inbox() == list(waiting)


async def test_the_inbox_of_a_goal_is_replaced_whole_and_others_stay(store, lease):
    await store.acquire(SEARCH, ME, TTL)
    await store.append(change(SEARCH, inbox=(inbox_row(SEARCH),)))
    await store.append(change(expected=0, inbox=(inbox_row(subject="plan/1"), inbox_row(subject="plan/2"))))
    await store.append(change(expected=1, inbox=(inbox_row(subject="plan/3"),)))

    assert await store.inbox() == [inbox_row(subject="plan/3"), inbox_row(SEARCH)]


# --- leases


async def test_the_first_grant_has_fence_one_and_ends_by_the_stores_clock(store, clock):
    assert await store.acquire(BILLING, ME, TTL) == Lease(BILLING, ME, 1, Instant(clock.at + TTL))


async def test_a_lease_held_by_another_is_refused_until_the_very_instant_it_ends(store, clock, lease):
    clock.at = lease.expires_at - 1
    with pytest.raises(LeaseHeldError):
        await store.acquire(BILLING, OTHER, TTL)

    clock.at = lease.expires_at
    assert (await store.acquire(BILLING, OTHER, TTL)).fence == 2


async def test_the_holder_gets_its_lease_again_with_the_next_fence(store, lease):
    assert (await store.acquire(BILLING, ME, TTL)).fence == 2

    with pytest.raises(FencedError):
        await store.append(change(fence=lease.fence))


async def test_a_renewed_lease_lasts_longer_under_the_same_fence(store, clock, lease):
    clock.at += 10
    assert await store.renew((lease,), TTL) == frozenset()

    clock.at = lease.expires_at
    with pytest.raises(LeaseHeldError):
        await store.acquire(BILLING, OTHER, TTL)
    await store.append(change(fence=lease.fence))


async def test_renewing_tells_which_leases_are_lost_and_extends_the_others(store, clock, lease):
    kept = await store.acquire(SEARCH, ME, TTL)
    clock.at = lease.expires_at
    await store.acquire(BILLING, OTHER, TTL)

    assert await store.renew((lease, kept), TTL) == {BILLING}

    with pytest.raises(LeaseHeldError):
        await store.acquire(SEARCH, OTHER, TTL)


async def test_an_expired_lease_that_nobody_took_is_renewed(store, clock, lease):
    clock.at = lease.expires_at + 3_600_000_000

    assert await store.renew((lease,), TTL) == frozenset()

    with pytest.raises(LeaseHeldError):
        await store.acquire(BILLING, OTHER, TTL)


async def test_a_lease_of_an_older_fence_is_not_renewed(store, lease):
    await store.acquire(BILLING, ME, TTL)

    assert await store.renew((lease,), TTL) == {BILLING}


async def test_a_lease_given_back_is_free_at_once_and_not_renewed(store, lease):
    await store.release(lease)

    assert await store.renew((lease,), TTL) == {BILLING}
    assert (await store.acquire(BILLING, OTHER, TTL)).fence == 2


async def test_a_late_release_does_not_free_a_newer_grant(store, clock, lease):
    newer = await store.acquire(BILLING, ME, TTL)

    await store.release(lease)

    with pytest.raises(LeaseHeldError):
        await store.acquire(BILLING, OTHER, TTL)
    await store.append(change(fence=newer.fence))


async def test_a_lease_is_given_back_once(store, lease):
    await store.release(lease)
    await store.acquire(BILLING, OTHER, TTL)
    await store.release(lease)

    with pytest.raises(LeaseHeldError):
        await store.acquire(BILLING, ME, TTL)


async def test_usurping_takes_every_lease_out_of_other_hands(store, clock):
    """D11: a lease of a daemon that is gone does not outlast the next one's start, three days old or not expired."""
    await store.acquire(GoalId("old"), OTHER, TTL)
    clock.at += 3 * 24 * 3_600_000_000
    theirs = await store.acquire(GoalId("fresh"), OTHER, TTL)
    mine = await store.acquire(GoalId("mine"), ME, TTL)

    assert await store.usurp(ME) == 2

    assert (await store.acquire(GoalId("old"), ME, TTL)).fence == 2
    assert (await store.acquire(GoalId("fresh"), ME, TTL)).fence == 2
    assert await store.renew((theirs, mine), TTL) == {"fresh"}


async def test_the_fence_of_a_usurped_lease_is_refused_before_anybody_acquires_again(store):
    theirs = await store.acquire(BILLING, OTHER, TTL)
    await store.usurp(ME)

    with pytest.raises(FencedError):
        await store.append(change(fence=theirs.fence))


async def test_what_was_given_back_is_not_usurped(store, lease):
    await store.release(lease)

    assert await store.usurp(OTHER) == 0


# --- lives


async def test_everything_is_there_for_the_next_daemon(opening):
    async with opening() as first:
        await first.acquire(BILLING, ME, TTL)
        recorded = await first.append(change(inbox=(inbox_row(),), once=once()))
    async with opening() as second:
        assert await second.read(BILLING) == list(recorded)
        assert await second.goals() == [msgspec.structs.replace(goal_row(), version=1)]
        assert await second.inbox() == [inbox_row()]
        assert await second.answered(once().key) == once()
        assert (await second.acquire(BILLING, ME, TTL)).fence == 2


async def test_a_closed_store_refuses_late_calls_and_leaves_the_next_one_alone(opening):
    async with opening() as first:
        await first.acquire(BILLING, ME, TTL)
    async with opening() as second:
        with pytest.raises(UnavailableError):
            await first.append(change())
        with pytest.raises(UnavailableError):
            await first.read(BILLING)
        assert await second.read(BILLING) == []


async def test_a_cancelled_append_is_written_whole_or_not_at_all_and_the_store_goes_on(store, lease):
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(store.append, change(facts=tuple(map(fact, range(50))), inbox=(inbox_row(),)))
        await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()

    events = await store.read(BILLING)
    assert [e.version for e in events] in ([], list(range(1, 51)))
    assert [row.version for row in await store.goals()] == [50] * bool(events)
    assert len(await store.inbox()) == bool(events)
    await store.append(change(expected=len(events)))


async def test_appends_that_arrive_together_are_all_written_in_some_order(store):
    streams = [GoalId(f"g{n}") for n in range(20)]
    for stream in streams:
        await store.acquire(stream, ME, TTL)

    async with anyio.create_task_group() as tasks:
        for stream in streams:
            tasks.start_soon(store.append, change(stream, facts=(fact(1), fact(2))))

    events = await store.read_all(after=0, limit=100)
    assert [e.seq for e in events] == list(range(1, 41))
    assert {e.stream for e in events} == set(streams)
    assert all(a.stream == b.stream for a, b in zip(events[::2], events[1::2], strict=True))


async def test_of_those_that_decide_on_one_version_one_wins(store, lease):
    outcomes: list[str] = []

    async def attempt() -> None:
        try:
            await store.append(change(expected=0))
            outcomes.append("written")
        except ConflictError:
            outcomes.append("conflict")

    async with anyio.create_task_group() as tasks:
        for _ in range(8):
            tasks.start_soon(attempt)

    assert sorted(outcomes) == ["conflict"] * 7 + ["written"]


async def test_health_counts_events_and_names_the_schema(store, lease):
    await store.append(change(facts=(fact(1), fact(2))))

    health = await store.health()

    assert (health.events, health.schema) == (2, 2)
    assert health.engine.startswith("SQLite 3.")
    assert health.size_bytes > 0
