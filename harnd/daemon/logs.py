"""Logs: one event a line, for a terminal or for a journal.  No prompt text, no environment.

A journal knows the time by itself and is told how grave a line is; everywhere else a line bears the time.  Every text
passes through the line format, which escapes what a terminal would act on.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Final

import structlog
from structlog.typing import EventDict, FilteringBoundLogger

from harnd.daemon.sink import Sink, is_journal
from harnd.domain.files.config_file import LEVELS
from harnd.ports.store import Recorded
from protocol.ids import GoalId

_SINK: Final = Sink(2)
_GRAVITY: Final = {name: getattr(logging, name.upper()) for name in LEVELS}
log: FilteringBoundLogger = structlog.get_logger()


def configure(environment: Mapping[str, str]) -> None:
    """Write to standard error from here on, in the form of the journal when the environment says that it is one."""
    _SINK.journal = is_journal(2, environment)
    structlog.configure(
        processors=[
            _grave_enough,
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            *([] if _SINK.journal else [structlog.processors.TimeStamper(fmt="iso", utc=True)]),
            structlog.processors.format_exc_info,
            _escaped,
            structlog.processors.LogfmtRenderer(key_order=["timestamp", "level", "event"], drop_missing=True),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=lambda: _SINK,
        cache_logger_on_first_use=True,
    )


def write_from(level: str) -> None:
    """Write lines of this level and graver ones, and no others."""
    _Least.gravity = _GRAVITY[level]


def say(sentence: str) -> None:
    """Tell a person why the daemon does not start, on standard error and without the form of an event."""
    for line in sentence.splitlines():
        _SINK.error(line)


class _Least:
    gravity = logging.INFO


def _grave_enough(_logger: object, name: str, event: EventDict) -> EventDict:
    # Here and not in the class of the logger, which is made once for every module: a reload may change it.
    if _GRAVITY.get(name, logging.ERROR) < _Least.gravity:
        raise structlog.DropEvent
    return event


def _escaped(_logger: object, _name: str, event: EventDict) -> EventDict:
    return {key: _plain(value) for key, value in event.items()}


def _plain(value: object) -> object:
    # A text from an agent or a repository must not move the cursor of whoever reads the log.
    return (
        value.encode("unicode_escape").decode("ascii") if isinstance(value, str) and not value.isprintable() else value
    )


class LoggingWatcher:
    """Writes what the roster does into the log, and passes on how many events became durable."""

    def __init__(self, announce: Callable[[int], None], moved: Callable[[], None]) -> None:
        self._announce = announce
        self._moved = moved  # something is different for whoever looks at the whole

    def committed(self, recorded: tuple[Recorded, ...]) -> None:
        """Events have just been made durable."""
        for event in recorded:
            log.info(event.tag.partition("/")[0], goal=event.stream, version=event.version)
        self._announce(len(recorded))
        self._moved()

    def restarted(self, goal: GoalId, error: Exception) -> None:
        """A supervisor failed and will be started again."""
        log.warning("goal.restarted", goal=goal, error=f"{type(error).__name__}: {error}")

    def parked(self, goal: GoalId, error: Exception) -> None:
        """A supervisor failed too often and was given up."""
        log.error("goal.parked", goal=goal, exc_info=error)
        self._moved()
