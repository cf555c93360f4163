"""The files of a goal, as the person wrote them: read, and sent as bytes.

Only so much is parsed here as it takes to find them.  Whether they are right is the daemon's to say, which finds all
problems at once; a file that is named and not there is one of them.
"""

import errno
import os
import stat
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from msgspec import Struct

from harnctl.failures import Failure
from protocol.bounds import PERSON_FILE_BYTES


class Gathered(Struct, frozen=True):
    """A goal's files by the names they go by in it."""

    main: str
    directory: str  # absolute; the names are meant from here
    files: dict[str, bytes]


def gather(file: Path) -> Gathered:
    """Read a goal's file and those it names; raises `Failure` when one of them is there and cannot be read."""
    directory = absolute(file).parent
    files = {file.name: read(file, name=str(file))}
    for name in _named(files[file.name]):
        if name not in files and _is_there(directory / name):
            files[name] = read(directory / name, name=str(file.parent / name))
    return Gathered(main=file.name, directory=str(directory), files=files)


def _named(content: bytes) -> Iterator[str]:
    """Yield the names under `team` and `templates`; none when the text is not what it should be."""
    try:
        written = tomllib.loads(content.decode().removeprefix("\ufeff"))
    except (ValueError, RecursionError):  # no text, no TOML, a number of thousands of digits, or nested too deeply
        return
    templates = written.get("templates")
    for name in (written.get("team"), *(cast("list[object]", templates) if isinstance(templates, list) else ())):
        if isinstance(name, str):
            yield name


def absolute(path: Path) -> Path:
    """Make a path absolute; raises `Failure` when it starts from a directory that is gone."""
    try:
        return path.absolute()
    except FileNotFoundError as error:
        raise Failure("directory.gone", "the current directory is not there any more", fix="cd to another") from error


def _is_there(path: Path) -> bool:
    """Tell whether something is there, or may be; a name that is too long for a file names none."""
    try:
        return path.exists()
    except OSError as error:
        return error.errno != errno.ENAMETOOLONG  # of any other reason `read` tells


def read(path: Path, *, name: str) -> bytes:
    """Read a file up to just past the bound, so that the daemon sees that it is too long; raises `Failure`."""
    try:
        # Without waiting: a pipe that nobody writes to would be waited for while it is opened.
        with open(path, "rb", opener=_at_once) as opened:
            if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
                raise Failure("file.unreadable", f"{name} cannot be read: it is no regular file")
            return opened.read(PERSON_FILE_BYTES + 1)
    except OSError as error:
        raise Failure("file.unreadable", f"{name} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise Failure("file.unreadable", f"{name!r} cannot be read: no file has such a name") from error


def _at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)
