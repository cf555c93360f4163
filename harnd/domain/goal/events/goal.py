"""What happened to a goal as a whole."""

from harnd.domain.goal.events.event import Event
from harnd.domain.goal.intent import Intent
from protocol.ids import Digest, InstanceId, WorkId
from protocol.values import Unit


class GoalCreated(Event, frozen=True, tag="goal.created/1"):
    """A person enrolled it."""

    intent: Intent
    digest: Digest
    by: str


class RootSupplied(Event, frozen=True, tag="root.supplied/1"):
    """The work that its operator wrote exists, as its first milestone, which this item ends."""

    root: WorkId


class GoalSucceeded(Event, frozen=True, tag="goal.succeeded/1"):
    """The root of a goal without a mission is accepted and on the goal's branch: that is all that was wanted."""

    root: WorkId


class GoalAttended(Event, frozen=True, tag="goal.attended/1"):
    """A new daemon instance took up a goal that had something running."""

    instance: InstanceId


class GoalTicked(Event, frozen=True, tag="goal.ticked/1"):
    """harnd moved it one bounded step; what follows in the same append is the step."""


class GoalCancelled(Event, frozen=True, tag="goal.cancelled/1"):
    """A person ended it."""

    by: str
    reason: str


class GoalPaused(Event, frozen=True, tag="goal.paused/1"):
    """A person holds it: nothing starts, and what runs is let finish."""

    by: str
    reason: str = ""


class GoalResumed(Event, frozen=True, tag="goal.resumed/1"):
    """A person lets it go on."""

    by: str


class GoalReopened(Event, frozen=True, tag="goal.reopened/1"):
    """A person found something wrong after the success; always in the append of the `work.reopened` that says what."""

    by: str


class GoalArchived(Event, frozen=True, tag="goal.archived/1"):
    """A person put it away for good, after its end: readable, out of the lists, and never reopened."""

    by: str


class BudgetExtended(Event, frozen=True, tag="budget.extended/1"):
    """A person lets it spend more: each limit has grown by so much."""

    added: dict[Unit, int]
    by: str
