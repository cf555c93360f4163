"""`MemoryPreparations`: the `Preparations` port without a disk, for simulated worlds.

What commands build is in `files`, by the path that they were given.  The object is the world: an engine that crashes
leaves it standing, and a directory that was not whole by then is none.
"""

import hashlib
from collections.abc import Callable, MutableMapping
from typing import Final

import anyio

from harnd.adapters.process.imaginary import FilesAt
from harnd.adapters.process.turns import Turns
from harnd.ports.keeping import Kept
from harnd.ports.preparations import Build, Prepared
from protocol.ids import Digest, EffectKey
from protocol.values import Instant

ROOT: Final = "/prepared"


class MemoryPreparations:
    """Directories in memory; `files` gives what lies in worktrees and checkouts."""

    def __init__(self, files: FilesAt, now: Callable[[], Instant] = lambda: Instant(0)) -> None:
        self._sources = files
        self._now = now
        self.used: dict[str, Instant] = {}
        self._trees: dict[str, dict[str, bytes]] = {}
        self._whole: dict[Digest, tuple[str, dict[str, bytes]]] = {}  # where it is, and what it held
        self._turns = Turns()

    def __repr__(self) -> str:
        return f"<MemoryPreparations whole={len(self._whole)}>"

    def files(self, path: str) -> MutableMapping[str, bytes]:
        """Return what lies in a directory that is built or was, to read and to write."""
        return self._trees[path]

    def forget(self) -> None:
        """Lose what makes directories count, as a crash before they did would have."""
        self._whole.clear()

    async def contents(self, directory: str, files: tuple[str, ...]) -> Digest:
        """Digest what these files and folders hold."""
        await anyio.lowlevel.checkpoint()
        there = self._sources(directory)
        held = [
            (name, sorted((path, text) for path, text in there.items() if path == name or path.startswith(f"{name}/")))
            for name in files
        ]
        return Digest(hashlib.sha256(repr(held).encode()).hexdigest())

    async def get(self, name: Digest, build: Build) -> Prepared | None:
        """Return the directory of a name, having it built when there is none that is as it was built."""
        async with self._turns.of(EffectKey(name)):
            known = self._whole.get(name)
            self.used[name] = self._now()
            if known is not None and self._trees[known[0]] == known[1]:
                await anyio.lowlevel.checkpoint()
                return Prepared(known[0])
            path = f"{ROOT}/{name}/{sum(tree.startswith(f'{ROOT}/{name}/') for tree in self._trees) + 1}"
            self._trees[path] = {}
            if not await build(path):
                return None
            self._whole[name] = (path, dict(self._trees[path]))
            return Prepared(path, mended=known is not None)

    async def inventory(self) -> tuple[Kept, ...]:
        """Return what is kept under every name, with the last time that it was used."""
        await anyio.lowlevel.checkpoint()
        return tuple(
            Kept(name, sum(map(len, held.values())), self.used[name]) for name, (_, held) in sorted(self._whole.items())
        )

    async def let_go(self, name: str, *, written_before: Instant) -> bool:
        """Forget a name unless it is being built or was used since; tell whether it is gone."""
        await anyio.lowlevel.checkpoint()
        if self._turns.taken(EffectKey(name)):
            return False
        if name in self._whole and self.used[name] >= written_before:
            return False
        self._whole.pop(Digest(name), None)
        return True
