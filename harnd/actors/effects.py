"""Effects: which actor carries out what is owed."""

from collections.abc import Callable
from typing import Protocol, TypeAlias, assert_never

from harnd.actors.asking import Say
from harnd.actors.attempt_runner import AttemptRunner
from harnd.actors.integrator import BranchMover, Integrator
from harnd.actors.plan_reviewer import PlanReviewer, ReceiptKeeper
from harnd.actors.planner import PlannerCaller
from harnd.domain.goal.commands import GoalCommand
from harnd.domain.goal.due import CallPlanner, Effect, Integrate, KeepReceipt, MoveBranch, Review, RunAttempt
from harnd.domain.goal.goal import Goal
from harnd.ports.errors import PortError
from harnd.ports.world import World

RunnerFor: TypeAlias = Callable[[World, Goal, Effect, Say], "Runner"]


class Runner(Protocol):
    """Carries out one effect."""

    async def run(self) -> GoalCommand:
        """Do it, and report how it ended.  It may be run again after a crash and then finds its own work."""
        ...

    def failed(self, error: PortError) -> GoalCommand:
        """Report that the world did not let it be done."""
        ...

    async def withdraw(self) -> None:
        """Tidy up after it was cancelled because nobody owes it any more."""
        ...


def runner_for(world: World, goal: Goal, effect: Effect, say: Say) -> Runner:
    """Return the actor for an effect; what it says on the way is decided and stored before it goes on."""
    match effect:
        case CallPlanner():
            return PlannerCaller(world, goal, effect)
        case Review():
            return PlanReviewer(world, goal, effect, say)
        case KeepReceipt():
            return ReceiptKeeper(world, goal, effect)
        case RunAttempt():
            return AttemptRunner(world, goal, effect, say)
        case Integrate():
            return Integrator(world, goal, effect)
        case MoveBranch():
            return BranchMover(world, goal, effect)
        case _:
            assert_never(effect)
