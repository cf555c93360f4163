"""A bench for actors: a world in memory whose parts count what they are asked, and fail when they are told to.

The clock is the event loop's, so under a mock clock hours pass as soon as nothing else happens.  Agents follow the
script `SCRIPT`; a command is what `commands` says by its first word, and passes when that says nothing.
"""

from collections import deque
from collections.abc import AsyncGenerator, Callable, MutableMapping
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from typing import Any

import anyio
import anyio.lowlevel
import msgspec

from harnd.actors.effects import Runner, runner_for
from harnd.actors.journal import Journal
from harnd.actors.places import held
from harnd.actors.projector import project
from harnd.adapters.harness.imaginary import ImaginarySessions
from harnd.adapters.imaginary_commands import ImaginaryCommands, Outcome
from harnd.adapters.imaginary_processes import ImaginaryProcesses
from harnd.adapters.memory_preparations import MemoryPreparations
from harnd.adapters.memory_workspace import MemoryWorkspace
from harnd.adapters.process.imaginary import ImaginaryMachine, among
from harnd.adapters.review_jobs import MemoryReviewJobs
from harnd.adapters.store.blobs import MemoryBlobs
from harnd.adapters.store.database import memory
from harnd.adapters.store.inline import InlineRunner
from harnd.adapters.store.sqlite import SqliteStore
from harnd.adapters.virtual import SeededEntropy, VirtualClock
from harnd.domain.goal import commands as c
from harnd.domain.goal import events as e
from harnd.domain.goal.codec import encode, fold
from harnd.domain.goal.due import due
from harnd.domain.goal.evolve import evolve
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.intent import Intent
from harnd.domain.goal.template import Template
from harnd.ports.clock import Clock
from harnd.ports.errors import UnavailableError
from harnd.ports.sessions import CommandTask, SessionEnd, SessionTask
from harnd.ports.store import Append, Fact, Lease, Recorded
from harnd.ports.world import World
from protocol.ids import Digest, GoalId, InstanceId
from protocol.values import Instant, Micros
from tests.kit.given import a_template, an_intent
from tests.kit.stores import BILLING, ME, OTHER, TTL, change, fact

SCRIPT = "script.toml"
REPOSITORY = "/srv/billing"
FILES = {"README.md": b"# Billing\n"}


class WatchedStore(SqliteStore):
    """A store that writes down what it is asked, and has trouble when it is told to."""

    def __init__(self, clock: Clock) -> None:
        self.database = memory()
        super().__init__(InlineRunner(self.database), clock)
        self.appended: list[tuple[str, ...]] = []  # the tags of each append that was made
        self.renewed: list[tuple[GoalId, ...]] = []
        self.acquired: list[tuple[float, GoalId]] = []  # and when, in seconds; also what was refused
        self.trouble: dict[tuple[str, GoalId | None], deque[Exception]] = {}
        self.unanswered = False  # appends are written, and nobody is told

    def breaks(self, method: str, *errors: Exception, goal: GoalId | None = None) -> None:
        """Have the next calls of a method raise these, one each, before anything is done."""
        self.trouble[method, goal] = deque(errors)

    async def append(self, change: Append) -> tuple[Recorded, ...]:
        self._meet("append", change.stream)
        recorded = await super().append(change)
        self.appended.append(tuple(fact.tag.partition("/")[0] for fact in change.facts))
        if self.unanswered:
            await anyio.sleep_forever()
        return recorded

    async def read(self, stream: GoalId, *, after: int = 0) -> list[Recorded]:
        self._meet("read", stream)
        return await super().read(stream, after=after)

    async def acquire(self, stream: GoalId, holder: InstanceId, ttl: Micros) -> Lease:
        if holder == ME:
            self.acquired.append((round(anyio.current_time(), 3), stream))
        self._meet("acquire", stream)
        return await super().acquire(stream, holder, ttl)

    async def renew(self, leases: tuple[Lease, ...], ttl: Micros) -> frozenset[GoalId]:
        self.renewed.append(tuple(lease.stream for lease in leases))
        self._meet("renew", None)
        return await super().renew(leases, ttl)

    async def release(self, lease: Lease) -> None:
        self._meet("release", lease.stream)
        await super().release(lease)

    async def park(self, goal: GoalId, reason: str | None) -> None:
        self._meet("park", goal)
        await super().park(goal, reason)

    def holder(self, goal: GoalId) -> str | None:
        """Tell whose lease a goal is under; None when nobody acts for it."""
        found = self.database.execute("SELECT holder FROM leases WHERE stream = ?", (goal,)).fetchone()
        return found[0] if found else None

    def _meet(self, method: str, goal: GoalId | None) -> None:
        for name in dict.fromkeys((goal, None)):
            if waiting := self.trouble.get((method, name)):
                raise waiting.popleft()


