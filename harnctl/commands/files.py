"""The files of a goal, as the person wrote them: read, and sent as bytes.

Only so much is parsed here as it takes to find them.  Whether they are right is the daemon's to say, which finds all
problems at once; a file that is named and not there is one of them.
"""

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
    directory = file.absolute().parent
    files = {file.name: _read(file, name=str(file))}
    for name in _named(files[file.name]):
        if name not in files and (directory / name).is_file():
            files[name] = _read(directory / name, name=str(file.parent / name))
    return Gathered(main=file.name, directory=str(directory), files=files)


def _named(content: bytes) -> Iterator[str]:
    """Yield the names under `team` and `templates`; none when the text is not what it should be."""
    try:
        written = tomllib.loads(content.decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        return
    templates = written.get("templates")
    for name in (written.get("team"), *(cast("list[object]", templates) if isinstance(templates, list) else ())):
        if isinstance(name, str):
            yield name


def _read(path: Path, *, name: str) -> bytes:
    """Read a file up to just past the bound, so that the daemon sees that it is too long."""
    try:
        with path.open("rb") as opened:
            return opened.read(PERSON_FILE_BYTES + 1)
    except OSError as error:
        raise Failure("file.unreadable", f"{name} cannot be read: {error.strerror}") from error
