"""Asking: what an `approve` stage puts to a person, and whether what they approved is still what is there.

Whoever decides what becomes of a question are the rules; here the worktree is looked at.
"""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from harnd.domain.goal.commands import Asks, GoalCommand, UseApproval
from harnd.domain.goal.due import RunAttempt
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.names import Names
from harnd.domain.goal.rendering import RenderError, render
from harnd.domain.goal.template import ApproveStage
from harnd.ports.workspace import Place, storable
from harnd.ports.world import World
from protocol import bounds
from protocol.values import ApprovalState

Say: TypeAlias = Callable[[GoalCommand], Awaitable[Goal]]
"""Has a command decided and stored before the attempt goes on; gives the goal as it then stands."""


class Asking:
    """The questions of one attempt."""

    def __init__(self, world: World, goal: Goal, effect: RunAttempt, place: Place, say: Say) -> None:
        self._world = world
        self._goal = goal
        self._effect = effect
        self._place = place
        self._say = say

    async def asks(self, stage: ApproveStage, names: Names) -> Asks | None:
        """Return what a person is to be asked; None where one has approved exactly this, now or before.

        A stage that was passed once stays passed: later stages change what lies in the worktree.  Raises `RenderError`.
        """
        work, attempt = self._effect.work, self._effect.attempt
        before = self._goal.approval_of(work, attempt, stage.name)
        if before is not None and before.consumed:
            return None
        question = _question(stage, names)
        base = self._goal.work[work].attempts[attempt - 1].base
        snapshot = await self._world.workspace.snapshot(self._place, base)
        if before is not None and before.state is ApprovalState.APPROVED:
            use = UseApproval(work=work, attempt=attempt, approval=before.number, question=question, tree=snapshot.tree)
            after = (await self._say(use)).approvals[before.number - 1]
            if after.consumed:
                return None
        return Asks(
            question=question,
            risk=stage.risk,
            tree=snapshot.tree,
            changed=tuple(storable(path) for path in snapshot.changed),
            at=self._world.clock.now(),
        )


def _question(stage: ApproveStage, names: Names) -> str:
    question = storable(render(stage.question, names).strip())
    if not question:
        raise RenderError("question.empty", "there is nothing to ask: the question is empty")
    if len(question) > bounds.QUESTION_CHARS:
        raise RenderError(
            "question.too_long",
            f"the question has {len(question)} characters; at most {bounds.QUESTION_CHARS} are asked",
        )
    return question
