"""The life of one daemon: open, sweep, supervise, serve; and, on a signal, drain and close.

The first client is accepted only when nothing of an earlier instance is left.  TERM finishes what runs within a
limit; a second TERM, or INT, stops now.  What is cut short by that is uncharged and owed again.  Before the daemon is
ready, the first of either stops it: nothing was started then.
"""

import os
import signal
import sys
from collections.abc import AsyncIterator
from functools import partial
from importlib.metadata import version
from typing import Final

import anyio

from harnd.actors.roster import Roster
from harnd.daemon.changes import Changes
from harnd.daemon.compose import HARNESS_OPTIONS, end_leftovers, open_world
from harnd.daemon.enrolment import Enrolment
from harnd.daemon.handler import Greeting
from harnd.daemon.logs import LoggingWatcher, log
from harnd.daemon.queries import About, Queries
from harnd.daemon.router import Router
from harnd.daemon.server import Server
from harnd.daemon.settings import Settings
from harnd.daemon.socket_path import listen
from harnd.daemon.worktrees import discard_unowned
from harnd.ports.world import World
from protocol.ids import InstanceId

_LAST_ANSWERS_S: Final = 2.0  # for clients to read what they are still owed; one that does not read ends nothing late


class Daemon:
    """One instance, between having its world and giving it back."""

    def __init__(self, settings: Settings, instance: InstanceId, world: World, *, store_schema: int) -> None:
        self._settings = settings
        self._draining = False
        self._roster = Roster(world, instance, LoggingWatcher(self._announce))
        about = About(
            pid=os.getpid(),
            version=version("harnd"),
            instance=instance,
            started_at=world.clock.now(),
            state_dir=str(settings.state),
            socket=str(settings.socket),
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
        self._server = Server(Router(queries, changes), greeting=greeting)

    def __repr__(self) -> str:
        return f"<Daemon pid={os.getpid()} {self._roster!r} {self._server!r}>"

    async def run(self, signals: AsyncIterator[signal.Signals]) -> None:
        """Supervise and serve until a signal says otherwise."""
        with listen(self._settings.socket) as listener:  # before anything is started that a refusal would cut short
            async with anyio.create_task_group() as tasks:
                await tasks.start(self._roster.run)
                await tasks.start(partial(self._server.serve, [listener], drain_s=_LAST_ANSWERS_S))
                log.info("daemon.ready", socket=str(self._settings.socket), state=str(self._settings.state))
                async for received in signals:
                    if received == signal.SIGINT or self._draining:
                        break
                    self._draining = True
                    tasks.start_soon(self._drain, tasks.cancel_scope)
                log.info("daemon.stopping_now")
                tasks.cancel_scope.cancel()
        log.info("daemon.stopped")

    async def _drain(self, scope: anyio.CancelScope) -> None:
        log.info("daemon.draining", limit_s=self._settings.drain_s, running=len(self._roster.live()))
        with anyio.move_on_after(self._settings.drain_s) as limit:
            await self._roster.drain()
            await self._server.end()
        log.info("daemon.drained", all_ended=not limit.cancelled_caught)
        scope.cancel()

    def _announce(self, committed: int) -> None:
        self._server.announce(committed)


async def live(settings: Settings, instance: InstanceId) -> None:
    """Live on a state directory that is already locked; raises what makes it impossible."""
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async with open_world(settings, instance) as world:
            daemon = await _recovered(settings, instance, world, signals)
            if daemon is not None:
                await daemon.run(signals)


async def _recovered(
    settings: Settings, instance: InstanceId, world: World, signals: AsyncIterator[signal.Signals]
) -> Daemon | None:
    """Clear away what earlier instances left; None when a signal came first, and the next start does it instead."""
    received: list[signal.Signals] = []

    async def stop() -> None:
        received.append(await anext(signals))
        tasks.cancel_scope.cancel()

    daemon: Daemon | None = None
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(stop)
        await world.store.usurp(instance)
        ended = await end_leftovers(settings, instance)
        swept = await discard_unowned(world)
        log.info("daemon.recovered", processes_ended=ended, worktrees_discarded=swept)
        health = await world.store.health()
        daemon = Daemon(settings, instance, world, store_schema=health.schema)
        tasks.cancel_scope.cancel()
    if received:
        log.info("daemon.stopped")
        return None
    return daemon
