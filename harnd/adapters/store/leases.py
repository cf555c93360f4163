"""Leases: who may act for a goal, and until when.

A fence grows by one with every grant and never falls, also across give-backs and restarts.  Expiry lets somebody else
acquire and does nothing else: the holder goes on until then.  No clock is read here: `now` comes in with the call.
"""

import sqlite3
from typing import Final, NamedTuple

from harnd.adapters.store.transaction import transaction
from harnd.ports.errors import LeaseHeldError
from harnd.ports.store import Lease
from protocol.ids import GoalId, InstanceId
from protocol.values import Instant, Micros

_LEASE: Final = """
SELECT holder, fence, expires_at FROM leases WHERE stream = ?
"""
_GRANT: Final = """
INSERT INTO leases (stream, holder, fence, expires_at) VALUES (?, ?, ?, ?)
ON CONFLICT (stream) DO UPDATE SET holder = excluded.holder, fence = excluded.fence, expires_at = excluded.expires_at
"""
_RENEW: Final = """
UPDATE leases SET expires_at = ? WHERE stream = ? AND holder = ? AND fence = ?
"""
_RELEASE: Final = """
UPDATE leases SET holder = NULL, expires_at = 0 WHERE stream = ? AND holder = ? AND fence = ?
"""
_USURP: Final = """
UPDATE leases SET holder = NULL, expires_at = 0 WHERE holder <> ?
"""


class _Grant(NamedTuple):
    holder: InstanceId | None  # None: given back
    fence: int
    expires_at: Instant


def acquire(conn: sqlite3.Connection, stream: GoalId, holder: InstanceId, *, now: Instant, ttl: Micros) -> Lease:
    """Grant the lease with the next fence, unless another holder's has not passed."""
    with transaction(conn):
        last = _last_grant(conn, stream)
        if last.holder not in (None, holder) and now < last.expires_at:
            raise LeaseHeldError(f"{last.holder} holds the lease of {stream} until {last.expires_at}")
        lease = Lease(stream, holder, last.fence + 1, Instant(now + ttl))
        conn.execute(_GRANT, (lease.stream, lease.holder, lease.fence, lease.expires_at))
    return lease


def _last_grant(conn: sqlite3.Connection, stream: GoalId) -> _Grant:
    row = conn.execute(_LEASE, (stream,)).fetchone()
    return _Grant(holder=None, fence=0, expires_at=Instant(0)) if row is None else _Grant(*row)


def renew(conn: sqlite3.Connection, leases: tuple[Lease, ...], *, now: Instant, ttl: Micros) -> frozenset[GoalId]:
    """Extend the leases that are still current, also expired ones, and return the streams of the others."""
    with transaction(conn):
        return frozenset(lease.stream for lease in leases if not _extend(conn, lease, Instant(now + ttl)))


def _extend(conn: sqlite3.Connection, lease: Lease, expires_at: Instant) -> bool:
    return conn.execute(_RENEW, (expires_at, lease.stream, lease.holder, lease.fence)).rowcount == 1


def release(conn: sqlite3.Connection, lease: Lease) -> None:
    """Give the lease back if it is still the current one."""
    with transaction(conn):
        conn.execute(_RELEASE, (lease.stream, lease.holder, lease.fence))


def usurp(conn: sqlite3.Connection, holder: InstanceId) -> int:
    """Give back every lease in other hands, whatever its expiry, and return how many there were."""
    with transaction(conn):
        return conn.execute(_USURP, (holder,)).rowcount
