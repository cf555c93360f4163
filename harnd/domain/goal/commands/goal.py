"""What a goal as a whole can be asked, by a person, by the clock and by the daemon."""

from harnd.domain.goal.commands.command import Command
from harnd.domain.goal.intent import Intent
from protocol.ids import InstanceId, WorkId
from protocol.values import Hold, Instant, Unit


class CreateGoal(Command, frozen=True):
    """Enrol an intent that its loader found legal."""

    intent: Intent
    by: str


class CancelGoal(Command, frozen=True):
    """End it now."""

    by: str
    reason: str


class PauseGoal(Command, frozen=True):
    """Hold it: nothing starts until it is resumed."""

    by: str
    reason: str
    hold: Hold = Hold.FINISH


class ResumeGoal(Command, frozen=True):
    """Let it go on."""

    by: str


class ReopenGoal(Command, frozen=True):
    """Ask for changes to what a goal that succeeded has accepted; without `work`, to the end of its active graph."""

    work: WorkId | None
    findings: tuple[str, ...]
    by: str


class ArchiveGoal(Command, frozen=True):
    """Put it away for good."""

    by: str


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
