"""Small steps that the evolution of work, attempts and integrations share: one item changed in its goal."""

import msgspec

from harnd.domain.goal.goal import Goal
from harnd.domain.goal.work import Work
from protocol.ids import WorkId
from protocol.values import Instant

replace = msgspec.structs.replace


def changed_item(goal: Goal, work: WorkId, since: Instant, **changes: object) -> Goal:
    """Return the goal with an item that has changed at `since`."""
    return stored_item(goal, replace(goal.work[work], since=since, **changes))


def stored_item(goal: Goal, item: Work) -> Goal:
    """Return the goal with this state of an item."""
    return replace(goal, work={**goal.work, item.id: item})


def dequeued(goal: Goal, work: WorkId) -> Goal:
    """Return the goal with an item that waits for no integration."""
    return replace(goal, queue=tuple(name for name in goal.queue if name != work))
