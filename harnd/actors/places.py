"""Places: where in the repository each effect works, by name alone.

A place belongs to one effect, so that what lies on disk can be told from what is owed: whatever is occupied and is no
effect's place is nobody's.
"""

from typing import assert_never

import structlog
from structlog.typing import FilteringBoundLogger

from harnd.domain.goal.due import CallPlanner, Effect, Integrate, KeepReceipt, MoveBranch, Review, RunAttempt
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.leftovers import PLANNER, planner_work, receipt_work, review_work
from harnd.ports.errors import PortError
from harnd.ports.workspace import Place, Workspace, storable
from protocol.ids import WorkId

log: FilteringBoundLogger = structlog.get_logger()


def place_of(goal: Goal, effect: Effect) -> Place:
    """Return where an effect of a goal works."""
    match effect:
        case CallPlanner(plan=plan):
            return _place(goal, planner_work(plan), PLANNER)
        case Review(plan=plan, round=number, reviewer=reviewer, attempt=attempt):
            return _place(goal, review_work(plan, number, reviewer, attempt), PLANNER)
        case KeepReceipt(plan=plan):  # where nothing ever lies
            return _place(goal, receipt_work(plan), PLANNER)
        case RunAttempt(work=work, attempt=attempt):
            return _place(goal, work, attempt)
        case Integrate(work=work) | MoveBranch(work=work):
            return _place(goal, work, goal.work[work].attempts[-1].number)
        case _:
            assert_never(effect)


def held(goal: Goal) -> frozenset[Place]:
    """Return where attempts work that have not ended, be they running or parked: nobody else may clear it away."""
    unended = ((item.id, item.unended) for item in goal.work.values())
    return frozenset(_place(goal, work, attempt.number) for work, attempt in unended if attempt is not None)


def _place(goal: Goal, work: WorkId, attempt: int) -> Place:
    return Place(goal.intent.repository, goal.intent.goal, work, attempt)


async def tidy(workspace: Workspace, place: Place) -> None:
    """Discard what is left of finished work; what cannot be is said, and stays for the next daemon that starts.

    The work was done and paid for: a file that nobody can remove takes none of it back.
    """
    try:
        await workspace.discard(place)
    except PortError as error:
        log.warning("worktrees.kept", goal=place.goal, work=place.work, error=storable(str(error)))
