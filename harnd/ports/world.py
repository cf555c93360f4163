"""All ports together: what the shell hands to the actors, once."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from harnd.ports.clock import Clock
from harnd.ports.entropy import Entropy
from harnd.ports.keeping import Keeping, Shelf
from harnd.ports.preparations import Preparations
from harnd.ports.processes import Processes
from harnd.ports.review_jobs import ReviewJobs
from harnd.ports.sessions import CommandRunner, Sessions
from harnd.ports.store import Blobs, EventStore
from harnd.ports.workspace import Workspace


@dataclass(frozen=True, slots=True)
class World:
    """Everything outside the rules."""

    clock: Clock
    entropy: Entropy
    store: EventStore
    blobs: Blobs
    sessions: Sessions
    commands: CommandRunner
    processes: Processes
    workspace: Workspace
    preparations: Preparations
    review_jobs: ReviewJobs
    shelves: Mapping[Shelf, Keeping] = field(default_factory=dict[Shelf, Keeping])  # what piles up
