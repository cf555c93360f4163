"""Resolving: a person says that what blocked an item is gone, and it goes on where it stopped.

Nothing that finished is made again, and nobody pays for what is: the cause lay outside the work.  What is wrong with
the work itself is not resolved but tried again.
"""

from harnd.domain.goal import commands as c
from harnd.domain.goal import events as e
from harnd.domain.goal import failure as failures
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.rules.cancel import plan_withdrawn
from harnd.domain.goal.rules.checks import bounded, refuse_ended
from harnd.domain.goal.work import Standing, Work
from harnd.domain.measures import plain
from harnd.domain.rejected import Rejected
from harnd.domain.verbs import verb
from protocol import bounds
from protocol.values import ApprovalState


def resolve_work(goal: Goal, item: Work, command: c.ResolveWork) -> list[e.GoalEvent]:
    """Let an item go on; one that already may is left as it is."""
    refuse_ended(goal)
    if item.standing is Standing.PARKED:
        return []
    if not resolvable(item) and not approved(goal, item):
        retry = verb("work", "retry", goal.intent.goal, item.id)
        fix = retry if item.standing is Standing.BLOCKED else verb("why", f"{goal.intent.goal}/{item.id}")
        raise Rejected("work.not_resolvable", _refusal(goal, item), fix=fix)
    note = bounded("note", command.note, bounds.GUIDANCE_CHARS) if command.note else ""
    # A plan that was made for the graph as it was has lost its ground.
    withdrawn = plan_withdrawn(goal, command.by, "work was resolved after this plan was requested")
    resolved = e.WorkResolved(work=item.id, by=command.by, note=note)
    requeued = [e.WorkRequeued(work=item.id, by=command.by)] if item.parked is None else []
    return [*withdrawn, resolved, *requeued]


def resolvable(item: Work) -> bool:
    """Tell whether a blocked item can go on where it stopped: a parked attempt, or accepted work not yet brought in."""
    if item.standing is not Standing.BLOCKED or item.blocked is None or not failures.ROWS[item.blocked].resolvable:
        return False
    return item.parked is not None or item.accepted_proof is not None


def approved(goal: Goal, item: Work) -> bool:
    """Tell whether a person has approved what an item asked, and it waits to be told that it may go on."""
    if item.standing is not Standing.AWAITING_APPROVAL:
        return False
    approval = goal.approval_of(item.id, len(item.attempts))
    return approval is not None and approval.state is ApprovalState.APPROVED


def _refusal(goal: Goal, item: Work) -> str:
    if item.standing is not Standing.BLOCKED:
        return f"{item.id} is {plain(goal.state_of(item))}; only blocked work is resolved"
    return f"{item.id} is blocked ({item.blocked or 'unknown'}), and there is nothing to go on with: it is tried again"
