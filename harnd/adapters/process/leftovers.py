"""Leftovers: processes of harnd that nobody watches any more, found by the marks in their environment, and ended.

A shim ends its own tree when its daemon dies.  What is left for here is a tree whose shim was killed as well, and a new
daemon that must not begin while an old tree is still on its way out.  Only processes of the same state directory are
touched, never this process or one it descends from, and only after being pinned and looked at again.
"""

import hashlib
import os
import select
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from harnd.adapters.process import shim, tree
from harnd.adapters.process.environment import HOME, SESSION
from harnd.ports.errors import UnavailableError
from protocol.ids import InstanceId

PATIENCE_S: Final = 3.0  # for a shim that is ending its tree, or storing the result of an agent that ended in time
_UNKILLABLE_S: Final = 20.0


class Leftover(NamedTuple):
    """A process that was ended, and the session it belonged to, as `<instance>/<key>`."""

    pid: int
    start: int
    session: str


def digest_of(state: Path) -> str:
    """Return the mark of a state directory."""
    return hashlib.sha256(os.fsencode(state.resolve())).hexdigest()[:32]


def sweep(state: Path, instance: InstanceId, *, patience_s: float = PATIENCE_S) -> list[Leftover]:
    """End every process that other instances on this state directory left behind, and return them once they are gone.

    Blocks; to be called before anything is started.  Raises `UnavailableError` when one cannot be ended.
    """
    home = digest_of(state)

    def abandoned() -> list[Leftover]:
        return [found for found in marked(home) if not found.session.startswith(f"{instance}/")]

    first = abandoned()
    _wait([found for found in first if _is_shim(found.pid)], patience_s)
    return _end(first, abandoned)


def end_session(home: str, session: str) -> list[Leftover]:
    """End what is left of one session whose shim was killed; what was adopted by this process is reaped."""

    def orphans() -> list[Leftover]:
        return [found for found in marked(home) if found.session == session]

    return _end(orphans(), orphans)


def marked(home: str) -> list[Leftover]:
    """List the running processes that bear the mark of a state directory, and all that descend from them."""
    spared = {os.getpid(), *_ancestors(os.getpid())}
    found: dict[int, Leftover] = {}
    for pid in tree.pids():
        session = _session(pid, home)
        if session is None or pid in spared:
            continue
        for below, start in [*_itself(pid), *tree.descendants(pid)]:
            if below not in spared:
                found.setdefault(below, Leftover(below, start, session))
    return list(found.values())


def _session(pid: int, home: str) -> str | None:
    """Read which session a process belongs to, when it is one of this state directory's."""
    variables = tree.read_proc(pid, "environ").split(b"\0")
    if f"{HOME}={home}".encode() not in variables:
        return None
    prefix = f"{SESSION}=".encode()
    return next((os.fsdecode(each.removeprefix(prefix)) for each in variables if each.startswith(prefix)), "")


def _is_shim(pid: int) -> bool:
    return shim.__name__.encode() in tree.read_proc(pid, "cmdline")


def _itself(pid: int) -> list[tree.Named]:
    seen = tree.look(pid)
    return [(pid, seen[1])] if seen and seen[2] else []


def _ancestors(pid: int) -> list[int]:
    chain: list[int] = []
    while (seen := tree.look(pid)) and seen[0] > 0:
        pid = seen[0]
        chain.append(pid)
    return chain


def _wait(processes: list[Leftover], patience_s: float) -> None:
    """Wait until all of these are gone by themselves, or patience ends."""
    until = time.monotonic() + patience_s
    for process in processes:
        pidfd = tree.pin((process.pid, process.start))
        if pidfd is None:
            continue
        try:
            waiting = select.poll()
            waiting.register(pidfd, select.POLLIN)
            waiting.poll(max(0.0, until - time.monotonic()) * 1000)
        finally:
            os.close(pidfd)


def _end(first: list[Leftover], find: Callable[[], list[Leftover]]) -> list[Leftover]:
    ended = {(found.pid, found.start): found for found in first}
    until = time.monotonic() + _UNKILLABLE_S
    while found := find():
        ended |= {(each.pid, each.start): each for each in found}
        tree.kill([(each.pid, each.start) for each in found])
        for each in found:
            _reap(each.pid)
        if time.monotonic() > until:
            raise UnavailableError(f"cannot end processes left over by an earlier run: {[each.pid for each in found]}")
    for pid, _ in ended:
        _reap(pid)
    return list(ended.values())


def _reap(pid: int) -> None:
    """Collect one orphan, if it was handed to this process."""
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
