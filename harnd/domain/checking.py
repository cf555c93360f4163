"""Checking: one validator for everything that comes in, from people's files and from models alike.

`check` reads a JSON value against a JSON Schema and says every mistake at once, in the order of the document, each
as one sentence with a stable code.  It never raises for a value, whatever its shape, and what it says is bounded: so
many problems, so many characters of what was found.  What a keyword demands is the matter of `harnd.domain.dialect`;
rules that hold between two values are nobody's schema and lie with the rules.
"""

import re
from collections.abc import Collection, Iterable
from itertools import islice
from typing import Final, NamedTuple, TypeAlias, cast

from jsonschema.exceptions import ValidationError

from harnd.domain.description import describe, quoted
from harnd.domain.dialect import DIALECT, Dialect, Json, Mistake, Schema
from harnd.domain.problem import Problem
from protocol import bounds

Path: TypeAlias = tuple[str | int, ...]

_DEPTH: Final = 64  # deeper values are refused whole, so that nothing below can exhaust the stack
_COUNTED: Final = 10_000  # where counting stops; a model can be wrong a million times


class Flaw(NamedTuple):
    """A problem before it has a text for its place: whoever knows the lines of a file looks the path up."""

    path: Path
    code: str
    message: str


def check(value: object, schema: Schema) -> list[Problem]:
    """Say everything that is wrong with a value, in the order of the document; empty when it is right."""
    return shown([Problem(code, place(path), message) for path, code, message in flaws(value, schema)])


def flaws(value: object, schema: Schema, *, dialect: Dialect = DIALECT) -> list[Flaw]:
    """Find what `check` says; `dialect` may know further keywords."""
    if _deeper_than(value, _DEPTH):
        return [Flaw((), "too_deep", f"is nested more than {_DEPTH} levels deep")]
    found = [_flaw(error) for error in islice(dialect(schema).iter_errors(value), _COUNTED)]
    position = _Positions(value)
    return sorted(found, key=lambda flaw: position.of(flaw.path))


def shown(problems: list[Problem]) -> list[Problem]:
    """Keep as many problems as a reader can use, and say how many more there are."""
    left = len(problems) - bounds.PROBLEMS_SHOWN
    if left <= 0:
        return problems
    least = "at least " if len(problems) >= _COUNTED else ""
    return [*problems[: bounds.PROBLEMS_SHOWN], Problem("more", "", f"and {least}{left:,} more problems")]


def place(path: Iterable[str | int]) -> str:
    """Write a path as `work[2].template`; keys that are no plain words in quotes."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif re.fullmatch(r"[A-Za-z0-9_-]{1,64}", step):
            text += f".{step}" if text else step
        else:
            text += f"[{quoted(step)}]"
    return text


class _Positions:
    """Where paths stand in a document: keys as written, what is missing after what is there."""

    def __init__(self, document: object) -> None:
        self._document = document
        self._orders: dict[int, dict[str, int]] = {}

    def of(self, path: Path) -> tuple[int, ...]:
        value: Json = self._document
        steps: list[int] = []
        for step in path:
            steps.append(self._step(value, step))
            value = _child(value, step)
        return tuple(steps)

    def _step(self, value: Json, step: str | int) -> int:
        if isinstance(step, int) or not isinstance(value, dict):
            return step if isinstance(step, int) else 0
        keys = cast("dict[str, object]", value)
        order = self._orders.setdefault(id(keys), {}) or {key: index for index, key in enumerate(keys)}
        self._orders[id(keys)] = order
        return order.get(step, len(order))


def _child(value: Json, step: str | int) -> Json:
    try:
        return value[step]
    except (KeyError, IndexError, TypeError):
        return None


def _flaw(error: ValidationError) -> Flaw:
    path = tuple(error.absolute_path)
    if isinstance(error, Mistake):
        return Flaw(path, str(error.validator), error.message)
    return Flaw(path, "invalid", f"does not satisfy `{error.validator}`, found {describe(error.instance)}")


def _deeper_than(value: object, depth: int) -> bool:
    level: list[Json] = [value]
    for _ in range(depth + 1):
        level = [child for parent in level for child in _children(parent)]
        if not level:
            return False
    return True


def _children(value: Json) -> Collection[object]:
    if isinstance(value, dict):
        return cast("dict[str, object]", value).values()
    return cast("list[object]", value) if isinstance(value, list) else ()
