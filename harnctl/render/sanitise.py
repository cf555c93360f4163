r"""The sanitiser: the one way from text that a model, a repository or a process wrote to a terminal.

Every character that could act instead of being read is shown as what it is: ESC becomes `\x1b`, a bidi override
`\u202e`, a tag character `\U000e0041`, half of a surrogate pair `\udc9b`.  What follows an ESC stays as text, so an
unterminated sequence needs no parser and swallows nothing.  Text is never markup: nothing here or later reads it.

A long run of blanks that are no plain spaces pushes what follows out of sight, so it is shown as its length.

What comes out holds no control, format, private, unassigned or default-ignorable character, with three exceptions
without which ordinary text breaks, each only where it can be seen to do its work:

- U+200D joins two pictures (a family emoji) or follows a virama (Indic conjuncts);
- U+200C follows a virama, or parts two Arabic letters (Persian);
- U+FE0E and U+FE0F choose the look of the symbol, punctuation mark or digit right before them.

Flags built of tag characters, ideographic variants and more than eight marks on one letter are shown as escapes: the
first two are how text is hidden from the reader of a prompt, the third paints over the lines above.  The result is a
reading, not an encoding: a text that already contained `\x1b` as four characters looks the same.
"""

import re
from collections.abc import Iterator
from enum import Enum
from typing import Final
from unicodedata import category, combining, name

MARKS: Final = 8  # on one letter; Tibetan and pointed Hebrew stay below it
VIRAMA: Final = 9  # the canonical combining class of viramas

JOINER: Final = "\u200d"
NON_JOINER: Final = "\u200c"
SELECTORS: Final = "\ufe0e\ufe0f"
JOINERS: Final = NON_JOINER + JOINER
SKIN_TONES: Final = "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"

# The code points that Unicode lists as default-ignorable (DerivedCoreProperties 15.1) and that `str.isprintable` lets
# through: fillers that count as letters and selectors that count as marks, all of them drawn as nothing.
INVISIBLE: Final = frozenset(
    {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10)}
    | set(range(0xE0100, 0xE01F0))
)

# Spaces beside the plain one, and the braille pattern without a dot; plain ones count in a run that has one of them.
PADDING: Final = re.compile("[ \xa0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]{9,}")


class Lines(Enum):
    """How many lines the text may take where it is shown."""

    ONE = ""
    MANY = "\n\t"  # and these stay what they are


def sanitise(text: str, lines: Lines = Lines.ONE) -> str:
    """Return `text` with everything that could act shown as an escape; doing it twice changes nothing more."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if stands else escape(char) for char, stands in _read(PADDING.sub(_counted, text), lines))


def hidden_in(text: str) -> int:
    """Count the characters of a text of several lines that are not shown as themselves."""
    blanks = sum(len(run[0]) for run in PADDING.finditer(text) if not run[0].isascii())
    return blanks + sum(not stands for _, stands in _read(PADDING.sub(_counted, text), Lines.MANY))


def _read(text: str, lines: Lines) -> Iterator[tuple[str, bool]]:
    """Tell of each character whether it may stand as it is."""
    before = ""  # the last characters shown as themselves; an escape has no letters that a mark could sit on
    for at, char in enumerate(text):
        breaks = char in lines.value
        stands = breaks or _may_stand(char, before, text[at + 1 : at + 2])
        before = before[-MARKS:] + char if stands and not breaks else ""
        yield char, stands


def _counted(run: re.Match[str]) -> str:
    return run[0] if run[0].isascii() else f"[{len(run[0])} blanks]"


def escape(char: str) -> str:
    """Spell one character the way a Python literal would."""
    return char.encode("unicode_escape").decode("ascii")


def _may_stand(char: str, before: str, after: str) -> bool:
    """Tell whether a character draws something of its own, or does visible work between its neighbours."""
    if char in SELECTORS:
        return _takes_a_selector(before[-1:])
    if char == JOINER:
        return _is_virama(before[-1:]) or (_is_picture(_bare(before)) and _is_picture(after))
    if char == NON_JOINER:
        return _is_virama(before[-1:]) or (_is_arabic(before[-1:]) and _is_arabic(after))
    if _clings(char):
        return ord(char) not in INVISIBLE and not all(_clings(other) for other in before[-MARKS:])
    return (char.isprintable() or category(char) == "Zs") and ord(char) not in INVISIBLE


def _clings(char: str) -> bool:
    return char in JOINERS or category(char) in ("Mn", "Me")


def _takes_a_selector(char: str) -> bool:
    return char != "" and (char in "#*0123456789" or (not char.isascii() and category(char)[0] in "SP"))


def _bare(before: str) -> str:
    """Return the picture at the end of `before`, past its look and its skin."""
    before = before.rstrip(SELECTORS)
    return before[-2:-1] if len(before) > 1 and before[-1] in SKIN_TONES else before[-1:]


def _is_picture(char: str) -> bool:
    return char != "" and not char.isascii() and category(char) in ("So", "Sm")


def _is_virama(char: str) -> bool:
    return char != "" and combining(char) == VIRAMA


def _is_arabic(char: str) -> bool:
    return char != "" and category(char) == "Lo" and name(char, "").startswith("ARABIC LETTER")
