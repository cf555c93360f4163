"""Goals on a shelf: put into a real store by the real journal, and asked about through the real queries.

What lies outside is set by hand: the time, who acts for which goal, and what is seen of processes.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import msgspec

from harnd.actors.journal import Journal
from harnd.adapters.harness.imaginary import ImaginarySessions
from harnd.adapters.imaginary_commands import ImaginaryCommands
from harnd.adapters.memory_preparations import MemoryPreparations
from harnd.adapters.memory_workspace import MemoryWorkspace
from harnd.adapters.process.imaginary import ImaginaryMachine
from harnd.adapters.review_jobs import MemoryReviewJobs
from harnd.adapters.store.blobs import MemoryBlobs
from harnd.adapters.store.database import memory
from harnd.adapters.store.opening import open_inline_store
from harnd.adapters.virtual import SeededEntropy
from harnd.daemon.queries import About, Queries
from harnd.domain.goal.commands import GoalCommand, Tick
from harnd.ports.keeping import Kept
from harnd.ports.keeping import Shelf as Keeps
from harnd.ports.processes import LiveProcess, Trace
from harnd.ports.sessions import Capabilities, Options, SessionEnd, SessionTask
from harnd.ports.store import EventStore
from harnd.ports.world import World
from protocol.ids import EffectKey, GoalId, HarnessName, InstanceId
from protocol.requests import ReplyT, Request
from protocol.values import Instant
from protocol.views import ConfigView
from tests.kit.given import T0, later
from tests.kit.stores import ME, TTL, SetClock, change

ABOUT = About(
    pid=4242,
    version="0.1.0",
    instance=InstanceId("5f0c2a"),
    started_at=T0,
    state_dir="/home/ada/.local/state/harnd",
    socket="/run/user/1000/harnd/harnd.sock",
    executable="/opt/harnd/bin/harnd",
)


@dataclass
class Acting:
    """Who acts for which goal, under which fence."""

    fences: dict[GoalId, int] = field(default_factory=dict)
    draining: bool = False

    def live(self) -> tuple[GoalId, ...]:
        return tuple(sorted(self.fences))

    def fence(self, goal: GoalId) -> int | None:
        return self.fences.get(goal)


@dataclass
class Chosen:
    """What the daemon runs with: nothing that anybody chose."""

    def view(self) -> ConfigView:
        return ConfigView(path="/home/ada/.config/harnd/config.toml", found=False, loaded_at=T0, rows=(), problems=())


@dataclass
class Seen:
    """What is seen of processes."""

    running: tuple[LiveProcess, ...] = ()
    traces: dict[EffectKey, Trace] = field(default_factory=dict)
    obstacles: Mapping[str, str] = field(default_factory=dict)

    async def live(self) -> tuple[LiveProcess, ...]:
        return self.running

    async def trace(self, key: EffectKey) -> Trace | None:
        return self.traces.get(key)

    async def obstacle(self, program: str) -> str | None:
        return self.obstacles.get(program)

    def runs(self, key: str, *, pid: int = 77, started: float = 0, spoke: float | None = None) -> None:
        """Have a process run since so many seconds after the beginning of every goal."""
        spoken = None if spoke is None else later(spoke)
        self.running += (LiveProcess(EffectKey(key), pid, later(started), spoken),)


@dataclass(frozen=True)
class Known:
    """Harnesses that are known and never run."""

    harnesses: frozenset[str]

    def capabilities(self, harness: HarnessName, options: Options = ()) -> Capabilities | None:
        return Capabilities() if harness in self.harnesses else None

    async def run(self, task: SessionTask) -> SessionEnd:
        raise AssertionError(f"nothing runs here, least of all {task.key}")


@dataclass
class Outputs:
    """What is kept of processes, put there by hand."""

    there: dict[str, Kept] = field(default_factory=dict)

    def lie(self, name: str, goal: str, *, written: float = 0) -> None:
        """Have outputs lie there since so many seconds after the beginning of every goal."""
        self.there[name] = Kept(name, 100, later(written), GoalId(goal))

    async def inventory(self) -> tuple[Kept, ...]:
        return tuple(self.there[name] for name in sorted(self.there))

    async def let_go(self, name: str, *, written_before: Instant) -> bool:
        if name in self.there and self.there[name].written_at >= written_before:
            return False
        self.there.pop(name, None)
        return True


class Shelf:
    """A world whose store holds goals, and the queries over it."""

    def __init__(self, store: EventStore, clock: SetClock) -> None:
        machine, workspace = ImaginaryMachine(), MemoryWorkspace()
        self.clock = clock
        self.acting = Acting()
        self.seen = Seen()
        self.outputs = Outputs()
        self.blobs = MemoryBlobs(clock.now)
        self.workspace = workspace
        self.preparations = MemoryPreparations(workspace.files, clock.now)
        self.world = World(
            clock=clock,
            entropy=SeededEntropy(0),
            store=store,
            blobs=self.blobs,
            sessions=ImaginarySessions({}, files=workspace.files, machine=machine),
            commands=ImaginaryCommands(lambda _task, _files: None, files=workspace.files, machine=machine),
            processes=self.seen,
            workspace=workspace,
            preparations=self.preparations,
            review_jobs=MemoryReviewJobs(),
            shelves={
                Keeps.OUTPUTS: self.outputs,
                Keeps.PREPARED: self.preparations,
                Keeps.TEXTS: self.blobs,
            },
        )
        self.queries = Queries(self.world, roster=self.acting, about=ABOUT, configuration=Chosen())
        self._journals: dict[str, Journal] = {}

    async def ask(self, request: Request[ReplyT]) -> ReplyT:
        """Ask as the router does."""
        return await self.queries.answer(request)

    def knows(self, *harnesses: str) -> None:
        """Have the daemon know these harnesses and no other."""
        sessions = Known(frozenset(harnesses))
        world = replace(self.world, sessions=sessions)
        self.queries = Queries(world, roster=self.acting, about=ABOUT, configuration=Chosen())

    def at(self, seconds: float) -> None:
        """Set the clock to so many seconds after the beginning of every goal."""
        self.clock.at = later(seconds)

    async def live(self, *commands: GoalCommand, goal: str = "billing") -> None:
        """Have a goal decide and store one command after the other, now; a tick is of now."""
        journal = self._journals.get(goal) or await self._open(goal)
        for command in commands:
            now = Instant(self.clock.at)
            await journal.submit(msgspec.structs.replace(command, now=now) if isinstance(command, Tick) else command)

    async def poison(self, goal: str, *, after: int, body: bytes = b'{"type":"goal.ascended/9"}') -> None:
        """Store an event that no harnd of today can read."""
        store, stream = self.world.store, GoalId(goal)
        lease = await store.acquire(stream, ME, TTL)
        row = await store.row(stream)
        assert row is not None
        poisoned = change(stream, expected=after, fence=lease.fence, at=self.clock.at, row=row)
        fact = msgspec.structs.replace(poisoned.facts[0], tag="goal.ascended/9", body=body)
        await store.append(msgspec.structs.replace(poisoned, facts=(fact,)))

    async def _open(self, goal: str) -> Journal:
        store, stream = self.world.store, GoalId(goal)
        lease = await store.acquire(stream, ME, TTL)
        self._journals[goal] = Journal(stream, lease=lease, store=store, clock=self.clock, tell=lambda _recorded: None)
        return self._journals[goal]


@asynccontextmanager
async def shelf() -> AsyncGenerator[Shelf]:
    """Put up an empty shelf."""
    clock = SetClock(T0)
    async with open_inline_store(memory(), clock) as store:
        yield Shelf(store, clock)