class WatchedBlobs(MemoryBlobs):
    """Blobs that have no room for one content when they are told so."""

    def __init__(self) -> None:
        super().__init__()
        self.no_room_for: bytes | None = None

    async def put(self, content: bytes) -> Digest:
        if content == self.no_room_for:
            raise UnavailableError("the disk is full")
        return await super().put(content)


class WatchedSessions(ImaginarySessions):
    """Sessions that keep every task they were given."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.tasks: list[SessionTask] = []

    async def run(self, task: SessionTask) -> SessionEnd:
        self.tasks.append(task)
        return await super().run(task)


class WatchedCommands(ImaginaryCommands):
    """Commands that keep every task they were given."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.tasks: list[CommandTask] = []

    async def run(self, task: CommandTask) -> Any:
        self.tasks.append(task)
        return await super().run(task)


@dataclass
class Bench:
    """The world of one test."""

    clock: Clock
    store: WatchedStore
    workspace: MemoryWorkspace = field(default_factory=MemoryWorkspace)
    machine: ImaginaryMachine = field(default_factory=ImaginaryMachine)
    blobs: WatchedBlobs = field(default_factory=WatchedBlobs)
    scripts: dict[str, str] = field(default_factory=dict)
    commands: dict[str, Outcome | None] = field(default_factory=dict)
    deeds: dict[str, Callable[[], object]] = field(default_factory=dict)  # what a command does besides, by its name
    heard: list[Recorded] = field(default_factory=list)
    said: list[c.GoalCommand] = field(default_factory=list)  # by runners on their way

    def __post_init__(self) -> None:
        self.base = self.workspace.make(REPOSITORY, FILES)
        self.review_jobs = MemoryReviewJobs()
        reachable = among(self.workspace.files, self.review_jobs.files)
        self.sessions = WatchedSessions(self.scripts, files=reachable, machine=self.machine)
        self.runner = WatchedCommands(self._respond, files=self.workspace.files, machine=self.machine)
        self.preparations = MemoryPreparations(self.workspace.files)
        self.world = World(
            clock=self.clock,
            entropy=SeededEntropy(0),
            store=self.store,
            blobs=self.blobs,
            sessions=self.sessions,
            commands=self.runner,
            processes=ImaginaryProcesses(self.machine, self.clock),
            workspace=self.workspace,
            preparations=self.preparations,
            review_jobs=self.review_jobs,
        )

    def _respond(self, task: CommandTask, _files: MutableMapping[str, bytes]) -> Outcome | None:
        self.deeds.get(task.argv[0], lambda: None)()
        return self.commands.get(task.argv[0], Outcome())

    def script(self, *rules: str) -> None:
        """Say what agents do, the first rule that fits: each is the body of one."""
        self.scripts[SCRIPT] = "\n".join(f"[[rule]]\n{rule}" for rule in rules)

    def intent(self, *templates: Template, goal: str = "billing", **parts: Any) -> Intent:
        """Freeze a small intent about the repository of this world."""
        plain = an_intent(goal=goal, templates=templates or (a_template(),), **parts)
        team = tuple(msgspec.structs.replace(member, options=(("script", SCRIPT),)) for member in plain.team)
        return msgspec.structs.replace(plain, repository=REPOSITORY, base_commit=self.base, team=team)

    async def journal(self, goal: GoalId = BILLING, *, holder: InstanceId = ME) -> Journal:
        """Open a goal's journal under a new lease."""
        return self.journal_under(await self.store.acquire(goal, holder, TTL))

    def journal_under(self, lease: Lease) -> Journal:
        """Open a journal under a lease that somebody has."""
        return Journal(lease.stream, lease=lease, store=self.store, clock=self.clock, tell=self.heard.extend)

    async def lived(self, *commands: c.GoalCommand, intent: Intent | None = None) -> Goal:
        """Enrol a goal, have it decide and store one command after the other, give the lease back, and look at it."""
        intent = intent or self.intent()
        lease = await self.store.acquire(intent.goal, OTHER, TTL)
        journal = self.journal_under(lease)
        for command in (c.CreateGoal(intent, by="ada"), *commands):
            now = Instant(self.clock.now())
            await journal.submit(msgspec.structs.replace(command, now=now) if isinstance(command, c.Tick) else command)
        await self.store.release(lease)
        self.store.appended.clear()
        return await self.stored(intent.goal)

    async def owed(self, goal: GoalId = BILLING) -> tuple[Runner, ...]:
        """Return who carries out what is owed to a goal."""
        stored = await self.stored(goal)

        async def say(command: c.GoalCommand) -> Goal:
            await anyio.lowlevel.checkpoint()
            self.said.append(command)
            if isinstance(command, c.ReportObserved):
                return stored  # whoever carries it out again looks around for itself
            await (await self.journal(goal)).submit(command)
            return await self.stored(goal)

        return tuple(runner_for(self.world, stored, effect, say) for effect in due(stored, self.clock.now()))

    async def carried_out(self, *commands: c.GoalCommand) -> Goal:
        """Carry out what is owed, store the reports and then the commands, clear up, and look at the goal."""
        before = held(await self.stored())
        reports = [await runner.run() for runner in await self.owed()]
        journal = await self.journal()
        for command in (*reports, *commands):
            await journal.submit(command)
        after = await self.stored()
        for place in before - held(after):
            await self.workspace.discard(place)
        return after

    async def happened(self, *events: e.GoalEvent, goal: GoalId = BILLING) -> Goal:
        """Store what nothing can be asked for yet."""
        before = await self.stored(goal)
        after, now = before, self.clock.now()
        for event in events:
            after = evolve(after, event, now)
        lease = await self.store.acquire(goal, OTHER, TTL)
        facts = tuple(Fact(*encode(event)) for event in events)
        await SqliteStore.append(self.store, Append(goal, before.version, lease.fence, now, facts, project(after, now)))
        await self.store.release(lease)
        return after

    async def stored(self, goal: GoalId = BILLING) -> Goal:
        """Fold what is stored of a goal."""
        found = fold((event.at, event.body) for event in await SqliteStore.read(self.store, goal))
        assert found is not None
        return found

    async def poison(self, goal: GoalId = BILLING) -> None:
        """Store an event that no harnd of today can read."""
        lease = await self.store.acquire(goal, OTHER, TTL)
        stored = await SqliteStore.read(self.store, goal)
        (row,) = (row for row in await self.store.goals() if row.goal == goal)
        poisoned = change(goal, expected=len(stored), fence=lease.fence, at=stored[-1].at, row=row, facts=(fact(),))
        await SqliteStore.append(self.store, poisoned)
        await self.store.release(lease)


@asynccontextmanager
async def bench(clock: Clock | None = None) -> AsyncGenerator[Bench]:
    """Set up a world with one repository and no goal."""
    chosen = clock or VirtualClock()
    store = WatchedStore(chosen)
    with closing(store.database):
        yield Bench(chosen, store)
