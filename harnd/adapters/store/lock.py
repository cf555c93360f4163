"""The lock on a state directory: one daemon at a time, and who it is.

The lock is an exclusive flock on a file that is never removed; the kernel frees it when the holder dies, however it
dies.  The identity file beside it is for people: it names the holder in messages, and whatever it says, also of a
process that lives, it neither blocks a start nor gets anybody signalled.
"""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import msgspec

from harnd.adapters.store.errors import UnsuitableFileSystemError
from harnd.adapters.store.files import write_private
from harnd.ports.errors import AlreadyRunningError
from protocol.ids import InstanceId

_LOCK: Final = "lock"
_IDENTITY: Final = "daemon.json"
_START_TIME_FIELD: Final = 19  # of /proc/pid/stat, counted after the name: field 22 of proc(5)


class Identity(msgspec.Struct, frozen=True):
    """Which process, of which boot, holds the lock.  A pid alone names nobody: pids are used again."""

    instance: InstanceId
    version: str
    pid: int
    start_time: int  # clock ticks after boot
    boot_id: str

    @classmethod
    def of_this_process(cls, instance: InstanceId, version: str) -> "Identity":
        """Describe the calling process."""
        boot_id = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        return cls(instance, version, os.getpid(), _start_time(), boot_id)


@contextmanager
def hold_lock(state: Path, identity: Identity) -> Generator[None]:
    """Hold the state directory for the length of the block.

    Raises `AlreadyRunningError`, naming the holder, and `UnsuitableFileSystemError` where locks exclude nobody.
    """
    descriptor = _open(state / _LOCK)
    try:
        if not _lock(descriptor):
            raise AlreadyRunningError(f"{_describe(state)} holds {state}")
        _check_exclusion(state / _LOCK)
        write_private(state / _IDENTITY, msgspec.json.encode(identity), draft=state / f"{_IDENTITY}.new")
        yield
        (state / _IDENTITY).unlink(missing_ok=True)
    finally:
        os.close(descriptor)


def _open(path: Path) -> int:
    # Close-on-exec: a flock belongs to every copy of the descriptor, and an agent that inherits one would hold the
    # lock beyond the daemon's death.
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    os.fchmod(descriptor, 0o600)
    return descriptor


def _lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _check_exclusion(path: Path) -> None:
    # Some file systems (drvfs, a few network mounts) grant every lock; two daemons would then share one store.
    second = _open(path)
    try:
        if _lock(second):
            raise UnsuitableFileSystemError(f"the file system of {path} does not keep a second holder out of a lock")
    finally:
        os.close(second)


def _describe(state: Path) -> str:
    with suppress(OSError, msgspec.MsgspecError):
        found = msgspec.json.decode((state / _IDENTITY).read_bytes(), type=Identity)
        return f"harnd {found.version} with pid {found.pid} (instance {found.instance})"
    return "another daemon that has not said who it is"


def _start_time() -> int:
    # The name in the second field may hold spaces and parentheses: count from behind it.
    told = Path("/proc/self/stat").read_text("utf-8", errors="surrogateescape").rpartition(")")[2]
    return int(told.split()[_START_TIME_FIELD])
