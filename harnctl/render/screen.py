"""The screen: what the place that text goes to can show.

Four facts that do not follow from one another: how wide it is, whether colour is wanted, whether it can spell more
than ASCII, and whether a person sits at it.  `NO_COLOR` says nothing about the person (https://no-color.org), and an
empty variable counts as one that is not set.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self, TextIO

FLOOR: Final = 20  # columns; laid out for that many when there are fewer
USUAL: Final = 80  # of a terminal that does not know
UNBOUNDED: Final = 1_000  # columns of a file or a pipe: whoever reads it wants whole lines
DIGITS: Final = 5  # of a width; what has more is none
PROBE: Final = "●…"


@dataclass(frozen=True)
class Screen:
    """What output is laid out for."""

    columns: int = USUAL
    colour: bool = False
    unicode: bool = True
    cells: bool = False  # drawn cell by cell, so that every character must have a width of its own

    @classmethod
    def of(cls, stream: TextIO, environ: Mapping[str, str]) -> Self:
        """Look at a stream and at what the person asked for."""
        wanted = not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
        return cls(
            columns=columns_of(stream, environ),
            colour=stream.isatty() and wanted,
            unicode=can_spell(stream.encoding) and not speaks_ascii(environ),
        )

    @property
    def is_too_small(self) -> bool:
        """Tell whether a table of two short columns has no room."""
        return self.columns < FLOOR


def columns_of(stream: TextIO, environ: Mapping[str, str]) -> int:
    """Return how many columns a stream has: as the person says, as the terminal says, or as many as are wanted."""
    said = environ.get("COLUMNS", "")
    if said.isdecimal() and len(said) <= DIGITS and int(said):
        return int(said)
    if not stream.isatty():
        return UNBOUNDED
    try:
        return os.get_terminal_size(stream.fileno()).columns or USUAL
    except OSError:
        return USUAL


def speaks_ascii(environ: Mapping[str, str]) -> bool:
    """Tell whether the person named a locale that has ASCII only; Python writes UTF-8 in it all the same."""
    if environ.get("PYTHONUTF8") == "1" or environ.get("PYTHONIOENCODING"):
        return False
    named = environ.get("LC_ALL") or environ.get("LC_CTYPE") or environ.get("LANG") or ""
    return named in {"C", "POSIX"}


def can_spell(encoding: str | None) -> bool:
    """Tell whether an encoding has the marks that harnctl draws."""
    try:
        PROBE.encode(encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True
