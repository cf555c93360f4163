"""The database file: its beginning, its damage, and how its connection is set."""

import os
import sqlite3
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import pytest

from harnd.adapters.store import append, open_store
from harnd.adapters.store.database import establish, settle
from harnd.adapters.store.leases import acquire
from harnd.adapters.store.schema import known_migrations
from harnd.ports.errors import CorruptError
from protocol.values import Instant
from tests.kit.files import contents, mode
from tests.kit.stores import BILLING, ME, TTL, SetClock, change, fact

PAGE = 4096


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "harnd.db"


@pytest.fixture
def filled(path: Path) -> Path:
    """A store of some pages, cleanly closed."""
    establish(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        settle(conn)
        acquire(conn, BILLING, ME, now=Instant(0), ttl=TTL)
        append.append(conn, change(facts=tuple(map(fact, range(500)))))
    return path


@pytest.fixture(params=[0o000, 0o277], ids=oct)
def strange_umask(request: pytest.FixtureRequest) -> Generator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


async def opened(path: Path) -> list[int]:
    async with open_store(path, SetClock()) as store:
        return [event.version for event in await store.read(BILLING)]


async def test_a_new_store_is_empty_and_has_the_newest_schema(path):
    async with open_store(path, SetClock()) as store:
        health = await store.health()

    assert (health.events, health.schema) == (0, known_migrations()[-1].number)


async def test_the_files_of_a_store_are_private_whatever_the_umask(path, strange_umask):
    async with open_store(path, SetClock()) as store:
        await store.acquire(BILLING, ME, TTL)

        assert {file.name: mode(file) for file in path.parent.iterdir()} == {
            "harnd.db": 0o600,
            "harnd.db-shm": 0o600,
            "harnd.db-wal": 0o600,
        }


async def test_a_draft_left_by_a_crash_is_not_taken_for_a_store(path):
    path.with_name("harnd.db.new").write_bytes(b"half a database")

    assert await opened(path) == []
    assert not path.with_name("harnd.db.new").exists()


@pytest.mark.parametrize(
    "content",
    [b"", b"\0", b"\0" * 1_890, b"\0" * 4 * PAGE, b"not a database\n" * 1_000, b"SQLite format 3\0"],
    ids=["empty", "one NUL", "NULs", "pages of NULs", "text", "half a header"],
)
async def test_what_is_no_database_is_corrupt_and_left_as_it_is(path, content):
    """D07: a file of NULs is damage and not a beginning; so is an empty one."""
    path.write_bytes(content)

    with pytest.raises(CorruptError):
        await opened(path)

    assert contents(path) == content


@pytest.mark.parametrize("size", [101, PAGE - 1, PAGE, 3 * PAGE, 3 * PAGE + 17])
async def test_a_file_cut_short_is_corrupt_and_left_as_it_is(filled, size):
    os.truncate(filled, size)
    before = contents(filled)

    with pytest.raises(CorruptError):
        await opened(filled)

    assert contents(filled) == before


async def test_pages_overwritten_in_the_middle_are_corrupt_when_they_are_read(filled):
    content = bytearray(contents(filled))
    content[2 * PAGE :] = b"\xff" * (len(content) - 2 * PAGE)
    filled.write_bytes(content)

    with pytest.raises(CorruptError):
        await opened(filled)


async def test_a_log_without_its_database_is_corrupt_and_no_new_store_is_made(path):
    log = path.with_name("harnd.db-wal")
    log.write_bytes(b"acknowledged events")

    with pytest.raises(CorruptError):
        await opened(path)

    assert (path.exists(), contents(log)) == (False, b"acknowledged events")


async def test_a_whole_file_is_opened_with_everything_in_it(filled):
    assert await opened(filled) == list(range(1, 501))


def test_the_connection_waits_for_disks_and_for_others_and_bounds_its_log(path):
    establish(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        settle(conn)
        names = ("journal_mode", "synchronous", "foreign_keys", "wal_autocheckpoint", "journal_size_limit")
        found = {name: conn.execute(f"PRAGMA {name}").fetchone()[0] for name in names}

    assert found == {
        "journal_mode": "wal",
        "synchronous": 2,  # FULL
        "foreign_keys": 1,
        "wal_autocheckpoint": 1_000,
        "journal_size_limit": 8 * 1024 * 1024,
    }
