"""Earlier work: the commit of an attempt that is to be made again, so that the next one need not begin with nothing.

A new attempt starts from the goal's branch as it is by then; what was made before is not in its worktree.  A rescue
ref keeps it, so it can be read from there.
"""

from harnd.domain.goal.work import Attempt, Integration, Work
from protocol.ids import GoalId, rescued_under


def earlier(item: Work, attempt: int) -> Attempt | None:
    """Return the newest attempt before this one that left a commit, unless the goal's branch has it."""
    before = item.attempts[: attempt - 1]
    made = next((each for each in reversed(before) if each.commit is not None and each.changed), None)
    return None if made is None or _is_brought_in(made, item.integrations) else made


def told(goal: GoalId, item: Work, attempt: int) -> str | None:
    """Say in one line where an earlier attempt's work is, and how to read it; None when there is none."""
    made = earlier(item, attempt)
    if made is None:
        return None
    where = rescued_under(goal, item.id, made.number)
    # Not by its number: a scripted agent takes the words for the number of its own.
    return (
        "What was made before is not in this worktree, which starts from what is accepted by now. It is "
        f"the commit {made.commit}, kept under {where}; read it with `git diff {made.base} {made.commit}`."
    )


def _is_brought_in(made: Attempt, integrations: tuple[Integration, ...]) -> bool:
    """Tell whether one of the integrations moved the goal's branch to the attempt's commit."""
    ended = made.ended_at
    return any(
        ended is not None and ended <= each.started_at and each.commit is not None and each.failure is None
        for each in integrations
    )
