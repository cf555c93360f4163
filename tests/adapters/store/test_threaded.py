"""The threaded runner: one hop, whole transactions, and what waits for what."""

import logging
import sqlite3
import threading
from collections.abc import AsyncGenerator
from contextlib import closing
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from harnd.adapters.store import SqliteStore
from harnd.adapters.store.database import establish, settle
from harnd.adapters.store.threaded import ThreadedRunner, threaded_runner
from harnd.ports.errors import UnavailableError
from harnd.ports.store import Fact
from tests.kit.stores import BILLING, ME, TTL, SetClock, change, fact, inbox_row, once

BIG = Fact("thing.happened/1", b'{"text":"%s"}' % (b"x" * 100_000))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    establish(tmp_path / "harnd.db")
    return tmp_path / "harnd.db"


@pytest.fixture
async def runner(path: Path) -> AsyncGenerator[ThreadedRunner]:
    async with threaded_runner(path) as runner:
        await runner.run(settle)
        yield runner


@pytest.fixture
async def store(runner: ThreadedRunner) -> SqliteStore:
    store = SqliteStore(runner, SetClock())
    await store.acquire(BILLING, ME, TTL)
    return store


async def test_an_append_is_one_hop_to_the_connections_thread(store, caplog):
    caplog.set_level(logging.DEBUG, logger="aiosqlite")

    await store.append(change(facts=tuple(map(fact, range(9))), inbox=(inbox_row(),), once=once()))

    assert [record.msg for record in caplog.records].count("executing %s") == 1


async def test_work_runs_in_another_thread_than_the_loops(runner):
    assert await runner.run(lambda _: threading.get_ident()) != threading.get_ident()


async def test_work_returns_what_it_made_and_raises_what_it_raised(runner):
    assert await runner.run(lambda _: None) is None
    with pytest.raises(ZeroDivisionError):
        await runner.run(lambda _: 1 // 0)
    assert await runner.run(lambda conn: conn.execute("SELECT ?", (7,)).fetchone()) == (7,)


async def test_an_append_cancelled_while_it_waits_for_the_thread_is_written_whole(store, runner):
    gate = threading.Event()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(runner.run, lambda _: gate.wait())
        tasks.start_soon(store.append, change(facts=(fact(1), fact(2)), inbox=(inbox_row(),)))
        await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()
    gate.set()

    assert [event.version for event in await store.read(BILLING)] == [1, 2]
    assert await store.inbox() == [inbox_row()]
    await store.append(change(expected=2))


async def test_closing_finishes_what_was_handed_in(path):
    gate = threading.Event()
    seen: list[str] = []
    async with anyio.create_task_group() as tasks:
        async with threaded_runner(path) as runner:
            tasks.start_soon(runner.run, lambda _: gate.wait())
            tasks.start_soon(runner.run, lambda _: seen.append("late work"))
            await anyio.lowlevel.checkpoint()
            gate.set()

        assert seen == ["late work"]
        with pytest.raises(UnavailableError):
            await runner.run(lambda _: None)


async def test_closing_waits_for_the_thread_also_when_it_is_cancelled(path):
    gate = threading.Event()
    order: list[str] = []

    async def open_gate() -> None:
        await anyio.wait_all_tasks_blocked()
        order.append("work done")
        gate.set()

    async with anyio.create_task_group() as tasks:
        with anyio.CancelScope() as scope:
            async with threaded_runner(path) as runner:
                tasks.start_soon(runner.run, lambda _: gate.wait())
                await anyio.wait_all_tasks_blocked()
                tasks.start_soon(open_gate)
                scope.cancel()
        order.append("closed")

    assert order == ["work done", "closed"]


async def test_a_write_waits_for_another_writer_and_then_succeeds(path, store, runner):
    """D01: a transaction asks for the write lock at its start, where the busy timeout holds."""
    begun: list[str] = []
    waiting = threading.Event()

    def hear(statement: str) -> None:
        begun.append(statement)
        waiting.set()

    await runner.run(lambda conn: conn.set_trace_callback(hear))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("UPDATE goals SET title = title")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(store.append, change())
            await anyio.to_thread.run_sync(waiting.wait)
            assert begun == ["BEGIN IMMEDIATE"]
            other.execute("COMMIT")

    assert len(await store.read(BILLING)) == 1


async def test_a_write_that_waited_in_vain_is_unavailable_and_the_store_goes_on(path, store, runner):
    await runner.run(lambda conn: conn.execute("PRAGMA busy_timeout = 0"))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(UnavailableError):
            await store.append(change())

    await store.append(change())


async def test_no_read_leaves_a_transaction_open(path, store, runner):
    """D03: a reader that stays keeps the log from ever being folded into the file."""
    await store.append(change(facts=tuple(map(fact, range(20))), inbox=(inbox_row(),), once=once()))
    await store.read(BILLING)
    await store.read_all(after=0, limit=3)
    await store.read_all(after=0, limit=3, stream=BILLING)
    await store.newest()
    await store.goals()
    await store.row(BILLING)
    await store.inbox()
    await store.wakes()
    await store.answered(once().key)
    await store.health()

    busy, *_ = await runner.run(lambda conn: conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone())

    assert (busy, (await store.health()).wal_bytes) == (0, 0)


async def test_the_log_stays_within_bounds_while_nobody_reads_for_long(store):
    """D03: 16 MB of events leave a log of a checkpoint's interval."""
    for n in range(160):
        await store.append(change(expected=n, facts=(BIG,)))

    assert (await store.health()).wal_bytes < 8 * 1024 * 1024


async def test_health_shows_a_log_that_a_long_reader_holds_up(path, store):
    """D03: when somebody does read for long, the size of the log is there to be seen."""
    await store.append(change(expected=0))
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM events").fetchone()
        for n in range(1, 101):
            await store.append(change(expected=n, facts=(BIG,)))

        assert (await store.health()).wal_bytes > 10_000_000
