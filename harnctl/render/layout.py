"""Layout: blocks become rows of spans for one screen, and rows become lines of text.

This is the only way from a reply to a terminal, and it sanitises everything: widths are taken of what will be shown.
A table that has no room for its sentence puts it on a line of its own.  Commands are never cut, and
broken only on a full screen, where nothing else would show their ends.
"""

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, TypeAlias, assert_never

from harnctl.render.blocks import Block, Command, Fields, Gap, Heading, Line, Paragraph, Span, Style, Table, Verbatim
from harnctl.render.cells import apart, cut, pad, pieces, width, wrap
from harnctl.render.sanitise import Lines, sanitise
from harnctl.render.screen import FLOOR, Screen

Row: TypeAlias = tuple[Span, ...]  # side by side, each as it will be shown

GUTTER: Final = "  "
SENTENCE: Final = 16  # columns below which a sentence in a table says nothing
# Our own marks, and the punctuation that prose is full of, for a screen that cannot spell them.
ASCII: Final = str.maketrans(
    {"●": "*", "○": "o", "◌": ".", "✓": "+", "✗": "x", "·": "-", "→": "->", "…": "..."}
    | {"\u2013": "-", "\u2014": "-", "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00d7": "x"}
)
DEEPEST: Final = 8  # columns of indent, and of a name beside its value, on a narrow screen


def lines(blocks: Iterable[Block], screen: Screen) -> Iterator[str]:
    """Yield the lines of `blocks` as text; on a screen that is too small a first line says so."""
    if screen.is_too_small:
        yield cut("too small", screen.columns, end="")
        screen = replace(screen, columns=FLOOR)
    for row in lay_out(blocks, screen):
        yield "".join(paint(span, screen) for span in row)


def lay_out(blocks: Iterable[Block], screen: Screen) -> Iterator[Row]:
    """Yield the rows of `blocks`, fitted to a screen that is not too small."""
    for block in blocks:
        yield from _rows(block, screen)


def _rows(block: Block, screen: Screen) -> Iterator[Row]:
    match block:
        case Heading(text):
            yield from _paragraph(text, indent=0, style=Style.STRONG, screen=screen)
        case Line(spans):
            yield _line(spans, screen)
        case Paragraph(text, indent, style):
            yield from _paragraph(text, indent=indent, style=style, screen=screen)
        case Fields(pairs, indent):
            yield from _fields(pairs, indent=indent, screen=screen)
        case Table():
            yield from _table(block, screen)
        case Verbatim(text, style):
            yield from _verbatim(text, style=style, screen=screen)
        case Command(words, why):
            yield from _command(words, why=why, screen=screen)
        case Gap():
            yield ()
        case _:
            assert_never(block)


def _verbatim(text: str, *, style: Style, screen: Screen) -> Iterator[Row]:
    """Yield the lines as they are; a screen that nobody can scroll sideways gets the rest of a long one below."""
    for line in shown(text, screen, Lines.MANY).split("\n"):
        parts = pieces(line.expandtabs(), screen.columns) if screen.cells else [line]
        yield from ((Span(part, style),) for part in parts)


def shown(text: str, screen: Screen, lines: Lines = Lines.ONE) -> str:
    """Return a text as the screen will show it: nothing in it acts, and the marks we draw are spelt in its charset."""
    text = sanitise(text if screen.unicode else text.translate(ASCII), lines)
    return apart(text) if screen.cells else text


def paint(span: Span, screen: Screen) -> str:
    """Write one span that was laid out, in colour where that is wanted."""
    return (
        f"\x1b[{span.style.value}m{span.text}\x1b[0m" if screen.colour and span.style.value and span.text else span.text
    )


def command_line(words: Iterable[str]) -> str:
    """Write a command so that a shell reads the same words."""
    return shlex.join(words)


def _line(spans: tuple[Span, ...], screen: Screen) -> Row:
    room, row = screen.columns, list[Span]()
    for span in spans:
        text = cut(shown(span.text, screen), room, end=_end(screen))
        row.append(Span(text, span.style))
        room -= width(text)
    return tuple(row)


