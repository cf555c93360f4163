"""A child process is bounded in time and output, and nothing that it starts outlives it."""

import os
from pathlib import Path

import anyio
import pytest

from harnd.adapters.git.process import Limits, run
from harnd.ports.errors import UnavailableError
from tests.kit.ending import ends

PLENTY = Limits(seconds=30, head=1_000_000)


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def shell(script: str, *, limits: Limits = PLENTY, given: bytes = b""):
    environ = {"PATH": os.environ["PATH"]}
    return await run(["sh", "-c", script], cwd=Path("/"), env=environ, limits=limits, given=given)


async def test_code_and_both_streams_are_returned():
    finished = await shell("cat; echo oops >&2; exit 3", given=b"in")
    assert (finished.code, finished.stdout, finished.stderr) == (3, b"in", b"oops\n")


async def test_standard_input_is_closed_unless_given():
    assert (await shell("cat; echo done")).stdout == b"done\n"


async def test_what_is_not_read_does_not_hurt():
    assert (await shell("exit 0", given=b"x" * 10_000_000)).code == 0


@pytest.mark.parametrize(("written", "omitted", "gap"), [(20, 0, b""), (21, 1, b"\n... 1 bytes left out ...\n")])
async def test_the_beginning_is_kept_and_the_rest_counted(written: int, omitted: int, gap: bytes):
    finished = await shell(f"head -c {written} /dev/zero | tr '\\0' x", limits=Limits(seconds=30, head=20))
    assert (finished.stdout, finished.omitted) == (b"x" * 20 + gap, omitted)


async def test_a_program_that_is_not_there_is_unavailable():
    with pytest.raises(UnavailableError, match="no-such-program cannot be started"):
        await run(["no-such-program"], cwd=Path("/"), env={}, limits=PLENTY)


async def test_the_time_limit_ends_the_whole_group():
    finished = await shell("sleep 1000 & echo $!; wait", limits=Limits(seconds=0.5, head=100))
    assert finished.code is None
    assert ends(int(finished.stdout))


async def test_cancelling_ends_the_whole_group(tmp_path: Path):
    os.mkfifo(tmp_path / "pid")
    pids: list[int] = []

    async def read_then_cancel() -> None:
        pids.append(int(await anyio.Path(tmp_path / "pid").read_text()))
        tasks.cancel_scope.cancel()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read_then_cancel)
        await shell(f"sleep 1000 & echo $! > {tmp_path}/pid; wait")
    assert pids
    assert ends(pids[0])


async def test_a_child_left_behind_with_the_pipe_does_not_hold_anybody_up():
    finished = await shell("sleep 1000 & echo $!")
    assert (finished.code, finished.cut) == (0, True)
    assert ends(int(finished.stdout))
