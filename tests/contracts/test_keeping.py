"""What every place that keeps things holds: blobs and preparations, each on a disk or in memory, and outputs."""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest

from harnd.adapters.commands import ProcessCommands
from harnd.adapters.memory_preparations import MemoryPreparations
from harnd.adapters.preparations import DirectoryPreparations
from harnd.adapters.process.outputs import SessionOutputs
from harnd.adapters.process.receipts import name_of
from harnd.adapters.process.spawner import Spawner
from harnd.adapters.store import FileBlobs, MemoryBlobs
from harnd.ports.keeping import Keeping
from harnd.ports.sessions import CommandTask
from protocol.ids import Digest, EffectKey, GoalId, InstanceId
from protocol.values import SECOND, Instant, Micros
from tests.kit.agents import QUICK, cancelled_when

THEN, LATER, NOW = Instant(1_000 * SECOND), Instant(2_000 * SECOND), Instant(3_000 * SECOND)


class House(NamedTuple):
    """A place with two things in it, the first written then and the second later, and how one is written again."""

    keeping: Keeping
    names: tuple[str, str]
    write: Callable[[str, Instant], None]


async def blobs_in_memory() -> House:
    clock = [THEN]
    blobs = MemoryBlobs(lambda: clock[0])
    contents: dict[str, bytes] = {}

    async def put(content: bytes, at: Instant) -> str:
        clock[0] = at
        name = await blobs.put(content)
        contents[name] = content
        return name

    names = await put(b"one", THEN), await put(b"other", LATER)
    return House(blobs, names, lambda name, at: blobs.written.__setitem__(Digest(name), at))


def dated(path: Path, at: Instant) -> None:
    for each in (path, *path.rglob("*")):
        os.utime(each, ns=(at * 1_000, at * 1_000))


async def blobs_on_disk(root: Path) -> House:
    blobs = FileBlobs(root / "blobs")
    names = await blobs.put(b"one"), await blobs.put(b"other")

    def write(name: str, at: Instant) -> None:
        dated(root / "blobs" / name[:2] / name[2:], at)

    write(names[0], THEN)
    write(names[1], LATER)
    return House(blobs, names, write)


async def preparations_in_memory() -> House:
    trees: dict[str, dict[str, bytes]] = {}
    clock = [THEN]
    kept = MemoryPreparations(lambda path: trees[path], lambda: clock[0])

    async def build(path: str) -> bool:
        await anyio.lowlevel.checkpoint()
        kept.files(path)["lib.py"] = b"x"
        return True

    names = Digest("ab" * 32), Digest("cd" * 32)
    for name, clock[0] in zip(names, (THEN, LATER), strict=True):
        assert await kept.get(name, build)
    return House(kept, names, kept.used.__setitem__)


def install(path: str) -> None:
    Path(path, "bin").mkdir()
    Path(path, "bin", "tool").write_bytes(b"x")


async def fill(path: str) -> bool:
    install(path)
    return True


async def preparations(root: Path) -> House:
    kept = DirectoryPreparations(root / "state")
    names = Digest("ab" * 32), Digest("cd" * 32)
    for name in names:
        assert await kept.get(name, fill)

    def write(name: str, at: Instant) -> None:
        dated(root / "state" / "prepared" / name, at)

    write(names[0], THEN)
    write(names[1], LATER)
    return House(kept, names, write)


async def outputs(root: Path) -> House:
    spawner = Spawner(root / "state", InstanceId("first"), source=os.environ, grace=lambda: QUICK)
    keys = EffectKey("goal/billing/work/p1.a/attempt/1/stage/make"), EffectKey("goal/docs/plan/1/call/1")
    for key in keys:
        await ProcessCommands(spawner).run(CommandTask(key, ("echo", key), str(root), Micros(50 * SECOND)))

    def write(name: str, at: Instant) -> None:
        dated(root / "state" / "sessions" / name, at)

    names = name_of(keys[0]), name_of(keys[1])
    write(names[0], THEN)
    write(names[1], LATER)
    return House(SessionOutputs(root / "state" / "sessions", spawner), names, write)


@pytest.fixture(params=["memory blobs", "blobs", "memory preparations", "preparations", "outputs"])
async def house(request: pytest.FixtureRequest, tmp_path: Path) -> House:
    match request.param:
        case "memory blobs":
            return await blobs_in_memory()
        case "blobs":
            return await blobs_on_disk(tmp_path)
        case "memory preparations":
            return await preparations_in_memory()
        case "preparations":
            return await preparations(tmp_path)
        case _:
            return await outputs(tmp_path)


async def names(house: House) -> list[str]:
    return [kept.name for kept in await house.keeping.inventory()]


async def test_everything_is_listed_by_name_with_its_weight_and_its_time(house: House):
    kept = await house.keeping.inventory()
    assert [each.name for each in kept] == sorted(house.names)
    assert all(each.size > 0 for each in kept)
    assert {each.name: each.written_at for each in kept} == dict(zip(house.names, (THEN, LATER), strict=True))


async def test_what_is_let_go_is_gone_and_nothing_else(house: House):
    assert await house.keeping.let_go(house.names[0], written_before=NOW)
    assert await names(house) == [house.names[1]]


async def test_what_is_gone_is_gone_when_it_is_let_go_again(house: House):
    for _ in range(2):
        assert await house.keeping.let_go(house.names[0], written_before=NOW)


