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
_ALL_OF_STREAM: Final = """
SELECT seq, stream, version, at, tag, CAST(body AS BLOB) FROM events WHERE stream = ? AND seq > ? ORDER BY seq LIMIT ?
"""
_NEWEST: Final = """
SELECT coalesce(max(seq), 0) FROM events
"""


def read(conn: sqlite3.Connection, stream: GoalId, *, after: int) -> list[Recorded]:
    """Return the events of `stream` past version `after`."""
    return [Recorded(*row) for row in conn.execute(_STREAM, (stream, after)).fetchall()]


def read_all(conn: sqlite3.Connection, *, after: int, limit: int, stream: GoalId | None) -> list[Recorded]:
    """Return up to `limit` events past sequence `after`, of all streams or of one."""
    if stream is None:
        found = conn.execute(_ALL, (after, limit))
    else:
        found = conn.execute(_ALL_OF_STREAM, (stream, after, limit))
    return [Recorded(*row) for row in found.fetchall()]


def newest(conn: sqlite3.Connection) -> int:
    """Return the sequence of the last event."""
    (seq,) = conn.execute(_NEWEST).fetchone()
    return int(seq)
