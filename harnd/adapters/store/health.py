"""Health: what the store measures of itself."""

import sqlite3
from pathlib import Path

from harnd.adapters.store.reads import newest
from harnd.adapters.store.schema import schema_number
from harnd.ports.store import Health


def health(conn: sqlite3.Connection) -> Health:
    """Measure the store."""
    return Health(
        engine=f"SQLite {sqlite3.sqlite_version}",
        schema=schema_number(conn),
        events=newest(conn),  # no gaps, so the last number is the count, and found in one step
        size_bytes=_number(conn, "PRAGMA page_count") * _number(conn, "PRAGMA page_size"),
        wal_bytes=_wal_bytes(conn),
    )


def _number(conn: sqlite3.Connection, query: str) -> int:
    (number,) = conn.execute(query).fetchone()
    return int(number)


def _wal_bytes(conn: sqlite3.Connection) -> int:
    (_, _, file), *_ = conn.execute("PRAGMA database_list").fetchall()
    wal = Path(f"{file}-wal")
    return wal.stat().st_size if file and wal.exists() else 0
