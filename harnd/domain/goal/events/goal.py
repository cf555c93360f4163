"""What happened to a goal as a whole."""

from harnd.domain.goal.events.event import Event
from harnd.domain.goal.intent import Intent
from protocol.ids import Digest, InstanceId
from protocol.values import Unit


class GoalCreated(Event, frozen=True, tag="goal.created/1"):
    """A person enrolled it."""

    intent: Intent
    digest: Digest
    by: str


class GoalAttended(Event, frozen=True, tag="goal.attended/1"):
    """A new daemon instance took up a goal that had something running."""

    instance: InstanceId


class GoalTicked(Event, frozen=True, tag="goal.ticked/1"):
    """harnd moved it one bounded step; what follows in the same append is the step."""


class GoalCancelled(Event, frozen=True, tag="goal.cancelled/1"):
    """A person ended it."""

    by: str
    reason: str


class BudgetExtended(Event, frozen=True, tag="budget.extended/1"):
    """A person lets it spend more: each limit has grown by so much."""

    added: dict[Unit, int]
    by: str
