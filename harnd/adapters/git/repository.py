"""A repository: where it lies, its refs, its commits.  Questions and changes go to the directory all worktrees share.

Whoever changes it holds `turn`: writes to one repository are made one at a time, whichever worktree they come from.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import anyio

from harnd.adapters.git import files, pointers, ref_names
from harnd.adapters.git.command import Git, GitFailedError, entries, text
from harnd.ports.errors import MissingError
from protocol.ids import CommitId, GoalId, TreeId, goal_branch

ABSENT = ""
ABSENT_CODE = 1  # exit code of `rev-parse --quiet` when there is nothing of that name


class Change(NamedTuple):
    """One ref of a transaction: what it shall be, and what it must be until then (None: whatever it is)."""

    ref: str
    to: str  # `ABSENT` deletes it
    expected: str | None = None  # `ABSENT`: it must not exist

    def line(self) -> bytes:
        """Write it for `git update-ref --stdin -z`."""
        if self.to == ABSENT:
            return os.fsencode(f"delete {self.ref}\0{self.expected or ''}\0")
        if self.expected == ABSENT:
            return os.fsencode(f"create {self.ref}\0{self.to}\0")
        return os.fsencode(f"update {self.ref}\0{self.to}\0{self.expected or ''}\0")


class Repository:
    """One repository, known by its canonical common directory."""

    def __init__(self, git: Git, *, top: Path, common: Path, turn: anyio.Lock, pointers_only: bool = False) -> None:
        self.git = git.with_settings(pointers.WITHOUT) if pointers_only else git
        self.pointers_only = pointers_only  # it goes without git-lfs
        self.top = top  # the operator's checkout
        self.common = common
        self.turn = turn

    def __repr__(self) -> str:
        return f"<Repository {self.top}>"

    @property
    def objects(self) -> Path:
        """Return where its objects lie."""
        return self.common / "objects"

    async def ask(self, *words: str, given: bytes = b"") -> bytes:
        """Ask git something that no checkout has a say in."""
        return await self.git.ask(self.common, *words, given=given)

    async def change(self, *words: str, given: bytes = b"", env: Mapping[str, str] | None = None) -> bytes:
        """Change something that lies in no checkout; the caller holds `turn`."""
        return await self.git.change(self.common, *words, given=given, env=env)

    # --- refs

    async def ref(self, name: str) -> CommitId | None:
        """Return what the ref of this full name points to, or None; raises `GitFailedError`."""
        return await self._verified(name)

    async def refs(self, *folders: str) -> dict[str, str]:
        """List refs (all, or those in `folders`) with the objects that they point to."""
        listing = text(await self.ask("for-each-ref", "--format=%(objectname) %(refname)", *folders))
        return {name: to for to, _, name in (line.partition(" ") for line in listing.splitlines())}

    async def move(self, changes: Iterable[Change]) -> None:
        """Change refs all together or not at all; raises `GitFailedError`.  The caller holds `turn`."""
        lines = b"".join(change.line() for change in changes)
        if lines:
            await self.change("update-ref", "--stdin", "-z", given=lines)

    async def branch(self, goal: GoalId) -> CommitId:
        """Return where the goal's branch is; raises `MissingError`."""
        at = await self.ref(ref_names.goal_ref(goal))
        if at is None:
            raise MissingError(f"{self.top} has no branch {goal_branch(goal)}")
        return at

    # --- commits

    async def tree(self, commit: str) -> TreeId:
        """Return the tree of a commit; raises `MissingError`."""
        tree = await self._verified(f"{commit}^{{tree}}")
        if tree is None:
            raise MissingError(f"{self.top} has no commit {commit}")
        return TreeId(tree)

    async def _verified(self, name: str) -> CommitId | None:
        """Resolve a name.  A git that could not look says nothing about whether there is such a thing."""
        words = ("rev-parse", "--verify", "--quiet", name)
        finished = await self.git.run(self.common, *words)
        if finished.code not in {0, ABSENT_CODE}:
            raise GitFailedError(words, finished)
        return CommitId(text(finished.stdout).strip()) if finished.code == 0 else None

    async def contains(self, commit: str, ancestor: str) -> bool:
        """Tell whether `ancestor` is `commit` or lies in its past."""
        return await self.git.tells(self.common, "merge-base", "--is-ancestor", ancestor, commit)

    async def changed(self, old: str, new: str) -> tuple[str, ...]:
        """List the paths that differ between two commits or trees, sorted; a rename is both of its paths."""
        found = await self.ask("diff-tree", "-r", "-z", "--no-renames", "--name-only", "--no-commit-id", old, new)
        return tuple(sorted(entries(found)))


async def locate(git: Git, path: Path) -> tuple[Path, Path]:
    """Return the canonical paths of a checkout and of its common directory; raises `GitFailedError`."""
    top = await git.ask(path, "rev-parse", "--path-format=absolute", "--show-toplevel")
    common = await git.ask(path, "rev-parse", "--path-format=absolute", "--git-common-dir")
    return _canonical(top), _canonical(common)


def _canonical(line: bytes) -> Path:
    return Path(text(line.removesuffix(b"\n"))).resolve()


class Repositories:
    """The repositories met so far: all checkouts of one share its turn.

    What a repository's own configuration asks of harnd is read again when that file has been written.
    """

    def __init__(self, git: Git) -> None:
        self._git = git
        self._met: dict[str, Met] = {}
        self._turns: dict[Path, anyio.Lock] = {}

    async def at(self, path: str) -> Repository:
        """Find the repository of a checkout; raises `MissingError` when there is none."""
        known = self._met.get(path)
        top, common = (known.repository.top, known.repository.common) if known else await self._locate(path)
        written = files.written_at(common / "config")
        if known is None or known.written != written:
            known = self._met[path] = Met(await self._read(top, common), written)
        return known.repository

    async def _locate(self, path: str) -> tuple[Path, Path]:
        try:
            return await locate(self._git, Path(path))
        except GitFailedError as error:
            raise MissingError(f"no repository at {path}: {error.stderr.strip()}") from error

    async def _read(self, top: Path, common: Path) -> Repository:
        only = await pointers.without_git_lfs(self._git, common)
        turn = self._turns.setdefault(common, anyio.Lock())
        return Repository(self._git, top=top, common=common, turn=turn, pointers_only=only)


class Met(NamedTuple):
    """A repository, and when the configuration was written that it was met with."""

    repository: Repository
    written: int
