"""Processes for people to read: what the spawner runs now, and what lies in the directories of effect keys."""

import errno
import os

import anyio.to_thread

from harnd.adapters.process import words
from harnd.adapters.process.receipts import Home
from harnd.adapters.process.spawner import Spawner
from harnd.ports.errors import UnavailableError
from harnd.ports.processes import LiveProcess, Trace
from harnd.ports.sessions import Ending
from protocol.ids import EffectKey


class SpawnedProcesses:
    """The port `Processes`, on one spawner."""

    def __init__(self, spawner: Spawner) -> None:
        self._spawner = spawner

    def __repr__(self) -> str:
        return f"<SpawnedProcesses {self._spawner!r}>"

    async def live(self) -> tuple[LiveProcess, ...]:
        """Return every process that runs now, oldest first."""
        return await anyio.to_thread.run_sync(self._live, self._spawner.running())

    async def trace(self, key: EffectKey) -> Trace | None:
        """Return what is kept of a key, or None when it was never started or has been cleared away."""
        running = key in self._spawner.running()
        try:
            return await anyio.to_thread.run_sync(_trace, self._spawner.home(key), running)
        except OSError as error:
            raise UnavailableError(f"what is kept of {key} cannot be read: {error}") from error

    async def obstacle(self, program: str) -> str | None:
        """Say in one sentence why a program, by name or absolute path, could not be started; None when it could."""
        return await anyio.to_thread.run_sync(words.obstacle, program, self._spawner.path)

    def _live(self, running: dict[EffectKey, int]) -> tuple[LiveProcess, ...]:
        found: list[LiveProcess] = []
        for key, pid in running.items():
            home = self._spawner.home(key)
            started = home.started()
            if started is not None:  # a shim that has not taken the receipt yet has started nothing
                found.append(LiveProcess(key, pid, started, home.spoke()))
        return tuple(sorted(found, key=lambda process: (process.started, process.key)))


def _trace(home: Home, running: bool) -> Trace | None:  # noqa: FBT001 - a thread takes no keywords
    started, result = home.started(), home.result()
    if started is None:
        return None
    if result is None:
        ending = None if running else Ending.LOST
        return Trace(started, None, ending, None, home.output("stdout"), home.output("stderr"))
    stdout, stderr = home.output("stdout", result.stdout), home.output("stderr", result.stderr)
    detail = ""
    if result.ending is Ending.NOT_STARTED:
        # Where it was to start is not kept; a program that is missing and one that may not run read alike otherwise.
        where = {"cwd": "its directory", "stdin": "its standard input"}.get(result.what, "the program")
        detail = f"{where}: {os.strerror(result.errno or errno.EIO)}"
    return Trace(started, home.ended(), result.ending, result.exit_code, stdout, stderr, detail)
