"""Processes for people to read, on an imaginary machine: nothing runs, and everything is seen all the same."""

from collections.abc import Container

import anyio
import anyio.lowlevel

from harnd.adapters.process.imaginary import ImaginaryMachine
from harnd.adapters.process.text import NOTHING
from harnd.ports.clock import Clock
from harnd.ports.processes import LiveProcess, Trace
from harnd.ports.sessions import Ended, Ending, SessionEnd
from protocol.ids import EffectKey
from protocol.values import SECOND, Instant


class ImaginaryProcesses:
    """The port `Processes`, without processes.  `clock` goes with the event loop's; `programs` are installed."""

    def __init__(self, machine: ImaginaryMachine, clock: Clock, *, programs: Container[str] = ()) -> None:
        self._machine = machine
        self._clock = clock
        self._programs = programs

    def __repr__(self) -> str:
        return f"<ImaginaryProcesses on {self._machine!r}>"

    async def live(self) -> tuple[LiveProcess, ...]:
        """Return everything that is being played, oldest first; what it says is not heard before its end."""
        await anyio.lowlevel.checkpoint()
        return tuple(
            LiveProcess(key, pid, self._at(began), None) for pid, (key, began) in enumerate(self._machine.playing(), 2)
        )

    async def trace(self, key: EffectKey) -> Trace | None:
        """Return what is kept of a key, or None when it was never started or has been cleared away."""
        await anyio.lowlevel.checkpoint()
        began = self._machine.began(key)
        if began is None:
            return None
        if (result := self._machine.result(key)) is None:
            ending = None if any(key == other for other, _ in self._machine.playing()) else Ending.LOST
            return Trace(self._at(began), None, ending, None, NOTHING, NOTHING)
        end, at = result
        ended = end.ended if isinstance(end, SessionEnd) else end
        return _traced(ended, began=self._at(began), at=self._at(at))

    async def obstacle(self, program: str) -> str | None:
        """Say in one sentence why a program, by name or absolute path, could not be started; None when it could."""
        await anyio.lowlevel.checkpoint()
        return None if program in self._programs else f"{program} is not there: nothing of that name is installed."

    def _at(self, loop_time: float) -> Instant:
        return Instant(self._clock.now() - round((anyio.current_time() - loop_time) * SECOND))


def _traced(ended: Ended, *, began: Instant, at: Instant) -> Trace:
    detail = ended.detail if ended.ending is Ending.NOT_STARTED else ""
    return Trace(began, at, ended.ending, ended.exit_code, ended.stdout, ended.stderr, detail)
