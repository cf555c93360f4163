"""Principals: who is at the other end of a connection, as the kernel tells it and never as the peer does.

A peer that descends from a process harnd started is an agent: it was spawned below the daemon, or it carries the mark
that every session gets in its environment, or an ancestor does.  A peer that cannot be looked at is no operator either.
This is a guard and no wall: a process of the same user can have itself started by somebody else without the mark.  Only
a sandbox that hides the socket holds by construction.
"""

import os
import select
import socket
import struct
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from protocol.errors import Refusal

MARK: Final = "HARND_SESSION"  # set by harnd in the environment of whatever it starts
PROC: Final = Path("/proc")
UCRED: Final = struct.Struct("3i")  # pid, uid, gid; unix(7)
SO_PEERPIDFD: Final = 77  # asm-generic/socket.h, since Linux 6.5
LOOKS: Final = 3  # at a chain that changes while it is followed


class Role(StrEnum):
    """What a peer may do."""

    OPERATOR = "operator"
    AGENT = "agent"  # may read, and report on its own task


@dataclass(frozen=True, slots=True)
class Principal:
    """A peer.  `started` (clock ticks since boot, 0 when unknown) tells it from a later process of the same pid."""

    uid: int
    gid: int
    pid: int
    started: int
    role: Role
    because: str  # a clause that says what makes it that


@dataclass(frozen=True, slots=True)
class Process:
    """A link of the chain from a peer to the first process."""

    pid: int
    parent: int  # 0: none that can be seen from here
    started: int


class Unseen(Exception):
    """A process that is gone, or that the kernel does not show us."""


def identify(peer: socket.socket, *, uid: int, daemon_pid: int) -> Principal:
    """Tell who connected to the daemon of a user; raises `Refusal` for another one."""
    pid, theirs, gid = UCRED.unpack(peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, UCRED.size))
    if theirs != uid:
        raise Refusal("principal.foreign", f"this daemon serves user {uid}, and the peer is user {theirs}")
    try:
        with _held(peer, pid):
            started = _process(PROC, pid).started
            role, because = role_of(pid, daemon_pid=daemon_pid)
    except Unseen as unseen:
        started, role, because = 0, Role.AGENT, str(unseen)
    return Principal(uid, gid, pid, started, role, because)


def role_of(pid: int, *, daemon_pid: int, proc: Path = PROC) -> tuple[Role, str]:
    """Tell what a process may do and why; raises `Unseen` when it or its descent cannot be looked at."""
    if pid == daemon_pid:
        return Role.OPERATOR, "it is the daemon itself"
    _environment(proc, pid)  # unreadable or gone: no operator, whatever its ancestors are
    for process in _chain(proc, pid):
        if process.pid == daemon_pid:
            return Role.AGENT, f"it descends from this daemon (pid {daemon_pid})"
        if _is_marked(proc, process.pid):
            whose = "it" if process.pid == pid else f"its ancestor {process.pid}"
            return Role.AGENT, f"{whose} carries {MARK}"
    return Role.OPERATOR, "no process that harnd started is among its ancestors"


@contextmanager
def _held(peer: socket.socket, pid: int) -> Generator[None, None, None]:
    """Hold a pidfd: if the process lives at the end, everything read meanwhile under its pid was its own."""
    try:
        descriptor = peer.getsockopt(socket.SOL_SOCKET, SO_PEERPIDFD)
    except OSError:  # an older kernel, or the peer has already been reaped
        descriptor = _open(pid)
    try:
        yield
        if _has_ended(descriptor):
            raise Unseen(f"process {pid} ended while it was looked at")
    finally:
        os.close(descriptor)


def _has_ended(pidfd: int) -> bool:
    poll = select.poll()  # and not select(), which fails on descriptors past 1023
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(0))


def _open(pid: int) -> int:
    try:
        return os.pidfd_open(pid)
    except OSError as error:
        raise Unseen(f"process {pid} is gone") from error


def _chain(proc: Path, pid: int) -> list[Process]:
    """Follow the parents up to the first process; raises `Unseen`."""
    for _ in range(LOOKS - 1):
        with suppress(Unseen):  # a parent ended between two looks: its children have another one now
            return _follow(proc, pid)
    return _follow(proc, pid)


def _follow(proc: Path, pid: int) -> list[Process]:
    chain = [_process(proc, pid)]
    while chain[-1].parent:
        parent = _process(proc, chain[-1].parent)
        if parent.started > chain[-1].started:
            raise Unseen(f"the parent of process {chain[-1].pid} ended while it was looked at")  # its pid went on
        chain.append(parent)
    return chain


def _process(proc: Path, pid: int) -> Process:
    try:
        stat = (proc / str(pid) / "stat").read_bytes()
    except OSError as error:
        raise Unseen(f"process {pid} cannot be seen in {proc}") from error
    after_name = stat.rpartition(b")")[2].split()  # the name may hold spaces and parentheses; proc(5), fields 3 to 52
    return Process(pid, parent=int(after_name[1]), started=int(after_name[19]))


def _environment(proc: Path, pid: int) -> bytes:
    try:
        return (proc / str(pid) / "environ").read_bytes()
    except OSError as error:
        raise Unseen(f"the environment of process {pid} cannot be read") from error


def _is_marked(proc: Path, pid: int) -> bool:
    try:
        environment = _environment(proc, pid)
    except Unseen:  # sshd, login and the like, which nobody may look into; harnd starts none of them
        return False
    return any(entry.startswith(f"{MARK}=".encode()) for entry in environment.split(b"\0"))
