"""Reading events back.  Every read takes all it asks for at once: none leaves a transaction open behind it."""

import sqlite3
from typing import Final

from harnd.ports.store import Recorded
from protocol.ids import GoalId

# A body is text in the file, so that the sqlite3 shell can read it, and bytes everywhere else.
_STREAM: Final = """
SELECT seq, stream, version, at, tag, CAST(body AS BLOB) FROM events WHERE stream = ? AND version > ? ORDER BY version
"""
_ALL: Final = """
SELECT seq, stream, version, at, tag, CAST(body AS BLOB) FROM events WHERE seq > ? ORDER BY seq LIMIT ?
"""


def read(conn: sqlite3.Connection, stream: GoalId, *, after: int) -> list[Recorded]:
    """Return the events of `stream` past version `after`."""
    return [Recorded(*row) for row in conn.execute(_STREAM, (stream, after)).fetchall()]


def read_all(conn: sqlite3.Connection, *, after: int, limit: int) -> list[Recorded]:
    """Return up to `limit` events past sequence `after`."""
    return [Recorded(*row) for row in conn.execute(_ALL, (after, limit)).fetchall()]
