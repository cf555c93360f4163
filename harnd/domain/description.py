"""Description: how a problem describes what was found and what was expected, in few characters and on one line.

What was found comes from outside: it is clipped, and its invisible and control characters are written out.
"""

import difflib
from collections.abc import Iterable
from typing import Final, cast

_CLIP: Final = 60
_OPTIONS_NAMED: Final = 12
_DIGITS: Final = 18


def describe(value: object) -> str:
    """Name a value that was found, in few characters; containers by kind and size, never by content."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return f"{value}" if abs(value) < 10**_DIGITS else f"a number of more than {_DIGITS} digits"
        case float():
            return f"{value!r}"
        case str():
            return f"the text {quoted(value)}" if value else "an empty text"
        case list():
            return f"a list of {len(cast('list[object]', value)):,}"
        case dict():
            return "an object"
        case _:
            return "a date or time"  # TOML has them, JSON does not


def nearest(word: str, words: Iterable[str]) -> str:
    """Offer the known word that was probably meant, as the end of a sentence."""
    near = difflib.get_close_matches(word[:_CLIP], list(words), n=1)
    return f"; did you mean `{near[0]}`?" if near else ""


def one_of(options: Iterable[object]) -> str:
    """Name the values that were expected."""
    known = list(options)
    words = [quoted(option) if isinstance(option, str) else describe(option) for option in known[:_OPTIONS_NAMED]]
    more = f" and {len(known) - _OPTIONS_NAMED} others" if len(known) > _OPTIONS_NAMED else ""
    return f"one of {', '.join(words)}{more}" if len(known) > 1 else "".join(words)


def quoted(text: str) -> str:
    """Quote and clip; `repr` also makes invisible and control characters visible."""
    return repr(text if len(text) <= _CLIP else f"{text[:_CLIP]}…")


def interval(least: float | None, most: float | None) -> str:
    """Name a range of numbers, either end of which may be open."""
    if least is None:
        return f"at most {most:,}"
    return f"at least {least:,}" if most is None else f"{least:,} to {most:,}"
