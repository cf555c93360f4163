"""Snapshots: the tree that a recording would have if it were made now, without making it.

The content is taken into an index of its own, which lies beside the worktree and is gone afterwards.  The worktree's
files, its index, its HEAD and its `.git`, damaged or not, stay as they are; the locks of a killed git are in nobody's
way.  The objects are written to the repository, where no ref keeps them.

- It sees what a recording sees, by the same steps from the same start.  A repository made inside the worktree is taken
  in as its files where it lies; a recording folds it.
- What a recording would refuse has a tree all the same: conflicts are taken in with their markers and clones as their
  files, and what `git add` does not take makes everything be taken in raw.
- A file that vanishes while git reads it is met by looking again.
"""

import os
import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from anyio import to_thread

from harnd.adapters.git import files, pointers, worktrees
from harnd.adapters.git.command import GitFailedError, entries
from harnd.adapters.git.content import SUBMODULE, Content, NotTakenError
from harnd.adapters.git.recording import start_of
from harnd.adapters.git.repository import Repository
from harnd.ports.errors import MissingError
from harnd.ports.workspace import Place, Snapshot
from protocol.ids import CommitId, TreeId

LOOKS: Final = 3  # before what git does not take counts as what it never takes
NOTHING_IGNORED: Final = 1  # exit code of `check-ignore`


async def snapshot(repository: Repository, place: Place, *, base: CommitId, path: Path) -> Snapshot:
    """Return the tree of the worktree at `path`, and what differs from `base`; the caller holds the turn."""
    await repository.tree(base)
    tree = await _tree(repository, place, path, start=await start_of(repository, place, base))
    return Snapshot(tree, await repository.changed(base, tree))


async def _tree(repository: Repository, place: Place, path: Path, *, start: CommitId) -> TreeId:
    for _ in range(LOOKS):
        with suppress(NotTakenError):
            async with looking(repository, place, path) as content:
                return await content.take_in(start)
    async with looking(repository, place, path) as content:
        return await content.take_in_raw(start)


async def held_pointers(repository: Repository, place: Place, path: Path) -> tuple[str, ...]:
    """List the files of git-lfs in the worktree at `path` that are pointers, sorted; the caller holds the turn."""
    async with looking(repository, place, path) as content:
        return await pointers.among(path, await content.filtered_by(pointers.FILTER))


@asynccontextmanager
async def looking(repository: Repository, place: Place, path: Path) -> "AsyncGenerator[Untouched]":
    """Open the worktree at `path` with an index for this look alone; raises `MissingError`.  Needs the turn."""
    if not files.is_directory(path):
        raise MissingError(f"the worktree {path} is gone")
    index = Path(f"{path}.snapshot")
    try:
        yield await Untouched.look(repository, place, path, index=index)
    finally:
        _remove(index)


def _remove(index: Path) -> None:
    """Remove an index and the lock that a killed git left on it."""
    for each in (index, Path(f"{index}.lock")):
        each.unlink(missing_ok=True)


class Untouched(Content):
    """What lies in a worktree that must not be touched, taken into another index than its own."""

    @classmethod
    async def look(cls, repository: Repository, place: Place, path: Path, *, index: Path) -> "Untouched":
        """Start with a copy of the worktree's index, if it has one that can be read."""
        _remove(index)
        try:
            administration = worktrees.administration(repository, path)
        except MissingError:
            administration = repository.common
        else:
            if (administration / "index").is_file():
                # With its time: files changed at the moment at which git wrote it are the ones that git reads again.
                shutil.copy2(administration / "index", index)
        content = cls(repository, place, path=path, administration=administration, index=index)
        await content._drop_broken_index()
        return content

    async def _take_all(self) -> None:
        if not await self._nested():
            await super()._take_all()
            return
        given = os.fsencode("".join(f"{name}\0" for name in sorted(await self._found())))
        await self._take("update-index", "--add", "--remove", "--replace", "-z", "--stdin", given=given)

    async def _found(self) -> set[str]:
        nested = await self._nested()
        found = {name.rstrip("/") for name in await super()._found()} - {*nested}
        inside = [name for each in nested if each not in await self._linked() for name in await self._inside(each)]
        return found | await self._unless_ignored(inside)

    async def _linked(self) -> set[str]:
        """List the directories that stand for a commit of another repository; a recording leaves them so."""
        listing = entries(await self.ask("ls-files", "-z", "--stage"))
        return {name for mode, _, name in (entry.partition("\t") for entry in listing) if mode.startswith(SUBMODULE)}

    async def _inside(self, nested: str) -> tuple[str, ...]:
        return await to_thread.run_sync(files.within, self.path, nested)

    async def _unless_ignored(self, names: list[str]) -> set[str]:
        words = ("check-ignore", "-z", "--stdin")
        # It takes no pathspec as literal, but no name that begins with a dot as anything else.
        given = os.fsencode("".join(f"./{name}\0" for name in names))
        env = self._env | {"GIT_LITERAL_PATHSPECS": "0"}
        finished = await self.repository.git.run(self.path, *words, given=given, env=env)
        if finished.code not in {0, NOTHING_IGNORED}:
            raise GitFailedError(words, finished)
        return {*names} - {name.removeprefix("./") for name in entries(finished.stdout)}
