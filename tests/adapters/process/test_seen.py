"""What is seen of processes, where only real programs and files can show it."""

import os
from pathlib import Path

import pytest

from harnd.adapters.clock import SystemClock
from harnd.adapters.commands import ProcessCommands
from harnd.adapters.process.spawner import Spawner
from harnd.adapters.processes import SpawnedProcesses
from harnd.ports.sessions import CommandTask
from protocol import bounds
from protocol.ids import EffectKey, InstanceId
from protocol.values import SECOND, Micros

KEY = EffectKey("goal/billing/work/p1.api/attempt/1/proof/unit")


@pytest.fixture
def spawner(tmp_path: Path) -> Spawner:
    return Spawner(tmp_path / "state", InstanceId("me"), source={"PATH": f"{tmp_path}:{os.environ['PATH']}"})


def program(path: Path, first: str, *, mode: int = 0o755) -> Path:
    path.write_text(f"{first}\n")
    path.chmod(mode)
    return path


async def test_a_missing_interpreter_is_named(spawner: Spawner, tmp_path: Path):
    agent = program(tmp_path / "agent", "#!/opt/gone/python3 -I")
    missing = f"{agent} asks for the interpreter /opt/gone/python3, which is not there."
    assert await SpawnedProcesses(spawner).obstacle("agent") == f"agent cannot be started: {missing}"
    assert await SpawnedProcesses(spawner).obstacle(str(agent)) == f"{agent} cannot be started: {missing}"


@pytest.mark.parametrize("first", ["#!/usr/bin/env no-such-node", "#! /usr/bin/env -S no-such-node --quiet"])
async def test_e05_an_interpreter_that_env_does_not_find_is_named_with_the_path(
    spawner: Spawner, tmp_path: Path, first
):
    agent = program(tmp_path / "agent", first)
    assert await SpawnedProcesses(spawner).obstacle("agent") == (
        f"agent cannot be started: {agent} asks for no-such-node, "
        f"and there is no executable of that name on PATH ({spawner.path})."
    )


@pytest.mark.parametrize(
    "first", ["#!/usr/bin/env sh", "#!/usr/bin/env -u X no-such", "#!/usr/bin/env X=1 no-such", "#!"]
)
async def test_what_env_finds_and_what_is_not_understood_of_it_is_no_obstacle(spawner: Spawner, tmp_path: Path, first):
    program(tmp_path / "agent", first)
    assert await SpawnedProcesses(spawner).obstacle("agent") is None


async def test_a_file_that_is_not_executable_is_told_from_one_that_is_not_there(spawner: Spawner, tmp_path: Path):
    text = program(tmp_path / "text", "words", mode=0o644)
    seen = SpawnedProcesses(spawner)
    assert await seen.obstacle(str(text)) == f"{text} cannot be started: {text}: Permission denied."
    assert await seen.obstacle("/opt/gone") == "/opt/gone cannot be started: No such file or directory."
    assert await seen.obstacle("text") == (
        f"text cannot be started: no executable of that name on PATH ({spawner.path})."
    )


@pytest.mark.parametrize(
    ("script", "spoke"),
    [("printf x", True), ("printf x >&2", True), (":", False), (f"head -c {bounds.OUTPUT_CAP_BYTES} /dev/zero", False)],
    ids=["stdout", "stderr", "nothing", "more than is kept"],
)
async def test_it_is_known_when_a_process_last_wrote_as_long_as_what_it_writes_is_kept(
    spawner, tmp_path, script, spoke
):
    task = CommandTask(KEY, ("sh", "-c", script), str(tmp_path), Micros(20 * SECOND))
    await ProcessCommands(spawner).run(task)
    home = spawner.home(KEY)
    started, last = home.started(), home.spoke()
    assert started is not None
    assert (last is not None) == spoke
    assert last is None or started <= last <= SystemClock().now()
