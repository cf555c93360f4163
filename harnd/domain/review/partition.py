"""Partitions: which models count as one reviewer, so that evidence of one is not taken for that of another.

A partition is known before a job is made, from what is known of the harness by then.  A model that the register names
belongs to the partition of that name; any other is one of its own; where nothing is known it is `harness-default`.
What a worker claims of itself is not even asked for here.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Final, NewType

import msgspec

from harnd.domain.checking import check
from harnd.domain.description import quoted
from harnd.domain.digest import digest_of_bytes
from harnd.domain.problem import Problem
from harnd.domain.rejected import Rejected
from harnd.domain.review.provenance import Runner
from harnd.domain.shapes import Schema, a_list

Partition = NewType("Partition", str)

HARNESS_DEFAULT: Final = Partition("harness-default")

_NAME: Final = r"[a-z0-9][a-z0-9._:/+-]{0,99}"
_MADE_UP: Final = "model-"  # begins the name of a model whose id is no name


class Entry(msgspec.Struct, frozen=True):
    """One partition of the register."""

    aliases: tuple[str, ...]  # in lower case, its own name too
    by_effort: bool  # whether each effort is a partition of its own


class Register(msgspec.Struct, frozen=True):
    """What is known of models."""

    entries: Mapping[Partition, Entry]

    def partition_of(self, runner: Runner) -> Partition:
        """Return the partition of what is known of a runner."""
        if runner.model is None:
            return HARNESS_DEFAULT
        model = runner.model.strip().lower()
        for name, entry in self.entries.items():
            if model in entry.aliases:
                return _with_effort(name, runner.effort) if entry.by_effort else name
        return _with_effort(_own(model), runner.effort)

    def contradicts(self, partition: Partition, runner: Runner) -> Problem | None:
        """Say how what is known at the end differs from the partition of a job; what is unknown contradicts nothing."""
        if runner.model is None or self.partition_of(runner) == partition:
            return None
        found = f"{quoted(runner.model)} belongs to {self.partition_of(runner)}"
        return Problem("partition.mismatch", "", f"{found}, and the job was made for {partition}")


def _own(model: str) -> Partition:
    free = re.fullmatch(_NAME, model) and model != HARNESS_DEFAULT and not model.startswith(_MADE_UP)
    return Partition(model if free else f"{_MADE_UP}{digest_of_bytes(model.encode('utf-8', 'replace'))[:16]}")


def _with_effort(name: Partition, effort: str | None) -> Partition:
    return name if effort is None else Partition(f"{name}@{_own(effort.strip().lower())}")


@lru_cache(maxsize=1)
def shipped_register() -> Register:
    """Return the register that comes with harnd; it is part of the program, as its code is."""
    return read_register(files("harnd.domain.review").joinpath("partitions.toml").read_text("utf-8"))


def read_register(text: str) -> Register:
    """Read a register; raises `Rejected` (`review.register`) with everything that is wrong with it."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _rejected([Problem("register.syntax", "", f"is no TOML: {error}")]) from error
    if problems := check(tables, _SCHEMA):
        raise _rejected(problems)
    entries = {
        Partition(name): Entry(tuple({name: 0} | dict.fromkeys(table["aliases"], 0)), by_effort=table["by_effort"])
        for name, table in tables.items()
    }
    if problems := [*_shared(entries)]:
        raise _rejected(problems)
    return Register(entries)


_WORD: Final[Schema] = {"type": "string", "pattern": f"^{_NAME}$"}
_SCHEMA: Final[Schema] = {
    "type": "object",
    "propertyNames": {**_WORD, "not": {"const": HARNESS_DEFAULT}},
    "additionalProperties": {
        "type": "object",
        "properties": {"aliases": a_list(_WORD, least=0, most=100), "by_effort": {"type": "boolean"}},
        "required": ["aliases", "by_effort"],
        "additionalProperties": False,
    },
}


def _shared(entries: Mapping[Partition, Entry]) -> Iterator[Problem]:
    owners: dict[str, str] = {}
    for name, entry in entries.items():
        for alias in entry.aliases:
            if owners.setdefault(alias, name) != name:
                yield Problem("register.shared", name, f"{quoted(alias)} belongs to {owners[alias]} already")


def _rejected(problems: list[Problem]) -> Rejected:
    return Rejected("review.register", f"the register of models is wrong: {problems[0]}", problems=tuple(problems))
