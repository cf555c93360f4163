"""Short-lived child processes: started, fed, listened to, and ended with everything they started.

A process has its own session, bounded time and bounded output, and a closed standard input unless it is given one.
When its time is over, the caller is cancelled, or a child that it left behind holds its pipes, its whole process group
is ended: first by SIGTERM, on which git removes its lock files, then by SIGKILL.  Nothing here knows git.
"""

import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import Final, NamedTuple

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream, Process

from harnd.ports.errors import UnavailableError

TERM_GRACE_S: Final = 2.0
PIPE_GRACE_S: Final = 2.0  # to read what an ended process left in its pipes


class Limits(NamedTuple):
    """What one process may use: seconds, and bytes kept of the beginning of each stream."""

    seconds: float
    head: int


class Finished(NamedTuple):
    """How a process ended and what it wrote; no code when it was ended at its time limit."""

    code: int | None
    stdout: bytes
    stderr: bytes
    omitted: int = 0  # bytes that were not kept
    cut: bool = False  # a child that it left behind still held a pipe


class Sink:
    """A stream's first bytes, and how many came after them."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._head = bytearray()
        self.omitted = 0

    def take(self, chunk: bytes) -> None:
        """Keep what there is room for."""
        room = self._limits.head - len(self._head)
        self._head += chunk[:room]
        self.omitted += len(chunk[room:])

    def kept(self) -> bytes:
        """Return what was kept, with a line about what was not."""
        gap = f"\n... {self.omitted} bytes left out ...\n".encode() if self.omitted else b""
        return bytes(self._head) + gap


async def run(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    limits: Limits,
    given: bytes = b"",
) -> Finished:
    """Run a process to its end; raises `UnavailableError` when it cannot be started."""
    stdin = PIPE if given else DEVNULL
    try:
        process = await _started(argv, cwd=cwd, env=env, stdin=stdin)
    except OSError as error:
        raise UnavailableError(f"{argv[0]} cannot be started in {cwd}: {error.strerror}") from error
    out, err = Sink(limits), Sink(limits)
    code, cut = None, True
    try:
        with anyio.move_on_after(limits.seconds):
            cut = await _converse(process, given, out=out, err=err)
            code = process.returncode
    finally:
        with anyio.CancelScope(shield=True):
            if cut:
                await _end_group(process)
            await process.aclose()
    return Finished(code, out.kept(), err.kept(), out.omitted + err.omitted, cut)


async def _started(argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], stdin: int) -> Process:
    # Shielded: whoever is cancelled while it starts would lose hold of it, and what it starts would live on.
    with anyio.CancelScope(shield=True):
        return await anyio.open_process(
            argv, cwd=cwd, env=env, stdin=stdin, stdout=PIPE, stderr=PIPE, start_new_session=True
        )
    raise AssertionError("a shield is never cancelled")


async def _converse(process: Process, given: bytes, *, out: Sink, err: Sink) -> bool:
    """Feed and read until the process has ended; tell whether a pipe had to be given up."""
    async with anyio.create_task_group() as streams:
        if process.stdin is not None:
            streams.start_soon(_feed, process.stdin, given)
        for stream, sink in ((process.stdout, out), (process.stderr, err)):
            if stream is not None:
                streams.start_soon(_read, stream, sink)
        await process.wait()
        # Not until the pipes close: a hook may have left a child behind that holds them open for ever.
        streams.cancel_scope.deadline = anyio.current_time() + PIPE_GRACE_S
    return streams.cancel_scope.cancelled_caught


async def _feed(stream: ByteSendStream, given: bytes) -> None:
    with suppress(anyio.BrokenResourceError):  # it ended without reading everything: its exit code tells why
        await stream.send(given)
    await stream.aclose()


async def _read(stream: ByteReceiveStream, sink: Sink) -> None:
    with suppress(anyio.EndOfStream):
        while True:
            sink.take(await stream.receive())


async def _end_group(process: Process) -> None:
    if process.returncode is None:
        _signal_group(process, signal.SIGTERM)
        with anyio.move_on_after(TERM_GRACE_S):
            await process.wait()
    _signal_group(process, signal.SIGKILL)


def _signal_group(process: Process, number: signal.Signals) -> None:
    # The id of a group is not given out again while a member lives.  Once the process has been reaped, a process of
    # its id is therefore a stranger, and says that nobody is left of the group.
    if process.returncode is not None and Path(f"/proc/{process.pid}").exists():
        return
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)
