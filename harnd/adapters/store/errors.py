"""SQLite's errors and the file system's, in the words of the ports; and the reasons not to start at all.

Translation happens here and nowhere else.  What is not the world's doing (a broken constraint, a misspelt statement) is
a bug and passes through as it is.
"""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from harnd.ports.errors import CorruptError, PortError, StartRefusedError, UnavailableError

_PRIMARY_CODE: Final = 0xFF  # the low byte of an extended result code names its family

_UNAVAILABLE: Final = frozenset(
    {
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
    }
)
_CORRUPT: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


class NewerSchemaError(StartRefusedError):
    """A newer harnd wrote this store: start that one."""


class ForeignFileError(StartRefusedError):
    """The file is a database, but no store of harnd's."""


class UnsuitableFileSystemError(StartRefusedError):
    """The file system under the state directory cannot keep a promise that harnd rests on."""


class UnsafeDirectoryError(StartRefusedError):
    """Somebody else owns the directory or may write into it."""


@contextmanager
def translated() -> Generator[None]:
    """Raise SQLite's complaints about the world as port errors."""
    try:
        yield
    except sqlite3.Error as error:
        family = _family(error)
        if family is None:
            raise
        raise family(str(error)) from error


def _family(error: sqlite3.Error) -> type[PortError] | None:
    code: int | None = getattr(error, "sqlite_errorcode", None)  # only errors from the library itself have one
    if code is None:
        return None
    if code & _PRIMARY_CODE in _UNAVAILABLE:
        return UnavailableError
    return CorruptError if code & _PRIMARY_CODE in _CORRUPT else None
