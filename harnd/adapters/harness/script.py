r"""Scripts: what a scripted agent does, by what its prompt says.

A script is TOML (or JSON of the same shape, in a file that ends in `.json`): rules, the first matching one acts.

    [[rule]]
    when = ["You plan", "milestone 1"]          # all of these occur in the prompt; one may stand without brackets
    answer = { decision = "attention", rationale = "One question first." }

    [[rule]]
    when = "Work item p1.greeter"
    unless = "Earlier attempts"                 # none of these does
    attempt = 1                                 # the prompt says `attempt 1`; a list allows several
    matches = 'in the tongue (?P<tongue>\w+)'    # regular expressions found in it; named groups are at hand below
    do = [
        { write = "src/greet.txt", text = "hello in {{tongue}}\n" },
        { append = "NOTES.md", text = "greeted\n" },
        { delete = "old.txt" },
        { say = "thinking" },                   # a line of progress
        { print = "what is this", to = "stderr" },  # raw text, as it stands; `to` is stdout unless said
        { sleep = 0.5 },                        # seconds
        { leave = 600, as = "orphan" },         # a process of its own that lives so long: child, session or orphan
        { hang = true },
    ]
    answer = "Done: {{tongue}}."                # text as it stands, or a table that becomes one JSON object
    stop = "finished"                           # or truncated, refused, out_of_quota, not_logged_in, unreachable
    tokens = 1200
    cost = 15000                                # micro-dollars
    exit = 0                                    # the exit code
    stubborn = true                             # the agent, and what it leaves, ignores requests to end

Steps come before the answer.  A rule without `answer` gives none.  `{{name}}` in any text of a rule stands for a named
group; a text that is nothing but `{{name|int}}` becomes a number.  The agent keeps no state: which attempt it is, it
knows from the prompt.  Paths are relative to where the agent works.

This module follows scripts; `script_reader` reads them, strictly.  Neither does I/O.
"""

import json
import re
from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


class Write(NamedTuple):
    """Put a text into a file, or after what it holds."""

    path: str
    text: str
    append: bool


class Delete(NamedTuple):
    """Remove a file, if it is there."""

    path: str


class Say(NamedTuple):
    """Report progress."""

    text: str


class Print(NamedTuple):
    """Write raw text."""

    text: str
    stream: str


class Sleep(NamedTuple):
    """Do nothing for some seconds."""

    seconds: float


class Hang(NamedTuple):
    """Do nothing for ever."""


class Leave(NamedTuple):
    """Leave a process behind that lives for some seconds and holds on to the agent's output."""

    seconds: float
    lineage: str  # `child`, `session` (a leader of its own) or `orphan` (that, and forked twice)


Step: TypeAlias = Write | Delete | Say | Print | Sleep | Hang | Leave


class Turn(NamedTuple):
    """What an agent does in one session."""

    steps: tuple[Step, ...] = ()
    answer: Json = None  # a text, a table, or None for no answer
    stop: str = "finished"
    tokens: int | None = None
    cost: int | None = None
    exit: int = 0
    stubborn: bool = False


class Rule(NamedTuple):
    """When an agent does what; texts still hold their `{{names}}`."""

    when: tuple[str, ...]
    unless: tuple[str, ...]
    matches: tuple[re.Pattern[str], ...]
    attempts: tuple[int, ...]
    turn: Turn


Script: TypeAlias = tuple[Rule, ...]


# --- following a script


def turn_for(script: Script, prompt: str) -> Turn | None:
    """Return what the first matching rule does on this prompt."""
    for rule in script:
        found = _matched(rule, prompt)
        if found is not None:
            return _filled(rule.turn, found)
    return None


def _matched(rule: Rule, prompt: str) -> dict[str, str] | None:
    """Return the named groups of a rule that matches, or None when it does not."""
    if not all(text in prompt for text in rule.when) or any(text in prompt for text in rule.unless):
        return None
    if rule.attempts and not any(re.search(rf"(?i)\battempt {number}\b", prompt) for number in rule.attempts):
        return None
    groups: dict[str, str] = {}
    for pattern in rule.matches:
        match = pattern.search(prompt)
        if match is None:
            return None
        groups |= {name: text or "" for name, text in match.groupdict().items()}
    return groups


_NUMBER = re.compile(r"\{\{(\w+)\|int\}\}")
_NAME = re.compile(r"\{\{(\w+)\}\}")


def _filled(turn: Turn, groups: dict[str, str]) -> Turn:
    """Fill the names in every text of a turn; a name that nothing stands for stays as it is."""

    def fill(text: str) -> str:
        return _NAME.sub(lambda name: groups.get(name[1], name[0]), text)

    steps = tuple(_filled_step(step, fill) for step in turn.steps)
    return turn._replace(steps=steps, answer=_filled_value(turn.answer, fill, groups))


def _filled_step(step: Step, fill: Callable[[str], str]) -> Step:
    match step:
        case Write(path=path, text=text):
            return step._replace(path=fill(path), text=fill(text))
        case Delete(path=path):
            return Delete(fill(path))
        case Say(text=text) | Print(text=text):
            return step._replace(text=fill(text))
        case Sleep() | Hang() | Leave():
            return step


def _filled_value(value: Json, fill: Callable[[str], str], groups: dict[str, str]) -> Json:
    into = partial(_filled_value, fill=fill, groups=groups)
    match value:
        case str():
            number = _NUMBER.fullmatch(value)
            digits = groups.get(number[1], "") if number else ""
            return int(digits) if re.fullmatch(r"-?[0-9]+", digits) else fill(value)
        case dict():
            return {key: into(each) for key, each in value.items()}
        case list():
            return [into(each) for each in value]
        case _:
            return value


# --- what the agent says


def answer_line(turn: Turn) -> str:
    """Word the agent's report of its answer."""
    text = turn.answer if isinstance(turn.answer, str) else json.dumps(turn.answer, ensure_ascii=False)
    return _line(type="answer", text=text, stop=turn.stop, tokens=turn.tokens, cost=turn.cost)


def progress_line(text: str) -> str:
    """Word the agent's report of something it did."""
    return _line(type="did", text=text)


def _line(**fields: object) -> str:
    return json.dumps(fields, ensure_ascii=False) + "\n"
