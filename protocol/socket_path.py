"""Places: where state, socket and configuration lie, one rule for both ends, as pure functions of what they see.

The runtime directory comes first for a socket, because its name is short and it goes away with the last log-out; the
state directory is the last resort.  A directory that anybody else could have made (`/tmp` above all) is never used.  A
daemon with a state directory of its own has a socket of its own.  Looking at the file system is the caller's part:
`is_ours` tells whether a path is a directory of this user.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from protocol.bounds import SOCKET_PATH_BYTES

NAME: Final = "harnd.sock"
STATE: Final = "HARND_STATE"  # what names a place in the environment
SOCKET: Final = "HARND_SOCKET"
CONFIG: Final = "HARND_CONFIG"


class NoSocketPath(Exception):
    """Every place is too long for a socket address."""

    def __init__(self, path: str) -> None:
        """Name the last place that was tried."""
        super().__init__(f"{path} is {len(_encoded(path))} bytes long, and a socket path has {SOCKET_PATH_BYTES}")
        self.path = path


def state_directory(environment: Mapping[str, str]) -> str:
    """Return the state directory that is used when nobody names one (XDG base directories)."""
    return f"{_base(environment, 'XDG_STATE_HOME', '.local/state')}/harnd"


def config_file(environment: Mapping[str, str]) -> str:
    """Return the configuration file that is read when nobody names one (XDG base directories)."""
    return f"{_base(environment, 'XDG_CONFIG_HOME', '.config')}/harnd/config.toml"


def from_home(said: str, environment: Mapping[str, str]) -> str:
    """Return a path that a person wrote with `~` for their own home; `~name` is a name like any other.

    Arguments, variables and the configuration file are all read like this.
    """
    return f"{environment['HOME']}{said[1:]}" if said == "~" or said.startswith("~/") else said


def socket_path(
    state_dir: str, *, default_state_dir: str, runtime_dir: str | None, uid: int, is_ours: Callable[[str], bool]
) -> str:
    """Return the absolute path of the socket of the daemon that keeps its state in `state_dir` (absolute).

    `runtime_dir` is XDG_RUNTIME_DIR as the environment has it.  Raises `NoSocketPath`: exit 78, one sentence.
    """
    state_dir = state_dir.rstrip("/")
    name = NAME if state_dir == default_state_dir.rstrip("/") else _own_name(state_dir)
    last = f"{state_dir}/run/{NAME}"
    for directory in _runtime_directories(runtime_dir, uid, is_ours):
        if _fits(path := f"{directory}/harnd/{name}"):
            return path
    if not _fits(last):
        raise NoSocketPath(last)
    return last


def _base(environment: Mapping[str, str], name: str, below_home: str) -> str:
    base = environment.get(name, "")
    if not base.startswith("/"):  # the standard: a relative path is ignored
        base = f"{environment['HOME'].rstrip('/')}/{below_home}"
    return base.rstrip("/")


def _runtime_directories(runtime_dir: str | None, uid: int, is_ours: Callable[[str], bool]) -> Iterator[str]:
    # Without XDG_RUNTIME_DIR (cron, su, sudo -u) the usual place is looked at all the same, so that both ends agree.
    for directory in ((runtime_dir or "").rstrip("/"), f"/run/user/{uid}"):
        if directory.startswith("/") and is_ours(directory):
            yield directory


def _own_name(state_dir: str) -> str:
    return f"harnd-{hashlib.sha256(_encoded(state_dir)).hexdigest()[:12]}.sock"


def _fits(path: str) -> bool:
    return len(_encoded(path)) <= SOCKET_PATH_BYTES


def _encoded(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")  # as the kernel sees it
