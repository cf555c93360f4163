"""Files and directories, where git has no say: removed whole, renamed to the next free name, found still in use.

These calls block for as long as a disk takes; `remove_tree` is the one to run in a thread.
"""

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

BLOCK: Final = 512  # bytes in which the system counts what a file takes
LINK: Final = "120000"  # git's mode of a symbolic link


def exists(path: Path) -> bool:
    """Tell whether anything lies at `path`, a dangling link included."""
    return os.path.lexists(path)


def is_directory(path: Path) -> bool:
    """Tell whether `path` is a directory, and no link to one."""
    return path.is_dir() and not path.is_symlink()


def leads_to_directory(path: Path) -> bool:
    """Tell whether `path` is a directory or a link to one."""
    return path.is_dir()


def is_empty(path: Path) -> bool:
    """Tell whether there is no directory at `path`, or nothing in it."""
    return not is_directory(path) or not any(path.iterdir())


def content(path: Path) -> bytes:
    """Read a file; one that is not there is empty."""
    return path.read_bytes() if path.is_file() else b""


def written_at(path: Path) -> int:
    """Return when a file was last written, in nanoseconds of its own clock; 0 when it is not there."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def mode(path: Path) -> str:
    """Return the mode that git has for the file or link at `path`; empty when there is nothing that could be read."""
    try:
        status = path.lstat()
    except OSError:
        return ""
    if stat.S_ISLNK(status.st_mode):
        return LINK
    if not stat.S_ISREG(status.st_mode) or not os.access(path, os.R_OK):
        return ""
    return "100755" if status.st_mode & stat.S_IXUSR else "100644"


def rename(path: Path, to: Path) -> None:
    """Rename a file or directory, replacing a file."""
    path.replace(to)


def set_aside(path: Path, name: str) -> None:
    """Rename what lies at `path` to the first free of `<name>-1`, `<name>-2` and so on (a path without the number)."""
    number = 1
    while exists(Path(f"{name}-{number}")):
        number += 1
    path.rename(f"{name}-{number}")


def within(path: Path, folder: str) -> tuple[str, ...]:
    """List the files and links in `path/folder`, from `path` on, without what any `.git` in it holds."""
    found: list[str] = []
    for at, folders, names in os.walk(path / folder):
        links = [name for name in folders if Path(at, name).is_symlink()]
        folders[:] = [name for name in folders if name != ".git"]
        found += [str(Path(at, name).relative_to(path)) for name in (*links, *names) if name != ".git"]
    return tuple(sorted(name for name in found if _is_content(path / name)))


def _is_content(path: Path) -> bool:
    try:
        kind = path.lstat().st_mode
    except FileNotFoundError:  # it went meanwhile
        return False
    return stat.S_ISREG(kind) or stat.S_ISLNK(kind)


def weight(path: Path) -> int:
    """Add up what a directory takes on the disk, as far as it can be read; nothing when there is none."""
    total = 0
    for folder, _, names in os.walk(path):
        for each in (Path(folder), *(Path(folder, name) for name in names)):
            with suppress(OSError):  # it went meanwhile
                total += each.lstat().st_blocks * BLOCK
    return total


def remove_tree(path: Path) -> None:
    """Remove a directory with everything in it; read-only directories, such as a module cache's, are no obstacle."""
    try:
        shutil.rmtree(path)
    except FileNotFoundError:
        return
    except NotADirectoryError:
        path.unlink()
    except PermissionError:
        _make_writable(path)
        shutil.rmtree(path)


def _make_writable(path: Path) -> None:
    path.chmod(0o700)
    for folder, folders, _ in os.walk(path):
        for name in folders:
            inner = Path(folder, name)
            if not inner.is_symlink():  # chmod would reach what it points to
                inner.chmod(0o700)


def processes_inside(path: Path) -> tuple[int, ...]:
    """List the processes whose working directory lies in `path`, as far as Linux tells this user.

    git and its hooks stay in the worktree that they work on, so nobody inside means that no lock there is in use.
    """
    found: list[int] = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is somebody else's
            if (entry / "cwd").readlink().is_relative_to(path):
                found.append(int(entry.name))
    return tuple(sorted(found))
