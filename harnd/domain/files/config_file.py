"""The configuration file: what a person may choose about the daemon itself, key by key.

A file that was written for a later version of this form is reported as that and nothing else, since its other words
may mean what they do not mean here.  Where a value comes from besides, and when it takes effect, is the shell's matter.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from harnd.domain.checking import flaws, shown
from harnd.domain.dialect import Schema
from harnd.domain.files.durations import seconds
from harnd.domain.files.keys import FILES, lasting, not_built, of_form, table
from harnd.domain.files.source import At, read_source, top
from harnd.domain.problem import Problem
from protocol import bounds

VERSION: Final = 1  # of the form of the file
LEVELS: Final = ("info", "warning", "error")

_PLACE: Final = r"~?/[^\x00\n]+"

CONFIG: Final[Schema] = table(
    {
        "version": {
            "type": "integer",
            "minimum": 1,
            "maximum": VERSION,
            "default": VERSION,
            "description": "the version of the form that the file has",
        },
        "daemon": table(
            {
                "state": of_form("the state directory, an absolute path or one from `~/`", _PLACE),
                "socket": of_form("the socket, an absolute path or one from `~/`", _PLACE),
                "drain": {**lasting("how long TERM waits for what runs", bounds.DRAIN_S), "live": True},
                "grace": {
                    **lasting("how long an agent may take to end before it is killed", bounds.GRACE_S),
                    "live": True,
                },
            }
        ),
        "log": table(
            {
                "level": {
                    "type": "string",
                    "enum": list(LEVELS),
                    "default": LEVELS[0],
                    "description": "the least grave lines that are written",
                    "live": True,
                },
            }
        ),
        "notifications": not_built("notifications; leave `[notifications]` out"),
    },
)


class Written(msgspec.Struct, frozen=True):
    """A value as the file has it, durations in seconds."""

    value: str | int
    line: int


class ConfigFile(msgspec.Struct, frozen=True):
    """What a file says, by keys such as `daemon.drain`.  What it leaves out is not there."""

    written: dict[str, Written]


def keys() -> dict[str, Schema]:
    """Return the declaration of every key that can be set, by its name, in the order of the manual."""
    return dict(_declared(CONFIG, ""))


def read_config(name: str, content: bytes, *, reader: str) -> ConfigFile | list[Problem]:
    """Read a file, or say everything that is wrong with it; `reader` names this harnd to whoever has several."""
    source = read_source(name, content)
    if isinstance(source, Problem):
        return [source]
    at = top(source)
    if (version := at["version"].whole(VERSION)) > VERSION:
        message = f"is {version}, and {reader} reads configurations up to version {VERSION}: start the newer harnd"
        return [at["version"].problem("config.newer", message)]
    found = flaws(at.value, CONFIG, dialect=FILES)
    if found:
        problems = [source.problem(path, code, message) for path, code, message in found]
        return shown(sorted(problems, key=lambda problem: problem.line))
    return ConfigFile({key: _written(_go(at, key), declared) for key, declared in keys().items() if _is_there(at, key)})


def _declared(schema: Schema, prefix: str) -> Iterator[tuple[str, Schema]]:
    declarations: dict[str, Any] = schema["properties"]
    for key, declared in declarations.items():
        if "properties" in declared:
            yield from _declared(declared, f"{prefix}{key}.")
        elif "not_built" not in declared and key != "version":
            yield f"{prefix}{key}", declared


def _go(at: At, key: str) -> At:
    for step in key.split("."):
        at = at[step]
    return at


def _is_there(at: At, key: str) -> bool:
    return _go(at, key).value is not None


def _written(at: At, declared: Schema) -> Written:
    value = seconds(at.value) if "duration" in declared else at.value
    if not isinstance(value, str | int):
        raise TypeError(f"{at.path} was checked")
    return Written(value, at.source.lines.of(at.path))