@pytest.mark.parametrize(("written", "goes"), [(NOW - 1, True), (NOW, False), (NOW + 1, False)])
async def test_what_was_written_since_stays(house: House, written: int, goes: bool):
    house.write(house.names[0], Instant(written))
    assert await house.keeping.let_go(house.names[0], written_before=NOW) is goes
    assert (house.names[0] in await names(house)) is not goes


async def test_an_empty_place_has_nothing(tmp_path: Path):
    spawner = Spawner(tmp_path, InstanceId("first"))
    assert await SessionOutputs(tmp_path / "sessions", spawner).inventory() == ()
    assert await FileBlobs(tmp_path / "blobs").inventory() == ()
    assert await MemoryBlobs().inventory() == ()
    assert await DirectoryPreparations(tmp_path).inventory() == ()
    assert await MemoryPreparations(lambda _path: {}).inventory() == ()


# --- blobs


async def test_a_blob_that_is_put_again_is_written_again(tmp_path: Path):
    house = await blobs_on_disk(tmp_path)
    assert isinstance(house.keeping, FileBlobs)
    assert await house.keeping.put(b"one") == house.names[0]
    assert not await house.keeping.let_go(house.names[0], written_before=NOW)
    assert await house.keeping.get(Digest(house.names[0])) == b"one"


# --- preparations


async def test_what_was_prepared_counts_as_written_when_it_is_used(tmp_path: Path):
    house = await preparations(tmp_path)
    assert isinstance(house.keeping, DirectoryPreparations)
    assert await house.keeping.get(Digest(house.names[0]), fill)
    assert not await house.keeping.let_go(house.names[0], written_before=NOW)


@pytest.mark.parametrize("made", [preparations, lambda _root: preparations_in_memory()], ids=["disk", "memory"])
async def test_what_is_being_built_stays(tmp_path: Path, made: Callable[[Path], Awaitable[House]]):
    keeping = (await made(tmp_path)).keeping
    assert isinstance(keeping, DirectoryPreparations | MemoryPreparations)
    name, begun, done = Digest("ef" * 32), anyio.Event(), anyio.Event()

    async def build(_path: str) -> bool:
        begun.set()
        await done.wait()
        return True

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(keeping.get, name, build)
        await begun.wait()
        assert not await keeping.let_go(name, written_before=Instant(10**17))
        done.set()
    assert await keeping.let_go(name, written_before=Instant(10**17))


async def test_half_of_what_was_prepared_is_listed_and_goes_and_counts_for_nothing(tmp_path: Path):
    house = await preparations(tmp_path)
    assert isinstance(house.keeping, DirectoryPreparations)
    prepared = tmp_path / "state" / "prepared"
    (prepared / house.names[0]).rename(prepared / f".gone-{house.names[0]}")
    assert (await names(house))[0] == f".gone-{house.names[0]}"
    again = await house.keeping.get(Digest(house.names[0]), fill)
    assert again is not None
    assert not again.mended
    for name in (house.names[0], f".gone-{house.names[0]}"):
        assert await house.keeping.let_go(name, written_before=Instant(10**17))
    assert await names(house) == [house.names[1]]


# --- outputs


async def test_outputs_say_whose_they_are(tmp_path: Path):
    house = await outputs(tmp_path)
    (tmp_path / "state/sessions/stranger").mkdir()
    assert {kept.name: kept.goal for kept in await house.keeping.inventory()} == {
        house.names[0]: GoalId("billing"),
        house.names[1]: GoalId("docs"),
        "stranger": None,
    }


async def test_outputs_of_what_runs_stay(tmp_path: Path):
    os.mkfifo(tmp_path / "signal")
    spawner = Spawner(tmp_path, InstanceId("first"), source=os.environ, grace=lambda: QUICK)
    key = EffectKey("goal/billing/work/p1.a/attempt/1/stage/make")
    argv = ("sh", "-c", "printf x > signal; while :; do sleep 1; done")
    task = CommandTask(key, argv, str(tmp_path), Micros(50 * SECOND))
    future = Instant(10**17)
    stays: list[bool] = []

    async def signalled() -> None:
        await anyio.to_thread.run_sync((tmp_path / "signal").read_text)
        stays.append(
            not await SessionOutputs(tmp_path / "sessions", spawner).let_go(name_of(key), written_before=future)
        )

    await cancelled_when(signalled, lambda: ProcessCommands(spawner).run(task))
    assert stays == [True]
    assert await SessionOutputs(tmp_path / "sessions", spawner).let_go(name_of(key), written_before=future)


async def test_a_removal_that_was_cut_short_is_listed_and_finished(tmp_path: Path):
    house = await outputs(tmp_path)
    sessions = tmp_path / "state" / "sessions"
    (sessions / house.names[0]).rename(sessions / f".gone-{house.names[0]}")
    (sessions / f".gone-{house.names[0]}" / "receipt").unlink()
    [half] = [kept for kept in await house.keeping.inventory() if kept.name.startswith(".gone-")]
    assert half.goal == "billing"
    assert await house.keeping.let_go(half.name, written_before=Instant(10**17))
    assert await names(house) == [house.names[1]]


@pytest.mark.parametrize("made", [outputs, preparations])
@pytest.mark.parametrize("name", ["../blobs", "..", "/etc", ""])
async def test_a_name_leads_nowhere_else(tmp_path: Path, name: str, made: Callable[[Path], Awaitable[House]]):
    house = await made(tmp_path)
    (tmp_path / "state" / "blobs").mkdir()
    await house.keeping.let_go(name, written_before=Instant(10**17))
    assert (tmp_path / "state" / "blobs").is_dir()
    assert await names(house) == sorted(house.names)
