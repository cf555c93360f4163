"""Composition: the only module that names concrete adapters.

It opens the world of one daemon instance on a state directory that is already locked, and closes it again.
"""

import os
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Final

import anyio.to_thread

from harnd.adapters.clock import SystemClock
from harnd.adapters.commands import ProcessCommands
from harnd.adapters.entropy import SystemEntropy
from harnd.adapters.git.workspace import GitWorkspace
from harnd.adapters.harness import command, scripted
from harnd.adapters.harness.sessions import HarnessSessions
from harnd.adapters.preparations import DirectoryPreparations
from harnd.adapters.process.environment import environment
from harnd.adapters.process.kernel import become_subreaper
from harnd.adapters.process.leftovers import digest_of, sweep
from harnd.adapters.process.outputs import SessionOutputs
from harnd.adapters.process.spawner import Spawner
from harnd.adapters.processes import SpawnedProcesses
from harnd.adapters.review_jobs import DirectoryReviewJobs
from harnd.adapters.store.blobs import FileBlobs
from harnd.adapters.store.files import private_directory
from harnd.adapters.store.lock import Identity, hold_lock
from harnd.adapters.store.opening import open_store
from harnd.daemon.settings import Settings
from harnd.domain.dialect import Schema
from harnd.ports.errors import StartRefusedError
from harnd.ports.keeping import Shelf
from harnd.ports.world import World
from protocol.ids import InstanceId
from protocol.values import SECOND, Instant, Micros

HARNESS_OPTIONS: Final[Mapping[str, Schema]] = MappingProxyType(
    {"command": command.OPTIONS_SCHEMA, "scripted": scripted.OPTIONS_SCHEMA}
)


def now() -> Instant:
    """Tell the time before there is a world to ask."""
    return SystemClock().now()


@contextmanager
def hold_state(settings: Settings, instance: InstanceId, version: str) -> Generator[None]:
    """Make the state directory and be its only daemon for the length of the block.

    Raises `AlreadyRunningError`, naming the holder, or another `StartRefusedError`.
    """
    with ExitStack() as stack:
        with _usable(settings.state):
            private_directory(settings.state)
            stack.enter_context(hold_lock(settings.state, Identity.of_this_process(instance, version)))
        become_subreaper()  # what a shim that is killed leaves behind comes to us
        yield


async def end_leftovers(settings: Settings, instance: InstanceId) -> int:
    """End every process that an earlier instance left on this state directory, and return how many there were."""
    return len(await anyio.to_thread.run_sync(sweep, settings.state, instance))


@asynccontextmanager
async def open_world(settings: Settings, instance: InstanceId, *, grace_s: Callable[[], int]) -> AsyncGenerator[World]:
    """Open everything outside the rules for the length of the block; `grace_s` is asked for every process.

    Raises `CorruptError` or another `PortError` when what is stored cannot be used; nothing was written then.
    """
    clock = SystemClock()
    spawner = Spawner(settings.state, instance, grace=lambda: Micros(grace_s() * SECOND))
    async with AsyncExitStack() as stack:
        commands = ProcessCommands(spawner)
        with _usable(settings.state):
            blobs = FileBlobs(settings.state / "blobs")
            preparations = DirectoryPreparations(settings.state)
            world = World(
                clock=clock,
                entropy=SystemEntropy(),
                store=await stack.enter_async_context(open_store(settings.state / "harnd.db", clock)),
                blobs=blobs,
                sessions=HarnessSessions(spawner),
                commands=commands,
                processes=SpawnedProcesses(spawner),
                workspace=GitWorkspace(settings.state, environ=_marked(settings, instance), commands=commands),
                preparations=preparations,
                review_jobs=DirectoryReviewJobs(settings.state),
                shelves={
                    Shelf.OUTPUTS: SessionOutputs(settings.state / "sessions", spawner),
                    Shelf.PREPARED: preparations,
                    Shelf.TEXTS: blobs,
                },
            )
        yield world


def _marked(settings: Settings, instance: InstanceId) -> dict[str, str]:
    """Make the environment of harnd's own git: a filter or merge driver that an agent configured runs in it too."""
    return environment(os.environ, (), home=digest_of(settings.state), session=f"{instance}/git")


@contextmanager
def _usable(state: Path) -> Generator[None]:
    """Refuse to start on a state directory that the system does not let us use."""
    try:
        yield
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        reason = f"{error.strerror or error}{where}"
        raise StartRefusedError(f"{state} cannot be used as a state directory: {reason}") from error
