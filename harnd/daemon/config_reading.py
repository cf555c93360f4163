"""Reading the configuration file: from a path to what it says, or to everything that is wrong with it.

A file that nobody named need not be there.  Whatever is there and cannot be read is a problem and never "no file".
"""

import os
import stat
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from harnd.domain.files.config_file import ConfigFile, read_config
from harnd.domain.problem import Problem
from protocol.bounds import PERSON_FILE_BYTES


@dataclass(frozen=True, slots=True)
class Read:
    """What was found at a path."""

    file: ConfigFile
    found: bool
    problems: tuple[Problem, ...] = ()


def read_file(path: Path, *, must_exist: bool) -> Read:
    """Read a configuration file."""
    nothing = ConfigFile({})
    try:
        content = _content(path)
    except FileNotFoundError:
        problem = Problem("file.missing", "", "is not there, expected the configuration", file=str(path))
        return Read(nothing, found=False, problems=(problem,) if must_exist or path.is_symlink() else ())
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        return Read(nothing, found=True, problems=(Problem("file.unreadable", "", message, file=str(path)),))
    said = read_config(str(path), content, reader=f"harnd {version('harnd')} ({sys.executable})")
    return Read(said, found=True) if isinstance(said, ConfigFile) else Read(nothing, found=True, problems=tuple(said))


def _content(path: Path) -> bytes:
    """Read a byte more than a file may have, so that one with too many is known as that."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # a pipe must not keep the daemon waiting
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise OSError(f"it is {_kind(mode)}, expected a file")
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(PERSON_FILE_BYTES + 1)
    finally:
        os.close(descriptor)


def _kind(mode: int) -> str:
    return "a directory" if stat.S_ISDIR(mode) else "no file"
