"""Rows: the read models that lists and timers ask, kept in the transaction of the events they follow from.

A goal's rows are replaced whole.  Only `version` and `parked` are the store's own: the first is counted, the second is
set by `park` and survives appends.
"""

import sqlite3
from typing import Any, Final

from harnd.adapters.store.transaction import transaction
from harnd.ports.errors import MissingError
from harnd.ports.store import GoalRow, InboxRow, Rows
from protocol.ids import GoalId
from protocol.values import Instant

_REPLACE_GOAL: Final = """
INSERT INTO goals (goal, title, phase, next_action, reason, since, due, wake_at, version, archived)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (goal) DO UPDATE SET
    title = excluded.title, phase = excluded.phase, next_action = excluded.next_action, reason = excluded.reason,
    since = excluded.since, due = excluded.due, wake_at = excluded.wake_at, version = excluded.version,
    archived = excluded.archived
"""
_CLEAR_INBOX: Final = """
DELETE FROM inbox WHERE goal = ?
"""
_INSERT_INBOX: Final = """
INSERT INTO inbox (goal, position, kind, subject, summary, since, digest) VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_PARK: Final = """
UPDATE goals SET parked = ? WHERE goal = ?
"""
_GOALS: Final = """
SELECT goal, title, phase, next_action, reason, since, due, wake_at, version, parked, archived FROM goals ORDER BY goal
"""
_GOAL: Final = """
SELECT goal, title, phase, next_action, reason, since, due, wake_at, version, parked, archived FROM goals WHERE goal = ?
"""
_DUE: Final = """
SELECT goal FROM goals WHERE due = 1 AND parked IS NULL
UNION
SELECT goal FROM goals WHERE wake_at IS NOT NULL AND wake_at <= ? AND parked IS NULL
ORDER BY goal
"""
_WAKES: Final = """
SELECT wake_at, goal FROM goals WHERE wake_at IS NOT NULL AND parked IS NULL AND due = 0 ORDER BY wake_at, goal
"""
_INBOX: Final = """
SELECT goal, kind, subject, summary, since, digest FROM inbox ORDER BY since, goal, position
"""


def replace_rows(conn: sqlite3.Connection, rows: Rows, *, version: int) -> None:
    """Put the rows in place of what the goal had; runs inside the append's transaction."""
    goal = rows.goal
    told = (
        goal.goal,
        goal.title,
        goal.phase,
        goal.next_action,
        goal.reason,
        goal.since,
        goal.due,
        goal.wake_at,
        version,
        goal.archived,
    )
    conn.execute(_REPLACE_GOAL, told)
    conn.execute(_CLEAR_INBOX, (goal.goal,))
    for position, item in enumerate(rows.inbox):
        waiting = (goal.goal, position, item.kind, item.subject, item.summary, item.since, item.digest)
        conn.execute(_INSERT_INBOX, waiting)


def park(conn: sqlite3.Connection, goal: GoalId, reason: str | None) -> None:
    """Note why the goal is left alone, or that it no longer is."""
    with transaction(conn):
        if conn.execute(_PARK, (reason, goal)).rowcount == 0:
            raise MissingError(f"there is no goal {goal}")


def goals(conn: sqlite3.Connection) -> list[GoalRow]:
    """Return the row of every goal, by id."""
    return [_goal_row(stored) for stored in conn.execute(_GOALS)]


def row(conn: sqlite3.Connection, goal: GoalId) -> GoalRow | None:
    """Return the row of one goal."""
    stored = conn.execute(_GOAL, (goal,)).fetchone()
    return None if stored is None else _goal_row(stored)


def due(conn: sqlite3.Connection, *, now: Instant) -> list[GoalId]:
    """Return the goals with something to do at `now`, by id."""
    return [goal for (goal,) in conn.execute(_DUE, (now,))]


def wakes(conn: sqlite3.Connection) -> list[tuple[Instant, GoalId]]:
    """Return the deadlines of goals that sleep, soonest first."""
    return [(wake_at, goal) for wake_at, goal in conn.execute(_WAKES)]


def inbox(conn: sqlite3.Connection) -> list[InboxRow]:
    """Return everything that waits for a person, oldest first."""
    return [InboxRow(*stored) for stored in conn.execute(_INBOX)]


def _goal_row(stored: tuple[Any, ...]) -> GoalRow:
    goal, title, phase, next_action, reason, since, due, wake_at, version, parked, archived = stored
    return GoalRow(goal, title, phase, next_action, reason, since, bool(due), wake_at, version, parked, bool(archived))
