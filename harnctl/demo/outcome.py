"""The outcome of a demo: what came of the goal, and what was left behind once the daemon had stopped.

What is left is looked for, not asked about: processes by the marks in their environments, worktrees by what git lists
and by what lies in the state directory.
"""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from harnctl.demo.place import GOAL, Place
from protocol.ids import goal_branch
from protocol.values import Phase

BRANCH: Final = goal_branch(GOAL)


class Outcome(Struct, frozen=True, kw_only=True):
    """The last line of a demo."""

    phase: Phase | None  # None when nobody could say
    tree: str | None  # of the goal's branch; None when there is none
    milestones: int
    attempts: int
    events: int
    kills: int
    processes_left: int
    worktrees_left: int
    seconds: float
    seed: int | None  # None: nothing was killed on purpose
    directory: str

    @property
    def is_good(self) -> bool:
        """Tell whether the mission is met and nothing is left of the work."""
        return self.phase is Phase.SUCCEEDED and not self.processes_left and not self.worktrees_left


def tree_of(place: Place) -> str | None:
    """Return the tree of the goal's branch, when there is one."""
    if not place.git("for-each-ref", f"refs/heads/{BRANCH}"):
        return None
    return place.git("rev-parse", f"{BRANCH}^{{tree}}").strip()


def processes_left(place: Place) -> int:
    """Count the live processes that a daemon of this place started, and such daemons themselves."""
    marks = {f"HARND_HOME={mark(place.state)}".encode(), f"HOME={place.environment['HOME']}".encode()}
    return sum(not marks.isdisjoint(variables) for variables in _environments())


def mark(state: Path) -> str:
    """Return what a daemon puts into the environment of whatever it starts, in HARND_HOME."""
    return hashlib.sha256(os.fsencode(state.resolve())).hexdigest()[:32]


def _environments() -> Iterator[set[bytes]]:
    """Yield the environment of every process of ours; one that is a zombie has none any more."""
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            yield set((directory / "environ").read_bytes().split(b"\0"))
        except OSError:  # it has just ended, or is somebody else's
            continue


def worktrees_left(place: Place) -> int:
    """Count the worktrees that git knows beside the checkout, or the directories that were made for any."""
    listed = place.git("worktree", "list", "--porcelain").count("worktree ") - 1
    made = {path for path in (place.state / "worktrees").glob("*/*") if path.is_dir()}
    return max(listed, len(made))
