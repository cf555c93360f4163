"""The door: the socket of this user's daemon, checked before a word is said through it.

Another local user can be at a path first and pose as the daemon.  So the directory must be ours and closed to others,
and the process at the other end must run under our user id.  Behind socket activation that process is the manager.
"""

import errno
import os
import socket
import stat
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from harnctl.client.errors import Barred, Late, Unreachable
from harnctl.client.place import start_command
from protocol.bounds import SOCKET_PATH_BYTES
from protocol.socket_path import SOCKET

CREDENTIALS: Final = struct.Struct("3i")  # pid, uid, gid: `struct ucred` of unix(7)
OPEN_TO_OTHERS: Final = stat.S_IWGRP | stat.S_IWOTH

# What it means that a socket cannot be connected to; anything else is said in the words of the system.
ABSENT: Final[Mapping[int | None, str]] = {
    errno.ENOENT: "there is no socket",
    errno.ECONNREFUSED: "nobody listens there any more",
}


@dataclass(frozen=True)
class Peer:
    """Who is at the other end of a connection."""

    pid: int
    uid: int

    @property
    def program(self) -> str:
        """The command line it runs, as far as it can be read."""
        try:
            words = Path(f"/proc/{self.pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return "unknown"
        return os.fsdecode(b" ".join(words).strip()) or "unknown"

    @property
    def is_manager(self) -> bool:
        """Tell whether it is the service manager, which listens for the daemon and is nobody to be stopped."""
        return os.path.basename(self.program.split(" ", 1)[0]) == "systemd"  # noqa: PTH119 - the words of a process


def connect(path: Path) -> tuple[socket.socket, Peer]:
    """Return a connection that does not block, and who is at its other end; raises `Unreachable`.

    A local socket connects at once or not at all, so there is nothing to wait for.
    """
    check_place(path)
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(0)
        connection.connect(str(path))
        return connection, check_peer(connection, path)
    except BlockingIOError as error:  # the queue of those that nobody has taken in is full
        connection.close()
        raise Late(f"the daemon at {path} takes in nobody, as one that was stopped", fix="harnctl doctor") from error
    except OSError as error:
        connection.close()
        raise absent(path, error) from error
    except BaseException:
        connection.close()
        raise


def check_place(path: Path) -> None:
    """Raise `Unreachable` unless the socket can be there and its directory is this user's alone."""
    if len(os.fsencode(path)) > SOCKET_PATH_BYTES:
        raise Barred(f"the socket path {path} is longer than {SOCKET_PATH_BYTES} bytes", fix=f"set {SOCKET}")
    try:
        found = path.parent.stat()
    except OSError as error:
        raise absent(path, error) from error
    if found.st_uid != os.getuid():
        raise Barred(f"{path.parent} belongs to user id {found.st_uid}, not to you: no daemon there is yours")
    if found.st_mode & OPEN_TO_OTHERS:
        # What is shared on purpose, as /tmp is, must not be closed: there the socket is in the wrong place.
        fix = (
            "choose a socket in a directory of your own" if found.st_mode & stat.S_ISVTX else f"chmod 700 {path.parent}"
        )
        raise Barred(f"{path.parent} can be written by others", fix=fix)


def check_peer(connection: socket.socket, path: Path) -> Peer:
    """Return who listens there; raises `Barred` when it is another user."""
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
    pid, uid, _ = CREDENTIALS.unpack(raw)
    if uid != os.getuid():
        raise Barred(f"the process at {path} runs under user id {uid}, not under yours: it is not your daemon")
    return Peer(pid=pid, uid=uid)


def absent(path: Path, error: OSError) -> Unreachable:
    """Say that nobody answers at a socket, and how to start the daemon."""
    why = ABSENT.get(error.errno, error.strerror or str(error))
    return Unreachable(f"no daemon answers at {path}: {why}", fix=f"start it: {start_command()}")
