"""Parking: an attempt that stopped where it can go on, in the same worktree, without running finished stages again.

A parked attempt is open and does not run: it is owed nothing, spends no runtime, keeps what was set aside for it and
its worktree.  When it goes on, every stage gives the stored result of its newest run; a stage that has to be made
again gets a new run, and with it a new key.
"""

import msgspec

from harnd.domain.goal.usage import Usage
from protocol.values import FailureClass, Instant, ParkCause

PROVING = ""  # stands for the name of a stage: what comes after the last one


class Again(msgspec.Struct, frozen=True, omit_defaults=True):
    """A run of a stage that came to nothing; the next one is made when the attempt goes on."""

    stage: str  # or `PROVING`
    run: int = 0
    usage: Usage = Usage()  # what it used all the same


class Parked(msgspec.Struct, frozen=True):
    """Where and why an attempt stopped."""

    cause: ParkCause
    since: Instant
    stage: str = ""
    failure: FailureClass | None = None
    detail: str = ""
    cleared_by: str = ""  # who said that it may go on
