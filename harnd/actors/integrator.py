"""The integrator: brings accepted work together with the goal's branch, proves the result, and moves the branch.

Two effects, because between them lies a fact: first the integrated commit is made and proved, then, when that is
stored, the branch is moved to exactly that commit by compare-and-set.
"""

from harnd.actors.classing import Failure
from harnd.actors.places import place_of, tidy
from harnd.actors.prover import Prover
from harnd.domain.goal.commands import ReportMoved, ReportParked, ReportProved
from harnd.domain.goal.due import Integrate, MoveBranch
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.keys import INTEGRATED
from harnd.domain.goal.overlap import kept, named
from harnd.domain.goal.work import Attempt
from harnd.ports.errors import MovedError, PortError
from harnd.ports.workspace import Clash, storable
from harnd.ports.world import World
from protocol.values import FailureClass, Instant, Unit


class Integrator:
    """One integration of one accepted work item."""

    def __init__(self, world: World, goal: Goal, effect: Integrate) -> None:
        self._world = world
        self._goal = goal
        self._effect = effect
        self._item = goal.work[effect.work]
        self._attempt: Attempt = self._item.attempts[-1]
        self._place = place_of(goal, effect)

    async def run(self) -> ReportProved | ReportParked:
        """Merge without any checkout of the operator's, prove the merged tree, and report."""
        workspace = self._world.workspace
        commit = self._attempt.commit
        if commit is None:
            raise AssertionError(f"{self._item.id} was accepted without a commit")
        merge = await workspace.merge(self._place, self._item.integrations[-1].onto, commit)
        if isinstance(merge, Clash):
            paths = tuple(storable(path) for path in merge.paths)
            detail = f"it clashes with work that came in before: {named(paths)}"
            return self._parked(FailureClass.DECISION, detail, kept(paths))
        # Proving accepted work is not an agent's runtime: each command has its own limit and no other.
        until = Instant(self._world.clock.now() + self._goal.limit(Unit.ACTIVE_RUNTIME_US))
        again = self._effect.number
        prover = Prover(self._world, self._goal, self._item, self._place, purpose=INTEGRATED, until=until, again=again)
        proof = await prover.prove(merge.commit, merge.tree)
        await tidy(workspace, self._place)
        if isinstance(proof, Failure):
            return self._parked(proof.kind, proof.detail)
        return ReportProved(
            work=self._effect.work, number=self._effect.number, commit=merge.commit, tree=merge.tree, proof=proof
        )

    def failed(self, error: PortError) -> ReportParked:
        """Report that the world did not let it be done."""
        return self._parked(FailureClass.ENVIRONMENT, str(error))

    async def withdraw(self) -> None:
        """Tidy up after an integration that is no longer wanted."""
        await tidy(self._world.workspace, self._place)

    def _parked(self, failure: FailureClass, detail: str, paths: tuple[str, ...] = ()) -> ReportParked:
        return ReportParked(
            work=self._effect.work, number=self._effect.number, failure=failure, detail=detail, paths=paths
        )


class BranchMover:
    """Moves the goal's branch to a proved commit."""

    def __init__(self, world: World, goal: Goal, effect: MoveBranch) -> None:
        self._world = world
        self._goal = goal
        self._effect = effect

    async def run(self) -> ReportMoved | ReportParked:
        """Move it, or say that somebody else has."""
        effect, intent = self._effect, self._goal.intent
        try:
            await self._world.workspace.advance(intent.repository, intent.goal, effect.expected, effect.to)
        except MovedError:
            detail = f"somebody else moved the branch harn/{intent.goal}; put it back to {effect.expected}"
            return self._parked(FailureClass.DECISION, detail)
        return ReportMoved(work=effect.work, number=effect.number)

    def _parked(self, failure: FailureClass, detail: str) -> ReportParked:
        return ReportParked(work=self._effect.work, number=self._effect.number, failure=failure, detail=detail)

    def failed(self, error: PortError) -> ReportParked:
        """Report that the world did not let the branch be moved."""
        return self._parked(FailureClass.ENVIRONMENT, str(error))

    async def withdraw(self) -> None:
        """Nothing is left behind by a move."""
