"""Reports: what `harnctl service` answers, as documents."""

from msgspec import Struct

from harnctl.service.files import UnitFile
from harnctl.service.installation import Step
from harnctl.service.objections import Objection
from harnctl.service.plan import Plan
from protocol.values import Instant


class Installed(Struct, frozen=True, kw_only=True):
    """What `service install` did, or would do."""

    rehearsed: bool  # nothing was touched
    objections: tuple[Objection, ...]  # only a rehearsal has any: they end what is meant
    units: tuple[UnitFile, ...]
    steps: tuple[Step, ...]
    plan: Plan
    lingers: bool | None
    restart: bool  # a daemon runs that was started by the units as they were


class Uninstalled(Struct, frozen=True, kw_only=True):
    """What `service uninstall` did, and what it left."""

    steps: tuple[Step, ...]
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
