"""One transaction: all of it or nothing, on the connection that does all the writing."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def transaction(conn: sqlite3.Connection) -> Generator[None]:
    """Commit what the block wrote, or roll it back when the block or the commit itself fails."""
    # IMMEDIATE: a transaction that reads first and asks for the write lock later is refused at once when somebody
    # else wrote in between; only the one that asks at its start waits out the busy timeout.
    conn.execute("BEGIN IMMEDIATE")
    try:
        yield
        conn.execute("COMMIT")
    except BaseException:
        if conn.in_transaction:  # a full disk or a failed write has rolled back already
            conn.execute("ROLLBACK")
        raise
