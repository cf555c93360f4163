"""The process tree: who descends from whom, who is really meant, and how they all come to an end.

A process is named by pid and start time, since a pid alone is somebody else's tomorrow.  Whoever is signalled was
pinned by a pidfd first and then looked at again, so that a signal cannot hit a stranger.

Signals to groups or sessions are of no use here: every agent starts its tools in sessions of their own.
"""

import os
import select

from harnd.adapters.process import kernel

Named = tuple[int, int]  # pid, start time in clock ticks since boot

_STATE, _PARENT, _THREADS, _START = 0, 1, 17, 19  # fields of /proc/<pid>/stat after the name
_ROUND_MS = 1_000


def look(pid: int) -> tuple[int, int, bool] | None:
    """Return a process's parent, start time and whether it still runs, or None when there is no such process."""
    text = read_proc(pid, "stat")
    if not text:
        return None
    fields = text[text.rindex(b")") + 2 :].split()  # the name before may hold blanks and brackets
    # A leader that ended while other threads go on is a zombie in name only.
    runs = fields[_STATE] not in (b"Z", b"X") or int(fields[_THREADS]) > 1
    return int(fields[_PARENT]), int(fields[_START]), runs


def read_proc(pid: int, name: str) -> bytes:
    """Read a file of /proc/<pid> whole; empty when the process is gone or hidden from us."""
    parts: list[bytes] = []
    try:
        file = os.open(f"/proc/{pid}/{name}", os.O_RDONLY | os.O_CLOEXEC)
        try:
            while part := os.read(file, 1 << 16):
                parts.append(part)
        finally:
            os.close(file)
    except OSError:
        return b""
    return b"".join(parts)


def pids() -> list[int]:
    """List every process there is."""
    with os.scandir("/proc") as entries:
        return [int(entry.name) for entry in entries if entry.name.isdigit()]


def descendants(root: int) -> list[Named]:
    """List every running process below `root`, parents before children."""
    children: dict[int, list[int]] = {}
    running: dict[int, int] = {}
    for pid in pids():
        if seen := look(pid):
            parent, start, runs = seen
            children.setdefault(parent, []).append(pid)
            if runs:
                running[pid] = start
    found: list[int] = []
    todo = [root]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return [(pid, running[pid]) for pid in found if pid in running]


def pin(named: Named) -> int | None:
    """Open a pidfd on exactly this process; None when it is gone."""
    pid, start = named
    try:
        pidfd = os.pidfd_open(pid)
    except OSError:
        return None
    seen = look(pid)
    if seen is not None and seen[1] == start:
        return pidfd
    os.close(pidfd)
    return None


def signal(processes: list[Named], number: int) -> None:
    """Signal each of these, as far as they still are who they were."""
    for named in processes:
        if (pidfd := pin(named)) is not None:
            kernel.send(pidfd, number)
            os.close(pidfd)


def kill(processes: list[Named]) -> None:
    """Kill each of these and wait until they are dead, or a second has passed without one of them dying."""
    waiting = select.poll()
    pidfds = [pidfd for named in processes if (pidfd := pin(named)) is not None]
    try:
        for pidfd in pidfds:
            kernel.send(pidfd, kernel.KILL)
            waiting.register(pidfd, select.POLLIN)
        left = len(pidfds)
        while left and (dead := waiting.poll(_ROUND_MS)):
            for pidfd, _ in dead:
                waiting.unregister(pidfd)
            left -= len(dead)
    finally:
        for pidfd in pidfds:
            os.close(pidfd)


def reap() -> dict[int, int]:
    """Collect every child that has ended, as wait status by pid; only for a process whose children are all its own."""
    collected: dict[int, int] = {}
    try:
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return collected
            collected[pid] = status
    except ChildProcessError:
        return collected
