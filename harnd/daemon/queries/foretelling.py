"""Foretelling: whether what waits to be accepted would clash with what is on the goal's branch by now.

It is asked of the repository whenever somebody reads, and stored nowhere: the branch moves on.  What two commits came
to is remembered, since it never changes.  No decision rests on it: an integration finds out for itself.
"""

from collections import OrderedDict
from typing import Final, Protocol

import anyio

from harnd.domain.goal.goal import Goal
from harnd.domain.goal.overlap import kept, named
from harnd.domain.goal.work import Standing, Work
from harnd.ports.errors import PortError
from harnd.ports.workspace import storable
from protocol.ids import CommitId, goal_branch

GIT_S: Final = 5.0  # a repository on a dead disk must not hold up an answer
REMEMBERED: Final = 1_000


class Merging(Protocol):
    """The part of a workspace that is asked."""

    async def foretell(self, repository: str, onto: CommitId, commit: CommitId) -> tuple[str, ...]:
        """Return the paths at which `commit` would clash with `onto`."""
        ...


class Foreteller:
    """Asks a workspace, and remembers its answers."""

    def __init__(self, workspace: Merging) -> None:
        self._workspace = workspace
        self._told: OrderedDict[tuple[str, CommitId, CommitId], tuple[str, ...]] = OrderedDict()

    def __repr__(self) -> str:
        return f"<Foreteller remembers={len(self._told)}>"

    async def clashes(self, goal: Goal, item: Work) -> tuple[str, ...] | None:
        """Return the paths at which an item in review would clash, none for any other; None when git does not tell."""
        attempt = item.last
        if item.standing is not Standing.IN_REVIEW or attempt is None or attempt.commit is None:
            return ()
        if attempt.base == goal.head:
            return ()
        return await self._asked(goal.intent.repository, goal.head, attempt.commit)

    async def _asked(self, repository: str, onto: CommitId, commit: CommitId) -> tuple[str, ...] | None:
        key = (repository, onto, commit)
        if key not in self._told:
            try:
                with anyio.fail_after(GIT_S):
                    paths = await self._workspace.foretell(repository, onto, commit)
            except (PortError, TimeoutError):
                return None
            self._told[key] = kept(tuple(storable(path) for path in paths))
            if len(self._told) > REMEMBERED:
                self._told.popitem(last=False)
        return self._told[key]


def told(goal: Goal, paths: tuple[str, ...]) -> str:
    """Word a clash, as the end of a sentence."""
    return f"it would clash with what is on {goal_branch(goal.intent.goal)} by now: {named(paths)}"
