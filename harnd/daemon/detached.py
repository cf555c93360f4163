"""Detached: a call in a thread of its own, for what may hang where no cancellation reaches.

A file system that does not answer holds its thread for as long as it likes.  Nobody waits for such a thread, neither
when the call is cancelled nor at the end of the process.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import TypeVar

import anyio
import anyio.from_thread
from anyio.lowlevel import current_token

T = TypeVar("T")


async def detached(call: Callable[[], T]) -> T:
    """Return what a call comes to, or raise it; after a cancellation the call goes on and nobody hears of it."""
    future, done, token = Future[T](), anyio.Event(), current_token()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # noqa: BLE001 - whoever waits raises it
            future.set_exception(error)
        with suppress(anyio.RunFinishedError):
            anyio.from_thread.run_sync(done.set, token=token)

    # A worker thread of anyio would be waited for when the interpreter ends.
    threading.Thread(target=run, name=repr(call), daemon=True).start()
    await done.wait()
    return future.result()
