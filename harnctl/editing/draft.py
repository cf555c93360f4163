"""Drafts: a file in which a person writes longer words, the editor that is theirs, and how its end is taken.

Whoever opens the editor runs it in its own way; everything else about it is the same and is here.
"""

import os
import shlex
import stat
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from harnctl.failures import Failure
from harnctl.render.sanitise import Lines, sanitise

USUAL: Final = "vi"
COMMENT: Final = "#"
EXPLAINED: Final = "Lines that begin with # are left out; an empty text changes nothing."


@contextmanager
def draft(*, about: str | None, text: str = "") -> Generator[Path]:
    """Make a file to write in, with what was written before, for the length of the block; raises `Failure`."""
    below = "" if about is None else f"\n{commented(about)}\n{commented(EXPLAINED)}\n"
    try:
        directory = tempfile.TemporaryDirectory(prefix="harnctl-")
        file = Path(directory.name) / ("plan.toml" if about is None else "words.md")
        file.write_text(f"{text}{below}", encoding="utf-8")
    except OSError as error:
        said = f"no file can be made to write in: {error.strerror or error}"
        raise Failure("file.unwritable", said, fix="set TMPDIR") from error
    with directory:
        yield file


def command_of(environ: Mapping[str, str], file: Path) -> list[str]:
    """Return the command that opens the person's editor on a file; raises `Failure`."""
    return [*editor_of(environ), os.fspath(file)]


def editor_of(environ: Mapping[str, str]) -> list[str]:
    """Return the words of the person's editor, which may come with options; raises `Failure`."""
    for name in ("VISUAL", "EDITOR"):
        try:
            words = shlex.split(environ.get(name, ""))
        except ValueError as error:
            raise Failure("usage", f"{name} cannot be read as a command: {error}", fix=f"set {name}") from error
        if words:
            return words
    return [USUAL]


def not_started(command: list[str], error: OSError) -> Failure:
    """Say why the editor does not start."""
    said = f"the editor {command[0]} does not start: {error.strerror or error}"
    return Failure("usage", said, fix="set EDITOR")


def failed(code: int) -> Failure:
    """Say that the editor failed."""
    return Failure("decision.declined", f"the editor ended with {code}, so nothing was changed")


def written_in(file: Path, *, whole: bool = False) -> str:
    """Return the words in a draft, or the whole of it; raises `Failure` when there are none."""
    read = _read(file)
    text = "\n".join(line for line in read.splitlines() if not line.startswith(COMMENT)).strip()
    if whole and read.strip():
        return read
    if not text:
        raise Failure("decision.declined", "nothing was written, so nothing was changed")
    return text


def commented(text: str) -> str:
    """Make a comment of a text, which may be a planner's question: no line of it is taken for the person's words."""
    return "\n".join(f"{COMMENT} {line}" for line in sanitise(text, Lines.MANY).splitlines())


def _read(draft: Path) -> str:
    try:
        # An editor may leave anything under the name; a pipe would hold us up for ever.
        descriptor = os.open(draft, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
        with os.fdopen(descriptor, encoding="utf-8") as file:
            return file.read() if stat.S_ISREG(os.fstat(descriptor).st_mode) else ""
    except UnicodeDecodeError as error:  # words are sent as they were written, or not at all
        raise Failure("decision.declined", "what was written is not UTF-8, so nothing was changed") from error
    except OSError:  # the editor took the file away
        return ""
