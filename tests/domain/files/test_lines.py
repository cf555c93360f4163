"""Lines: every key and every entry of whatever tomllib reads, on the line where a person sees it."""

import tomllib
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from harnd.domain.checking import Path
from harnd.domain.files.lines import locate

TEXT = '''\
# a comment with [brackets] = "and quotes"
a = 1
b.c."d e".'f#' = 2   # trailing

[table]
list = [
  "one",  # ] not the end
  [2, 3],

  { x = 4, y.z = [5,
    6] },
]
long = """
first "quoted" line
second = [not a table]\\
third""""
'flat' = \'\'\'a\'b\'\'\'
when = 1979-05-27 07:32:00

[[work]]
key = "k"
[work.deep."odd ] key"]
n = -1.5e3
[[work]]
[[work.item]]
n = 0x10
[[work.item]]
'''


def test_every_kind_of_place_has_its_line():
    lines = locate(TEXT)

    assert {path: lines.of(path) for path in lines.paths()} == {
        ("a",): 2,
        ("b",): 3,
        ("b", "c"): 3,
        ("b", "c", "d e"): 3,
        ("b", "c", "d e", "f#"): 3,
        ("table",): 5,
        ("table", "list"): 6,
        ("table", "list", 0): 7,
        ("table", "list", 1): 8,
        ("table", "list", 1, 0): 8,
        ("table", "list", 1, 1): 8,
        ("table", "list", 2): 10,
        ("table", "list", 2, "x"): 10,
        ("table", "list", 2, "y"): 10,
        ("table", "list", 2, "y", "z"): 10,
        ("table", "list", 2, "y", "z", 0): 10,
        ("table", "list", 2, "y", "z", 1): 11,
        ("table", "long"): 13,
        ("table", "flat"): 17,
        ("table", "when"): 18,
        ("work",): 20,
        ("work", 0): 20,
        ("work", 0, "key"): 21,
        ("work", 0, "deep", "odd ] key"): 22,
        ("work", 0, "deep", "odd ] key", "n"): 23,
        ("work", 1): 24,
        ("work", 1, "item"): 25,
        ("work", 1, "item", 0): 25,
        ("work", 1, "item", 0, "n"): 26,
        ("work", 1, "item", 1): 27,
    }


def test_what_is_not_written_has_the_line_of_what_would_hold_it():
    lines = locate(TEXT)

    assert lines.of(("table", "missing", "deeper")) == 5
    assert lines.of(("missing",)) == 0
    assert lines.of(()) == 0


def test_a_line_within_a_text_is_counted_from_where_the_text_begins():
    lines = locate('same = """one\ntwo"""\nnext = """\none\ntwo\n"""\nflat = "one\\ntwo"\n')

    assert [lines.within(("same",), line) for line in (1, 2, 3)] == [1, 2, 2]
    assert [lines.within(("next",), line) for line in (1, 2)] == [4, 5]
    assert [lines.within(("flat",), line) for line in (1, 2)] == [7, 7]


def test_windows_line_endings_are_line_endings():
    lines = locate('a = """\r\nx\r\n"""\r\nb = 1\r\n')

    assert lines.of(("b",)) == 4


# --- every leaf of every document

KEYS = st.sampled_from(["k{}", '"k {}"', "'k.{}'", '"k\\u0022{}"', "1{}-_", "a{}.b", 'a{} . "b ] = c"'])
BLANKS = st.sampled_from(["", "\n", "# x = [\n", "   \n\t# '''\n"])


class Writer:
    """Writes a document in which every leaf says a number of its own, so that its line can be recognised."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self._count = 1_000

    def document(self) -> str:
        text = self.pairs()
        lists: list[str] = []
        for _ in range(self._draw(st.integers(0, 4))):
            text += self._header(lists) + self._draw(BLANKS) + self.pairs()
        return text

    def _header(self, lists: list[str]) -> str:
        match self._draw(st.integers(0, 3)):
            case 0:
                return f"[{self.key()}] # [x]\n"
            case 1 if lists:
                return f"[{self._draw(st.sampled_from(lists))}.{self.key()}]\n"
            case 2 if lists:
                return f"[[{self._draw(st.sampled_from(lists))}]]\n"
            case _:
                lists.append(self.key())
                return f"[[ {lists[-1]} ]]\n"

    def pairs(self) -> str:
        count = self._draw(st.integers(0, 3))
        return "".join(f"{self.key()} = {self.value(3)}\n{self._draw(BLANKS)}" for _ in range(count))

    def key(self) -> str:
        return self._draw(KEYS).format(self.number())

    def number(self) -> int:
        self._count += 1
        return self._count

    def value(self, depth: int, *, inline: bool = False) -> str:
        match self._draw(st.integers(0, 7 if depth else 4)):
            case 0 | 1:
                return f"{self.number()}"
            case 2:
                return f'"m{self.number()} \\" # [{{"'
            case 3:
                return f"'m{self.number()} \" ]}}\\'"
            case 4 if not inline:
                quotes = self._draw(st.sampled_from(['"""', "'''"]))
                start = self._draw(st.sampled_from(["", "\n"]))
                return f'{quotes}{start}m{self.number()} = [\nm{self.number()} \' "" #{quotes}'
            case 5 | 6:
                return self._list(depth - 1)
            case 7:
                pairs = [
                    f"{self.key()} = {self.value(depth - 1, inline=True)}" for _ in range(self._draw(st.integers(0, 2)))
                ]
                return f"{{ {', '.join(pairs)} }}"
            case _:
                return "1979-05-27 07:32:00"

    def _list(self, depth: int) -> str:
        entries = [self.value(depth) for _ in range(self._draw(st.integers(0, 3)))]
        text = "".join(f"{self._draw(BLANKS)}{entry}{self._draw(BLANKS)}, " for entry in entries)
        return f"[{text}{self._draw(BLANKS)}]"


@st.composite
def documents(draw: st.DrawFn) -> str:
    return Writer(draw).document()


def leaves(value: object, path: Path = ()) -> Iterator[tuple[Path, object]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))
    else:
        yield path, value


@given(documents())
def test_every_leaf_that_tomllib_reads_is_on_the_line_that_says_it(text: str):
    lines = locate(text)
    written = text.split("\n")

    for path, value in leaves(tomllib.loads(text)):
        assert path in lines.paths()
        if isinstance(value, int):
            assert str(value) in written[lines.of(path) - 1]
        elif isinstance(value, str):
            for number, line in enumerate(value.split("\n"), start=1):
                assert line.split()[0] in written[lines.within(path, number) - 1]
