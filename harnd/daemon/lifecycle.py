"""The life of one daemon: open, sweep, supervise, serve; and, on a signal, drain and close.

The first client is accepted only when nothing of an earlier instance is left.  TERM finishes what runs within a
limit; a second TERM, or INT, stops now.  What is cut short by that is uncharged and owed again.  Before the daemon is
ready, the first of either stops it: nothing was started then.  A service manager hears of all this as it happens.
"""

import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.metadata import version
from typing import Final

import anyio
from anyio.abc import TaskGroup

from harnd.actors.roster import Roster
from harnd.daemon.activation import address
from harnd.daemon.changes import Changes
from harnd.daemon.compose import HARNESS_OPTIONS, end_leftovers, open_world
from harnd.daemon.enrolment import Enrolment
from harnd.daemon.handler import Greeting
from harnd.daemon.logs import LoggingWatcher, log
from harnd.daemon.notify import ServiceManager
from harnd.daemon.queries import About, Queries
from harnd.daemon.router import Router
from harnd.daemon.server import Server
from harnd.daemon.settings import Settings
from harnd.daemon.socket_path import listen
from harnd.daemon.status_line import StatusLine
from harnd.daemon.worktrees import discard_unowned
from harnd.domain.measures import count
from harnd.ports.world import World
from protocol.ids import InstanceId

_LAST_ANSWERS_S: Final = 2.0  # for clients to read what they are still owed; one that does not read ends nothing late
_CLOSING_S: Final = 10  # to give the world back, once nothing runs any more


class Daemon:
    """One instance, between having its world and giving it back."""

    def __init__(
        self,
        settings: Settings,
        instance: InstanceId,
        world: World,
        *,
        store_schema: int,
        manager: ServiceManager,
        passed: Sequence[socket.socket],
    ) -> None:
        self._settings = settings
        self._manager = manager
        self._passed = passed
        self._draining = False
        self._line = StatusLine(world.store, manager.status)
        self._roster = Roster(world, instance, LoggingWatcher(self._announce, self._line.moved))
        about = About(
            pid=os.getpid(),
            version=version("harnd"),
            instance=instance,
            started_at=world.clock.now(),
            state_dir=str(settings.state),
            socket=str(address(passed[0]) if passed else settings.socket),
            executable=sys.executable,
        )
        queries = Queries(world, roster=self._roster, about=about)
        enrolment = Enrolment(world.workspace, world.store, HARNESS_OPTIONS)
        changes = Changes(self._roster, enrolment, world.store, world.clock)
        greeting = Greeting(
            daemon_version=about.version,
            store_schema=store_schema,
            instance=instance,
            executable=about.executable,
            pid=about.pid,
        )
        self._about = about
        self._server = Server(Router(queries, changes), greeting=greeting)

    def __repr__(self) -> str:
        return f"<Daemon pid={os.getpid()} {self._roster!r} {self._server!r}>"

    async def run(self, signals: AsyncIterator[signal.Signals]) -> None:
        """Supervise and serve until a signal says otherwise."""
        with self._listening() as listeners:  # before anything is started that a refusal would cut short
            async with anyio.create_task_group() as tasks:
                await tasks.start(self._roster.run)
                await tasks.start(partial(self._server.serve, listeners, drain_s=_LAST_ANSWERS_S))
                await self._tell_ready(tasks)
                async for received in signals:
                    if received == signal.SIGINT or self._draining:
                        break
                    self._draining = True
                    tasks.start_soon(self._drain, tasks.cancel_scope)
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

    async def _drain(self, scope: anyio.CancelScope) -> None:
        running, limit_s = len(self._roster.live()), self._settings.drain_s
        log.info("daemon.draining", limit_s=limit_s, running=running)
        self._line.end()
        self._manager.stopping(
            f"draining: nothing new is started, and {count(running, 'goal')} at work may end within {limit_s} s",
            within_s=limit_s + self._settings.grace_s + _CLOSING_S,
        )
        with anyio.move_on_after(limit_s) as limit:
            await self._roster.drain()
            await self._server.end()
        log.info("daemon.drained", all_ended=not limit.cancelled_caught)
        scope.cancel()

    def _announce(self, committed: int) -> None:
        self._server.announce(committed)


async def live(
    settings: Settings, instance: InstanceId, manager: ServiceManager, passed: Sequence[socket.socket] = ()
) -> None:
    """Live on a state directory that is already locked, on the sockets that were passed if any were.

    Raises what makes it impossible.
    """
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async with anyio.create_task_group() as beside, open_world(settings, instance) as world:
            beside.start_soon(manager.keep_watchdog)
            beside.start_soon(manager.keep_waiting)
            if schema := await _recovered(settings, instance, world, signals):
                daemon = Daemon(settings, instance, world, store_schema=schema, manager=manager, passed=passed)
                await daemon.run(signals)
            beside.cancel_scope.cancel()


async def _recovered(
    settings: Settings, instance: InstanceId, world: World, signals: AsyncIterator[signal.Signals]
) -> int | None:
    """Clear away what earlier instances left and return the schema of the store.

    None when a signal came first, and the next start does it instead.
    """
    received: list[signal.Signals] = []

    async def stop() -> None:
        received.append(await anext(signals))
        tasks.cancel_scope.cancel()

    schema = 0
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(stop)
        await world.store.usurp(instance)
        ended = await end_leftovers(settings, instance)
        swept = await discard_unowned(world)
        log.info("daemon.recovered", processes_ended=ended, worktrees_discarded=swept)
        schema = (await world.store.health()).schema
        tasks.cancel_scope.cancel()
    if received:
        log.info("daemon.stopped")
        return None
    return schema
