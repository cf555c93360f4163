"""Reading scripts: a table becomes rules, or a list of everything that is wrong with it.

Unknown keys are refused, wherever they stand.  What a script means is told in `script`.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from harnd.adapters.harness.script import Delete, Hang, Json, Leave, Print, Rule, Say, Script, Sleep, Step, Turn, Write

T = TypeVar("T")
Table = dict[str, Json]

_STREAMS: Final = ("stdout", "stderr")
_LINEAGES: Final = ("child", "session", "orphan")
_STOPS: Final = ("finished", "truncated", "refused", "out_of_quota", "not_logged_in", "unreachable")
_RULE_KEYS: Final = (
    *("when", "unless", "attempt", "matches", "do"),
    *("answer", "stop", "tokens", "cost", "exit", "stubborn"),
)
_VERBS: Final = {  # what a step does, and what else it may say
    "write": ("text",),
    "append": ("text",),
    "delete": (),
    "say": (),
    "print": ("to",),
    "sleep": (),
    "hang": (),
    "leave": ("as",),
}


class ScriptError(Exception):
    """A script cannot be read; `problems` holds everything that is wrong with it."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


def read_script(text: str, *, name: str) -> Script:
    """Read a script; `name` is its file's, which says whether it is JSON.  Raises `ScriptError`."""
    try:
        table: Json = json.loads(text) if name.endswith(".json") else tomllib.loads(text)
    except ValueError as error:
        raise ScriptError((f"{name}: {error}",)) from error
    problems: list[str] = []
    script = _script(_Place("the script", problems), table)
    if problems:
        raise ScriptError(tuple(f"{name}: {problem}" for problem in problems))
    return script


class _Place:
    """A place in a script, and what was found wrong so far, here and elsewhere."""

    def __init__(self, name: str, problems: list[str]) -> None:
        self._name = name
        self._problems = problems

    def at(self, part: str) -> "_Place":
        return _Place(part if self._name == "the script" else f"{self._name}, {part}", self._problems)

    def wrong(self, message: str) -> None:
        self._problems.append(f"{self._name}: {message}")

    def expect(self, what: str, instead: T) -> T:
        """Note that something else was found, and go on with a stand-in."""
        self.wrong(f"expected {what}")
        return instead


def _script(place: _Place, value: Json) -> Script:
    rules = _table(place, value, ("rule",)).get("rule")
    if not isinstance(rules, list) or not rules:
        return place.expect("one or more [[rule]] tables", ())
    return tuple(_rule(place.at(f"rule {number}"), rule) for number, rule in enumerate(rules, start=1))


def _rule(place: _Place, value: Json) -> Rule:
    table = _table(place, value, _RULE_KEYS)
    return Rule(
        when=_each(place.at("when"), table.get("when"), _text),
        unless=_each(place.at("unless"), table.get("unless"), _text),
        matches=_each(place.at("matches"), table.get("matches"), _pattern),
        attempts=_each(place.at("attempt"), table.get("attempt"), _count),
        turn=_turn(place, table),
    )


def _turn(place: _Place, table: Table) -> Turn:
    tokens, cost = table.get("tokens"), table.get("cost")
    return Turn(
        steps=tuple(_steps(place, table.get("do", []))),
        answer=_answer(place.at("answer"), table.get("answer")),
        stop=_one_of(place.at("stop"), table.get("stop", "finished"), _STOPS),
        tokens=None if tokens is None else _count(place.at("tokens"), tokens),
        cost=None if cost is None else _count(place.at("cost"), cost),
        exit=_count(place.at("exit"), table.get("exit", 0)),
        stubborn=_flag(place.at("stubborn"), table.get("stubborn", False)),
    )


def _steps(place: _Place, value: Json) -> Iterator[Step]:
    if not isinstance(value, list):
        place.at("do").wrong("expected a list of steps")
        return
    for number, step in enumerate(value, start=1):
        where = place.at(f"step {number}")
        verbs = [verb for verb in _VERBS if isinstance(step, dict) and verb in step]
        if len(verbs) == 1:
            yield _step(where, verbs[0], _table(where, step, (verbs[0], *_VERBS[verbs[0]])))
        else:
            where.wrong(f"expected a table with one of {', '.join(_VERBS)}")


def _step(place: _Place, verb: str, step: Table) -> Step:
    what = step[verb]
    match verb:
        case "write" | "append":
            text = _text(place.at("text"), step.get("text"))
            return Write(_path(place, what), text, append=verb == "append")
        case "delete":
            return Delete(_path(place, what))
        case "say":
            return Say(_text(place, what))
        case "print":
            return Print(_text(place, what), _one_of(place.at("to"), step.get("to", "stdout"), _STREAMS))
        case "leave":
            return Leave(_seconds(place, what), _one_of(place.at("as"), step.get("as", "child"), _LINEAGES))
        case "sleep":
            return Sleep(_seconds(place, what))
        case _:
            return Hang() if what is True else place.expect("hang = true", Hang())


# --- the parts


def _table(place: _Place, value: Json, known: tuple[str, ...]) -> Table:
    if not isinstance(value, dict):
        return place.expect("a table", {})
    for key in value:
        if key not in known:
            place.wrong(f"unknown key {key!r}; known are {', '.join(known)}")
    return value


def _each(place: _Place, value: Json, read: Callable[[_Place, Json], T]) -> tuple[T, ...]:
    """Read a list, or one thing that may stand without brackets."""
    if value is None:
        return ()
    if isinstance(value, list):
        return tuple(read(place, each) for each in value)
    return (read(place, value),)


def _text(place: _Place, value: Json) -> str:
    return value if isinstance(value, str) else place.expect("a text", "")


def _path(place: _Place, value: Json) -> str:
    return value if isinstance(value, str) and value and "\0" not in value else place.expect("a path", "x")


def _pattern(place: _Place, value: Json) -> re.Pattern[str]:
    try:
        return re.compile(_text(place, value))
    except re.error as error:
        return place.expect(f"a regular expression ({error})", re.compile(""))


def _count(place: _Place, value: Json) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    return place.expect("a whole number, not negative", 0)


def _seconds(place: _Place, value: Json) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
        return value
    return place.expect("a number of seconds", 0.0)


def _flag(place: _Place, value: Json) -> bool:
    return value if isinstance(value, bool) else place.expect("true or false", instead=False)


def _one_of(place: _Place, value: Json, known: tuple[str, ...]) -> str:
    return value if isinstance(value, str) and value in known else place.expect(f"one of {', '.join(known)}", known[0])


def _answer(place: _Place, value: Json) -> Json:
    if value is None or isinstance(value, str | dict):
        return value
    return place.expect("a text or a table", None)
