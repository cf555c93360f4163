"""The roster: which goals have a supervisor, and how one is started, restarted, drained and parked.

A goal at rest is no task; a message starts its supervisor.  One that fails is started again after a pause, within a
budget; beyond it the goal is parked with the reason, and no other goal notices.  A store that does not answer is
waited for, and a lease that somebody else holds is left alone until it has passed.
"""

from dataclasses import dataclass, field
from typing import Protocol

import anyio
import anyio.abc

from harnd.actors.goal_supervisor import Ask, Cleared, Ended, GoalSupervisor, Message, Signal
from harnd.actors.journal import Promise
from harnd.actors.lease_keeper import TTL, LeaseKeeper
from harnd.actors.mailbox import Answer, ClosedMailboxError, Mailbox
from harnd.actors.supervision import RestartBudget, pause
from harnd.actors.timers import Timers
from harnd.domain.goal.commands import GoalCommand
from harnd.domain.goal.goal import Goal
from harnd.ports.errors import FencedError, LeaseHeldError, PortError, StoppingError, UnavailableError
from harnd.ports.store import Lease, Recorded
from harnd.ports.world import World
from protocol.ids import GoalId, InstanceId
from protocol.values import Instant


class Watcher(Protocol):
    """Hears what the roster does; the shell writes it into the log."""

    def committed(self, recorded: tuple[Recorded, ...]) -> None:
        """Events have just been made durable."""
        ...

    def restarted(self, goal: GoalId, error: Exception) -> None:
        """A supervisor failed and will be started again."""
        ...

    def parked(self, goal: GoalId, error: Exception) -> None:
        """A supervisor failed too often and was given up."""
        ...


@dataclass(slots=True)
class _Seat:
    """The place of one goal's supervisor, while it has one."""

    inbox: Mailbox[Message] = field(default_factory=Mailbox[Message])
    budget: RestartBudget = field(default_factory=RestartBudget)
    waits: int = 0  # for a store that does not answer, in a row


