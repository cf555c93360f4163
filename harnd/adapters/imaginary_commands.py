"""Imaginary commands: a function decides what each would do, on files in memory, in whatever time the loop keeps."""

from collections.abc import Callable, MutableMapping
from typing import TypeAlias

import anyio
import msgspec

from harnd.adapters.process import words
from harnd.adapters.process.imaginary import FilesAt, ImaginaryMachine, cut_short, not_started
from harnd.adapters.process.text import output_of
from harnd.ports.errors import MissingError
from harnd.ports.sessions import CommandTask, Ended, Ending
from protocol.values import SECOND, Micros


class Outcome(msgspec.Struct, frozen=True):
    """What a command would do; one that takes None never ends."""

    exit_code: int = 0
    stdout: str = ""
    stderr: str = ""
    takes: Micros | None = Micros(0)


Respond: TypeAlias = Callable[[CommandTask, MutableMapping[str, bytes]], Outcome | None]
"""Decides what a command does, given the files where it runs; None: there is no such program."""


class ImaginaryCommands:
    """The port `CommandRunner`, without processes."""

    def __init__(self, respond: Respond, *, files: FilesAt, machine: ImaginaryMachine) -> None:
        self._respond = respond
        self._files = files
        self._machine = machine

    def __repr__(self) -> str:
        return f"<ImaginaryCommands on {self._machine!r}>"

    async def run(self, task: CommandTask) -> Ended:
        """Run to the end.  Cancelling stores `INTERRUPTED` and re-raises."""

        async def play() -> Ended:
            return await self._play(task)

        return await self._machine.once(task.key, play, cut=cut_short, fresh=task.fresh, anew=task.anew)

    async def _play(self, task: CommandTask) -> Ended:
        try:
            outcome = self._respond(task, self._files(task.cwd))
        except MissingError:
            return not_started(f"{task.argv[0]} was not started: there is no directory {task.cwd}.")
        if outcome is None:
            return not_started(f"{task.argv[0]} was not started: there is no executable of that name.")
        takes = task.timeout if outcome.takes is None else outcome.takes
        await anyio.sleep(min(takes, task.timeout) / SECOND)
        stdout, stderr = output_of(outcome.stdout.encode()), output_of(outcome.stderr.encode())
        if outcome.takes is None or takes > task.timeout:
            detail = words.ended(Ending.TIMED_OUT, killed=0, limit=task.timeout, last_words="")
            return Ended(Ending.TIMED_OUT, None, stdout, stderr, task.timeout, detail=detail)
        return Ended(Ending.EXITED, outcome.exit_code, stdout, stderr, takes)
