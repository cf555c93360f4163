"""The diff of one attempt: what its recorded commit changed against the commit it started from.

It is read from the repository, so it is there as long as the commit is; what harnd made of it is in the events.
"""

from harnd.daemon.queries.about import Sources
from harnd.daemon.queries.work_log import attempt_of
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.lookup import item_named
from harnd.domain.goal.work import Attempt, Work
from harnd.domain.verbs import verb
from harnd.ports.errors import MissingError, UnavailableError
from harnd.ports.workspace import Patch
from protocol.bounds import DIFF_BYTES
from protocol.errors import Refusal
from protocol.ids import CommitId
from protocol.replies import WorkDiff
from protocol.requests import ShowWorkDiff


async def shown(sources: Sources, request: ShowWorkDiff) -> WorkDiff:
    """Show what an attempt changed; without a number, the newest that left a commit."""
    goal = await sources.goals.load(request.goal)
    item = item_named(goal, request.work)
    attempt, commit = _recorded(goal, item, request.attempt)
    patch = await _patch(sources, goal, attempt.base, commit)
    return WorkDiff(
        goal=request.goal,
        work=item.id,
        attempt=attempt.number,
        base=attempt.base,
        commit=commit,
        text=patch.text,
        omitted_bytes=patch.omitted_bytes,
    )


def _recorded(goal: Goal, item: Work, wanted: int | None) -> tuple[Attempt, CommitId]:
    newest = next((each.number for each in reversed(item.attempts) if each.commit is not None), None)
    attempt = item.attempts[attempt_of(goal, item, newest if wanted is None else wanted) - 1]
    if attempt.commit is None:
        said = f"attempt {attempt.number} at {item.id} {'left no commit' if attempt.ended_at else 'is not over'}"
        fix = verb("work", "log", goal.intent.goal, item.id, "--attempt", attempt.number)
        raise Refusal("work.no_commit", said, fix=fix)
    return attempt, attempt.commit


async def _patch(sources: Sources, goal: Goal, base: CommitId, commit: CommitId) -> Patch:
    repository = goal.intent.repository
    try:
        return await sources.world.workspace.diff(repository, base, commit, DIFF_BYTES)
    except MissingError as error:
        fix = f"see whether {repository} is the repository it was"
        raise Refusal("work.no_commit", str(error), fix=fix) from error
    except UnavailableError as error:
        raise Refusal("workspace.unreadable", f"git does not tell: {error}", fix="harnctl doctor") from error
