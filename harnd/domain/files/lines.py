"""Lines: where in a TOML text each key and each entry of a list stands.

`tomllib` reads values and forgets where they were; this scanner finds the places again.  It walks a text that tomllib
has accepted, so it tells tokens apart and judges none; it reads no value either.
"""

import re
import tomllib
from bisect import bisect_right
from typing import Final

from harnd.domain.checking import Path

_BLANK: Final = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_SPACE: Final = re.compile(r"[ \t]*")
_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_LONG_TEXT: Final = re.compile(r'"""(?:[^"\\]|\\.|"(?!""))*"{3,5}|\'\'\'(?:[^\']|\'(?!\'\'))*\'{3,5}', re.DOTALL)
_TEXT: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'')
_SCALAR: Final = re.compile(r"[^,\]}#\n]+")


class Lines:
    """The lines of one text, from 1.  A path that is not written has the line of what would hold it."""

    def __init__(self, lines: dict[Path, int], texts: dict[Path, tuple[int, int]]) -> None:
        self._lines = lines
        self._texts = texts

    def of(self, path: Path) -> int:
        """Return the line of a key or an entry; 0 when nothing on the way to it is written."""
        for length in range(len(path), 0, -1):
            line = self._lines.get(path[:length])
            if line is not None:
                return line
        return 0

    def within(self, path: Path, line: int) -> int:
        """Return where line `line` of the text at `path` stands; a text on one line has only that."""
        first, last = self._texts.get(path, (self.of(path), self.of(path)))
        return min(first + line - 1, last)

    def paths(self) -> frozenset[Path]:
        """Return every path that was found."""
        return frozenset(self._lines)


def locate(text: str) -> Lines:
    """Find the line of every key and entry of a text that tomllib accepts."""
    scanner = _Scanner(text.replace("\r\n", "\n"))
    scanner.document()
    return Lines(scanner.lines, scanner.texts)


class _Scanner:
    """One pass over a text."""

    def __init__(self, text: str) -> None:
        self.lines: dict[Path, int] = {}
        self.texts: dict[Path, tuple[int, int]] = {}
        self._text = text
        self._at = 0
        self._newlines = [match.start() for match in re.finditer("\n", text)]
        self._entries: dict[Path, int] = {}  # how many `[[tables]]` of a name there are so far

    def document(self) -> None:
        table: Path = ()
        self._skip(_BLANK)
        while self._at < len(self._text):
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip(_BLANK)

    def _header(self) -> Path:
        """Read `[a.b]` or `[[a.b]]` and return the path of what follows it."""
        line = self._line()
        several = self._text.startswith("[[", self._at)
        self._at += 2 if several else 1
        keys = self._key()
        self._at += 2 if several else 1
        path = self._entered(keys[:-1]) + keys[-1:]
        self._note(path, line)
        if not several:
            return self._entered(keys)
        index = self._entries[path] = self._entries.get(path, -1) + 1
        self._note((*path, index), line)
        return (*path, index)

    def _entered(self, keys: tuple[str, ...]) -> Path:
        """Follow keys from the top; a list of tables on the way means its last one."""
        path: Path = ()
        for key in keys:
            path = (*path, key)
            if path in self._entries:
                path = (*path, self._entries[path])
        return path

    def _pair(self, table: Path) -> None:
        line = self._line()
        keys = self._key()
        for length in range(1, len(keys) + 1):
            self._note(table + keys[:length], line)
        self._at += 1  # the equals sign
        self._skip(_SPACE)
        self._value(table + keys)

    def _key(self) -> tuple[str, ...]:
        keys: list[str] = []
        while True:
            self._skip(_SPACE)
            keys.append(self._key_part())
            self._skip(_SPACE)
            if self._text[self._at] != ".":
                return tuple(keys)
            self._at += 1

    def _key_part(self) -> str:
        if self._text[self._at] in "\"'":
            quoted = self._skip(_TEXT)
            return str(tomllib.loads(f"key = {quoted}")["key"])
        return self._skip(_BARE_KEY)

    def _value(self, path: Path) -> None:
        match self._text[self._at]:
            case "[":
                self._list(path)
            case "{":
                self._inline_table(path)
            case '"' | "'":
                self._string(path)
            case _:
                self._skip(_SCALAR)

    def _list(self, path: Path) -> None:
        self._at += 1
        self._skip(_BLANK)
        index = 0
        while self._text[self._at] != "]":
            self._note((*path, index), self._line())
            self._value((*path, index))
            self._separated(_BLANK)
            index += 1
        self._at += 1

    def _inline_table(self, path: Path) -> None:
        self._at += 1
        self._skip(_SPACE)
        while self._text[self._at] != "}":
            self._pair(path)
            self._separated(_SPACE)
        self._at += 1

    def _separated(self, blank: re.Pattern[str]) -> None:
        self._skip(blank)
        if self._text[self._at] == ",":
            self._at += 1
            self._skip(blank)

    def _string(self, path: Path) -> None:
        first = self._line()
        if not self._text.startswith(('"""', "'''"), self._at):
            self._skip(_TEXT)
            return
        first += self._text.startswith("\n", self._at + 3)  # a newline right after the quotes is not part of the text
        self._skip(_LONG_TEXT)
        self.texts[path] = (first, self._line())

    def _skip(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._at)
        if match is None:
            raise AssertionError(f"no {pattern.pattern} at {self._at}: tomllib accepted what this scanner cannot read")
        self._at = match.end()
        return match.group()

    def _line(self) -> int:
        return bisect_right(self._newlines, self._at - 1) + 1

    def _note(self, path: Path, line: int) -> None:
        self.lines.setdefault(path, line)
