"""The projector: what lists and the inbox show of a goal, made in step with its events.

Read models are a convenience: they are rebuilt from the stream at any time and decide nothing.
"""

from harnd.domain.goal.due import due
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.inbox import Ask, asks
from harnd.domain.goal.position import position
from harnd.ports.store import GoalRow, InboxRow, Rows
from protocol.values import Instant, Phase


def project(goal: Goal, now: Instant) -> Rows:
    """Return the rows of a goal."""
    where = position(goal, now)
    row = GoalRow(
        goal=goal.intent.goal,
        title=goal.intent.title,
        phase=where.phase.value,
        next_action=where.next_action.value,
        reason=where.reason,
        since=goal.since,
        due=bool(due(goal, now)) or where.phase is Phase.READY,
        wake_at=where.wake_at,
        version=goal.version,
        archived=goal.archived,
    )
    return Rows(goal=row, inbox=tuple(_inbox_row(goal, ask) for ask in asks(goal, now)))


def _inbox_row(goal: Goal, ask: Ask) -> InboxRow:
    return InboxRow(
        goal=goal.intent.goal,
        kind=ask.kind,
        subject=ask.subject,
        summary=ask.summary,
        since=ask.since,
        digest=ask.digest,
    )
