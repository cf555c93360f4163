"""The store: events, leases, read models and answers in one SQLite file, large texts beside it.

Only this package knows that there is a database.  `open_store` is production's, `open_inline_store` a simulation's;
both run the same SQL.
"""

from harnd.adapters.store.blobs import FileBlobs, MemoryBlobs
from harnd.adapters.store.chain import Break, verify
from harnd.adapters.store.database import memory
from harnd.adapters.store.errors import (
    ForeignFileError,
    NewerSchemaError,
    UnsafeDirectoryError,
    UnsuitableFileSystemError,
)
from harnd.adapters.store.files import private_directory
from harnd.adapters.store.lock import Identity, hold_lock
from harnd.adapters.store.opening import open_inline_store, open_store
from harnd.adapters.store.sqlite import SqliteStore
from harnd.ports.errors import AlreadyRunningError, StartRefusedError

__all__ = [
    "AlreadyRunningError",
    "Break",
    "FileBlobs",
    "ForeignFileError",
    "Identity",
    "MemoryBlobs",
    "NewerSchemaError",
    "SqliteStore",
    "StartRefusedError",
    "UnsafeDirectoryError",
    "UnsuitableFileSystemError",
    "hold_lock",
    "memory",
    "open_inline_store",
    "open_store",
    "private_directory",
    "verify",
]
