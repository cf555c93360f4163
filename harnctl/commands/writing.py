"""Writing: longer words of a person, from the command line, a pipe or their editor."""

import shlex
from typing import Final

from harnctl.console import Console
from harnctl.editing.terminal import edited
from harnctl.failures import Failure

PIPED: Final = "-"


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


def lines(console: Console, *, about: str, again: tuple[str, ...], option: str) -> list[str]:
    """Return what the person writes, a thing a line; where there is no terminal, `option` is to be given for each."""
    text = words(console, None, about=f"{about}, a line each", again=again, option=option)
    return [line.strip() for line in text.splitlines() if line.strip()]
