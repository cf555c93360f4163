"""The database file: how it comes into being, what is checked before it is opened, and how a connection is set.

A new file is built beside its place and moved there when it is whole, so an empty or half-made file in that place is
always damage and never a beginning.  Nothing here overwrites a file that exists.
"""

import os
import sqlite3
from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import Final

from harnd.adapters.store.errors import UnsuitableFileSystemError, translated
from harnd.adapters.store.files import sync_directory
from harnd.adapters.store.schema import check_origin, migrate
from harnd.ports.errors import CorruptError

BUSY_TIMEOUT_S: Final = 5.0
_MAGIC: Final = b"SQLite format 3\0"
_HEADER_BYTES: Final = 100
_WAL_PAGES: Final = 1_000  # after so many the writer checkpoints, at the end of a commit
_WAL_BYTES: Final = 8 * 1024 * 1024  # what a checkpointed log is cut back to


class Durability(StrEnum):
    """What a commit survives: the loss of power, or only the end of the process (simulations)."""

    FULL = "FULL"
    PROCESS = "OFF"


def establish(path: Path) -> None:
    """See to it that a store lies at `path`: make it, or check what is there and refuse it before anything is written.

    Raises `CorruptError`, `ForeignFileError` or `NewerSchemaError`.
    """
    if path.exists():
        _check_file(path)
    else:
        _create(path)


def settle(conn: sqlite3.Connection, durability: Durability = Durability.FULL) -> None:
    """Set a fresh connection up as the one that does all writing, and bring the schema up to date."""
    conn.execute("PRAGMA foreign_keys = ON")
    conn.execute("PRAGMA trusted_schema = OFF")
    (mode,) = conn.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode not in ("wal", "memory"):
        raise UnsuitableFileSystemError(f"the file system allows no write-ahead log (journal mode stays {mode})")
    conn.execute(f"PRAGMA synchronous = {durability}")
    conn.execute(f"PRAGMA wal_autocheckpoint = {_WAL_PAGES}")
    conn.execute(f"PRAGMA journal_size_limit = {_WAL_BYTES}")
    migrate(conn)


def memory() -> sqlite3.Connection:
    """Make an empty store in memory, which lives as long as the connection: the disk of a simulated machine."""
    conn = sqlite3.connect(":memory:", isolation_level=None)
    settle(conn)
    return conn


def _check_file(path: Path) -> None:
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    if len(header) < _HEADER_BYTES or not header.startswith(_MAGIC):
        raise CorruptError(f"{path} is no database (it begins with {header[:16]!r}): it is left as it is")
    # Read-only: looking at a newer store must not even fold its log into it.
    with translated(), closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as conn:
        check_origin(conn)  # whatever is read first also shows whether the file was cut short


def _create(path: Path) -> None:
    log = path.with_name(f"{path.name}-wal")
    if log.exists():
        raise CorruptError(f"{log} is there and {path} is not: a new store beside it would be filled with old pages")
    draft = path.with_name(f"{path.name}.new")
    draft.unlink(missing_ok=True)
    _private_file(draft)
    with translated(), closing(sqlite3.connect(draft, isolation_level=None)) as conn:
        migrate(conn)
    draft.rename(path)
    sync_directory(path.parent)


def _private_file(path: Path) -> None:
    # Made before SQLite sees it: SQLite would give it the umask's mode, and its log the same.
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    try:
        os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)
