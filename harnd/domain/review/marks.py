"""Marks: the lines that mean something in a prompt or an output, and how a text that holds such lines is shown.

A mark that counts carries the nonce of its attempt, which nobody could know when the inputs were written.  Beyond that,
every line of an input that looks like a mark is escaped with a backslash, and one that is escaped already with one
more: `unescaped` gives the text back exactly.
"""

import json
import re
from typing import Final

from harnd.domain.review.contract import Nonce, Pair

SELF_REPORT: Final = "self-reported-model:"
RESULT: Final = "## Result: "

_MARK: Final = (
    r"=== REVIEW (?:START|END)\b|<<< [A-Z]+(?: \d+)? (?:BEGIN|END)\b|#{1,6}[ \t]*Result\b|self-reported-model:"
)
# Whatever some reader takes for the beginning of a line, after white space.
_LINE_START: Final = r"(?:\A|(?<=[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]))([ \t]*)"
_IS_MARK: Final = re.compile(_MARK, re.IGNORECASE)
_TO_ESCAPE: Final = re.compile(rf"{_LINE_START}(?=\\*(?:{_MARK}))", re.IGNORECASE)
_TO_UNESCAPE: Final = re.compile(rf"{_LINE_START}\\(?=\\*(?:{_MARK}))", re.IGNORECASE)


def escaped(text: str) -> str:
    """Show a text so that none of its lines is a mark."""
    return _TO_ESCAPE.sub(r"\1\\", text)


def unescaped(text: str) -> str:
    """Give back what was `escaped`."""
    return _TO_UNESCAPE.sub(r"\1", text)


def is_mark(line: str) -> bool:
    """Tell whether a line, without what it is indented by, looks like a mark of any attempt."""
    return _IS_MARK.match(line) is not None


def block_start(nonce: Nonce, pair: Pair) -> str:
    """Write the line that opens the block of a pair."""
    return f"=== REVIEW START {nonce} :: {pair} ==="


def block_end(nonce: Nonce, pair: Pair) -> str:
    """Write the line that closes the block of a pair."""
    return f"=== REVIEW END {nonce} :: {pair} ==="


def fenced(label: str, text: str, nonce: Nonce) -> str:
    """Fence a text as data.  The closing line begins on a line of its own, whether the text ends with one or not."""
    return f"<<< {label} BEGIN {nonce} >>>\n{escaped(text)}\n<<< {label} END {nonce} >>>"


def is_plain(name: str) -> bool:
    """Tell whether a name can stand in a line as it is."""
    return name.isprintable() and name == name.strip() and "`" not in name


def shown(name: str) -> str:
    """Show a name on one line, whatever a repository calls its files."""
    return f"`{name}`" if is_plain(name) else json.dumps(name).replace("`", "\\u0060")