def _paragraph(text: str, *, indent: int, style: Style, screen: Screen) -> Iterator[Row]:
    margin = " " * min(indent, DEEPEST)
    for part in _wrapped(text, screen.columns - len(margin), screen):
        yield (Span(margin), Span(part, style))


def _wrapped(text: str, columns: int, screen: Screen) -> Iterator[str]:
    """Yield the lines of a text, each broken to fit."""
    for line in shown(text, screen, Lines.MANY).expandtabs().split("\n"):
        yield from wrap(line, columns)


def _fields(pairs: tuple[tuple[str, str], ...], *, indent: int, screen: Screen) -> Iterator[Row]:
    margin = " " * min(indent, DEEPEST)
    named = [(shown(name, screen), value) for name, value in pairs]
    beside = max((width(name) for name, _ in named), default=0) + len(GUTTER)
    if len(margin) + beside + SENTENCE > screen.columns:
        beside = len(GUTTER)  # names above their values
    for name, value in named:
        label: Row = (Span(margin), Span(pad(name, beside), Style.FAINT))
        below: Row = (Span(margin + " " * beside),)
        if width(name) >= beside:
            yield label
            label = below
        for part in _wrapped(value, screen.columns - len(margin) - beside, screen):
            yield (*label, Span(part))
            label = below


def _table(table: Table, screen: Screen) -> Iterator[Row]:
    rows = [tuple(Span(shown(cell.text, screen), cell.style) for cell in row) for row in table.rows]
    heads = tuple(shown(head, screen) for head in table.heads)
    widths = [max(map(width, column)) for column in zip(heads, *([c.text for c in r] for r in rows), strict=True)]
    room = screen.columns - sum(widths[:-1]) - len(GUTTER) * (len(widths) - 1)
    if room < min(SENTENCE, widths[-1]):
        for row in rows:
            yield from _stacked(row, screen)
        return
    for row in (tuple(Span(head, Style.FAINT) for head in heads), *rows):
        first, *more = _sentence(row[-1], room, screen)
        cells = [Span(pad(c.text, w), c.style) for c, w in zip(row[:-1], widths[:-1], strict=True)]
        yield _trimmed([part for cell in cells for part in (cell, Span(GUTTER))] + [first])
        below = Span(" " * (screen.columns - room))
        yield from ((below, part) for part in more)


def _sentence(cell: Span, columns: int, screen: Screen) -> list[Span]:
    """Fit the sentence of a row: cut where a person can ask for all of it, wrapped on a screen where they cannot."""
    if screen.cells:
        return [Span(part, cell.style) for part in wrap(cell.text, columns)]
    return [Span(cut(cell.text, columns, end=_end(screen)), cell.style)]


def _trimmed(row: list[Span]) -> Row:
    """Leave out the blanks at the end of a row."""
    while row and not row[-1].text.rstrip():
        row.pop()
    return (*row[:-1], Span(row[-1].text.rstrip(), row[-1].style)) if row else ()


def _stacked(row: tuple[Span, ...], screen: Screen) -> Iterator[Row]:
    """Lay one row out on a narrow screen: its names one after the other, its sentence below them."""
    line, used = list[Span](), 0
    for cell in (cell for cell in row[:-1] if cell.text):
        taken = width(cell.text)
        if used and used + len(GUTTER) + taken > screen.columns:
            yield tuple(line)
            line, used = [Span(GUTTER)], len(GUTTER)
        elif used:
            line, used = [*line, Span(GUTTER)], used + len(GUTTER)
        line, used = [*line, cell], used + taken
    yield tuple(line)
    if row[-1].text:
        parts = _sentence(row[-1], screen.columns - len(GUTTER), screen)
        yield from ((Span(GUTTER), part) for part in parts)


def _command(words: tuple[str, ...], *, why: str, screen: Screen) -> Iterator[Row]:
    if why:
        yield from _paragraph(f"{why}:", indent=0, style=Style.FAINT, screen=screen)
    line = shown(command_line(words), screen)
    # On a full screen what stands past the edge is not there at all; in a terminal's scrollback it is pasted whole.
    parts = pieces(line, screen.columns - len(GUTTER)) if screen.cells else [line]
    yield from ((Span(GUTTER), Span(part, Style.STRONG)) for part in parts)


def _end(screen: Screen) -> str:
    return shown("…", screen)
