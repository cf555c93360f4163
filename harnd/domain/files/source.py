"""Sources: one file as a person wrote it, read as TOML, with a cursor that knows where it is.

A file that is no text or no TOML is reported alone, since nothing else can be said about it.  The cursor `At` walks
the values of a file that may be wrong anywhere: what is not there, or not of the shape asked for, is empty.
"""

import re
import tomllib
from collections.abc import Iterator
from typing import Any, Final, cast

import msgspec

from harnd.domain.checking import Path, place
from harnd.domain.dialect import Json
from harnd.domain.digest import digest_of_bytes
from harnd.domain.files.lines import Lines, locate
from harnd.domain.problem import Problem
from protocol import bounds
from protocol.ids import Digest

_SYNTAX: Final = re.compile(
    r"(?P<what>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)", re.DOTALL
)

# tomllib's time grows with the square of a key's parts: a quarter of a megabyte of `a.a.a…` would take minutes.
_LONG_KEY: Final = re.compile(r"""(?<![\w-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){64}""")


# Python reads no decimal number of more digits: the time it takes grows with their square.
_LONG_NUMBER: Final = re.compile(r"\d[\d_]{4299,}")
_BYTE_ORDER_MARK: Final = "\ufeff"


class Source(msgspec.Struct, frozen=True):
    """One file that is TOML."""

    name: str
    value: dict[str, Any]
    lines: Lines
    digest: Digest  # of the bytes as they are

    def problem(self, path: Path, code: str, message: str, *, line: int = 0) -> Problem:
        """Say what is wrong at a path, on its line unless a line is given."""
        return Problem(code, place(path), message, file=self.name, line=line or self.lines.of(path))


def read_source(name: str, content: bytes) -> Source | Problem:
    """Read a file, past a byte order mark; a `Problem` when it is too large, no UTF-8, or no TOML."""
    if len(content) > bounds.PERSON_FILE_BYTES:
        message = f"has {len(content):,} bytes, expected at most {bounds.PERSON_FILE_BYTES:,}"
        return Problem("file.too_large", "", message, file=name)
    try:
        text = content.decode().removeprefix(_BYTE_ORDER_MARK)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return Problem("file.not_utf8", "", "holds a byte that is no UTF-8", file=name, line=line)
    long_key = _LONG_KEY.search(text)
    if long_key is not None:
        line = text.count("\n", 0, long_key.start()) + 1
        return Problem("toml.syntax", "", "holds a key of more than 64 parts", file=name, line=line)
    try:
        return Source(name, tomllib.loads(text), locate(text), digest_of_bytes(content))
    except tomllib.TOMLDecodeError as error:
        return _no_toml(name, text, str(error))
    except RecursionError:
        return Problem("toml.syntax", "", "is nested too deeply to be read", file=name)
    except ValueError:  # tomllib leaves the refusal of a long number to Python's `int`
        long_number = _LONG_NUMBER.search(text)
        line = text.count("\n", 0, long_number.start()) + 1 if long_number else 0
        return Problem("toml.syntax", "", "holds a number of thousands of digits", file=name, line=line)


def _no_toml(name: str, text: str, said: str) -> Problem:
    match = _SYNTAX.fullmatch(said)
    if match is None:
        return Problem("toml.syntax", "", f"is no TOML: {said}", file=name)
    if match["line"] is None:
        return Problem(
            "toml.syntax", "", f"is no TOML: {match['what']} at its end", file=name, line=text.count("\n") + 1
        )
    message = f"is no TOML: {match['what']} at column {match['column']}"
    return Problem("toml.syntax", "", message, file=name, line=int(match["line"]))


class At:
    """A place in a source, and the value there if there is one."""

    def __init__(self, source: Source, value: object, path: Path = ()) -> None:
        self.source = source
        self.value: object = value
        self.path = path

    def __getitem__(self, key: str) -> "At":
        """Go to a key, whether or not it is there."""
        return At(self.source, self._table().get(key), (*self.path, key))

    def __contains__(self, key: str) -> bool:
        return key in self._table()

    def entries(self) -> "dict[str, At]":
        """Go to every key of a table."""
        return {key: self[key] for key in self._table()}

    def items(self) -> "Iterator[At]":
        """Go to every entry of a list."""
        for index, item in enumerate(_list(self.value)):
            yield At(self.source, item, (*self.path, index))

    def text(self, default: str = "") -> str:
        """Return the text here."""
        return self.value if isinstance(self.value, str) else default

    def texts(self) -> tuple[str, ...]:
        """Return the texts of the list here."""
        return tuple(item.value for item in self.items() if isinstance(item.value, str))

    def whole(self, default: int) -> int:
        """Return the whole number here."""
        return self.value if isinstance(self.value, int) and not isinstance(self.value, bool) else default

    def problem(self, code: str, message: str, *, text_line: int = 0) -> Problem:
        """Say what is wrong here, on line `text_line` of the text here if that is given."""
        line = self.source.lines.within(self.path, text_line) if text_line else 0
        return self.source.problem(self.path, code, message, line=line)

    def _table(self) -> dict[str, object]:
        return _table(self.value)


def _list(value: Json) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _table(value: Json) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def top(source: Source) -> At:
    """Stand at the top of a file."""
    return At(source, source.value)
