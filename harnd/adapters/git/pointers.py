"""Pointers: what git-lfs leaves of a large file where its content is not, a few lines that name it.

A worktree holds pointers where git-lfs was told not to fetch, or where the repository goes without git-lfs altogether:
`harnd.lfsPointers` in its configuration.  Then nothing is run for these files, they are checked out and recorded as
what git has, and a recording that would put whole content in a pointer's place is refused: no clone with git-lfs could
make sense of it.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from anyio import to_thread

from harnd.adapters.git.command import Git, text

SETTING: Final = "harnd.lfsPointers"
FILTER: Final = "lfs"
WITHOUT: Final = {  # over any configuration: git runs nothing for the filter's files, and misses nothing
    f"filter.{FILTER}.process": "",
    f"filter.{FILTER}.clean": "",
    f"filter.{FILTER}.smudge": "",
    f"filter.{FILTER}.required": "false",
}
BEGINNING: Final = b"version https://git-lfs.github.com/spec/"
LARGEST: Final = 1024  # bytes: by git-lfs's specification every pointer is smaller


async def without_git_lfs(git: Git, common: Path) -> bool:
    """Tell whether the repository's own configuration asks to go without git-lfs; what is no truth value does not."""
    words = ("config", "--file", str(common / "config"), "--type=bool", "--get", SETTING)
    finished = await git.run(common, *words)
    return finished.code == 0 and text(finished.stdout).strip() == "true"


async def among(path: Path, names: Iterable[str]) -> tuple[str, ...]:
    """List which of these files of the worktree at `path` are pointers, sorted."""
    return await to_thread.run_sync(lambda: tuple(sorted(name for name in names if _is_pointer(path / name))))


def _is_pointer(file: Path) -> bool:
    try:
        if file.is_symlink() or file.stat().st_size >= LARGEST:
            return False
        with file.open("rb") as opened:
            return opened.read(len(BEGINNING)) == BEGINNING
    except OSError:  # it is not there, or is no file
        return False
