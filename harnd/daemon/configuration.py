"""The configuration of a running daemon: what is in force, what waits for a restart, and what was refused.

A file is taken whole or not at all.  One that has a problem changes nothing, and what was read last goes on to hold.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from harnd.daemon.arguments import Asked
from harnd.daemon.settings import Choice, ConfigError, Settings, as_written, place_of_file, settle
from harnd.domain.files.config_file import keys
from harnd.domain.problem import Problem
from protocol.values import Instant
from protocol.views import ConfigRow, ConfigView, ProblemView

LIVE: Final = frozenset(key for key, declared in keys().items() if declared.get("live"))


class Configuration:
    """The settings of one daemon, and what became of every attempt to change them."""

    def __init__(self, asked: Asked, now: Callable[[], Instant]) -> None:
        """Read everything for the first time; raises `ConfigError`."""
        self._asked = asked
        self._now = now
        self._wanted = self.settings = settle(asked)
        self._loaded_at = now()
        self.problems: list[Problem] = []

    def __repr__(self) -> str:
        return f"<Configuration {self.settings.config} problems={len(self.problems)} waiting={len(self.waiting)}>"

    def read(self) -> Settings | ConfigError:
        """Read the file again, in whatever thread; nothing changes before it is taken."""
        try:
            return settle(self._asked)
        except ConfigError as error:
            return error

    def take(self, found: Settings | ConfigError) -> None:
        """Take what was read, in the thread of those who look; then `problems` says what is wrong with it."""
        if isinstance(found, ConfigError):
            self.problems = found.problems
            return
        self.problems, self._wanted = [], found
        kept = {key: choice for key, choice in self.settings.choices.items() if key not in LIVE}
        self.settings = replace(self._wanted, choices=MappingProxyType({**self._wanted.choices, **kept}))
        self._loaded_at = self._now()

    @property
    def waiting(self) -> Mapping[str, Choice]:
        """The values that the next start will have, where they are others."""
        wanted, mine = self._wanted.choices, self.settings.choices
        return {key: wanted[key] for key in wanted if wanted[key].value != mine[key].value}

    def view(self) -> ConfigView:
        """Show it."""
        return ConfigView(
            path=str(self.settings.config),
            found=self.settings.found,
            loaded_at=self._loaded_at,
            rows=tuple(_rows(self.settings, self.waiting)),
            problems=tuple(map(_problem, self.problems)),
        )


def prospect(asked: Asked) -> ConfigView:
    """Show what a daemon would start with, or why none would."""
    try:
        settings = settle(asked)
    except ConfigError as error:
        path, _ = place_of_file(asked)
        problems = tuple(map(_problem, error.problems))
        return ConfigView(path=str(path), found=path.exists(), loaded_at=None, rows=(), problems=problems)
    rows = tuple(_rows(settings, {}))
    return ConfigView(path=str(settings.config), found=settings.found, loaded_at=None, rows=rows, problems=())


def _rows(settings: Settings, waiting: Mapping[str, Choice]) -> Iterator[ConfigRow]:
    for key, choice in settings.choices.items():
        yield ConfigRow(
            key=key,
            value=as_written(key, choice.value),
            origin=choice.origin,
            place=choice.place,
            live=key in LIVE,
            waiting=as_written(key, waiting[key].value) if key in waiting else None,
        )


def _problem(found: Problem) -> ProblemView:
    return ProblemView(found.code, found.place, found.message, found.file, found.line)
