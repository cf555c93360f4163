"""A disk that is full, or refuses: unavailable, nothing half written, nothing lost, and well again afterwards."""

import resource
import sqlite3
from collections.abc import AsyncGenerator, Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from harnd.adapters.store import SqliteStore, memory
from harnd.adapters.store.chain import verify
from harnd.adapters.store.database import establish, settle
from harnd.adapters.store.errors import translated
from harnd.adapters.store.threaded import ThreadedRunner, threaded_runner
from harnd.ports.errors import UnavailableError
from harnd.ports.store import Fact
from tests.kit.stores import BILLING, ME, TTL, SetClock, change, fact, inbox_row, once

BIG = Fact("thing.happened/1", b'{"text":"%s"}' % (b"x" * 400_000))


@pytest.fixture
async def runner(tmp_path: Path) -> AsyncGenerator[ThreadedRunner]:
    establish(tmp_path / "harnd.db")
    async with threaded_runner(tmp_path / "harnd.db") as runner:
        await runner.run(settle)
        yield runner


@pytest.fixture
async def store(runner: ThreadedRunner) -> SqliteStore:
    store = SqliteStore(runner, SetClock())
    await store.acquire(BILLING, ME, TTL)
    await store.append(change(expected=0, facts=(fact(1), fact(2))))
    return store


@contextmanager
def files_of_at_most(size: int) -> Generator[None]:
    """Let no write of this process go past `size`, as a full disk would not."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def refused(store: SqliteStore) -> None:
    with pytest.raises(UnavailableError):
        await store.append(change(expected=2, facts=(fact(3), BIG, fact(4)), inbox=(inbox_row(),), once=once()))


async def nothing_changed(store: SqliteStore) -> bool:
    versions = [event.version for event in await store.read(BILLING)]
    return (versions, await store.inbox(), await store.answered(once().key)) == ([1, 2], [], None)


async def test_a_database_that_may_not_grow_is_unavailable_and_loses_nothing(store, runner):
    await runner.run(lambda conn: conn.execute("PRAGMA max_page_count = 1"))  # as small as it is now

    await refused(store)

    assert await nothing_changed(store)
    await runner.run(lambda conn: conn.execute("PRAGMA max_page_count = 1000000"))
    await store.append(change(expected=2, facts=(BIG,)))
    assert await runner.run(verify) is None


async def test_a_log_that_may_not_grow_is_unavailable_and_loses_nothing(store, runner):
    with files_of_at_most((await store.health()).wal_bytes + 20_000):
        await refused(store)
        assert await nothing_changed(store)

    await store.append(change(expected=2, facts=(BIG,)))
    assert await runner.run(verify) is None


async def test_what_was_refused_for_want_of_space_does_not_come_back_after_a_restart(store, runner, tmp_path):
    with files_of_at_most((await store.health()).wal_bytes + 20_000):
        await refused(store)
    await runner.close()

    async with threaded_runner(tmp_path / "harnd.db") as next_runner:
        assert await nothing_changed(SqliteStore(next_runner, SetClock()))
        assert await next_runner.run(verify) is None


def test_a_bug_is_not_taken_for_a_full_disk():
    with closing(memory()) as conn, pytest.raises(sqlite3.OperationalError, match="syntax"), translated():
        conn.execute("SELEKT 1")
