"""Collecting: what lies in a job's directory once its worker has ended.

The worker ran as the same user and may have done anything.  Every name is looked at from its folder's descriptor and
none is followed; only a plain file that has one name is opened, and never more of it read than counts.
"""

import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from harnd.adapters.review_jobs.layout import OUT, PROMPT, place_of, touched_in
from harnd.ports.review_jobs import Collected, JobDirectory, NoOutput
from harnd.ports.workspace import storable
from protocol import bounds
from protocol.ids import Digest

_DEEPEST: Final = 20  # folders in one another that are looked into
_MOST: Final = 10_000  # entries that are looked at; far fewer are told
_READING: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC


class _Entry(NamedTuple):
    """What is compared of a path."""

    mode: int
    content: str = ""  # of the prompt, its digest; nothing else is read


class _Found(NamedTuple):
    path: str
    name: str
    status: os.stat_result
    folder: int  # descriptor of the folder that it is in


def collect(home: Path, job: JobDirectory, prompt: Digest) -> Collected:
    """Take the output as it is, and say what else differs from a job that was prepared with this prompt."""
    output, found = Collected(None, lack=NoOutput.MISSING), dict[str, _Entry]()
    for each in _entries(home):
        if each.path == place_of(job):
            output = _output(each)
        else:
            found[storable(each.path)] = _entry(each)
    prepared = {
        ".": _Entry(stat.S_IFDIR | 0o700),
        PROMPT: _Entry(stat.S_IFREG | 0o400, prompt),
        OUT: _Entry(stat.S_IFDIR | 0o700),
    }
    return Collected(output.content, output.size, output.lack, touched_in(prepared, found))


def _entry(found: _Found) -> _Entry:
    read = found.path == PROMPT and _unfit(found.status) is None
    return _Entry(found.status.st_mode, _digest(found) if read else "")


def _entries(home: Path) -> Iterator[_Found]:
    """Yield everything in a directory, itself as `.`; what goes meanwhile is not there."""
    above = os.open(home.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(FileNotFoundError):
            yield _Found(".", home.name, os.lstat(home.name, dir_fd=above), above)
            yield from _inside(above, home.name, "", iter(range(_MOST)))
    finally:
        os.close(above)


def _inside(above: int, name: str, path: str, left: Iterator[int]) -> Iterator[_Found]:
    folder = _opened(above, name)
    if folder is None:
        return
    try:
        with os.scandir(folder) as listing:
            names = sorted(entry.name for _, entry in zip(left, listing, strict=False))
        for each in names:
            with suppress(FileNotFoundError):
                status = os.lstat(each, dir_fd=folder)
                yield _Found(f"{path}{each}", each, status, folder)
                if stat.S_ISDIR(status.st_mode) and path.count("/") < _DEEPEST:
                    yield from _inside(folder, each, f"{path}{each}/", left)
    finally:
        os.close(folder)


def _opened(above: int, name: str) -> int | None:
    """Open a folder, also one that its owner may not look into; None when it is none, or not ours."""
    try:
        return os.open(name, _READING | os.O_DIRECTORY, dir_fd=above)
    except PermissionError:
        with suppress(OSError):
            # It was a folder a moment ago, and its worker has ended: nobody puts a link in its place.
            os.chmod(name, 0o700, dir_fd=above)
            return os.open(name, _READING | os.O_DIRECTORY, dir_fd=above)
    except OSError:
        pass
    return None


def _output(found: _Found) -> Collected:
    lack = _unfit(found.status)
    if lack is not None:
        return Collected(None, lack=lack)
    try:
        # Not to be held up by what took the file's place since it was looked at.
        descriptor = os.open(found.name, _READING | os.O_NONBLOCK, dir_fd=found.folder)
    except OSError:
        return Collected(None, lack=NoOutput.UNREADABLE)
    with open(descriptor, "rb", buffering=0) as file:  # noqa: PTH123 -- of a descriptor
        before = os.fstat(descriptor)
        if (lack := _unfit(before)) is not None:
            return Collected(None, lack=lack)
        content = b"".join(chunks(file.read, bounds.ANSWER_BYTES + 1))
        after = os.fstat(descriptor)
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        return Collected(None, lack=NoOutput.UNSETTLED)
    return Collected(content, after.st_size)


def _unfit(status: os.stat_result) -> NoOutput | None:
    if stat.S_ISLNK(status.st_mode):
        return NoOutput.LINK
    if not stat.S_ISREG(status.st_mode):
        return NoOutput.NOT_A_FILE
    return NoOutput.SHARED if status.st_nlink > 1 else None


def _digest(found: _Found) -> str:
    if found.status.st_size > 4 * bounds.REVIEW_PROMPT_BYTES:
        return "larger than any prompt"
    try:
        descriptor = os.open(found.name, _READING | os.O_NONBLOCK, dir_fd=found.folder)
    except OSError:
        return "unreadable"
    with open(descriptor, "rb", buffering=0) as file:  # noqa: PTH123 -- of a descriptor
        return hashlib.sha256(b"".join(chunks(file.read, 4 * bounds.REVIEW_PROMPT_BYTES))).hexdigest()


def chunks(read: Callable[[int], bytes | None], most: int) -> Iterator[bytes]:
    """Read on until there is no more, or as much as is wanted."""
    while most > 0 and (chunk := read(most)):
        most -= len(chunk)
        yield chunk
