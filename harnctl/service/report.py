"""Reports: what `harnctl service` answers, as documents."""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from harnctl.service.blueprint import Blueprint
from harnctl.service.objections import Objection
from harnctl.service.units import SERVICE
from protocol.values import Instant

RESTART: Final = ("systemctl", "--user", "restart", SERVICE)


class Condition(StrEnum):
    """How a unit on disk compares with the one that is wanted."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    EDITED = "edited"  # ours once, and changed by somebody since
    FOREIGN = "foreign"

    @property
    def is_a_persons(self) -> bool:
        """Tell whether it is not ours to change."""
        return self in {Condition.EDITED, Condition.FOREIGN}


class UnitFile(Struct, frozen=True):
    """A unit on disk."""

    unit: str
    path: str
    condition: Condition
    diff: tuple[str, ...] = ()  # lines that go (-) and come (+)


class Did(StrEnum):
    """What can be done."""

    WROTE = "wrote"
    REMOVED = "removed"
    RAN = "ran"
    BEGAN = "began"  # and was not waited for; it goes on


class Deed(Struct, frozen=True):
    """Something that was done, or in a rehearsal would be."""

    did: Did
    what: str


class Installed(Struct, frozen=True, kw_only=True):
    """What `service install` did, or would do."""

    rehearsed: bool  # nothing was touched
    objections: tuple[Objection, ...]  # only a rehearsal has any: they end what is meant
    units: tuple[UnitFile, ...]
    deeds: tuple[Deed, ...]
    blueprint: Blueprint
    lingers: bool | None
    restart: bool  # a daemon runs that was started by the units as they were


class Uninstalled(Struct, frozen=True, kw_only=True):
    """What `service uninstall` did, and what it left."""

    deeds: tuple[Deed, ...]
    left: tuple[str, ...]  # sentences


class UnitState(Struct, frozen=True, kw_only=True):
    """A unit, as the manager has it."""

    unit: str
    file: str
    enabled: str
    active: str
    sub: str
    result: str


class Note(Struct, frozen=True):
    """Something that is not as it should be."""

    said: str  # one sentence
    fix: str  # a way out, empty when there is nothing to type


class Answering(Struct, frozen=True, kw_only=True):
    """The daemon that answers at the socket."""

    pid: int
    version: str
    state_dir: str


class ServiceStatus(Struct, frozen=True, kw_only=True):
    """How the service stands."""

    units: tuple[UnitState, ...]
    pid: int | None  # of the daemon that systemd started
    said: str  # its status line
    since: Instant | None  # when it came up, or went down
    restarts: int
    watchdog: str
    program: str  # what the unit starts
    this_program: str  # what an installation from here would start
    daemon: Answering | None
    lingers: bool | None
    notes: tuple[Note, ...]


class JournalLine(Struct, frozen=True, kw_only=True):
    """One line that the daemon, or systemd of it, wrote to the journal."""

    at: Instant
    pid: int | None
    text: str


class Journal(Struct, frozen=True):
    """The end of the journal, oldest first."""

    lines: tuple[JournalLine, ...]
