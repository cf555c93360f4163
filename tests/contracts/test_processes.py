"""What every `Processes` holds, over real processes and over imaginary ones: each sentence of the port, once."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple, Protocol

import anyio
import anyio.to_thread
import pytest
from trio.testing import MockClock

from harnd.adapters.clock import SystemClock
from harnd.adapters.commands import ProcessCommands
from harnd.adapters.imaginary_commands import ImaginaryCommands, Outcome
from harnd.adapters.imaginary_processes import ImaginaryProcesses
from harnd.adapters.process.imaginary import ImaginaryMachine
from harnd.adapters.process.spawner import Spawner
from harnd.adapters.process.text import output_of
from harnd.adapters.processes import SpawnedProcesses
from harnd.adapters.virtual import VirtualClock
from harnd.ports.clock import Clock
from harnd.ports.processes import Processes
from harnd.ports.sessions import CommandRunner, CommandTask, Ending
from protocol.ids import EffectKey, InstanceId
from protocol.values import SECOND, Micros
from tests.kit.agents import QUICK, cancelled_when

ONE = EffectKey("goal/billing/work/p1.api/attempt/1/proof/unit")
OTHER = EffectKey("goal/billing/work/p1.api/attempt/1/proof/lint")
SLACK = 20_000  # microseconds: files are dated by a clock that ticks a few hundred times a second


class House(Protocol):
    """A runner, what is seen of its processes, and a way for their daemon to die."""

    runner: CommandRunner
    processes: Processes
    clock: Clock

    def task(self, name: str, key: EffectKey = ONE, *, fresh: bool = False) -> CommandTask: ...
    async def signalled(self) -> None: ...
    async def reboot(self) -> None: ...


class ProcessHouse:
    """Shell scripts, in a directory where harnd finds its programs."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.clock: Clock = SystemClock()
        os.mkfifo(root / "signal")
        self._bodies = {
            "fails": "printf 'one failed'; printf 'a warning' >&2; exit 3",
            "hangs": "printf 'at it'; printf '' > signal; while :; do sleep 1; done",
        }
        (root / "present").write_text("#!/bin/sh\n")
        (root / "present").chmod(0o755)
        self._boot("first")

    def _boot(self, instance: str) -> None:
        source = {"PATH": f"{self._root}:{os.environ['PATH']}"}
        spawner = Spawner(self._root / "state", InstanceId(instance), source=source, grace=lambda: QUICK)
        self.runner: CommandRunner = ProcessCommands(spawner)
        self.processes: Processes = SpawnedProcesses(spawner)

    def task(self, name: str, key: EffectKey = ONE, *, fresh: bool = False) -> CommandTask:
        argv = ("sh", "-c", self._bodies[name]) if name in self._bodies else (name,)
        return CommandTask(key, argv, str(self._root), Micros(50 * SECOND), fresh=fresh)

    async def signalled(self) -> None:
        await anyio.to_thread.run_sync((self._root / "signal").read_text)

    async def reboot(self) -> None:
        # What a daemon that died leaves behind: a receipt, what was written so far, and no result.
        for result in (self._root / "state" / "sessions").glob("*/result"):
            result.unlink()
        self._boot("next")


class ImaginaryHouse:
    """The same commands as outcomes."""

    def __init__(self) -> None:
        self.clock: Clock = VirtualClock()
        self._machine = ImaginaryMachine()
        self._files: dict[str, bytes] = {}
        self.runner: CommandRunner = ImaginaryCommands(_respond, files=lambda _: self._files, machine=self._machine)
        self.processes: Processes = ImaginaryProcesses(self._machine, self.clock, programs={"present"})

    def task(self, name: str, key: EffectKey = ONE, *, fresh: bool = False) -> CommandTask:
        return CommandTask(key, (name,), "/work", Micros(50 * SECOND), fresh=fresh)

    async def signalled(self) -> None:
        await anyio.wait_all_tasks_blocked()

    async def reboot(self) -> None:
        self._machine.restart()

    def crash(self) -> None:
        self._machine.crash()


def _respond(task: CommandTask, files: MutableMapping[str, bytes]) -> Outcome | None:
    outcomes = {"fails": Outcome(3, "one failed", "a warning"), "hangs": Outcome(takes=None)}
    return outcomes.get(task.argv[0])


class Kind(NamedTuple):
    backend: str
    house: str


