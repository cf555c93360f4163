"""Bodies: the markdown of one result, and the lines in it that state one.

A result line is `## Result: WORD`, alone at the beginning of a line.  Lines that state a result in other words are
refused rather than ignored, since nobody could say which of two is meant.  What is quoted states nothing: a line in a
closed code fence, indented by four, or escaped with a backslash, which is taken away when the body is read.  Capitals
and headings are prose like any other.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from harnd.domain.problem import Problem
from harnd.domain.reading import is_empty
from harnd.domain.review.contract import Word
from harnd.domain.review.marks import is_mark
from protocol import bounds

_EXACT: Final = re.compile(rf"## Result: ({'|'.join(Word)})[ \t]*")
_NAME: Final = r"(?:(?:final|overall|revised|updated|new)[ \t]+)?(?:result|verdict|outcome)"
_VALUE: Final = (
    r"pass(?:ed|es)?|warn(?:ed|ing)?|fail(?:ed|s|ure)?|error|report|assessment|ok(?:ay)?|lgtm|approved?|accepted?"
    r"|rejected?|revise|attention|unknown|none|n/?a"
)
_MARKUP: Final = r"[ \t*_`]{0,8}"
_ALIAS: Final = re.compile(
    # `## Result: anything`, or a line that is nothing but a label and a word such as `**Verdict:** fail`
    rf" {{0,3}}(?! )(?:#{{1,6}}[ \t]*result{_MARKUP}:.*"
    rf"|(?:#{{1,6}}[ \t]*)?{_MARKUP}{_NAME}{_MARKUP}[:=\u2013\u2014-]{_MARKUP}(?:{_VALUE}){_MARKUP}[.!]?{_MARKUP}"
    rf"|{_MARKUP}flagg(?:ed|ing)[ \t]+(?:this[ \t]+|it[ \t]+)?as{_MARKUP}(?:{_VALUE}){_MARKUP}[.!]?{_MARKUP})",
    re.IGNORECASE,
)
_ESCAPABLE: Final = re.compile(r"([ \t]*)(\\*)(.*)", re.DOTALL)
_OPENING: Final = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_CLOSING: Final = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class ResultLine(NamedTuple):
    """A line that states a result; `word` is None when it is not spelt as it must be."""

    at: int
    text: str
    word: Word | None


def result_lines(lines: list[str]) -> list[ResultLine]:
    """Find every line that states a result and is no quotation."""
    quoted = _quoted(lines)
    found: list[ResultLine] = []
    for index, line in enumerate(lines):
        if index in quoted:
            continue
        if exact := _EXACT.fullmatch(line):
            found.append(ResultLine(index, line, Word(exact[1])))
        elif _ALIAS.fullmatch(line):
            found.append(ResultLine(index, line, None))
    return found


def _quoted(lines: list[str]) -> set[int]:
    """Find the lines in closed code fences; an opening that nothing closes opens nothing."""
    longest = _longest_closing_from(lines)
    inside: set[int] = set()
    index = 0
    while index < len(lines):
        opening = _OPENING.match(lines[index])
        end = index
        # Looked up first: a search for each of a hundred thousand openings that nothing closes would take hours.
        if opening and longest[opening[1][0]][index + 1] >= len(opening[1]):
            end = next(at for at in range(index + 1, len(lines)) if _closes(opening[1], lines[at]))
            inside.update(range(index, end + 1))
        index = end + 1
    return inside


def _closes(opening: str, line: str) -> bool:
    closing = _CLOSING.fullmatch(line)
    return closing is not None and closing[1].startswith(opening)


def _longest_closing_from(lines: list[str]) -> dict[str, list[int]]:
    longest = {mark: [0] * (len(lines) + 1) for mark in "`~"}
    for index in range(len(lines) - 1, -1, -1):
        for run in longest.values():
            run[index] = run[index + 1]
        if closing := _CLOSING.fullmatch(lines[index]):
            run = longest[closing[1][0]]
            run[index] = max(run[index], len(closing[1]))
    return longest


def body_of(lines: list[str]) -> str:
    """Return the text of a body, without what escaped some of its lines and without blank lines around."""
    first = next((index for index, line in enumerate(lines) if line.strip()), len(lines))
    return "\n".join(_unescaped(line) for line in lines[first:]).rstrip()


def escaped_body(text: str) -> str:
    """Write a text so that it can stand in any body and is read as it was; what a prompt asks of its worker."""
    return "\n".join(_escaped(line) for line in text.split("\n"))


def _escaped(line: str) -> str:
    indent, slashes, rest = _parts(line)
    return f"{indent}\\{slashes}{rest}" if _states(indent, rest) else line


def _unescaped(line: str) -> str:
    indent, slashes, rest = _parts(line)
    return f"{indent}{slashes[1:]}{rest}" if slashes and _states(indent, rest) else line


def _parts(line: str) -> tuple[str, str, str]:
    parts = _ESCAPABLE.match(line)
    return (parts[1], parts[2], parts[3]) if parts else ("", "", line)


def _states(indent: str, rest: str) -> bool:
    return is_mark(rest) or _ALIAS.fullmatch(indent + rest) is not None


def body_problems(lines: list[str], *, place: str, line: int) -> Iterator[Problem]:
    """Say what is wrong with a body whatever it states; `line` is where its first line stands."""
    text = "\n".join(lines).strip()
    if is_empty(text):
        yield Problem("body.empty", place, "is empty, expected the reasons", line=line)
    if len(text) > bounds.REVIEW_BODY_CHARS:
        message = f"has {len(text):,} characters, expected at most {bounds.REVIEW_BODY_CHARS:,}"
        yield Problem("body.too_long", place, message, line=line)
    held = ((index, found[0]) for index, each in enumerate(lines) if (found := _CONTROL.search(each)))
    for index, character in islice(held, bounds.PROBLEMS_SHOWN):
        yield Problem("control_char", place, f"holds the control character {character!r}", line=line + index)
