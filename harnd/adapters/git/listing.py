"""Listings: every path in a checkout with what lies there, for whoever must find out what a process did to it.

git is not asked: it passes over what is ignored, and a process can hide a file from it.  Rights count as they are on
the disk.  The checkout's own `.git` is an entry, and nothing in it is listed; where HEAD is, is read where the
repository keeps it.  Of a commit, some paths can be digested without a checkout.
"""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from anyio import to_thread

from harnd.adapters.git import files, worktrees
from harnd.adapters.git.command import entries, text
from harnd.adapters.git.repository import Repository
from harnd.adapters.git.surroundings import mark
from harnd.domain.digest import digest_of_bytes
from harnd.ports.errors import MissingError
from harnd.ports.workspace import Listing, storable
from protocol.ids import CommitId, Digest

_HEAD_CHARS: Final = 500
_REF: Final = "ref: "


async def look(repository: Repository, path: Path) -> Listing:
    """List the checkout at `path`; raises `MissingError`."""
    return await to_thread.run_sync(_look, repository, path)


async def digests(repository: Repository, commit: CommitId, paths: tuple[str, ...]) -> dict[str, Digest | None]:
    """Digest what a commit holds at some paths."""
    await repository.tree(commit)
    listed = await repository.ask("--literal-pathspecs", "ls-tree", "-z", "--full-tree", commit, "--", *paths)
    found: dict[str, Digest | None] = {}
    for entry in entries(listed):
        words, _, path = entry.partition("\t")
        mode, kind, name = words.split(" ")
        plain = kind == "blob" and mode != files.LINK
        found[path] = digest_of_bytes(await repository.ask("cat-file", "blob", name)) if plain else None
    return found


def _look(repository: Repository, path: Path) -> Listing:
    if not files.is_directory(path):
        raise MissingError(f"the checkout {path} is gone")
    found = ((storable(str(each.relative_to(path))), each) for each in _everything(path))
    return Listing(_head(repository, path), tuple(sorted((name, _digest(each)) for name, each in found)))


def _head(repository: Repository, path: Path) -> str:
    """Read where a checkout stands; empty when the repository does not know it any more."""
    try:
        words = files.content(worktrees.administration(repository, path) / "HEAD")
    except MissingError:
        return ""
    return storable(text(words[:_HEAD_CHARS]).strip().removeprefix(_REF))


def _everything(path: Path) -> Iterator[Path]:
    yield path
    for at, folders, names in os.walk(path):
        yield from (Path(at, name) for name in (*folders, *names))
        if Path(at) == path:
            folders[:] = [name for name in folders if name != ".git"]


def _digest(path: Path) -> Digest:
    return Digest(hashlib.sha256(mark(path)).hexdigest())