@pytest.fixture(params=[Kind("asyncio", "process"), Kind("trio", "process"), Kind("trio", "imaginary")], ids="-".join)
def kind(request: pytest.FixtureRequest) -> Kind:
    return Kind(*request.param)


@pytest.fixture
def anyio_backend(kind: Kind) -> tuple[str, dict[str, object]]:
    imaginary: dict[str, object] = {"clock": MockClock(autojump_threshold=0)} if kind.house == "imaginary" else {}
    return kind.backend, imaginary


@pytest.fixture
async def house(kind: Kind, tmp_path: Path) -> House:
    return ProcessHouse(tmp_path) if kind.house == "process" else ImaginaryHouse()


@asynccontextmanager
async def running(house: House, *keys: EffectKey) -> AsyncIterator[None]:
    """Have commands run that never end by themselves, one started after the other."""
    async with anyio.create_task_group() as tasks:
        for key in keys:
            tasks.start_soon(house.runner.run, house.task("hangs", key))
            await house.signalled()
        yield
        tasks.cancel_scope.cancel()


async def test_nothing_runs_and_nothing_is_kept_at_first(house: House):
    assert await house.processes.live() == ()
    assert await house.processes.trace(ONE) is None


async def test_what_runs_is_seen_oldest_first(house: House):
    before = house.clock.now()
    async with running(house, OTHER, ONE):
        live = await house.processes.live()
        assert [process.key for process in live] == [OTHER, ONE]
        assert len({process.pid for process in live}) == 2
        assert before - SLACK <= live[0].started <= live[1].started <= house.clock.now()
    assert await house.processes.live() == ()


async def test_of_what_runs_there_is_a_trace_without_an_end(house: House):
    async with running(house, ONE):
        trace = await house.processes.trace(ONE)
        assert trace is not None
        assert (trace.ended, trace.ending, trace.exit_code) == (None, None, None)


async def test_what_ended_is_kept_with_its_times_and_output(house: House):
    before = house.clock.now()
    await house.runner.run(house.task("fails"))
    trace = await house.processes.trace(ONE)
    assert trace is not None
    assert trace.ended is not None
    assert before - SLACK <= trace.started <= trace.ended <= house.clock.now()
    assert (trace.ending, trace.exit_code, trace.detail) == (Ending.EXITED, 3, "")
    assert (trace.stdout, trace.stderr) == (output_of(b"one failed"), output_of(b"a warning"))


async def test_what_was_interrupted_says_so(house: House):
    await cancelled_when(house.signalled, run_of(house, house.task("hangs")))
    trace = await house.processes.trace(ONE)
    assert trace is not None
    assert (trace.ending, trace.exit_code) == (Ending.INTERRUPTED, None)
    assert trace.ended is not None
    assert await house.processes.live() == ()


async def test_what_a_dead_daemon_left_is_lost(house: House):
    if isinstance(house, ImaginaryHouse):
        house.crash()
    await house.runner.run(house.task("fails"))
    await house.reboot()
    trace = await house.processes.trace(ONE)
    assert trace is not None
    assert (trace.ending, trace.ended, trace.exit_code) == (Ending.LOST, None, None)
    assert await house.processes.live() == ()


async def test_what_was_not_started_says_why(house: House):
    await house.runner.run(house.task("no-such-program"))
    trace = await house.processes.trace(ONE)
    assert trace is not None
    assert trace.ending is Ending.NOT_STARTED
    assert trace.detail != ""


async def test_a_key_that_runs_again_begins_again(house: House):
    await cancelled_when(house.signalled, run_of(house, house.task("hangs")))
    first = await house.processes.trace(ONE)
    await house.runner.run(house.task("fails", fresh=True))
    again = await house.processes.trace(ONE)
    assert first is not None
    assert first.ended is not None
    assert again is not None
    assert again.started >= first.ended
    assert (first.ending, again.ending, again.exit_code) == (Ending.INTERRUPTED, Ending.EXITED, 3)
    assert again.stdout == output_of(b"one failed")


async def test_a_program_that_can_be_started_has_nothing_in_its_way(house: House):
    assert await house.processes.obstacle("present") is None
    absent = await house.processes.obstacle("absent")
    assert absent is not None
    assert absent.startswith("absent ")


def run_of(house: House, task: CommandTask) -> Callable[[], Awaitable[object]]:
    async def run() -> object:
        return await house.runner.run(task)

    return run