class Roster:
    """Every live supervisor of one daemon instance."""

    def __init__(self, world: World, instance: InstanceId, watcher: Watcher) -> None:
        self._world = world
        self._instance = instance
        self._watcher = watcher
        self._leases = LeaseKeeper(world.store, world.clock, instance, self._lease_lost)
        self._timers = Timers(world.clock, self.wake)
        self._seats: dict[GoalId, _Seat] = {}
        self._tasks: anyio.abc.TaskGroup | None = None
        self._drain = anyio.Event()  # set when nothing more may start
        self._parked: set[GoalId] = set()
        self._empty = anyio.Event()

    def __repr__(self) -> str:
        return f"<Roster supervisors={len(self._seats)}{' draining' if self.draining else ''}>"

    async def run(self, *, task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Supervise until cancelled; everything below ends with it."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            tasks.start_soon(self._leases.run)
            tasks.start_soon(self._timers.run)
            await self._forgive()
            for at, goal in await self._world.store.wakes():
                self._timers.arm(goal, at)
            for goal in await self._world.store.due(now=self._world.clock.now()):
                self.wake(goal)
            task_status.started()

    async def _forgive(self) -> None:
        # A goal was parked by an instance that could not go on with it: a new one looks once for itself.
        for row in await self._world.store.goals():
            if row.parked is not None:
                await self._world.store.park(row.goal, None)

    # --- what others ask

    @property
    def draining(self) -> bool:
        """Tell whether nothing more is started."""
        return self._drain.is_set()

    def live(self) -> tuple[GoalId, ...]:
        """Return the goals that have a supervisor, by id."""
        return tuple(sorted(self._seats))

    def fence(self, goal: GoalId) -> int | None:
        """Return the fence of the lease under which a goal is acted for, None when it is not."""
        lease = self._leases.held(goal)
        return lease.fence if lease else None

    def wake(self, goal: GoalId) -> None:
        """Have somebody look at a goal."""
        if self.draining or self._tasks is None:
            return
        if (seat := self._seats.get(goal)) is None:
            self._seat(goal)
        else:
            seat.inbox.nudge(Signal.LOOK)

    async def ask(self, goal: GoalId, command: GoalCommand, promise: Promise | None = None) -> Goal:
        """Have a command decided and stored, and return the goal as it then stands.

        Raises `Rejected`, or what the store said; `StoppingError` while the daemon is stopping.
        """
        if self.draining:
            raise StoppingError("the daemon is stopping")
        answer: Answer[Goal] = Answer()
        seat = self._seats.get(goal) or self._seat(goal)
        try:
            await seat.inbox.tell(Ask(command, answer, promise))
        except ClosedMailboxError as error:
            raise LeaseHeldError("nobody acts for this goal now") from error
        return await answer.wait()

    async def drain(self) -> None:
        """Start nothing more, and return when everything that runs has ended."""
        self._drain.set()
        self._empty = anyio.Event()
        for seat in tuple(self._seats.values()):
            seat.inbox.nudge(Signal.LOOK)
        if self._seats:
            await self._empty.wait()

    # --- seats

    def _seat(self, goal: GoalId) -> _Seat:
        if self._tasks is None:
            raise UnavailableError("the daemon has not started")
        seat = self._seats[goal] = _Seat()
        self._tasks.start_soon(self._occupy, goal, seat, name=f"goal/{goal}")
        return seat

    async def _occupy(self, goal: GoalId, seat: _Seat) -> None:
        try:
            while not await self._rests(goal, seat):
                # What is left in the mailbox came while the last supervisor was ending: the next one reads it.
                pass
        finally:
            del self._seats[goal]
            self._refuse_rest(seat)
        if self.draining and not self._seats:
            self._empty.set()

    async def _rests(self, goal: GoalId, seat: _Seat) -> bool:
        """Run one supervisor; tell whether the goal is at rest now."""
        try:
            await self._supervise(goal, seat)
        except (FencedError, LeaseHeldError):
            # Somebody else acts for it now, or did a moment ago: look again when their lease would have passed.
            self._timers.arm(goal, Instant(self._world.clock.now() + TTL))
            return True
        except UnavailableError as error:
            return await self._waited(goal, seat, error)
        except Exception as error:  # noqa: BLE001 - a bug in one goal must not reach another: restart, then park
            return await self._restarted(goal, seat, error)
        await self._unpark(goal)
        return seat.inbox.waiting == 0

    async def _supervise(self, goal: GoalId, seat: _Seat) -> None:
        lease = await self._leases.acquire(goal)
        supervisor = GoalSupervisor(
            goal,
            world=self._world,
            instance=self._instance,
            lease=lease,
            inbox=seat.inbox,
            wakes=self._timers,
            tell=lambda recorded: self._committed(seat, recorded),
            draining=lambda: self.draining,
        )
        try:
            await supervisor.run()
        finally:
            await self._give_back(lease)

    def _committed(self, seat: _Seat, recorded: tuple[Recorded, ...]) -> None:
        seat.waits = 0  # the store has answered: what comes next is no longer in a row
        self._watcher.committed(recorded)

    async def _give_back(self, lease: Lease) -> None:
        with anyio.CancelScope(shield=True), anyio.move_on_after(1):
            try:
                await self._leases.release(lease)
            except UnavailableError:
                return  # it passes by itself

    async def _waited(self, goal: GoalId, seat: _Seat, error: UnavailableError) -> bool:
        seat.waits += 1
        self._watcher.restarted(goal, error)
        _refuse_asks(seat, error)
        await self._sleep_until(Instant(self._world.clock.now() + pause(seat.waits)))
        return self.draining

    async def _restarted(self, goal: GoalId, seat: _Seat, error: Exception) -> bool:
        _refuse_asks(seat, error)
        again = seat.budget.failed(self._world.clock.now())
        if again is None:
            self._watcher.parked(goal, error)
            self._parked.add(goal)
            await self._park(goal, f"{type(error).__name__}: {error}")
            return True
        self._watcher.restarted(goal, error)
        await self._sleep_until(again)
        return self.draining

    async def _sleep_until(self, at: Instant) -> None:
        # A drain waits for what runs, and nothing runs in a pause.
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._wake_to_drain, tasks.cancel_scope)
            await self._world.clock.sleep_until(at)
            tasks.cancel_scope.cancel()

    async def _wake_to_drain(self, scope: anyio.CancelScope) -> None:
        await self._drain.wait()
        scope.cancel()

    async def _unpark(self, goal: GoalId) -> None:
        if goal in self._parked:
            self._parked.discard(goal)
            await self._park(goal, None)

    async def _park(self, goal: GoalId, reason: str | None) -> None:
        try:
            await self._world.store.park(goal, reason)
        except PortError:
            # The watcher was told, and the next start of the daemon tries the goal again anyway.  Also a goal without
            # a row comes here, one that fails before it is created: it must not take the others along.
            return

    def _lease_lost(self, goal: GoalId) -> None:
        # Should the mailbox be full, the store refuses the next append all the same.
        if (seat := self._seats.get(goal)) is not None:
            seat.inbox.nudge(Signal.LEASE_LOST)

    def _refuse_rest(self, seat: _Seat) -> None:
        _refuse_asks(seat, LeaseHeldError("nobody acts for this goal now"))
        seat.inbox.close()


def _refuse_asks(seat: _Seat, error: Exception) -> None:
    """Answer whoever waits; reports of children that are gone are dropped, since their effects are owed again."""
    while (message := seat.inbox.next_nowait()) is not None:
        match message:
            case Ask(answer=answer):
                answer.refuse(error)
            case Ended() | Cleared() | Signal():
                pass
