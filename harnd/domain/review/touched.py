"""Touches: what a worker changed besides its one output file, by path.

They are found by comparing what was there before with what is there afterwards, and never by what a worker says.  What
they mean for a job is not decided here.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

import msgspec

T = TypeVar("T")


class Area(StrEnum):
    """Whose path it is."""

    JOB = "job"  # the private directory of the job
    WORKTREE = "worktree"  # the private checkout that the worker ran in


class How(StrEnum):
    """What became of a path."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"


class Touched(msgspec.Struct, frozen=True, order=True):
    """One path that is not as it was."""

    area: Area
    path: str
    how: How

    def __str__(self) -> str:
        """Write it as one line."""
        return f"{self.area}: {self.how} {self.path}"


def differences(area: Area, before: Mapping[str, T], after: Mapping[str, T]) -> tuple[Touched, ...]:
    """Compare what lay at paths before and afterwards; sorted by path."""
    return tuple(
        Touched(area, path, How.ADDED if path not in before else How.REMOVED if path not in after else How.CHANGED)
        for path in sorted({*before, *after})
        if path not in before or path not in after or before[path] != after[path]
    )
