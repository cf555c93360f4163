"""The configuration of a daemon: what is in force, where it comes from, and what waits or was refused."""

from enum import StrEnum

from msgspec import Struct

from protocol.values import Instant
from protocol.views.problem import ProblemView


class ConfigOrigin(StrEnum):
    """Where a value comes from; the first that says something goes before the others."""

    ARGUMENT = "argument"
    ENVIRONMENT = "environment"
    FILE = "file"
    DEFAULT = "default"


class ConfigRow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One key and the value in force."""

    key: str  # such as `daemon.drain`
    value: str  # as one writes it in the file, without quotes
    origin: ConfigOrigin
    place: str  # `--drain`, `HARND_STATE`, `/path/config.toml:3`; empty for a default
    live: bool  # whether a reload changes it; otherwise a restart does
    waiting: str | None  # the value that the next start will have, when it is another one


class ConfigView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a daemon runs with, or (without `loaded_at`) what one would start with."""

    path: str  # absolute
    found: bool  # there is such a file; without one everything else holds all the same
    loaded_at: Instant | None  # when what is in force was read; None: no daemon runs with it
    rows: tuple[ConfigRow, ...]  # empty when no daemon would start with this file
    problems: tuple[ProblemView, ...]  # of the file as it was read last; what is in force was read before
