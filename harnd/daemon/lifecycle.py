"""The life of one daemon: open, sweep, supervise, serve; and, on a signal, drain and close.

The first client is accepted only when nothing of an earlier instance is left.  TERM finishes what runs within a
limit; a second TERM, or INT, stops now.  What is cut short by that is uncharged and owed again.  Before the daemon is
ready, the first of either stops it: nothing was started then.  HUP reads the configuration again, and the file as it
was read before holds on when there is anything wrong with it.  A service manager hears of all this as it happens.
"""

import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Final

import anyio
from anyio.abc import TaskGroup

from harnd.actors.roster import Roster
from harnd.daemon import review_jobs, worktrees
from harnd.daemon.activation import address
from harnd.daemon.changes import Changes
from harnd.daemon.compose import HARNESS_OPTIONS, end_leftovers, open_world
from harnd.daemon.configuration import Configuration
from harnd.daemon.enrolment import Enrolment
from harnd.daemon.gc import Collector
from harnd.daemon.handler import Greeting
from harnd.daemon.loading import Loader
from harnd.daemon.logs import LoggingWatcher, log
from harnd.daemon.notify import ServiceManager
from harnd.daemon.orders import SIGNALS, Order, Terminal, order_of
from harnd.daemon.queries import About, Queries
from harnd.daemon.reloads import Reloads
from harnd.daemon.router import Router
from harnd.daemon.server import Server
from harnd.daemon.settings import Settings
from harnd.daemon.socket_path import listen
from harnd.daemon.status_line import StatusLine
from harnd.domain.measures import count
from harnd.ports.world import World
from protocol.ids import InstanceId

_LAST_ANSWERS_S: Final = 2.0  # for clients to read what they are still owed; one that does not read ends nothing late
_CLOSING_S: Final = 10  # to give the world back, once nothing runs any more


@dataclass(frozen=True, slots=True)
class Launch:
    """What a daemon is given on its way."""

    configuration: Configuration
    instance: InstanceId
    manager: ServiceManager
    terminal: Terminal
    passed: Sequence[socket.socket] = ()  # listeners, if any were passed on


