"""The door: the socket of this user's daemon, checked before a word is said through it.

Another local user can be at a path first and pose as the daemon.  So the directory must be ours and closed to others,
and the process at the other end must run under our user id.  Behind socket activation that process is the manager.
"""

import os
import socket
import stat
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from harnctl.client.errors import Unreachable
from harnctl.client.place import start_command
from protocol.bounds import SOCKET_PATH_BYTES

CREDENTIALS: Final = struct.Struct("3i")  # pid, uid, gid: `struct ucred` of unix(7)
OPEN_TO_OTHERS: Final = stat.S_IWGRP | stat.S_IWOTH


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


def check_place(path: Path) -> None:
    """Raise `Unreachable` unless the socket can be there and its directory is this user's alone."""
    if len(os.fsencode(path)) > SOCKET_PATH_BYTES:
        raise Unreachable(f"the socket path {path} is longer than {SOCKET_PATH_BYTES} bytes", fix="set HARND_SOCKET")
    try:
        found = path.parent.stat()
    except OSError as error:
        raise absent(path, error) from error
    if found.st_uid != os.getuid():
        raise Unreachable(f"{path.parent} belongs to user id {found.st_uid}, not to you: no daemon there is yours")
    if found.st_mode & OPEN_TO_OTHERS:
        raise Unreachable(f"{path.parent} can be written by others", fix=f"chmod 700 {path.parent}")


def check_peer(connection: socket.socket, path: Path) -> Peer:
    """Return who listens there; raises `Unreachable` when it is another user."""
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
    pid, uid, _ = CREDENTIALS.unpack(raw)
    if uid != os.getuid():
        raise Unreachable(f"the process at {path} runs under user id {uid}, not under yours: it is not your daemon")
    return Peer(pid=pid, uid=uid)


def absent(path: Path, error: OSError) -> Unreachable:
    """Say that nobody answers at a socket, and how to start the daemon."""
    return Unreachable(f"no daemon answers at {path}: {error.strerror or error}", fix=f"start it: {start_command()}")
