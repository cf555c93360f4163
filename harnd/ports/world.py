"""All ports together: what the shell hands to the actors, once."""

from dataclasses import dataclass

from harnd.ports.clock import Clock
from harnd.ports.processes import Processes
from harnd.ports.sessions import CommandRunner, Sessions
from harnd.ports.store import Blobs, EventStore
from harnd.ports.workspace import Workspace


@dataclass(frozen=True, slots=True)
class World:
    """Everything outside the rules."""

    clock: Clock
    store: EventStore
    blobs: Blobs
    sessions: Sessions
    commands: CommandRunner
    processes: Processes
    workspace: Workspace
