"""Lines: where in a JSON text each key and each entry of a list stands.

The reader of JSON gives values and forgets where they were; this finds the places again, so that a correction can point
at a line.  It walks a text that was read, so it tells tokens apart and judges none.
"""

import re
from typing import Final

import msgspec

from harnd.domain.checking import Path
from harnd.domain.files.lines import Lines
from harnd.domain.problem import Problem
from harnd.domain.reading import Unreadable

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{},:\n]', re.DOTALL)
_LINE: Final = re.compile(r"line (\d+), column \d+")


def locate(text: str) -> Lines:
    """Find the line of every key and entry of a text that is JSON, whatever stands around the value in blanks."""
    scanner = _Scanner()
    for token in _TOKEN.finditer(text):
        scanner.take(token[0])
    return Lines(scanner.lines, {})


class _Scanner:
    """One pass over the tokens that shape a value."""

    def __init__(self) -> None:
        self.lines: dict[Path, int] = {}
        self._line = 1
        self._path: list[str | int] = []  # of the value that is open, with a step for each container
        self._expects_key = False

    def take(self, token: str) -> None:
        match token[0]:
            case "\n":
                self._line += 1
            case "{":
                self._path.append("")
                self._expects_key = True
            case "[":
                self._path.append(0)
                self._here()
                self._expects_key = False
            case "}" | "]":
                if self._path:
                    self._path.pop()
                self._expects_key = False
            case ",":
                self._next()
            case '"':
                self._text(token)
            case _:
                pass

    def _next(self) -> None:
        if self._path and isinstance(step := self._path[-1], int):
            self._path[-1] = step + 1
            self._here()
        else:
            self._expects_key = True

    def _text(self, token: str) -> None:
        if self._expects_key and self._path:
            self._path[-1] = _key(token)
            self._here()
            self._expects_key = False
        self._line += token.count("\n")

    def _here(self) -> None:
        self.lines.setdefault(tuple(self._path), self._line)


def _key(token: str) -> str:
    try:
        return msgspec.json.decode(token.encode("utf-8", "replace"), type=str)
    except msgspec.DecodeError:  # a surrogate without its other half
        return token[1:-1]


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
