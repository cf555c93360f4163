"""Every `Preparations` builds a directory once, gives it whole or not at all, and finds out who changed it."""

from pathlib import Path
from typing import Any, Protocol

import anyio
import anyio.lowlevel
import pytest

from harnd.adapters.memory_preparations import MemoryPreparations
from harnd.adapters.preparations import DirectoryPreparations
from harnd.ports.preparations import Preparations, Prepared
from protocol.ids import Digest

NAME, OTHER = Digest("ab" * 32), Digest("cd" * 32)


class House(Protocol):
    """Preparations to test, a directory of sources, and a hand that reads and writes what was built."""

    @property
    def kept(self) -> Preparations: ...
    @property
    def sources(self) -> str: ...
    def source(self, name: str, text: bytes | None) -> None: ...
    def write(self, path: str, name: str, text: bytes) -> None: ...
    def read(self, path: str) -> dict[str, bytes]: ...


class OnDisk:
    def __init__(self, root: Path) -> None:
        self.kept = DirectoryPreparations(root / "state")
        self.sources = str(root / "sources")
        Path(self.sources).mkdir()

    def source(self, name: str, text: bytes | None) -> None:
        path = Path(self.sources, name)
        if text is None:
            path.unlink()
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)

    def write(self, path: str, name: str, text: bytes) -> None:
        Path(path).chmod(0o700)
        file = Path(path, name)
        if file.exists():
            file.chmod(0o600)
        file.write_bytes(text)

    def read(self, path: str) -> dict[str, bytes]:
        return {str(found.relative_to(path)): found.read_bytes() for found in Path(path).rglob("*") if found.is_file()}


class InMemory:
    def __init__(self, _root: Path) -> None:
        self._sources: dict[str, bytes] = {}
        self.memory = MemoryPreparations(lambda _path: self._sources)
        self.kept = self.memory
        self.sources = "/sources"

    def source(self, name: str, text: bytes | None) -> None:
        if text is None:
            del self._sources[name]
        else:
            self._sources[name] = text

    def write(self, path: str, name: str, text: bytes) -> None:
        self.memory.files(path)[name] = text

    def read(self, path: str) -> dict[str, bytes]:
        return dict(self.memory.files(path))


@pytest.fixture(params=[OnDisk, InMemory], ids=["disk", "memory"])
def house(request, tmp_path: Path) -> House:
    made: House = request.param(tmp_path)
    return made


class Builder:
    """Builds one file that says how often it was asked, unless it is told otherwise."""

    def __init__(self, house: House, *, able: bool = True, waits: anyio.Event | None = None) -> None:
        self.house = house
        self.able = able
        self.waits = waits
        self.begun = anyio.Event()
        self.paths: list[str] = []

    async def __call__(self, path: str) -> bool:
        self.paths.append(path)
        self.begun.set()
        assert self.house.read(path) == {}
        self.house.write(path, "lib.py", b"%d" % len(self.paths))
        if self.waits is not None:
            await self.waits.wait()
        return self.able


# --- what files hold


async def test_the_same_files_have_the_same_digest(house: House):
    house.source("go.mod", b"one")
    before = await house.kept.contents(house.sources, ("go.mod", "go.sum"))
    house.source("main.go", b"of no matter")
    assert await house.kept.contents(house.sources, ("go.mod", "go.sum")) == before


@pytest.mark.parametrize(
    ("name", "text"),
    [("go.mod", b"two"), ("go.mod", b""), ("go.mod", None), ("go.sum", b""), ("deps/a", b"x"), ("deps/b/c", b"x")],
)
async def test_what_is_in_them_or_not_there_makes_another(house: House, name, text):
    house.source("go.mod", b"one")
    house.source("deps/z", b"z")
    files = ("go.mod", "go.sum", "deps")
    before = await house.kept.contents(house.sources, files)
    house.source(name, text)
    assert await house.kept.contents(house.sources, files) != before


# --- building


async def test_a_directory_is_built_once_and_then_found(house: House):
    build = Builder(house)
    first = await house.kept.get(NAME, build)
    assert first is not None
    assert (first.mended, house.read(first.path)) == (False, {"lib.py": b"1"})
    assert await house.kept.get(NAME, build) == first == Prepared(build.paths[0])
    assert len(build.paths) == 1


async def test_another_name_is_another_directory(house: House):
    build = Builder(house)
    one, other = await house.kept.get(NAME, build), await house.kept.get(OTHER, build)
    assert one is not None
    assert other is not None
    assert one.path != other.path
    assert house.read(one.path) == {"lib.py": b"1"}


async def test_what_could_not_be_built_is_not_there_and_is_tried_again(house: House):
    assert await house.kept.get(NAME, Builder(house, able=False)) is None
    found = await house.kept.get(NAME, Builder(house))
    assert found is not None
    assert not found.mended


async def test_what_somebody_changed_is_built_anew_elsewhere_and_left_to_whoever_uses_it(house: House):
    build = Builder(house)
    first = await house.kept.get(NAME, build)
    assert first is not None
    house.write(first.path, "lib.py", b"evil")

    second = await house.kept.get(NAME, build)

    assert second is not None
    assert second.mended
    assert (house.read(second.path), house.read(first.path)) == ({"lib.py": b"2"}, {"lib.py": b"evil"})
    assert await house.kept.get(NAME, build) == Prepared(second.path)


async def test_a_file_more_is_a_change_too(house: House):
    build = Builder(house)
    first = await house.kept.get(NAME, build)
    assert first is not None
    house.write(first.path, "sitecustomize.py", b"evil")
    second = await house.kept.get(NAME, build)
    assert second is not None
    assert second.mended


async def test_whoever_wants_the_same_at_once_waits_for_it(house: House):
    done = anyio.Event()
    build = Builder(house, waits=done)
    found: list[Prepared | None] = []

    async def get() -> None:
        found.append(await house.kept.get(NAME, build))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(get)
        tasks.start_soon(get)
        await build.begun.wait()
        done.set()

    assert found == [Prepared(build.paths[0])] * 2
    assert len(build.paths) == 1


async def test_a_build_that_is_cut_short_leaves_nothing_that_passes_for_a_directory(house: House):
    build = Builder(house, waits=anyio.Event())
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(house.kept.get, NAME, build)
        await build.begun.wait()
        tasks.cancel_scope.cancel()

    found = await house.kept.get(NAME, Builder(house))

    assert found is not None
    assert (found.mended, house.read(found.path)) == (False, {"lib.py": b"1"})


async def test_what_a_build_raises_comes_through(house: House):
    async def break_down(_path: str) -> bool:
        await anyio.lowlevel.checkpoint()
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        await house.kept.get(NAME, break_down)
    assert await house.kept.get(NAME, Builder(house)) is not None


def test_the_fake_says_what_it_is():
    made: Any = MemoryPreparations(lambda _path: {})
    assert repr(made) == "<MemoryPreparations whole=0>"
