"""The hash chain: each event carries the SHA-256 of its predecessor's link and of itself.

A changed, removed, inserted or exchanged event breaks the chain where it was touched.  Events cut off at the end break
no link; they are told by the goal rows, which know how far their streams had come.  Nobody who can write the file is
kept from forging all of it: the chain finds accidents and careless hands.
"""

import hashlib
import sqlite3
from typing import Final, NamedTuple

from harnd.ports.store import Recorded

GENESIS: Final = bytes(32)  # the link before the first event

_EVENTS = """
SELECT seq, stream, version, at, tag, CAST(body AS BLOB), chain FROM events ORDER BY seq
"""
_ROWS = """
SELECT goal, version FROM goals ORDER BY goal
"""


class Break(NamedTuple):
    """The first place where the store is not what was written; `seq` is the event that shows it."""

    seq: int
    reason: str


def link(previous: bytes, event: Recorded) -> bytes:
    """Return the link of `event` after the link `previous`."""
    told = (str(event.seq), event.stream, str(event.version), str(event.at), event.tag)
    fields = [*(field.encode() for field in told), event.body]
    # Each with its length: no two events may read the same.
    return hashlib.sha256(previous + b"".join(len(field).to_bytes(8) + field for field in fields)).digest()


def verify(conn: sqlite3.Connection) -> Break | None:
    """Walk the chain and return the first broken place, or None when everything is as it was written."""
    previous, versions = GENESIS, dict[str, int]()
    position = 0
    for position, (*fields, found) in enumerate(conn.execute(_EVENTS), start=1):
        event = Recorded(*fields)
        if event.seq != position:
            return Break(event.seq, f"event {position} is missing")
        if found != (previous := link(previous, event)):
            return Break(event.seq, f"event {event.seq} ({event.tag} of {event.stream}) is not what was written")
        expected = versions.get(event.stream, 0) + 1
        if event.version != expected:
            return Break(event.seq, f"{event.stream} has version {event.version} where {expected} belongs")
        versions[event.stream] = event.version
    return _cut_off(conn, versions, last=position)


def _cut_off(conn: sqlite3.Connection, versions: dict[str, int], *, last: int) -> Break | None:
    for goal, version in conn.execute(_ROWS):
        if version != (found := versions.get(goal, 0)):
            return Break(last, f"{goal} had come to version {version}, its events end at {found}")
    return None
