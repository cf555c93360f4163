"""What every `CommandRunner` holds, whether it runs processes or imagines them: each sentence of the port, once."""

import os
from collections.abc import MutableMapping
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

import anyio
import anyio.to_thread
import msgspec
import pytest
from trio.testing import MockClock

from harnd.adapters.commands import ProcessCommands
from harnd.adapters.imaginary_commands import ImaginaryCommands, Outcome
from harnd.adapters.process.imaginary import ImaginaryMachine
from harnd.adapters.process.spawner import Spawner
from harnd.ports.errors import MissingError
from harnd.ports.sessions import CommandRunner, CommandTask, Ending
from protocol import bounds
from protocol.ids import EffectKey, InstanceId
from protocol.values import SECOND, Micros
from tests.kit.agents import QUICK, cancelled_when

KEY = EffectKey("goal/billing/work/p1.api/attempt/1/proof/unit")
AMPLE = Micros(50 * SECOND)


class Commands(Protocol):
    """A runner to test, and commands of known behaviour for it."""

    @property
    def runner(self) -> CommandRunner: ...
    def task(self, name: str, *, fresh: bool = False, timeout: Micros = AMPLE) -> CommandTask: ...
    def runs(self) -> int: ...
    async def signalled(self) -> None: ...


LARGE = "0123456789abcdef" * 2048  # 32 KiB


class ProcessHouse:
    """The commands as shell scripts that count how often they ran."""

    def __init__(self, root: Path) -> None:
        self._root = root
        os.mkfifo(root / "signal")
        bodies = {
            "passes": "printf 'all good\\n'; printf 'a warning' >&2",
            "fails": "printf 'one failed'; exit 3",
            "writes much": f"printf %s {LARGE}",
            "sleeps": "trap '' TERM; while :; do sleep 600; done",
            "hangs": "printf '' > signal; trap '' TERM; while :; do sleep 1; done",
            "hangs once": "[ -e resumed ] || { : > resumed; printf '' > signal; while :; do sleep 1; done; }",
        }
        self._argv = {name: ("sh", "-c", f"printf x >> runs; {body}") for name, body in bodies.items()}
        self.runner: CommandRunner = ProcessCommands(Spawner(root / "state", InstanceId("first"), grace=lambda: QUICK))

    def task(self, name: str, *, fresh: bool = False, timeout: Micros = AMPLE) -> CommandTask:
        cwd = str(self._root / "nowhere") if name == "in no directory" else str(self._root)
        return CommandTask(KEY, self._argv.get(name, (name,)), cwd, timeout, fresh=fresh)

    def runs(self) -> int:
        return len((self._root / "runs").read_text())

    async def signalled(self) -> None:
        await anyio.to_thread.run_sync((self._root / "signal").read_text)


class ImaginaryHouse:
    """The same commands as outcomes."""

    def __init__(self) -> None:
        self._files: dict[str, bytes] = {"runs": b""}
        here = {"/work": self._files}
        machine = ImaginaryMachine()
        self.runner: CommandRunner = ImaginaryCommands(self._respond, files=partial(_look_up, here), machine=machine)

    def _respond(self, task: CommandTask, files: MutableMapping[str, bytes]) -> Outcome | None:
        before, files["runs"] = files["runs"], files["runs"] + b"x"
        outcomes = {
            "passes": Outcome(stdout="all good\n", stderr="a warning"),
            "fails": Outcome(3, "one failed"),
            "writes much": Outcome(stdout=LARGE),
            "sleeps": Outcome(takes=Micros(600 * SECOND)),
            "hangs": Outcome(takes=None),
            "hangs once": Outcome(takes=Micros(0) if before else None),
        }
        return outcomes.get(task.argv[0])

    def task(self, name: str, *, fresh: bool = False, timeout: Micros = AMPLE) -> CommandTask:
        return CommandTask(KEY, (name,), "/nowhere" if name == "in no directory" else "/work", timeout, fresh=fresh)

    def runs(self) -> int:
        return len(self._files["runs"])

    async def signalled(self) -> None:
        await anyio.wait_all_tasks_blocked()


def _look_up(places: dict[str, dict[str, bytes]], path: str) -> dict[str, bytes]:
    if path not in places:
        raise MissingError(path)
    return places[path]


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
def commands(kind: Kind, tmp_path: Path) -> Commands:
    return ImaginaryHouse() if kind.house == "imaginary" else ProcessHouse(tmp_path)


async def test_a_command_that_passes(commands: Commands):
    ended = await commands.runner.run(commands.task("passes"))

    assert (ended.ending, ended.exit_code, ended.detail) == (Ending.EXITED, 0, "")
    assert (ended.stdout.head, ended.stderr.head) == ("all good\n", "a warning")


async def test_a_command_that_fails_keeps_its_code(commands: Commands):
    ended = await commands.runner.run(commands.task("fails"))

    assert (ended.ending, ended.exit_code, ended.stdout.head) == (Ending.EXITED, 3, "one failed")


async def test_large_output_is_shown_by_its_head_and_its_tail(commands: Commands):
    stdout = (await commands.runner.run(commands.task("writes much"))).stdout

    shown = bounds.OUTPUT_SHOWN_BYTES
    assert (stdout.head, stdout.tail) == (LARGE[:shown], LARGE[-shown:])
    assert (stdout.total_bytes, stdout.omitted_bytes) == (len(LARGE), len(LARGE) - 2 * shown)


async def test_a_command_that_hangs_is_timed_out(commands: Commands):
    ended = await commands.runner.run(commands.task("sleeps", timeout=QUICK))

    assert (ended.ending, ended.exit_code) == (Ending.TIMED_OUT, None)


@pytest.mark.parametrize("name", ["no-such-program", "in no directory"])
async def test_what_cannot_be_started_says_why(commands: Commands, name: str):
    ended = await commands.runner.run(commands.task(name))

    assert (ended.ending, ended.exit_code) == (Ending.NOT_STARTED, None)
    assert name in ended.detail


async def test_a_finished_key_gives_its_stored_result(commands: Commands):
    first = await commands.runner.run(commands.task("fails"))
    again = await commands.runner.run(commands.task("fails"))

    assert again == first
    assert commands.runs() == 1


async def test_a_finished_key_is_not_run_again_because_it_may_be(commands: Commands):
    await commands.runner.run(commands.task("fails", fresh=True))
    await commands.runner.run(commands.task("fails", fresh=True))

    assert commands.runs() == 1


async def test_a_finished_key_is_run_again_when_that_is_asked_for(commands: Commands):
    await commands.runner.run(commands.task("fails"))
    ended = await commands.runner.run(msgspec.structs.replace(commands.task("passes"), anew=True))

    assert (ended.exit_code, commands.runs()) == (0, 2)
    assert await commands.runner.run(commands.task("fails")) == ended


async def test_a_cancelled_command_is_interrupted_and_stays_so(commands: Commands):
    await cancelled_when(commands.signalled, partial(commands.runner.run, commands.task("hangs")))
    ended = await commands.runner.run(commands.task("hangs"))

    assert ended.ending is Ending.INTERRUPTED
    assert commands.runs() == 1


async def test_a_read_only_command_that_was_cut_short_is_run_again(commands: Commands):
    task = commands.task("hangs once", fresh=True)
    await cancelled_when(commands.signalled, partial(commands.runner.run, task))
    ended = await commands.runner.run(task)

    assert (ended.ending, ended.exit_code) == (Ending.EXITED, 0)
    assert commands.runs() == 2
