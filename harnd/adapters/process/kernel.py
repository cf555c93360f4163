"""Kernel: what the shim asks of Linux and Python has no cheap word for.

Everything goes through libc.  The `signal` module would add seven milliseconds to the start of every session, and has
no word for the first two requests at all.
"""

import ctypes
import os

KILL = 9
TERM = 15
_HUP, _INT = 1, 2
_SIGNALS = range(1, 65)
_DEFAULT, _IGNORE = 0, 1
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_SYS_PIDFD_SEND_SIGNAL = 424  # the same on every architecture Python is built for

_libc = ctypes.CDLL(None, use_errno=True)


def become_subreaper() -> None:
    """Adopt every descendant that loses its parent from now on, so that none escapes by forking twice."""
    _check(_libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))


def die_with(parent: int) -> None:
    """Be killed when `parent` dies, which must have one thread: the signal follows the thread that forked."""
    _check(_libc.prctl(_PR_SET_PDEATHSIG, KILL, 0, 0, 0))
    if os.getppid() != parent:  # it died before the request was made
        os._exit(128 + KILL)


def outlast_requests() -> None:
    """Ignore polite signals: a service manager sends them to everybody, and the shim ends when its agent has."""
    for number in (_HUP, _INT, TERM):
        _libc.signal(number, _IGNORE)


def restore_signals() -> None:
    """Give back the dispositions that exec would hand on: a program expects to find none ignored.

    libc refuses four: two that cannot be ignored, and two that it keeps for its own threads and sets when it needs
    them.
    """
    for number in _SIGNALS:
        _libc.signal(number, _DEFAULT)


def send(pidfd: int, number: int) -> bool:
    """Signal exactly the process behind `pidfd`; False when it is gone already or not ours."""
    return bool(_libc.syscall(_SYS_PIDFD_SEND_SIGNAL, pidfd, number, None, 0) == 0)


def _check(returned: int) -> None:
    if returned != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
