"""Lines: where in a JSON text each key and each entry of a list stands.

The reader of JSON gives values and forgets where they were; this finds the places again, so that a correction can point
at a line.  It walks a text that was read, so it tells tokens apart and judges none.
"""

import re
from itertools import islice
from typing import Final

import msgspec

from harnd.domain.checking import Path
from harnd.domain.files.lines import Lines
from harnd.domain.problem import Problem
from harnd.domain.reading import Unreadable

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{},:\n]|[^\[\]{},:"\s]+', re.DOTALL)
_TOKENS: Final = 200_000  # what stands further down has the line of what holds it
_LINE: Final = re.compile(r"line (\d+), column \d+")


def locate(text: str) -> Lines:
    """Find the line of every key and entry of a text that is JSON, whatever stands around the value in blanks."""
    scanner = _Scanner()
    for mark in islice(_TOKEN.finditer(text), _TOKENS):
        scanner.take(mark[0])
    return Lines(scanner.lines, {})


class _Scanner:
    """One pass over the tokens of a value."""

    def __init__(self) -> None:
        self.lines: dict[Path, int] = {}
        self._line = 1
        self._path: list[str | int] = []  # a step for each object and list that is open
        self._expects_key = False

    def take(self, mark: str) -> None:
        if mark in ("]", "}"):
            del self._path[-1:]
            self._expects_key = False
        elif mark == ",":
            self._next()
        elif mark == "\n":
            self._line += 1
        elif mark != ":":
            self._part(mark)

    def _next(self) -> None:
        if self._path and isinstance(step := self._path[-1], int):
            self._path[-1] = step + 1
        else:
            self._expects_key = True

    def _part(self, mark: str) -> None:
        """Take a key, or the beginning of a value."""
        if self._expects_key and self._path:
            self._path[-1] = _key(mark)
            self._expects_key = False
        self.lines.setdefault(tuple(self._path), self._line)
        if mark in ("{", "["):
            self._path.append("" if mark == "{" else 0)
            self._expects_key = mark == "{"


def _key(mark: str) -> str:
    try:
        return msgspec.json.decode(mark.encode("utf-8", "replace"), type=str)
    except msgspec.DecodeError:  # a surrogate without its other half
        return mark[1:-1]


def problem_of(unreadable: Unreadable, text: str, *, within: str = "", line: int = 0) -> Problem:
    """Say why a text is no object of ours, with the line; `line` is where it begins when nothing is known closer."""
    found = _LINE.fullmatch(unreadable.place)
    path = "" if found else unreadable.place
    number = int(found[1]) if found else _line_of(path, text) or line
    where = ": ".join(each for each in (within, path) if each)
    return Problem(unreadable.code, where, unreadable.message, line=number)


def _line_of(place: str, text: str) -> int:
    """Find the line of a place that reading has named; of two equal keys the first."""
    lines = locate(text) if place else Lines({}, {})
    return next((lines.of(path) for path in lines.paths() if _named(path) == place), 0)


def _named(path: Path) -> str:
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text
