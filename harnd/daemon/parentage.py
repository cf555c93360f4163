"""Parentage: what a goal takes over from the one it goes on from, looked up once, when it is enrolled.

The parent may be in any phase, also at work: what counts is the work that is on its branch by now.  Nothing of it is
changed, and nothing that happens to it later is asked for.
"""

from harnd.daemon.loading import Loader
from harnd.domain.files.goal_file import GoalFile
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.inheritance import inheritance
from harnd.domain.goal.intent import Parent
from protocol.errors import Refusal
from protocol.ids import GoalId


class Parentage:
    """Parents by their stored events."""

    def __init__(self, goals: Loader) -> None:
        self._goals = goals

    async def of(self, read: GoalFile, asked: GoalId | None) -> tuple[Parent, str] | None:
        """Return what the parent leaves and the repository that it works on; raises `Refusal` when it cannot be one."""
        name = asked or read.parent
        if name is None:
            return None
        _refuse_another(name, read)
        goal = await self._loaded(name)
        return inheritance(goal), goal.intent.repository

    async def _loaded(self, name: GoalId) -> Goal:
        try:
            return await self._goals.load(name)
        except Refusal as error:
            if error.code != "goal.unknown":
                raise
            raise Refusal(
                "goal.no_parent", f"there is no goal {name} to go on from", fix="harnctl goal list"
            ) from error


def refuse_elsewhere(parent: Parent, *, its: str, here: str) -> None:
    """Refuse a goal that works on another repository than its parent: what was accepted there is not here."""
    if its != here:
        said = (
            f"goal {parent.goal} works on {its} and this goal on {here}; a goal goes on in the repository of its parent"
        )
        raise Refusal("goal.parent_elsewhere", said, fix=f"name {its} as the repository")


def _refuse_another(name: GoalId, read: GoalFile) -> None:
    if read.parent is not None and read.parent != name:
        said = f"the file goes on from {read.parent} and the command from {name}"
        raise Refusal("goal.parent_differs", said, fix="name one parent, in the file or in the command")
    if name == read.goal:
        raise Refusal("goal.own_parent", f"goal {name} cannot go on from itself", fix="choose another goal id")
