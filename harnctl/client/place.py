"""Places: where this user's daemon keeps its state and its socket, as the shared rule of the protocol has it.

What a person said on the command line goes before the environment, the environment before the configuration file of the
daemon, and the file before the rule.
"""

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from harnctl.client.configured import configured
from harnctl.client.errors import Barred
from protocol.socket_path import SOCKET, STATE, NoSocketPath, from_home, socket_path, state_directory


def find_state(environ: Mapping[str, str], state: Path | None = None) -> Path:
    """Return the absolute state directory."""
    if named := state or environ.get(STATE):
        return absolute(named, environ)
    return _usual_state(_with_home(environ))


def find_socket(environ: Mapping[str, str], *, state: Path | None = None, socket: Path | None = None) -> Path:
    """Return the absolute path of the socket; raises `NoSocketPath` when every place is too long."""
    if named := socket or environ.get(SOCKET):
        return absolute(named, environ)
    home, kept = _with_home(environ), find_state(environ, state)
    # The socket of the file is that of the daemon of the file, and of no other.
    if kept == _usual_state(home) and (of_file := configured(home).socket):
        return of_file
    found = socket_path(
        str(kept),
        default_state_dir=state_directory(home),
        runtime_dir=environ.get("XDG_RUNTIME_DIR"),
        uid=os.getuid(),
        is_ours=_is_ours,
    )
    return Path(found)


def absolute(named: str | Path, environ: Mapping[str, str]) -> Path:
    """Return a path of the command line or the environment as an absolute one."""
    return Path(from_home(str(named), _with_home(environ))).absolute()


def usual_socket() -> Path:
    """Return the socket that this process's environment leads to; raises `Barred` when every place is too long."""
    try:
        return find_socket(os.environ)
    except NoSocketPath as error:
        raise Barred(str(error), fix=f"set {SOCKET} to a shorter path") from error


def unit_directory(environ: Mapping[str, str]) -> Path:
    """Return where a user's own systemd units lie."""
    base = environ.get("XDG_CONFIG_HOME", "")
    config = Path(base) if base.startswith("/") else Path(_with_home(environ)["HOME"]).absolute() / ".config"
    return config / "systemd" / "user"


def program() -> tuple[str, ...]:
    """Return the words that start the daemon of this installation from anywhere: absolute, and without PATH."""
    beside = Path(sys.executable).with_name("harnd")
    # -P: a `harnd` or an `anyio.py` in whatever directory it is started from is not taken for ours.
    return (str(beside),) if os.access(beside, os.X_OK) else (sys.executable, "-P", "-m", "harnd")


def start_command() -> str:
    """Return the command that starts the daemon of this installation."""
    return "harnd" if shutil.which("harnd") else shlex.join((sys.executable, "-m", "harnd"))


def _usual_state(environ: Mapping[str, str]) -> Path:
    """Return the state directory of a daemon that is told of none."""
    return configured(environ).state or Path(state_directory(environ))


def _with_home(environ: Mapping[str, str]) -> Mapping[str, str]:
    return environ if environ.get("HOME") else {**environ, "HOME": str(Path("~").expanduser())}


def _is_ours(directory: str) -> bool:
    try:
        return Path(directory).is_dir() and Path(directory).stat().st_uid == os.getuid()
    except OSError:
        return False


__all__ = [
    "NoSocketPath",
    "absolute",
    "find_socket",
    "find_state",
    "program",
    "start_command",
    "unit_directory",
    "usual_socket",
]
