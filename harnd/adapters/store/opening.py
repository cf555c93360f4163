"""Opening a store: in production, and for simulations.

Whoever opens the store of a state directory holds the lock on it (see `lock`): two writing connections are never open.
"""

import sqlite3
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path

import anyio.to_thread

from harnd.adapters.store.database import Durability, establish, settle
from harnd.adapters.store.errors import translated
from harnd.adapters.store.inline import InlineRunner
from harnd.adapters.store.sqlite import SqliteStore
from harnd.adapters.store.threaded import threaded_runner
from harnd.ports.clock import Clock


@asynccontextmanager
async def open_store(path: Path, clock: Clock) -> AsyncGenerator[SqliteStore]:
    """Open the store at `path`, made when it is missing, for the length of the block; needs the asyncio loop.

    Raises `CorruptError` or a `StartRefusedError` before anything is written.  After the block every call is refused
    with `UnavailableError`.
    """
    await anyio.to_thread.run_sync(establish, path)
    async with AsyncExitStack() as stack:
        with translated():
            runner = await stack.enter_async_context(threaded_runner(path))
            await runner.run(settle)
        yield SqliteStore(runner, clock)


@asynccontextmanager
async def open_inline_store(database: sqlite3.Connection | Path, clock: Clock) -> AsyncGenerator[SqliteStore]:
    """Open a store for a simulated daemon for the length of the block, on any loop.

    A connection (see `memory`) is borrowed and outlives the block, as a disk outlives a crash; a file is opened without
    waiting for its disk.  After the block every call is refused with `UnavailableError`.
    """
    if isinstance(database, Path):
        with closing(_connect(database)) as conn:
            async with open_inline_store(conn, clock) as store:
                yield store
        return
    runner = InlineRunner(database)
    try:
        yield SqliteStore(runner, clock)
    finally:
        runner.abandon()


def _connect(path: Path) -> sqlite3.Connection:
    establish(path)
    with translated():
        conn = sqlite3.connect(path, isolation_level=None)
        settle(conn, Durability.PROCESS)
    return conn
