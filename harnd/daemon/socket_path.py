"""The socket in the file system: found by the rule of `protocol.socket_path`, made private, and listened on.

The directory is 0700 and ours, the socket 0600; anything else there is refused and left alone.  A socket left over by a
dead daemon is replaced without asking anybody: the caller holds the lock on the state directory, and with the lock no
other daemon lives.
"""

import os
import socket
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from protocol.socket_path import socket_path, state_directory

BACKLOG: Final = 128
_PROBE_S: Final = 1.0
OTHERS: Final = 0o077
PRIVATE: Final = 0o700


class SocketRefused(Exception):
    """The place of the socket is not private or not free: exit 78, one sentence."""


def find_socket_path(environment: Mapping[str, str], *, state_dir: str | None = None) -> Path:
    """Return where the socket of the daemon with this state directory lies; raises `NoSocketPath`."""
    default = state_directory({"HOME": str(Path.home()), **environment})  # without HOME, what the user database says
    path = socket_path(
        state_dir or default,
        default_state_dir=default,
        runtime_dir=environment.get("XDG_RUNTIME_DIR"),
        uid=os.getuid(),
        is_ours=is_ours,
    )
    return Path(path)


def is_ours(directory: str) -> bool:
    """Tell whether this is a directory of this user (a link is followed: /run/user may lie behind one)."""
    try:
        found = Path(directory).stat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()


def listen(path: Path) -> socket.socket:
    """Return a listening socket at `path`; raises `SocketRefused`.  Hold the lock on the state directory before."""
    _make_private(path.parent)
    _clear(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(str(path))
        path.chmod(0o600)  # nobody else reaches it before: the directory is closed
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise SocketRefused(f"cannot listen at {path}: {error.strerror or error}") from error
    listener.settimeout(0)
    return listener


def _make_private(directory: Path) -> None:
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        directory.mkdir(mode=PRIVATE, exist_ok=True)
        found = directory.lstat()
    except OSError as error:
        raise SocketRefused(f"cannot make {directory}: {error.strerror}") from error
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise SocketRefused(f"{directory} is not a directory of user {os.getuid()}: remove it or have it removed")
    if stat.S_IMODE(found.st_mode) & OTHERS:
        close = "" if found.st_mode & stat.S_ISVTX else "close it (chmod 700), or "  # /tmp is shared on purpose
        raise SocketRefused(f"{directory} is open to other users: {close}choose another --socket")


def _clear(path: Path) -> None:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode) or found.st_uid != os.getuid():
        raise SocketRefused(f"{path} is not a socket of user {os.getuid()}: remove it or have it removed")
    if _answers(path):
        raise SocketRefused(f"another daemon, of another state directory, listens at {path}: choose another --socket")
    path.unlink()


def _answers(path: Path) -> bool:
    """Tell whether somebody listens: the lock says so of this state directory only, and places can be shared."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(_PROBE_S)
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        except OSError:
            return True  # full, or slow to answer: somebody is there
        return True