class Daemon:
    """One instance, between having its world and giving it back."""

    def __init__(self, launch: Launch, world: World, *, store_schema: int) -> None:
        self._configuration = launch.configuration
        self._manager = launch.manager
        self._terminal = launch.terminal
        self._passed = launch.passed
        self._line = StatusLine(world.store, launch.manager.status, self._remark)
        self._reloads = Reloads(launch.configuration, launch.manager, self._line)
        self._roster = Roster(world, launch.instance, LoggingWatcher(self._announce, self._line.moved))
        about = About(
            pid=os.getpid(),
            version=version("harnd"),
            instance=launch.instance,
            started_at=world.clock.now(),
            state_dir=str(self._settings.state),
            socket=str(address(launch.passed[0]) if launch.passed else self._settings.socket),
            executable=sys.executable,
        )
        queries = Queries(world, roster=self._roster, about=about, configuration=launch.configuration)
        enrolment = Enrolment(world.workspace, world.store, world.sessions, HARNESS_OPTIONS)
        changes = Changes(self._roster, enrolment, world.store, world.clock)
        greeting = Greeting(
            daemon_version=about.version,
            store_schema=store_schema,
            instance=launch.instance,
            executable=about.executable,
            pid=about.pid,
        )
        self._about = about
        collector = Collector(world, Loader(world.store), about.state_dir)
        self._server = Server(Router(queries, changes, collector), greeting=greeting)

    def __repr__(self) -> str:
        return f"<Daemon pid={os.getpid()} {self._roster!r} {self._server!r}>"

    @property
    def _settings(self) -> Settings:
        return self._configuration.settings

    async def run(self, signals: AsyncIterator[signal.Signals]) -> None:
        """Supervise and serve until a signal says otherwise."""
        with self._listening() as listeners:  # before anything is started that a refusal would cut short
            async with anyio.create_task_group() as tasks:
                await tasks.start(self._roster.run)
                await tasks.start(partial(self._server.serve, listeners, drain_s=_LAST_ANSWERS_S))
                await self._tell_ready(tasks)
                tasks.start_soon(self._reloads.run)
                await self._obey(signals, tasks)
                log.info("daemon.stopping_now")
                self._manager.stopping("stopping now", within_s=self._settings.grace_s + _CLOSING_S)
                tasks.cancel_scope.cancel()
        log.info("daemon.stopped")

    @contextmanager
    def _listening(self) -> Generator[Sequence[socket.socket]]:
        if self._passed:  # nothing of ours is made beside what the manager made
            yield self._passed
            return
        with listen(self._settings.socket) as listener:
            yield [listener]

    async def _tell_ready(self, tasks: TaskGroup) -> None:
        log.info("daemon.ready", socket=self._about.socket, state=self._about.state_dir)
        if self._manager.listens:
            self._manager.ready(await self._line.text())
            tasks.start_soon(self._line.run)

    async def _obey(self, signals: AsyncIterator[signal.Signals], tasks: TaskGroup) -> None:
        """Do what signals ask for until one of them asks to stop now."""
        draining = False
        async for received in signals:
            match order_of(received, self._terminal):
                case Order.RELOAD:
                    self._reloads.ask()
                case Order.DRAIN if not draining:
                    draining = True
                    tasks.start_soon(self._drain, tasks.cancel_scope)
                case _:
                    return

    async def _drain(self, scope: anyio.CancelScope) -> None:
        running, limit_s = len(self._roster.live()), self._settings.drain_s
        log.info("daemon.draining", limit_s=limit_s, running=running)
        self._line.end()
        self._reloads.end()
        self._manager.stopping(
            f"draining: nothing new is started, and {count(running, 'goal')} at work may end within {limit_s} s",
            within_s=limit_s + self._settings.grace_s + _CLOSING_S,
        )
        with anyio.move_on_after(limit_s) as limit:
            await self._roster.drain()
            await self._server.end()
        log.info("daemon.drained", all_ended=not limit.cancelled_caught)
        scope.cancel()

    def _remark(self) -> str:
        """Say what is to be said of the configuration before everything else."""
        if problems := len(self._configuration.problems):
            return f"the new configuration has {count(problems, 'problem')} and is not used (harnctl config show); "
        if waiting := self._configuration.waiting:
            return f"a restart is needed for {', '.join(waiting)}; "
        return ""

    def _announce(self, committed: int) -> None:
        self._server.announce(committed)


async def live(launch: Launch) -> None:
    """Live on a state directory that is already locked; raises what makes it impossible."""
    configuration, manager = launch.configuration, launch.manager
    settings = configuration.settings
    with anyio.open_signal_receiver(*SIGNALS) as signals:
        world_of = open_world(settings, launch.instance, grace_s=lambda: configuration.settings.grace_s)
        async with (
            anyio.create_task_group() as beside
        ):  # from before the world opens, which may migrate, until it is closed
            beside.start_soon(manager.keep_watchdog)
            beside.start_soon(manager.keep_waiting)
            async with world_of as world:
                if schema := await _recovered(launch, world, signals):
                    await Daemon(launch, world, store_schema=schema).run(signals)
            beside.cancel_scope.cancel()


async def _recovered(launch: Launch, world: World, signals: AsyncIterator[signal.Signals]) -> int | None:
    """Clear away what earlier instances left, and return the schema of the store.

    None when a signal came first, and the next start does it instead.
    """
    stopped = False

    async def stop() -> None:
        nonlocal stopped
        async for received in signals:
            # What is asked to be read again was read a moment ago.
            if order_of(received, launch.terminal) is not Order.RELOAD:
                break
        stopped = True
        tasks.cancel_scope.cancel()

    schema = 0
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(stop)
        await world.store.usurp(launch.instance)
        ended = await end_leftovers(launch.configuration.settings, launch.instance)
        swept = await worktrees.discard_unowned(world)
        jobs = await review_jobs.discard_unowned(world)
        log.info("daemon.recovered", processes_ended=ended, worktrees_discarded=swept, review_jobs_discarded=jobs)
        schema = (await world.store.health()).schema
        tasks.cancel_scope.cancel()
    if stopped:
        log.info("daemon.stopped")
        return None
    return schema
