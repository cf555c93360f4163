"""What a goal as a whole can be asked, by a person, by the clock and by the daemon."""

from harnd.domain.goal.commands.command import Command
from harnd.domain.goal.intent import Intent
from protocol.ids import InstanceId
from protocol.values import Instant, Unit


class CreateGoal(Command, frozen=True):
    """Enrol an intent that its loader found legal."""

    intent: Intent
    by: str


class CancelGoal(Command, frozen=True):
    """End it now."""

    by: str
    reason: str


class ExtendGoal(Command, frozen=True):
    """Let it spend more: by how much each limit grows."""

    add: dict[Unit, int]
    by: str


class Attend(Command, frozen=True):
    """A daemon instance takes the goal up."""

    instance: InstanceId


class Tick(Command, frozen=True):
    """Move one bounded step, if anything can move."""

    now: Instant
