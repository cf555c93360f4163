"""Surroundings: everything about a repository that an attempt must leave alone, in digests that can be compared.

Refs are all but the attempts' branches and harnd's own; configuration is every file of the common directory that tells
git what to do; hooks are the default directory and the configured one; the operator's checkout is its HEAD and the
state and contents of every file that differs from it.  Ignored files, and other checkouts of the operator's, are not
looked at.
"""

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from anyio import to_thread

from harnd.adapters.git import ref_names
from harnd.adapters.git.command import entries, text
from harnd.adapters.git.recording import hooks_path
from harnd.adapters.git.repository import Repository
from harnd.ports.workspace import Surroundings
from protocol.ids import Digest

CONFIGURATION: Final = ("config", "config.worktree", "info/attributes", "info/exclude", "info/grafts")
HOOK_FILES: Final = 2_000  # of a hooks directory that are looked at; past that, somebody pointed it at a whole disk
HASHED_BYTES: Final = 64 * 1024 * 1024  # a larger file is known by its size and times

# What precedes the path in an entry of `git status --porcelain=v2`, in words.
_WORDS_BEFORE_PATH: Final = {"1": 8, "u": 10, "?": 1}
_HEADER: Final = "# "  # of lines about no file, which a repository's settings can ask for


async def look(repository: Repository) -> Surroundings:
    """Look at the surroundings as they are."""
    refs = await foreign_refs(repository)
    top, common = repository.top, repository.common
    hooks = top / await hooks_path(repository)
    status = await _status(repository)
    return Surroundings(
        refs=tuple(sorted(refs.items())),
        config=await to_thread.run_sync(_digest, [common / name for name in CONFIGURATION]),
        hooks=await to_thread.run_sync(_digest_folders, [common / "hooks", hooks]),
        head=await _head(repository),
        edited=await to_thread.run_sync(_edited, top, status),
    )


async def foreign_refs(repository: Repository) -> dict[str, str]:
    """List the refs that are neither attempts' branches nor harnd's own."""
    return {
        name: at
        for name, at in (await repository.refs()).items()
        if not name.startswith((ref_names.ATTEMPT_BRANCHES, ref_names.OWN))
    }


async def _head(repository: Repository) -> str:
    finished = await repository.git.run(repository.top, "symbolic-ref", "--quiet", "HEAD")
    if finished.code == 0:
        return text(finished.stdout).strip()
    return text(await repository.git.ask(repository.top, "rev-parse", "HEAD")).strip()


async def _status(repository: Repository) -> bytes:
    words = ("status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames")
    # Not into submodules: git would start there with that repository's own settings.
    return await repository.git.ask(repository.top, *words, "--ignore-submodules=dirty")


def _path(entry: str) -> str:
    return entry.split(" ", _WORDS_BEFORE_PATH[entry[0]])[-1]


def _edited(top: Path, status: bytes) -> tuple[tuple[str, Digest], ...]:
    listed = [entry for entry in entries(status) if not entry.startswith(_HEADER)]
    return tuple((path, _digest_entry(entry, top / path)) for entry in listed for path in [_path(entry)])


def _digest_entry(entry: str, path: Path) -> Digest:
    return Digest(hashlib.sha256(os.fsencode(entry) + b"\0" + mark(path)).hexdigest())


def _digest_folders(folders: list[Path]) -> Digest:
    return _digest([path for folder in dict.fromkeys(folders) for path in _files(folder)])


def _files(folder: Path) -> list[Path]:
    def walk() -> Iterator[Path]:
        for at, inner, files in os.walk(folder):
            inner.sort()
            yield from (Path(at, name) for name in sorted(files))

    return [path for path, _ in zip(walk(), range(HOOK_FILES), strict=False)]


def _digest(paths: list[Path]) -> Digest:
    whole = hashlib.sha256()
    for path in paths:
        whole.update(os.fsencode(path) + b"\0" + mark(path) + b"\0")
    return Digest(whole.hexdigest())


def mark(path: Path) -> bytes:
    """Say what a file is: its kind and permissions, and its content if it has one."""
    try:
        status = path.lstat()
        mode = f"{status.st_mode:o}".encode()
        if stat.S_ISLNK(status.st_mode):
            return mode + os.fsencode(path.readlink())
        if not stat.S_ISREG(status.st_mode):
            return mode
        if status.st_size > HASHED_BYTES:
            return mode + f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}".encode()
        return mode + hashlib.sha256(path.read_bytes()).digest()
    except OSError as error:
        return b"unreadable" if not isinstance(error, FileNotFoundError) else b"absent"
