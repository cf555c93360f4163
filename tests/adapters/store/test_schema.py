"""The schema: growing, and refusing what it does not know."""

import shutil
import sqlite3
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import pytest

from harnd.adapters.store.database import establish, memory, settle
from harnd.adapters.store.errors import ForeignFileError, NewerSchemaError
from harnd.adapters.store.reads import read_all
from harnd.adapters.store.schema import APPLICATION_ID, Migration, known_migrations, migrate, schema_number
from protocol.ids import GoalId
from tests.kit.files import contents

ONE = Migration(1, "CREATE TABLE one (a INTEGER);")
TWO = Migration(2, "ALTER TABLE one ADD COLUMN b INTEGER; CREATE TABLE two (c INTEGER);")
BROKEN = Migration(2, "CREATE TABLE two (c INTEGER); INSERT INTO nowhere VALUES (1);")


@pytest.fixture
def conn() -> Generator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as conn:
        yield conn


def tables(conn: sqlite3.Connection) -> set[str]:
    return {name for (name,) in conn.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}


def set_pragma(path: Path, pragma: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        conn.execute(f"PRAGMA {pragma}")
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def test_migrations_are_numbered_from_one_without_gaps():
    assert [migration.number for migration in known_migrations()] == list(range(1, len(known_migrations()) + 1))


def test_an_empty_database_gets_every_migration_in_order(conn):
    migrate(conn, [ONE, TWO])

    assert (tables(conn), schema_number(conn)) == ({"one", "two"}, 2)
    assert conn.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)


def test_an_older_database_gets_what_it_lacks_and_keeps_what_it_has(conn):
    migrate(conn, [ONE])
    conn.execute("INSERT INTO one (a) VALUES (7)")

    migrate(conn, [ONE, TWO])

    assert conn.execute("SELECT a, b FROM one").fetchall() == [(7, None)]


def test_a_database_at_the_newest_schema_is_not_touched(conn):
    migrate(conn, [ONE])
    changes = conn.total_changes

    migrate(conn, [ONE])

    assert conn.total_changes == changes


def test_a_migration_that_fails_leaves_the_schema_before_it(conn):
    migrate(conn, [ONE])

    with pytest.raises(sqlite3.OperationalError, match="nowhere"):
        migrate(conn, [ONE, BROKEN])

    assert (tables(conn), schema_number(conn), conn.in_transaction) == ({"one"}, 1, False)


def test_a_newer_schema_is_refused_by_name_and_nothing_is_written(tmp_path):
    """D15: an older daemon must not touch what a newer one wrote."""
    path = tmp_path / "harnd.db"
    establish(path)
    newest = known_migrations()[-1].number
    set_pragma(path, f"user_version = {newest + 1}")
    before = contents(path)

    with pytest.raises(NewerSchemaError, match=f"schema {newest + 1}, this harnd knows schemas up to {newest}"):
        establish(path)

    assert contents(path) == before


def test_a_newer_schema_that_is_still_in_the_log_is_refused_and_the_log_is_not_folded_in(tmp_path):
    """D15, after a newer daemon that was killed."""
    path, killed = tmp_path / "harnd.db", tmp_path / "killed"
    establish(path)
    killed.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as newer:
        newer.execute("PRAGMA journal_mode = WAL")
        newer.execute("PRAGMA user_version = 99")
        for name in ("harnd.db", "harnd.db-wal"):
            shutil.copy(tmp_path / name, killed)
    before = contents(killed / "harnd.db"), contents(killed / "harnd.db-wal")

    with pytest.raises(NewerSchemaError):
        establish(killed / "harnd.db")

    assert (contents(killed / "harnd.db"), contents(killed / "harnd.db-wal")) == before


def test_a_database_of_another_program_is_refused_and_nothing_is_written(tmp_path):
    path = tmp_path / "harnd.db"
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("CREATE TABLE theirs (a)")
    before = contents(path)

    with pytest.raises(ForeignFileError):
        establish(path)

    assert contents(path) == before


@pytest.mark.parametrize("statement", ["UPDATE events SET at = 0", "DELETE FROM events"])
def test_events_are_neither_changed_nor_removed_by_sql(statement):
    with closing(memory()) as conn:
        conn.execute("INSERT INTO events VALUES (1, 'a', 1, 1, 't/1', '{}', zeroblob(32))")

        with pytest.raises(sqlite3.IntegrityError, match="never"):
            conn.execute(statement)


def test_what_is_due_and_what_wakes_is_found_by_index(conn):
    settle(conn)
    queries = (
        "SELECT goal FROM goals WHERE due = 1 AND parked IS NULL",
        "SELECT goal FROM goals WHERE wake_at IS NOT NULL AND wake_at <= 5 AND parked IS NULL",
    )

    plans = [conn.execute(f"EXPLAIN QUERY PLAN {query}").fetchone()[3] for query in queries]

    assert ["goals_due" in plans[0], "goals_wakes" in plans[1]] == [True, True], plans


def test_the_events_of_one_goal_past_a_sequence_are_found_by_index_in_order(conn):
    """Who follows one goal pays for that goal's events, and neither for those of others nor for a sort."""
    settle(conn)
    told: list[str] = []
    conn.set_trace_callback(told.append)
    read_all(conn, after=7, limit=3, stream=GoalId("billing"))
    (query,) = told

    plan = [step[3] for step in conn.execute(f"EXPLAIN QUERY PLAN {query}")]

    assert plan == ["SEARCH events USING INDEX events_of_stream (stream=? AND rowid>?)"]
