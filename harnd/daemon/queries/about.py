"""About: what a daemon knows of itself from its start, and the sources that its queries draw on."""

from dataclasses import dataclass
from typing import Protocol

from harnd.daemon.loading import Loader
from harnd.daemon.queries.foretelling import Foreteller
from harnd.ports.world import World
from protocol.ids import GoalId, InstanceId
from protocol.values import Instant
from protocol.views import ConfigView


@dataclass(frozen=True, slots=True)
class About:
    """One run of one daemon."""

    pid: int
    version: str
    instance: InstanceId
    started_at: Instant
    state_dir: str  # absolute, as the others
    socket: str
    executable: str


class Supervisors(Protocol):
    """Who acts for goals at the moment; the roster."""

    def live(self) -> tuple[GoalId, ...]:
        """Return the goals that have a supervisor, by id."""
        ...

    def fence(self, goal: GoalId) -> int | None:
        """Return the fence of the lease under which a goal is acted for, None at rest."""
        ...

    @property
    def draining(self) -> bool:
        """Tell whether nothing more is started, since the daemon is about to end."""
        ...


class Configured(Protocol):
    """What the daemon runs with."""

    def view(self) -> ConfigView:
        """Show it."""
        ...


@dataclass(frozen=True, slots=True)
class Sources:
    """Where answers come from."""

    world: World
    roster: Supervisors
    about: About
    goals: Loader
    configuration: Configured
    foreteller: Foreteller

    def now(self) -> Instant:
        """Tell the time."""
        return self.world.clock.now()
