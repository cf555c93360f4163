"""The event store: streams of facts, the leases that guard them, and the rows that are read instead of folding them.

One append is one transaction: fence and expected version are checked inside it, events, rows and the answer to an
idempotency key are written by it or not at all.  The store knows nothing of what an event means.
"""

from typing import Protocol

import msgspec

from protocol.ids import Digest, GoalId, IdempotencyKey, InstanceId
from protocol.values import Instant, Micros


class Fact(msgspec.Struct, frozen=True):
    """An event on its way into a stream."""

    tag: str  # such as `plan.applied/1`
    body: bytes  # one JSON object


class Recorded(msgspec.Struct, frozen=True):
    """An event as it lies in the store.  `seq` counts over all streams, `version` within the stream; both from 1."""

    seq: int
    stream: GoalId
    version: int
    at: Instant
    tag: str
    body: bytes


class GoalRow(msgspec.Struct, frozen=True):
    """What a list shows of a goal, and what the daemon asks at start: which goals have something due."""

    goal: GoalId
    title: str
    phase: str
    next_action: str
    reason: str
    since: Instant
    due: bool  # something can be done now by harnd itself
    wake_at: Instant | None  # when a deadline of this goal passes
    version: int = 0  # of the stream; the store fills it in
    parked: str | None = None  # why its supervisor gave up; the store fills it in
    archived: bool = False  # a person put it away for good


class InboxRow(msgspec.Struct, frozen=True):
    """One thing that waits for a person."""

    goal: GoalId
    kind: str  # plan, attention, approval, work, blocked, budget
    subject: str  # such as `plan/2`, `approval/1`, `p1.parser` or `budget/attempts`
    summary: str
    since: Instant
    digest: Digest | None  # what a decision about it must name


class Rows(msgspec.Struct, frozen=True):
    """The read models of one goal, whole: they replace what was there."""

    goal: GoalRow
    inbox: tuple[InboxRow, ...]


class Once(msgspec.Struct, frozen=True):
    """An answered request: the same key and payload get the same answer for ever."""

    key: IdempotencyKey
    payload: Digest
    answer: bytes


class Append(msgspec.Struct, frozen=True):
    """One decision to be made durable."""

    stream: GoalId
    expected: int  # version of the stream it was decided on; 0 for a new stream
    fence: int
    at: Instant
    facts: tuple[Fact, ...]
    rows: Rows
    once: Once | None = None


class Lease(msgspec.Struct, frozen=True):
    """The right to act for one goal; `fence` grows by one with every grant."""

    stream: GoalId
    holder: InstanceId
    fence: int
    expires_at: Instant


class Health(msgspec.Struct, frozen=True):
    """What `doctor` and `status` say of the store."""

    engine: str  # name and version of the database
    schema: int
    events: int
    size_bytes: int
    wal_bytes: int


class EventStore(Protocol):
    """Where everything that happened is kept.  Every method raises `UnavailableError` when the store cannot answer."""

    async def append(self, change: Append) -> tuple[Recorded, ...]:
        """Make the facts durable and return them as recorded; with no facts, only rows and answer are written.

        Raises `FencedError` (lease not current: a newer grant, or given back; expiry alone does not end it),
        `KeyReusedError` (key with another payload) and `ConflictError` (version moved, or the same request has been
        answered meanwhile: ask `answered` before deciding again).  After any of them nothing was written.  After a
        cancellation nobody knows whether all of it was written or nothing.
        """
        ...

    async def read(self, stream: GoalId, *, after: int = 0) -> list[Recorded]:
        """Return the events of one stream past version `after`, oldest first; an unknown stream has none."""
        ...

    async def read_all(self, *, after: int, limit: int, stream: GoalId | None = None) -> list[Recorded]:
        """Return up to `limit` events of all streams, or of one, past sequence `after`, oldest first.

        What others hold costs nothing when one stream is asked for.
        """
        ...

    async def newest(self) -> int:
        """Return the sequence of the last event of all streams; 0 when there is none."""
        ...

    async def goals(self) -> list[GoalRow]:
        """Return the row of every goal, by id."""
        ...

    async def row(self, goal: GoalId) -> GoalRow | None:
        """Return the row of one goal, or None when there is no such goal."""
        ...

    async def due(self, *, now: Instant) -> list[GoalId]:
        """Return the goals that have something to do now or a deadline that has passed, by id; parked ones are not."""
        ...

    async def wakes(self) -> list[tuple[Instant, GoalId]]:
        """Return the deadlines of goals that sleep (not due, not parked), soonest first; passed ones are among them."""
        ...

    async def inbox(self) -> list[InboxRow]:
        """Return everything that waits for a person, oldest first."""
        ...

    async def park(self, goal: GoalId, reason: str | None) -> None:
        """Note on the goal's row that its supervisor gave up and why, or (None) that it may try again.

        Appends leave the note as it is.  Raises `MissingError` for a goal without a row.
        """
        ...

    async def answered(self, key: IdempotencyKey) -> Once | None:
        """Return the answer stored under a key."""
        ...

    async def acquire(self, stream: GoalId, holder: InstanceId, ttl: Micros) -> Lease:
        """Grant the lease with the next fence, by the store's own clock; raises `LeaseHeldError`.

        The holder itself gets its lease again, with the next fence.
        """
        ...

    async def renew(self, leases: tuple[Lease, ...], ttl: Micros) -> frozenset[GoalId]:
        """Extend the leases that are still current, in one transaction; return the streams whose lease is lost.

        An expired lease that nobody else has acquired is still current.
        """
        ...

    async def release(self, lease: Lease) -> None:
        """Give a lease back, by fence: a late release does not free a newer grant."""
        ...

    async def usurp(self, holder: InstanceId) -> int:
        """Give back every lease that is not `holder`'s and return how many there were; their fences are refused now.

        Only the daemon that holds the exclusive lock on the state directory may ask: with the lock, no other holder
        lives.
        """
        ...

    async def health(self) -> Health:
        """Measure the store."""
        ...


class Blobs(Protocol):
    """Large texts by digest: prompts, replies, outputs.  Private, durable when `put` returns."""

    async def put(self, content: bytes) -> Digest:
        """Keep the bytes and return their digest; the same bytes are kept once."""
        ...

    async def get(self, digest: Digest) -> bytes:
        """Return the bytes; raises `MissingError`, or `CorruptError` when they are not what was put."""
        ...
