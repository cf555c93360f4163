"""Worktrees: directories of attempts, made whole or not at all, and found again after a crash.

git marks a worktree as locked by "initializing" until its checkout is complete; one that still is when nobody else can
be writing was cut short, and is made anew.  Registrations are removed one by one, never by `git worktree prune`: a
worktree of the operator's may be missing only because a disk is not mounted.
"""

import os
from pathlib import Path
from typing import Final, NamedTuple

from anyio import to_thread

from harnd.adapters.git import files, ref_names
from harnd.adapters.git.command import text
from harnd.adapters.git.repository import Repository
from harnd.ports.errors import MissingError, UnavailableError
from harnd.ports.workspace import Place
from protocol.ids import CommitId

INITIALIZING: Final = "initializing"


class Registered(NamedTuple):
    """A worktree as the repository knows it; its directory may be gone."""

    path: Path
    branch: str  # the full ref name; empty when detached
    lock: str | None  # why it is locked; None when it is not


async def registered(repository: Repository) -> list[Registered]:
    """List all worktrees, the operator's checkout first."""
    listing = text(await repository.ask("worktree", "list", "--porcelain", "-z"))
    return [_read(record) for record in listing.split("\0\0") if record]


def _read(record: str) -> Registered:
    facts = {key: value for key, _, value in (line.partition(" ") for line in record.split("\0"))}
    return Registered(Path(facts["worktree"]).resolve(), facts.get("branch", ""), facts.get("locked"))


async def open_attempt(repository: Repository, place: Place, *, base: CommitId, path: Path) -> None:
    """Make the attempt's branch and its worktree at `path`, or what is missing of them; the caller holds the turn.

    Whatever an agent or a person did to what ties its files to the repository, the files stay.  Raises
    `UnavailableError` when the branch is checked out somewhere else.
    """
    if files.exists(_blank(path)):  # an adoption was cut short
        await remove(repository, _blank(path))
    known = {worktree.path: worktree for worktree in await registered(repository)}
    mine = known.get(path)
    if mine is not None and mine.lock != INITIALIZING and files.is_directory(path):
        if not files.exists(path / ".git"):
            link(path, administration(repository, path))
        return
    await _free(repository, place, list(known.values()), path=path)
    exists = await repository.ref(ref_names.attempt_ref(place)) is not None
    if mine is None and exists and files.is_directory(path):
        await adopt(repository, place, path)
        return
    if mine is None and files.exists(path):
        files.set_aside(path, f"{path}.aside")
    await remove(repository, path)
    start = await repository.ref(ref_names.recorded(place)) or base  # recorded, discarded, and then its end was lost
    where = [str(path), place.branch] if exists else ["-b", place.branch, "--no-track", str(path), start]
    await _add(repository, path, *where)


async def _free(repository: Repository, place: Place, known: list[Registered], *, path: Path) -> None:
    """Forget a registration elsewhere that claims the attempt's branch, if nothing is left of it."""
    for other in known:
        if other.branch == ref_names.attempt_ref(place) and other.path != path:
            if files.is_directory(other.path):
                raise UnavailableError(f"{place.branch} is checked out at {other.path}; it belongs at {path}")
            await _forget(repository, other.path)


async def open_checkout(repository: Repository, commit: CommitId, path: Path) -> None:
    """Make a clean detached checkout of exactly `commit` in place of whatever lies at `path`; needs the turn."""
    await repository.tree(commit)  # a missing commit is told as such, before the old checkout goes
    await remove(repository, path)
    await _add(repository, path, "--detach", str(path), commit)


async def _add(repository: Repository, path: Path, *where: str) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    await repository.change("worktree", "add", "--quiet", *where)


async def remove(repository: Repository, path: Path) -> None:
    """Remove a worktree's directory and its registration, as far as there are any; needs the turn."""
    await to_thread.run_sync(files.remove_tree, path)
    if any(worktree.path == path for worktree in await registered(repository)):
        await _forget(repository, path)


async def _forget(repository: Repository, path: Path) -> None:
    await repository.change("worktree", "remove", "--force", "--force", str(path))  # twice: even when it is locked


async def adopt(repository: Repository, place: Place, path: Path) -> None:
    """Register a directory whose registration was lost as the attempt's worktree again, files untouched."""
    blank = _blank(path)
    await remove(repository, blank)
    await _add(repository, path, "--no-checkout", str(blank), place.branch)
    files.rename(blank / ".git", path / ".git")
    await repository.change("worktree", "repair", str(path))
    await to_thread.run_sync(files.remove_tree, blank)


def _blank(path: Path) -> Path:
    return Path(f"{path}.blank")


def link(path: Path, administered: Path) -> None:
    """Write the file that ties a worktree to the directory in which the repository administers it."""
    (path / ".git").write_bytes(os.fsencode(f"gitdir: {administered}\n"))


def administration(repository: Repository, path: Path) -> Path:
    """Find the directory in which the repository keeps the worktree's HEAD and index; raises `MissingError`.

    The worktree's own `.git` file is not asked: an agent can write it.
    """
    for folder in (repository.common / "worktrees").glob("*"):
        back = folder / "gitdir"
        if back.is_file() and (folder / os.fsdecode(back.read_bytes()).strip("\n")).parent.resolve() == path:
            return folder
    raise MissingError(f"{path} is no worktree of {repository.top}")
