"""Cells: how much room a sanitised text takes on a terminal, and fitting it into less.

Widths are counted by grapheme cluster, so a family emoji, a flag or a letter with its marks is never split.  Nothing
here recurses, and a room smaller than one cluster holds nothing.  wcwidth is loaded for the first text beyond ASCII.
"""

from collections.abc import Iterator
from typing import Final

_LETTERS: Final = {0x1F1E6 + at: chr(ord("A") + at) for at in range(26)}  # regional indicators
_JOINERS: Final = dict.fromkeys((0x200C, 0x200D, 0xFE0E, 0xFE0F, 0x20E3, *range(0x1F3FB, 0x1F400)))
_APART: Final = {**_LETTERS, **_JOINERS}


def width(text: str) -> int:
    """Return how many columns one line of text takes."""
    if text.isascii():
        return len(text)
    from wcwidth import wcswidth  # noqa: PLC0415 - its tables cost more than all of `status`, and most text is ASCII

    return max(wcswidth(text), 0)


def apart(text: str) -> str:
    """Return `text` without what joins characters into one picture: then it is no narrower than its characters are.

    Terminals disagree about joined pictures, and a screen that is drawn cell by cell cannot afford that.  A flag
    becomes its two letters; other pictures lose their joiners, looks and skins and stand side by side.
    """
    return text if text.isascii() else text.translate(_APART)


def drawn(text: str) -> int:
    """Return how many columns a text takes on a screen that is drawn character by character."""
    if text.isascii():
        return len(text)
    from wcwidth import wcwidth  # noqa: PLC0415 - as in `width`

    return sum(max(wcwidth(char), 0) for char in text)


def cut(text: str, columns: int, *, end: str) -> str:
    """Return `text` when it fits, otherwise its beginning and `end`, in at most `columns`."""
    if width(text) <= columns:
        return text
    room, kept = columns - width(end), ""
    for cluster in clusters(text):
        room -= width(cluster)
        if room < 0:
            break
        kept += cluster
    return kept.rstrip() + end if columns >= width(end) else ""


def pad(text: str, columns: int) -> str:
    """Fill a text with spaces up to `columns`; a wider one stays as it is."""
    return text + " " * max(columns - width(text), 0)


def wrap(text: str, columns: int) -> Iterator[str]:
    """Break one line of text between words; a word that is too long is broken between clusters."""
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if width(longer) <= columns:
            line = longer
            continue
        if line:
            yield line
        *whole, line = pieces(word, columns)
        yield from whole
    yield line


def clusters(text: str) -> Iterator[str]:
    """Split a text into what a reader takes for characters."""
    if text.isascii():
        return iter(text)
    from wcwidth import iter_graphemes  # noqa: PLC0415 - as in `width`

    return iter_graphemes(text)


def pieces(text: str, columns: int) -> list[str]:
    """Break a text into pieces that fit, the last of which may be short; one cluster is the least of a piece."""
    if text.isascii():
        return [text[at : at + columns] for at in range(0, len(text), max(columns, 1))] or [""]
    found = [""]
    for cluster in clusters(text):
        if found[-1] and width(found[-1] + cluster) > columns:
            found.append("")
        found[-1] += cluster
    return found
