"""The goal supervisor: acts for one goal, under a lease, for as long as there is something to do.

It holds the goal's journal, its mailbox and its running children.  One message is handled at a time; after each, one
bounded tick is taken if the fingerprint changed, what is owed is started, and what is owed no more is stopped.  When
nothing runs and nothing waits it passivates: no task, no timer of its own, no lease.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, Protocol, TypeAlias, assert_never

import anyio
import anyio.abc

from harnd.actors.effects import Runner, RunnerFor, runner_for
from harnd.actors.journal import Journal, Promise, Tell
from harnd.actors.mailbox import Answer, Mailbox
from harnd.actors.places import held, place_of, tidy
from harnd.domain.goal.commands import Attend, GoalCommand, Tick
from harnd.domain.goal.due import Effect, due
from harnd.domain.goal.fingerprint import fingerprint
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.position import position
from harnd.domain.rejected import Rejected
from harnd.ports.errors import FencedError, PortError, UnavailableError
from harnd.ports.store import Lease
from harnd.ports.workspace import Place
from harnd.ports.world import World
from protocol.ids import Digest, EffectKey, GoalId, InstanceId
from protocol.values import SECOND, Instant, Micros

_PAUSES: Final = tuple(Micros(seconds * SECOND) for seconds in (1, 5, 20, 60))  # for a world that does not answer
_TIDYING_S: Final = 30.0  # how long a withdrawn effect may take to clean up after itself


@dataclass(frozen=True, slots=True)
class Ask:
    """A request to decide a command, answered with the goal as it then stands."""

    command: GoalCommand
    answer: Answer[Goal]
    promise: Promise | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """A child has ended: with a report, with an error, or withdrawn."""

    key: EffectKey
    report: GoalCommand | None = None
    error: Exception | None = None


@dataclass(frozen=True, slots=True)
class Cleared:
    """The place of an attempt that has ended is cleared away."""

    place: Place


class Signal(Enum):
    """What needs no words."""

    LOOK = "look"  # something may have changed
    LEASE_LOST = "lease lost"


Message: TypeAlias = Ask | Ended | Cleared | Signal


class Wakes(Protocol):
    """Where a goal leaves the time at which it wants to be looked at again."""

    def arm(self, goal: GoalId, at: Instant | None) -> None:
        """Wake the goal at `at`, or (None) not by time."""
        ...


@dataclass(slots=True)
class _Child:
    effect: Effect
    place: Place
    runner: Runner
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)


class GoalSupervisor:
    """The one actor that acts for a goal."""

    def __init__(
        self,
        goal: GoalId,
        *,
        world: World,
        instance: InstanceId,
        lease: Lease,
        inbox: Mailbox[Message],
        wakes: Wakes,
        tell: Tell,
        draining: Callable[[], bool] = lambda: False,
        runners: RunnerFor = runner_for,
    ) -> None:
        self._goal_id = goal
        self._world = world
        self._instance = instance
        self._lease = lease
        self._inbox = inbox
        self._wakes = wakes
        self._draining = draining
        self._runners = runners
        self._journal = Journal(goal, lease=lease, store=world.store, clock=world.clock, tell=tell)
        self._children: dict[EffectKey, _Child] = {}
        self._held: frozenset[Place] = frozenset()  # where attempts work that have not ended
        self._leaving: set[Place] = set()  # those that have, to be cleared away
        self._clearing: set[Place] = set()  # of them, under way
        self._seen: Digest | None = None

    def __repr__(self) -> str:
        drain = " draining" if self._draining() else ""
        return f"<GoalSupervisor {self._goal_id} fence={self._lease.fence} running={len(self._children)}{drain}>"

    async def run(self) -> None:
        """Act until there is nothing left to do; children end with it.  Raises what made it stop before."""
        trouble: Exception | None = None
        async with anyio.create_task_group() as tasks:
            try:
                await self._act(tasks)
            except Exception as error:  # noqa: BLE001 - raised below, outside the group, which would wrap it
                trouble = error
            tasks.cancel_scope.cancel()
        if trouble is not None:
            raise trouble

    async def _act(self, tasks: anyio.abc.TaskGroup) -> None:
        await self._take_up()
        while await self._settle(tasks):
            await self._handle(await self._inbox.next())

    async def _take_up(self) -> None:
        if (goal := await self._journal.goal()) is not None:
            self._held = held(goal)
            await self._journal.submit(Attend(self._instance))

    # --- messages

    async def _handle(self, message: Message) -> None:
        match message:
            case Ask():
                await self._ask(message)
            case Ended(key=key, report=report, error=error):
                self._children.pop(key, None)
                if error is not None:
                    raise error
                if report is not None:
                    await self._journal.submit(report)
            case Cleared(place=place):
                self._clearing.discard(place)
                self._leaving.discard(place)
            case Signal.LOOK:
                pass
            case Signal.LEASE_LOST:
                raise FencedError(f"the lease of {self._goal_id} under fence {self._lease.fence} is lost")
            case _:
                assert_never(message)

    async def _ask(self, ask: Ask) -> None:
        try:
            await self._journal.submit(ask.command, ask.promise)
            goal = await self._journal.goal()
        except (Rejected, PortError) as error:
            ask.answer.refuse(error)
            if isinstance(error, FencedError):
                raise
            return
        except Exception as error:
            ask.answer.refuse(error)
            raise
        if goal is not None:
            ask.answer.give(goal)

    # --- what follows from the state

    async def _settle(self, tasks: anyio.abc.TaskGroup) -> bool:
        """Tick if something changed, start and stop children; tell whether there is anything to wait for."""
        goal = await self._journal.goal()
        if goal is None:
            return self._inbox.waiting > 0
        goal = await self._ticked(goal)
        now = self._world.clock.now()
        owed = {} if self._draining() else {effect.key: effect for effect in due(goal, now)}
        self._stop_unowed(goal, now)
        self._clear_ended(tasks, goal)
        for key, effect in owed.items():
            if key not in self._children and place_of(goal, effect) not in self._leaving:
                self._start(tasks, goal, effect)
        self._wakes.arm(self._goal_id, position(goal, now).wake_at)
        return bool(self._children or self._leaving) or self._inbox.waiting > 0

    async def _ticked(self, goal: Goal) -> Goal:
        seen = fingerprint(goal, self._world.clock.now())
        if self._draining() or seen == self._seen:
            return goal
        await self._journal.submit(Tick(self._world.clock.now()))
        after = await self._journal.goal()
        if after is None:
            raise AssertionError(f"{self._goal_id} vanished")
        self._seen = fingerprint(after, self._world.clock.now())
        return after

    def _stop_unowed(self, goal: Goal, now: Instant) -> None:
        owed = {effect.key for effect in due(goal, now)}
        for key, child in self._children.items():
            if key not in owed:
                child.scope.cancel()

    # --- places

    def _clear_ended(self, tasks: anyio.abc.TaskGroup, goal: Goal) -> None:
        """Clear away what attempts leave behind, once their ends are stored and nothing of them runs any more."""
        now = held(goal)
        self._leaving |= self._held - now
        self._held = now
        at_work = {child.place for child in self._children.values()}
        for place in sorted(self._leaving - self._clearing - at_work, key=lambda place: (place.work, place.attempt)):
            self._clearing.add(place)
            tasks.start_soon(self._clear, place)

    async def _clear(self, place: Place) -> None:
        with anyio.move_on_after(_TIDYING_S):
            await tidy(self._world.workspace, place)
        await self._inbox.tell(Cleared(place))

    # --- children

    def _start(self, tasks: anyio.abc.TaskGroup, goal: Goal, effect: Effect) -> None:
        child = self._children[effect.key] = _Child(effect, place_of(goal, effect), self._runner(goal, effect))
        tasks.start_soon(self._carry_out, child, goal, name=effect.key)

    async def _carry_out(self, child: _Child, goal: Goal) -> None:
        key = child.effect.key
        try:
            with child.scope:
                report = await self._outcome(child, goal)
                await self._inbox.tell(Ended(key, report=report))
                return
            await _withdrawn(child.runner)
            await self._inbox.tell(Ended(key))
        except Exception as error:  # noqa: BLE001 - it is the supervisor's: told, and raised there
            await self._inbox.tell(Ended(key, error=error))

    async def _outcome(self, child: _Child, goal: Goal) -> GoalCommand:
        clock = self._world.clock
        for pause in _PAUSES:
            try:
                return await _tried(child.runner)
            except UnavailableError:  # a lock, a full disk: it may pass, and whatever was begun is found again
                await clock.sleep_until(Instant(clock.now() + pause))
                child.runner = self._runner(goal, child.effect)
        try:
            return await _tried(child.runner)
        except UnavailableError as error:
            return await _failed(child.runner, error)

    def _runner(self, goal: Goal, effect: Effect) -> Runner:
        return self._runners(self._world, goal, effect, self._say)

    async def _say(self, command: GoalCommand) -> Goal:
        answer: Answer[Goal] = Answer()
        await self._inbox.tell(Ask(command, answer))
        return await answer.wait()


async def _tried(runner: Runner) -> GoalCommand:
    try:
        return await runner.run()
    except UnavailableError:
        raise
    except PortError as error:
        return await _failed(runner, error)


async def _failed(runner: Runner, error: PortError) -> GoalCommand:
    await _withdrawn(runner)
    return runner.failed(error)


async def _withdrawn(runner: Runner) -> None:
    with anyio.move_on_after(_TIDYING_S):
        try:
            await runner.withdraw()
        except PortError:
            return  # what is left over is swept when the daemon starts
