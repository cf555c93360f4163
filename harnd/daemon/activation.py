"""Activation: listening sockets that the service manager made and passed on, as sd_listen_fds(3) has it.

They are used as they are.  Their files belong to the manager: harnd neither makes, closes to others nor removes them,
and takes no other socket beside them.  What was passed and is of no use is refused, since clients would wait at it.
"""

import os
import socket
from collections.abc import MutableMapping
from pathlib import Path
from typing import Final

FIRST: Final = 3  # SD_LISTEN_FDS_START
MOST: Final = 16  # nobody has a use for more


class ActivationRefused(Exception):
    """What was passed on is no socket that harnd can serve: exit 78, one sentence."""


def passed_listeners(environment: MutableMapping[str, str], *, pid: int, first: int = FIRST) -> list[socket.socket]:
    """Take the listening sockets that were passed to this process, none as a rule; raises `ActivationRefused`.

    What said so is removed from the environment, and the sockets are closed in children.
    """
    names = environment.pop("LISTEN_FDNAMES", "").split(":")
    said, whose = environment.pop("LISTEN_FDS", ""), environment.pop("LISTEN_PID", "")
    environment.pop("LISTEN_PIDFDID", None)
    if not said or whose != str(pid):  # they were for whoever started us
        return []
    if not said.isdecimal() or len(said) > len(str(MOST)) or int(said) > MOST:
        raise ActivationRefused(f"LISTEN_FDS is {said!r}, and not a number up to {MOST}: see the socket unit")
    return [_listener(first + index, name=_named(names, index)) for index in range(int(said))]


def address(listener: socket.socket) -> Path:
    """Return where clients find a listener."""
    return Path(listener.getsockname())


def _named(names: list[str], index: int) -> str:
    return names[index] if index < len(names) and names[index] else "without a name"


def _listener(descriptor: int, *, name: str) -> socket.socket:
    which = f"the socket passed as descriptor {descriptor} ({name})"
    try:
        os.set_inheritable(descriptor, False)  # noqa: FBT003 - it takes no keyword
        found = socket.socket(fileno=descriptor)
    except OSError as error:
        raise ActivationRefused(f"{which} cannot be used: {error.strerror}; see the socket unit") from error
    if reason := _unfit(found):
        found.close()
        raise ActivationRefused(f"{which} {reason}; see the socket unit")
    found.settimeout(0)
    return found


def _unfit(found: socket.socket) -> str:
    """Say why a socket is none to be served, nothing when it is."""
    if found.family != socket.AF_UNIX:
        return "is no UNIX socket, and harnd listens on no other (ListenStream=/a/path)"
    if found.type != socket.SOCK_STREAM:
        return "is no stream socket (ListenStream=/a/path)"
    if not found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
        return "does not listen (Accept=no)"
    place = found.getsockname()
    if not isinstance(place, str) or not place.startswith("/"):  # bytes are an abstract name, which anybody can take
        return "has no path, so that anybody could have its name (ListenStream=/a/path)"
    return ""
