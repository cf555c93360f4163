"""An emulated terminal: bytes of a program go in, the screen that a person would see comes out.

pyte draws.  It gets only what it understands: it would draw the rest of a sequence that it does not know as text, or
break on it.  What it lacks and programs need is kept here: the second screen (mode 1049), which private modes are on,
the shape of the cursor, the title, and answers to the questions that a terminal is asked.
"""

import codecs
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import pyte
from pyte.screens import wcwidth

# A control sequence, a string up to its end, any other escape; or the beginning of one of them, and then text.
SEQUENCE: Final = re.compile(
    r"\x1b\[(?P<mark>[<=>?]?)(?P<numbers>[0-9:;]*)(?P<between>[ -/]*)(?P<final>[@-~])"
    r"|\x1b\](?P<said>[^\x07\x1b]*)(?:\x07|\x1b\\)"
    r"|\x1b[P_^X](?:[^\x1b]|\x1b(?!\\))*\x1b\\"
    r"|\x1b(?P<short>[ -/]*[0-OQ-WYZ\\`-~])"
    r"|(?P<cut>\x1b(?:\[[<=>?]?[0-9:;]*[ -/]*|\][^\x07\x1b]*\x1b?|[P_^X](?:[^\x1b]|\x1b(?!\\))*|[ -/]*)?\Z)"
    r"|(?P<text>[^\x1b]+|\x1b)"
)
KNOWN: Final = frozenset("@ABCDEFGHJKLMPXadefghlmnr`")  # finals that pyte draws
SAVED: Final = {"s": "\x1b7", "u": "\x1b8"}  # the cursor, kept and fetched, in the words that pyte knows
FRESH: Final = frozenset({7, 25})  # private modes that are on at first: lines wrap, the cursor is seen
SECOND_SCREEN: Final = frozenset({47, 1047, 1049})
CURSOR_SHAPE: Final = (" ", "q")


class Screen(pyte.Screen):
    """One screen of pyte's, whose lines can be read whatever was drawn over what."""

    def resize_to(self, columns: int, rows: int) -> None:
        self.resize(rows, columns)
        self.cursor.x, self.cursor.y = min(self.cursor.x, columns - 1), min(self.cursor.y, rows - 1)

    def read(self) -> tuple[str, ...]:
        """The lines from top to bottom, without the blanks at their ends."""
        return tuple("".join(self._cells(y)).rstrip() for y in range(self.lines))

    def _cells(self, y: int) -> Iterator[str]:
        row = [self.buffer[y][x].data for x in range(self.columns)]
        covered = False  # by the wide character to the left, whose right half pyte keeps empty
        for drawn, right in zip(row, [*row[1:], ""], strict=True):
            wide = bool(drawn) and wcwidth(drawn[0]) == 2
            if not covered:
                yield drawn if drawn and not (wide and right) else " "  # one half is drawn over, and so both are gone
            covered = wide and not right


class Emulator:
    """What a terminal knows: two screens, of which one is seen, and its modes."""

    def __init__(self, columns: int, rows: int, *, answer: Callable[[bytes], None]) -> None:
        """Begin as a fresh terminal; `answer` gets what it says to the program by itself."""
        self.columns, self.rows = columns, rows
        self.modes: set[int] = set(FRESH)
        self.cursor_shape = 0
        self.title = ""
        self._answer = answer
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""  # of a sequence whose end has not come
        self._main, self._second = self._screen(), self._screen()
        self.screen = self._main
        self._streams = {screen: pyte.Stream(screen) for screen in (self._main, self._second)}

    def _screen(self) -> Screen:
        screen: Any = Screen(self.columns, self.rows)
        screen.write_process_input = lambda said: self._answer(said.encode())
        return screen  # type: ignore[no-any-return]

    @property
    def lines(self) -> tuple[str, ...]:
        return self.screen.read()

    @property
    def cursor(self) -> tuple[int, int]:
        """The column and the row of the cursor, from 0."""
        return self.screen.cursor.x, self.screen.cursor.y

    def resize(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        for screen in (self._main, self._second):
            screen.resize_to(columns, rows)

    def feed(self, data: bytes) -> None:
        """Take output of the program, cut anywhere."""
        text, self._rest = self._rest + self._decoder.decode(data), ""
        for found in SEQUENCE.finditer(text):
            if found["cut"] is not None:
                self._rest = found["cut"]
            elif found["final"] is not None:
                self._control(found)
            elif found["said"] is not None:
                self._string(found["said"])
            elif found["short"] is not None:
                self._short(found["short"])
            elif found["text"] not in (None, "\x1b"):
                self._draw(found["text"])

    def _draw(self, text: str) -> None:
        self._streams[self.screen].feed(text)

    def _short(self, rest: str) -> None:
        if rest == "c":
            self.modes, self.cursor_shape, self.screen = set(FRESH), 0, self._main
        if rest in {"c", "D", "E", "H", "M", "7", "8", "#8"}:
            self._draw(f"\x1b{rest}")

    def _string(self, said: str) -> None:
        code, _, text = said.partition(";")
        if code in {"0", "2"}:
            self.title = text

    def _control(self, found: re.Match[str]) -> None:
        mark, numbers, between, final = found["mark"], found["numbers"], found["between"], found["final"]
        if mark == "?" and final in "hl" and not between:
            for mode in filter(None, numbers.split(";")):
                self._switch(int(mode), on=final == "h")
        elif (between, final) == CURSOR_SHAPE:
            self.cursor_shape = int(numbers or 0)
        elif mark or between or ":" in numbers:
            pass  # what a terminal may ignore, and pyte would draw
        elif final == "c":
            self._answer(b"\x1b[?6c")
        elif final in SAVED:
            self._draw(SAVED[final])
        elif final in KNOWN:
            self._draw(found[0])

    def _switch(self, mode: int, *, on: bool) -> None:
        (self.modes.add if on else self.modes.discard)(mode)
        if mode in SECOND_SCREEN:
            if on and self.screen is self._main:
                self._second.reset()
                self._second.cursor.x, self._second.cursor.y = self.cursor
            self.screen = self._second if on else self._main
        elif mode in {6, 7, 25}:
            self._draw(f"\x1b[?{mode}{'h' if on else 'l'}")
