"""The engine under simulation: everything that outlives a daemon, and one incarnation of the daemon after another."""

import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import cast

import anyio

from harnd.actors.roster import Roster
from harnd.adapters.harness.imaginary import ImaginarySessions
from harnd.adapters.imaginary_commands import ImaginaryCommands
from harnd.adapters.imaginary_processes import ImaginaryProcesses
from harnd.adapters.memory_preparations import MemoryPreparations
from harnd.adapters.memory_workspace import MemoryWorkspace
from harnd.adapters.process.imaginary import ImaginaryMachine, among
from harnd.adapters.review_jobs import MemoryReviewJobs
from harnd.adapters.store.blobs import MemoryBlobs
from harnd.adapters.store.database import memory
from harnd.adapters.store.opening import open_inline_store
from harnd.adapters.virtual import SeededEntropy, VirtualClock
from harnd.domain.goal.commands import CreateGoal
from harnd.ports.errors import PortError
from harnd.ports.sessions import Sessions
from harnd.ports.store import EventStore, Recorded
from harnd.ports.workspace import Workspace
from harnd.ports.world import World
from protocol.ids import CommitId, GoalId, InstanceId
from tests.sim.faults import Faults, FaultyCommands, FaultySessions, FaultyStore, FaultyWorkspace
from tests.sim.invariants import Invariants
from tests.sim.missions import FILES, REPOSITORY, SimMission, respond


@dataclass
class Disk:
    """What a crash leaves: database, repository, receipts and results, blobs."""

    mission: SimMission
    seed: int
    machine: ImaginaryMachine = field(default_factory=ImaginaryMachine)
    workspace: MemoryWorkspace = field(default_factory=MemoryWorkspace)
    database: sqlite3.Connection = field(default_factory=memory)
    blobs: MemoryBlobs = field(default_factory=MemoryBlobs)
    trace: list[str] = field(default_factory=list)
    incarnations: int = 0

    def __post_init__(self) -> None:
        self.entropy = SeededEntropy(self.seed)
        self.preparations = MemoryPreparations(self.workspace.files)
        self.review_jobs = MemoryReviewJobs()
        self.base: CommitId = self.workspace.make(REPOSITORY, FILES)
        self.clock = VirtualClock()
        self.goal = GoalId(self.mission.goal)
        self.invariants = Invariants(self)

    def note(self, line: str) -> None:
        """Add a line to the trace."""
        self.trace.append(f"{anyio.current_time():12.3f} {line}")


class TraceWatcher:
    """Writes what the roster does into the trace."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk

    def committed(self, recorded: tuple[Recorded, ...]) -> None:
        del recorded

    def restarted(self, goal: GoalId, error: Exception) -> None:
        self._disk.note(f"restarted {goal}: {type(error).__name__}: {error}")

    def parked(self, goal: GoalId, error: Exception) -> None:
        self._disk.note(f"parked {goal}: {type(error).__name__}: {error}")
        self._disk.invariants.bugs.append(error)


@dataclass
class Daemon:
    """One incarnation."""

    world: World
    roster: Roster

    async def create(self, mission: SimMission, base: CommitId) -> None:
        """Enrol the mission; doing it again changes nothing."""
        while True:
            try:
                await self.roster.ask(GoalId(mission.goal), CreateGoal(mission.intent(base), by="operator"))
            except PortError:  # somebody else held the lease: a person tries again a little later
                await anyio.sleep(10)
            else:
                return


@asynccontextmanager
async def daemon(disk: Disk, faults: Faults) -> AsyncGenerator[Daemon]:
    """Boot a daemon on the disk for the length of the block; a crash fault ends the block."""
    disk.machine.restart()
    disk.incarnations += 1
    disk.note(f"boot {disk.incarnations}")
    instance = InstanceId(disk.entropy.token())
    async with open_inline_store(disk.database, disk.clock) as inner, anyio.create_task_group() as tasks:
        store = FaultyStore(inner, disk, faults, tasks.cancel_scope)
        await store.usurp(instance)
        sessions = ImaginarySessions(
            {"script.toml": disk.mission.script()},
            files=among(disk.workspace.files, disk.review_jobs.files),
            machine=disk.machine,
        )
        commands = ImaginaryCommands(respond, files=disk.workspace.files, machine=disk.machine)
        world = World(
            clock=disk.clock,
            entropy=disk.entropy,
            store=cast("EventStore", store),
            blobs=disk.blobs,
            sessions=cast("Sessions", FaultySessions(sessions, disk, faults, tasks.cancel_scope)),
            processes=ImaginaryProcesses(disk.machine, disk.clock),
            commands=FaultyCommands(commands, disk, faults, tasks.cancel_scope),
            workspace=cast("Workspace", FaultyWorkspace(disk.workspace, disk, faults, tasks.cancel_scope)),
            preparations=disk.preparations,
            review_jobs=disk.review_jobs,
        )
        roster = Roster(world, instance, TraceWatcher(disk))
        await tasks.start(roster.run)
        yield Daemon(world, roster)
        tasks.cancel_scope.cancel()
