"""Appending: the one place where events enter the store.

An append is refused for the first of these that holds, and then nothing is written: its lease is not current, its
idempotency key was used, its stream has moved on.
"""

import sqlite3
from typing import Final

from harnd.adapters.store.chain import GENESIS, link
from harnd.adapters.store.rows import replace_rows
from harnd.adapters.store.transaction import transaction
from harnd.ports.errors import ConflictError, FencedError, KeyReusedError
from harnd.ports.store import Append, Once, Recorded
from protocol.ids import GoalId, IdempotencyKey

_CURRENT_FENCE: Final = """
SELECT fence FROM leases WHERE stream = ? AND holder IS NOT NULL
"""
_STREAM_VERSION: Final = """
SELECT coalesce(max(version), 0) FROM events WHERE stream = ?
"""
_LAST_LINK: Final = """
SELECT seq, chain FROM events ORDER BY seq DESC LIMIT 1
"""
_INSERT_EVENT: Final = """
INSERT INTO events (seq, stream, version, at, tag, body, chain) VALUES (?, ?, ?, ?, ?, CAST(? AS TEXT), ?)
"""
_ANSWER: Final = """
SELECT key, payload, answer FROM answers WHERE key = ?
"""
_INSERT_ANSWER: Final = """
INSERT INTO answers (key, payload, answer) VALUES (?, ?, ?)
"""


def append(conn: sqlite3.Connection, change: Append) -> tuple[Recorded, ...]:
    """Write events, rows and answer in one transaction and return the events as recorded."""
    # Everything is checked inside the transaction: checking first would race a new holder.
    with transaction(conn):
        _check_fence(conn, change)
        _check_key(conn, change.once)
        _check_version(conn, change)
        recorded = _insert_events(conn, change)
        replace_rows(conn, change.rows, version=change.expected + len(recorded))
        if change.once is not None:
            conn.execute(_INSERT_ANSWER, (change.once.key, change.once.payload, change.once.answer))
    return recorded


def answered(conn: sqlite3.Connection, key: IdempotencyKey) -> Once | None:
    """Return the answer stored under `key`."""
    row = conn.execute(_ANSWER, (key,)).fetchone()
    return None if row is None else Once(*row)


def _check_fence(conn: sqlite3.Connection, change: Append) -> None:
    # The expiry is not looked at: it lets others acquire, and only their grant makes this fence an old one.
    row = conn.execute(_CURRENT_FENCE, (change.stream,)).fetchone()
    if row is None:
        raise FencedError(f"nobody holds the lease of {change.stream}, fence {change.fence} included")
    if row[0] != change.fence:
        raise FencedError(f"the lease of {change.stream} is at fence {row[0]}, not {change.fence}")


def _check_key(conn: sqlite3.Connection, once: Once | None) -> None:
    if once is None or (stored := answered(conn, once.key)) is None:
        return
    if stored.payload != once.payload:
        raise KeyReusedError(f"key {once.key} was used for another payload")
    raise ConflictError(f"the request with key {once.key} has been answered meanwhile")


def _check_version(conn: sqlite3.Connection, change: Append) -> None:
    version = _stream_version(conn, change.stream)
    if version != change.expected:
        raise ConflictError(f"{change.stream} is at version {version}, not {change.expected}")


def _stream_version(conn: sqlite3.Connection, stream: GoalId) -> int:
    (version,) = conn.execute(_STREAM_VERSION, (stream,)).fetchone()
    return int(version)


def _insert_events(conn: sqlite3.Connection, change: Append) -> tuple[Recorded, ...]:
    last, previous = conn.execute(_LAST_LINK).fetchone() or (0, GENESIS)
    recorded = tuple(
        Recorded(last + n, change.stream, change.expected + n, change.at, fact.tag, fact.body)
        for n, fact in enumerate(change.facts, start=1)
    )
    for event in recorded:
        previous = link(previous, event)
        row = (event.seq, event.stream, event.version, event.at, event.tag, event.body, previous)
        conn.execute(_INSERT_EVENT, row)
    return recorded
