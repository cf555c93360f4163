"""The machine as the daemon sees it: git, the state directory and its lock, the disk, the socket, the PATH.

Everything is looked at in the daemon's own environment, which is not that of the person who asks.  Nothing is mended.
"""

import fcntl
import os
import re
import shutil
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread

from harnd.daemon.queries.about import About
from harnd.daemon.queries.checks import doubtful, failed, unknown, well
from harnd.domain.measures import MIB, size
from protocol.views import CheckView

GIT: Final = (2, 38)  # the first with `git merge-tree --write-tree`
GIT_S: Final = 10.0
DISK_LOW: Final = 1024 * MIB
DISK_FULL: Final = 64 * MIB
OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


async def looked_at(about: About, environment: Mapping[str, str]) -> tuple[CheckView, ...]:
    """Check the machine."""
    state, socket = Path(about.state_dir), Path(about.socket)
    return (
        await git(environment),
        await anyio.to_thread.run_sync(state_directory, state),
        await anyio.to_thread.run_sync(lock, state / "lock"),
        await anyio.to_thread.run_sync(disk, state),
        await anyio.to_thread.run_sync(socket_file, socket),
        search_path(environment),
    )


async def git(environment: Mapping[str, str]) -> CheckView:
    """Start git and read its version."""
    name, fix = "daemon.git", "install git 2.38 or newer where harnd finds it"
    clean = {key: value for key, value in environment.items() if not key.startswith("GIT_")}
    try:
        with anyio.fail_after(GIT_S):
            ended = await anyio.run_process(["git", "version"], env=clean, check=False)
    except TimeoutError:
        return unknown(name, f"git did not say its version within {GIT_S:g} seconds")
    except OSError as error:
        return failed(name, f"git does not start: {error.strerror}", fix=fix)
    said = (ended.stdout or ended.stderr).decode(errors="replace").strip()
    number = re.match(r"git version (\d+)\.(\d+)", said)
    if ended.returncode != 0 or number is None:
        return unknown(name, f"git said {said[:200]!r} when asked for its version", fix=fix)
    if (int(number[1]), int(number[2])) < GIT:
        return failed(name, f"this is {said}, which cannot merge without a checkout", fix=fix)
    return well(name, f"this is {said}")


def state_directory(state: Path) -> CheckView:
    """Look who may enter the state directory."""
    name = "daemon.state"
    try:
        found = state.stat()
    except OSError as error:
        return failed(name, f"{state} cannot be looked at: {error.strerror}", fix=f"see what became of {state}")
    if found.st_uid != os.geteuid():
        return failed(name, f"{state} belongs to user {found.st_uid}", fix="give it back to the user of harnd")
    if found.st_mode & OTHERS:
        mode = stat.S_IMODE(found.st_mode)
        return failed(name, f"others may enter {state} (mode {mode:o})", fix=f"chmod 700 {state}")
    return well(name, f"{state} is private")


def lock(path: Path) -> CheckView:
    """Try to take the lock that this daemon holds: a file system that grants it would let a second daemon in."""
    name = "daemon.lock"
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError as error:
        return unknown(name, f"the lock {path} cannot be opened: {error.strerror}")
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return well(name, f"{path} keeps a second daemon out")
    except OSError as error:
        return unknown(name, f"the lock {path} cannot be tried: {error.strerror}")
    finally:
        os.close(descriptor)  # which gives back what should not have been granted
    return failed(name, f"{path} keeps nobody out", fix="put the state directory on a local file system")


def disk(state: Path) -> CheckView:
    """Measure what is free where the state directory lies."""
    try:
        return room(state, shutil.disk_usage(state).free)
    except OSError as error:
        return unknown("daemon.disk", f"the file system of {state} cannot be measured: {error.strerror}")


def room(state: Path, free: int) -> CheckView:
    """Judge how much is free."""
    name, said, fix = "daemon.disk", f"{size(free)} are free for {state}", "make room where the state directory lies"
    if free < DISK_FULL:
        return failed(name, said, fix=fix)
    return doubtful(name, said, fix=fix) if free < DISK_LOW else well(name, said)


def socket_file(path: Path) -> CheckView:
    """Look whether the socket is still there and private."""
    name = "daemon.socket"
    try:
        found, directory = path.lstat(), path.parent.stat()
    except OSError as error:
        return failed(name, f"{path} cannot be looked at: {error.strerror}", fix="start harnd again")
    if not stat.S_ISSOCK(found.st_mode):
        return failed(name, f"{path} is no socket any more", fix="start harnd again")
    if (found.st_mode | directory.st_mode) & OTHERS or directory.st_uid != os.geteuid():
        return failed(name, f"others may reach {path}", fix=f"chmod 700 {path.parent}; chmod 600 {path}")
    return well(name, f"{path} is private")


def search_path(environment: Mapping[str, str]) -> CheckView:
    """Tell where programs are looked for."""
    name, path = "daemon.path", environment.get("PATH", "")
    if not path:
        return doubtful(name, "the daemon was started without a PATH", fix="start harnd with the PATH of your shell")
    missing = [entry for entry in path.split(os.pathsep) if not Path(entry).is_dir()]
    lacking = f"; not there: {', '.join(missing)}" if missing else ""
    return well(name, f"programs are looked for in {path}{lacking}")
