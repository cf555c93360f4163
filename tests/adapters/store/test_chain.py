"""The hash chain: every careless hand is found, at the first place it touched."""

import sqlite3
from collections.abc import Generator
from contextlib import closing

import pytest

from harnd.adapters.store import memory
from harnd.adapters.store.append import append
from harnd.adapters.store.chain import GENESIS, link, verify
from harnd.adapters.store.leases import acquire
from harnd.ports.store import Recorded
from protocol.ids import GoalId
from protocol.values import Instant
from tests.kit.stores import BILLING, ME, SEARCH, TTL, change, fact

EVENT = Recorded(1, GoalId("a"), 1, Instant(5), "t/1", b"{}")


@pytest.fixture
def conn() -> Generator[sqlite3.Connection]:
    """Six events of two goals, with the guards against changing them taken away."""
    with closing(memory()) as conn:
        for goal in (BILLING, SEARCH):
            acquire(conn, goal, ME, now=Instant(0), ttl=TTL)
        for version in range(3):
            append(conn, change(BILLING, expected=version, facts=(fact(version),)))
            append(conn, change(SEARCH, expected=version, facts=(fact(version),)))
        conn.executescript("DROP TRIGGER events_are_never_changed; DROP TRIGGER events_are_never_removed;")
        yield conn


def test_what_was_written_verifies(conn):
    assert verify(conn) is None


def test_an_empty_store_verifies():
    with closing(memory()) as conn:
        assert verify(conn) is None


@pytest.mark.parametrize(
    "tampering",
    [
        "UPDATE events SET body = '{}' WHERE seq = 3",
        "UPDATE events SET at = at + 1 WHERE seq = 3",
        "UPDATE events SET tag = 'thing.happened/2' WHERE seq = 3",
        "UPDATE events SET stream = 'third' WHERE seq = 3",
        "UPDATE events SET version = 9 WHERE seq = 3",
        "UPDATE events SET chain = zeroblob(32) WHERE seq = 3",
        "UPDATE events SET body = (SELECT body FROM events WHERE seq = 5) WHERE seq = 3",
    ],
)
def test_a_changed_event_is_named(conn, tampering):
    conn.execute(tampering)

    found = verify(conn)

    assert found is not None
    assert (found.seq, "is not what was written" in found.reason) == (3, True)


def test_a_removed_event_is_named_by_its_successor(conn):
    conn.execute("DELETE FROM events WHERE seq = 3")

    assert verify(conn) == (4, "event 3 is missing")


def test_a_removed_first_event_is_missing(conn):
    conn.execute("DELETE FROM events WHERE seq = 1")

    assert verify(conn) == (2, "event 1 is missing")


def test_events_cut_off_at_the_end_are_missed_by_their_goal(conn):
    conn.execute("DELETE FROM events WHERE seq >= 5")

    assert verify(conn) == (4, "billing had come to version 3, its events end at 2")


def test_a_forged_event_at_the_end_is_found(conn):
    conn.execute("INSERT INTO events VALUES (7, 'billing', 4, 1, 't/1', '{}', zeroblob(32))")

    found = verify(conn)

    assert found is not None
    assert found.seq == 7


@pytest.mark.parametrize(
    "other",
    [
        Recorded(2, GoalId("a"), 1, Instant(5), "t/1", b"{}"),
        Recorded(1, GoalId("b"), 1, Instant(5), "t/1", b"{}"),
        Recorded(1, GoalId("a"), 2, Instant(5), "t/1", b"{}"),
        Recorded(1, GoalId("a"), 1, Instant(6), "t/1", b"{}"),
        Recorded(1, GoalId("a"), 1, Instant(5), "t/2", b"{}"),
        Recorded(1, GoalId("a"), 1, Instant(5), "t/1", b"[]"),
        Recorded(1, GoalId("a"), 1, Instant(5), "t/", b"1{}"),  # the same letters, divided otherwise
        Recorded(1, GoalId("a1"), 1, Instant(5), "t/1", b"{}"),
    ],
)
def test_every_field_goes_into_the_link(other):
    assert link(GENESIS, EVENT) != link(GENESIS, other)


def test_a_link_depends_on_its_predecessor():
    assert link(GENESIS, EVENT) != link(b"\1" * 32, EVENT)
