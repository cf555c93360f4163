"""Layout: blocks become lines of text for one screen.

This is the only way from a reply to a terminal, and it sanitises everything: widths are taken of what will be shown.
A table that has no room for its sentence puts it on a line of its own.  Commands are never wrapped or cut.
"""

import shlex
from collections.abc import Iterable, Iterator
from typing import Final, assert_never

from harnctl.render.blocks import Block, Command, Fields, Gap, Heading, Line, Paragraph, Span, Style, Table, Verbatim
from harnctl.render.cells import cut, pad, width, wrap
from harnctl.render.sanitise import Lines, sanitise
from harnctl.render.screen import FLOOR, Screen

GUTTER: Final = "  "
SENTENCE: Final = 16  # columns below which a sentence in a table says nothing
# Our own marks, and the punctuation that prose is full of, for a screen that cannot spell them.
ASCII: Final = str.maketrans(
    {"●": "*", "○": "o", "◌": ".", "✓": "+", "✗": "x", "·": "-", "→": "->", "…": "..."}
    | {"\u2013": "-", "\u2014": "-", "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00d7": "x"}
)
DEEPEST: Final = 8  # columns of indent, and of a name beside its value, on a narrow screen


def lay_out(blocks: Iterable[Block], screen: Screen) -> Iterator[str]:
    """Yield the lines of `blocks`, fitted to the screen; on one that is too small a first line says so."""
    if screen.is_too_small:
        yield cut("too small", screen.columns, end="")
        screen = Screen(columns=FLOOR, colour=screen.colour, unicode=screen.unicode)
    for block in blocks:
        yield from _lines(block, screen)


def _lines(block: Block, screen: Screen) -> Iterator[str]:
    match block:
        case Heading(text):
            yield from _paragraph(text, indent=0, style=Style.STRONG, screen=screen)
        case Line(spans):
            yield from _line(spans, screen)
        case Paragraph(text, indent, style):
            yield from _paragraph(text, indent=indent, style=style, screen=screen)
        case Fields(pairs, indent):
            yield from _fields(pairs, indent=indent, screen=screen)
        case Table():
            yield from _table(block, screen)
        case Verbatim(text):
            yield from shown(text, screen, Lines.MANY).split("\n")
        case Command(words, why):
            yield from _command(words, why=why, screen=screen)
        case Gap():
            yield ""
        case _:
            assert_never(block)


def shown(text: str, screen: Screen, lines: Lines = Lines.ONE) -> str:
    """Return a text as the screen will show it: nothing in it acts, and the marks we draw are spelt in its charset."""
    return sanitise(text if screen.unicode else text.translate(ASCII), lines)


def paint(span: Span, screen: Screen) -> str:
    """Write one span, in colour where that is wanted."""
    text = shown(span.text, screen)
    return f"\x1b[{span.style.value}m{text}\x1b[0m" if screen.colour and span.style.value and text else text


def command_line(words: Iterable[str]) -> str:
    """Write a command so that a shell reads the same words."""
    return shlex.join(words)


def _line(spans: tuple[Span, ...], screen: Screen) -> Iterator[str]:
    room, painted = screen.columns, ""
    for span in spans:
        text = cut(shown(span.text, screen), room, end=_end(screen))
        painted += paint(Span(text, span.style), screen)
        room -= width(text)
    yield painted


def _paragraph(text: str, *, indent: int, style: Style, screen: Screen) -> Iterator[str]:
    margin = " " * min(indent, DEEPEST)
    for part in _wrapped(text, screen.columns - len(margin), screen):
        yield margin + paint(Span(part, style), screen)


def _wrapped(text: str, columns: int, screen: Screen) -> Iterator[str]:
    """Yield the lines of a text, each broken to fit."""
    for line in shown(text, screen, Lines.MANY).expandtabs().split("\n"):
        yield from wrap(line, columns)


def _fields(pairs: tuple[tuple[str, str], ...], *, indent: int, screen: Screen) -> Iterator[str]:
    margin = " " * min(indent, DEEPEST)
    beside = max((width(name) for name, _ in pairs), default=0) + len(GUTTER)
    if len(margin) + beside + SENTENCE > screen.columns:
        beside = len(GUTTER)  # names above their values
    for name, value in pairs:
        label = margin + paint(Span(pad(name, beside), Style.FAINT), screen)
        if width(name) >= beside:
            yield label
            label = margin + " " * beside
        for part in _wrapped(value, screen.columns - len(margin) - beside, screen):
            yield label + part
            label = margin + " " * beside


def _table(table: Table, screen: Screen) -> Iterator[str]:
    rows = [tuple(Span(shown(cell.text, screen), cell.style) for cell in row) for row in table.rows]
    widths = [max(map(width, column)) for column in zip(table.heads, *([c.text for c in r] for r in rows), strict=True)]
    room = screen.columns - sum(widths[:-1]) - len(GUTTER) * (len(widths) - 1)
    if room < min(SENTENCE, widths[-1]):
        for row in rows:
            yield from _stacked(row, screen)
        return
    for row in (tuple(Span(head, Style.FAINT) for head in table.heads), *rows):
        cells = [paint(Span(pad(c.text, w), c.style), screen) for c, w in zip(row[:-1], widths[:-1], strict=True)]
        cells.append(paint(Span(cut(row[-1].text, room, end=_end(screen)), row[-1].style), screen))
        yield GUTTER.join(cells).rstrip()


def _stacked(row: tuple[Span, ...], screen: Screen) -> Iterator[str]:
    """Lay one row out on a narrow screen: its names one after the other, its sentence below them."""
    line, used = "", 0
    for cell in (cell for cell in row[:-1] if cell.text):
        taken = width(cell.text)
        if used and used + len(GUTTER) + taken > screen.columns:
            yield line
            line, used = GUTTER, len(GUTTER)
        elif used:
            line, used = line + GUTTER, used + len(GUTTER)
        line, used = line + paint(cell, screen), used + taken
    yield line
    if row[-1].text:
        sentence = cut(row[-1].text, screen.columns - len(GUTTER), end=_end(screen))
        yield GUTTER + paint(Span(sentence, row[-1].style), screen)


def _command(words: tuple[str, ...], *, why: str, screen: Screen) -> Iterator[str]:
    if why:
        yield from _paragraph(f"{why}:", indent=0, style=Style.FAINT, screen=screen)
    yield GUTTER + paint(Span(command_line(words), Style.STRONG), screen)


def _end(screen: Screen) -> str:
    return shown("…", screen)
