"""Writing: longer words of a person, from the command line, a pipe or their editor."""

import shlex
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from harnctl.commands.editor import edit
from harnctl.console import Console
from harnctl.failures import Failure
from harnctl.render.sanitise import Lines, sanitise

PIPED: Final = "-"
COMMENT: Final = "#"
EXPLAINED: Final = "Lines that begin with # are left out; an empty text changes nothing."


def words(
    console: Console, given: str | None, *, about: str, again: tuple[str, ...], option: str = "--guidance"
) -> str:
    """Return what the person has to say: as given, from standard input for `-`, else from their editor.

    `again` is the command to type where nobody can be asked, up to the words that are missing.
    """
    if given is None and console.is_interactive:
        return edited(console, about=about)
    text = console.stdin.read() if given == PIPED else given
    if text is None or not text.strip():
        piped = f", or {option} - and the text on standard input" if option != "--finding" else ""
        raise Failure("usage", f"{about}: give {option} TEXT{piped}", fix=shlex.join((*again, option, "TEXT")))
    return text.strip()


def edited(console: Console, *, about: str) -> str:
    """Open the person's editor and return what they wrote; an empty text takes everything back."""
    with draft(about=about) as file:
        edit(console, file)
        return written_in(file)


@contextmanager
def draft(*, about: str, text: str = "") -> Generator[Path]:
    """Make a file to write in, with what was written before, for the length of the block."""
    with tempfile.TemporaryDirectory(prefix="harnctl-") as directory:
        file = Path(directory) / "words.md"
        file.write_text(f"{text}\n{commented(about)}\n{commented(EXPLAINED)}\n", encoding="utf-8")
        yield file


def written_in(file: Path) -> str:
    """Return the words in a draft; raises `Failure` when there are none."""
    text = "\n".join(line for line in _read(file).splitlines() if not line.startswith(COMMENT)).strip()
    if not text:
        raise Failure("decision.declined", "nothing was written, so nothing was changed")
    return text


def commented(text: str) -> str:
    """Make a comment of a text, which may be a planner's question: no line of it is taken for the person's words."""
    return "\n".join(f"{COMMENT} {line}" for line in sanitise(text, Lines.MANY).splitlines())


def _read(draft: Path) -> str:
    try:
        return draft.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:  # words are sent as they were written, or not at all
        raise Failure("decision.declined", "what was written is not UTF-8, so nothing was changed") from error
    except OSError:  # the editor took the file away
        return ""
