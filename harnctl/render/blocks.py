"""Blocks: what a renderer says, before anybody knows how wide the screen is.

A renderer turns a reply into a sequence of blocks and is done; `layout` fits them to a screen and is the only place
that sanitises and paints.  A style adds emphasis and never carries a meaning of its own: every state is also a word.
"""

from enum import Enum

from msgspec import Struct


class Style(Enum):
    """How a piece of text stands out, as a parameter of the terminal's SGR sequence."""

    PLAIN = ""
    STRONG = "1"
    FAINT = "2"
    BAD = "31"
    GOOD = "32"
    ASKS = "33"  # waits for a person
    BUSY = "36"
    PICKED = "7"  # where the keys of a person are


class Span(Struct, frozen=True):
    """A piece of one line in one style."""

    text: str
    style: Style = Style.PLAIN


class Heading(Struct, frozen=True):
    """The name of what follows."""

    text: str


class Line(Struct, frozen=True):
    """One line of spans, side by side; what does not fit is cut."""

    spans: tuple[Span, ...]


class Paragraph(Struct, frozen=True):
    """Text of one or more lines, wrapped and indented."""

    text: str
    indent: int = 0
    style: Style = Style.PLAIN


class Fields(Struct, frozen=True):
    """Names and their values, one pair a line; a value wraps under itself."""

    pairs: tuple[tuple[str, str], ...]
    indent: int = 0


class Table(Struct, frozen=True):
    """Rows of cells under heads.  The last cell is a sentence and may be cut; the others are names and never are."""

    heads: tuple[str, ...]
    rows: tuple[tuple[Span, ...], ...]


class Verbatim(Struct, frozen=True):
    """What a process wrote, line by line, neither wrapped nor cut."""

    text: str
    style: Style = Style.PLAIN


class Command(Struct, frozen=True):
    """A command to type: whole and on one line, so that it works when pasted."""

    words: tuple[str, ...]
    why: str = ""  # a few words before it


class Gap(Struct, frozen=True):
    """An empty line."""


Block = Heading | Line | Paragraph | Fields | Table | Verbatim | Command | Gap


def command(*words: object, why: str = "") -> Command:
    """Name a command of harnctl by its words."""
    return Command(("harnctl", *map(str, words)), why)
