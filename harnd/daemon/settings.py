"""Settings: what a daemon runs with, and where each of it comes from.

An argument goes before the environment, the environment before the configuration file, the file before the default.  A
socket that a service manager passed goes before all of them, and it is known who named another in vain.
Everything that is wrong is said at once.  Goals carry their own bounds; here is only what concerns the daemon itself.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from harnd.daemon.arguments import Asked
from harnd.daemon.config_reading import Read, read_file
from harnd.daemon.socket_path import find_socket_path
from harnd.domain.dialect import Schema
from harnd.domain.files.config_file import ConfigFile, keys
from harnd.domain.files.durations import seconds, written
from harnd.domain.problem import Problem
from protocol import bounds
from protocol import socket_path as places
from protocol.socket_path import NoSocketPath, config_file, state_directory
from protocol.views import ConfigOrigin

STATE: Final = "daemon.state"
SOCKET: Final = "daemon.socket"
DRAIN: Final = "daemon.drain"
GRACE: Final = "daemon.grace"
LEVEL: Final = "log.level"
ARGUMENTS: Final[Mapping[str, str]] = {key: f"--{key.rpartition('.')[2]}" for key in (STATE, SOCKET, DRAIN, GRACE)}
VARIABLES: Final[Mapping[str, str]] = {STATE: places.STATE, SOCKET: places.SOCKET}
PASSED: Final = "LISTEN_FDS"  # what a service manager says when it passes a socket


class ConfigError(Exception):
    """The daemon cannot start as it was asked to: exit 78, a sentence for each problem."""

    def __init__(self, problems: list[Problem]) -> None:
        """Say everything that is wrong, a line each."""
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Choice:
    """One value, and where it comes from."""

    value: str | int  # durations in seconds
    origin: ConfigOrigin
    place: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a daemon runs with."""

    config: Path  # absolute; the file may be absent
    found: bool
    choices: Mapping[str, Choice]  # every key has one
    unheard: Choice | None = None  # who named another socket than the one that was passed

    @property
    def state(self) -> Path:
        """The state directory, absolute."""
        return Path(str(self.choices[STATE].value))

    @property
    def socket(self) -> Path:
        """The socket, absolute."""
        return Path(str(self.choices[SOCKET].value))

    @property
    def drain_s(self) -> int:
        """How long TERM waits for what runs."""
        return int(self.choices[DRAIN].value)

    @property
    def grace_s(self) -> int:
        """How long a process may take to end before it is killed."""
        return int(self.choices[GRACE].value)

    @property
    def log_level(self) -> str:
        """The least grave lines that are written."""
        return str(self.choices[LEVEL].value)


def settle(asked: Asked) -> Settings:
    """Read the file and weigh everything that was said; raises `ConfigError`."""
    path, is_named = place_of_file(asked)
    read = read_file(path, must_exist=is_named)
    problems = [*read.problems]
    choices = {key: _choice(key, declared, asked, read) for key, declared in keys().items() if key != SOCKET}
    try:
        choices[SOCKET] = _socket(choices[STATE], asked, read)
    except NoSocketPath as error:
        problems.append(Problem("socket.too_long", "", f"{error}; choose a shorter --state or --socket"))
    if problems:
        raise ConfigError(problems)
    unheard = _unheard(choices[STATE], asked, read)
    return Settings(path, read.found, MappingProxyType({key: choices[key] for key in keys()}), unheard)


def place_of_file(asked: Asked) -> tuple[Path, bool]:
    """Return the absolute path of the configuration file, and whether somebody named it."""
    named = asked.arguments.get("config") or asked.environment.get(places.CONFIG)
    if named:
        return _absolute(str(named), asked), True
    return Path(config_file(asked.environment)), False


def as_written(key: str, value: str | int) -> str:
    """Write a value as it would stand in the file, without quotes."""
    return written(int(value)) if "duration" in keys()[key] else str(value)


# --- one key


def _choice(key: str, declared: Schema, asked: Asked, read: Read) -> Choice:
    said = next(_said(key, asked, read.file), None)
    if said is None:
        return Choice(_default(key, declared, asked), ConfigOrigin.DEFAULT)
    if key == STATE:
        return Choice(str(_absolute(str(said.value), asked)), said.origin, said.place)
    return said


def _said(key: str, asked: Asked, file: ConfigFile) -> Iterator[Choice]:
    """Tell who chose a value, the first of whom is heard."""
    argument, variable = ARGUMENTS.get(key, ""), VARIABLES.get(key, "")
    if (given := asked.arguments.get(argument.removeprefix("--"))) is not None:
        yield Choice(given, ConfigOrigin.ARGUMENT, argument)
    if found := asked.environment.get(variable):
        yield Choice(found, ConfigOrigin.ENVIRONMENT, variable)
    if key in file.written:
        line = file.written[key]
        yield Choice(line.value, ConfigOrigin.FILE, f"{place_of_file(asked)[0]}:{line.line}")


def _default(key: str, declared: Schema, asked: Asked) -> str | int:
    if key == STATE:
        return state_directory(asked.environment)
    default = declared["default"]
    return (seconds(default) or 0) if "duration" in declared else default


def _socket(state: Choice, asked: Asked, read: Read) -> Choice:
    """Find the socket; raises `NoSocketPath`.

    The socket of the file is that of the daemon of the file.  One that is told of another state directory has its own.
    """
    if asked.passed is not None:
        return Choice(str(asked.passed), ConfigOrigin.ENVIRONMENT, PASSED)
    said = _said_of_socket(state, asked, read)
    if said is None:
        found = find_socket_path(asked.environment, state_dir=str(state.value))
        return Choice(str(found), ConfigOrigin.DEFAULT)
    path = _absolute(str(said.value), asked)
    if len(os.fsencode(path)) > bounds.SOCKET_PATH_BYTES:
        raise NoSocketPath(str(path))
    return Choice(str(path), said.origin, said.place)


def _unheard(state: Choice, asked: Asked, read: Read) -> Choice | None:
    said = _said_of_socket(state, asked, read)
    return said if said and asked.passed and _absolute(str(said.value), asked) != asked.passed else None


def _said_of_socket(state: Choice, asked: Asked, read: Read) -> Choice | None:
    said = next(_said(SOCKET, asked, read.file), None)
    if said is not None and said.origin is ConfigOrigin.FILE and not _is_of_file(state, asked, read.file):
        return None
    return said


def _is_of_file(state: Choice, asked: Asked, file: ConfigFile) -> bool:
    meant = file.written.get(STATE)
    usual = str(meant.value) if meant else state_directory(asked.environment)
    return str(state.value) == str(_absolute(usual, asked))


def _absolute(said: str, asked: Asked) -> Path:
    return asked.directory / places.from_home(said, asked.environment)
