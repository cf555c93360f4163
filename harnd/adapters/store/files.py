"""Private files and directories that last: 0600 in 0700 whatever the umask, and durable when a call returns."""

import os
import stat
from pathlib import Path
from typing import Final

from harnd.adapters.store.errors import UnsafeDirectoryError

_OTHERS_MAY_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


def private_directory(path: Path) -> None:
    """Make the directory 0700, or refuse one that another user owns or may write into."""
    try:
        path.mkdir(mode=0o700, parents=True)
    except FileExistsError:
        _check_private(path)
    else:
        path.chmod(0o700)
        sync_directory(path.parent)


def _check_private(path: Path) -> None:
    found = path.stat()
    if not stat.S_ISDIR(found.st_mode):
        raise UnsafeDirectoryError(f"{path} is not a directory")
    if found.st_uid != os.geteuid():
        raise UnsafeDirectoryError(f"{path} belongs to user {found.st_uid}, not to {os.geteuid()}")
    if found.st_mode & _OTHERS_MAY_WRITE:
        raise UnsafeDirectoryError(f"{path} may be written by others (mode {found.st_mode & 0o777:o}): chmod go-w it")


def write_private(path: Path, content: bytes, *, draft: Path) -> None:
    """Put a file 0600 with this content at `path`, whole and for good, or leave what was there.

    `draft` is written first; it lies on the same file system and is nobody else's.
    """
    try:
        _write_through(draft, content)
        draft.rename(path)
    except BaseException:
        draft.unlink(missing_ok=True)  # a full disk must not be filled further by what failed on it
        raise
    sync_directory(path.parent)


def _write_through(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        os.fchmod(descriptor, 0o600)
        file.write(content)
        file.flush()
        # Before the rename: a name that outlives its content after a power loss is a file of NULs.
        os.fsync(descriptor)


def sync_directory(path: Path) -> None:
    """Make the names in a directory durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
