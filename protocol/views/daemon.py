"""The daemon itself: its state, its processes, its health."""

from enum import StrEnum

from msgspec import Struct

from protocol.ids import EffectKey, GoalId, InstanceId, WorkId
from protocol.values import Instant, Micros, Phase


class StoreHealth(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The event store, measured."""

    engine: str  # name and version of the database
    schema: int
    events: int
    size_bytes: int
    wal_bytes: int


class StatusView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The daemon in one look."""

    pid: int
    version: str
    instance: InstanceId
    uptime: Micros
    state_dir: str
    socket: str
    goals: dict[Phase, int]  # phases without a goal are absent
    running_sessions: int
    inbox: int
    store: StoreHealth | None  # None when it did not answer
    notes: tuple[str, ...]  # a line each, such as a limit that is near
    draining: bool = False  # nothing new is started, and the daemon ends when what runs has ended


class ProcessView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A live process that harnd started."""

    effect: EffectKey
    pid: int
    age: Micros
    goal: GoalId
    work: WorkId | None  # None: it plans


class ProcessList(Struct, frozen=True, forbid_unknown_fields=True):
    """Every live process, oldest first."""

    processes: tuple[ProcessView, ...]


class CheckResult(StrEnum):
    """What a check came to; unknown is not ok."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"
    UNKNOWN = "unknown"


class CheckView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing that was looked at."""

    name: str
    result: CheckResult
    said: str  # one sentence
    fix: str  # empty when there is nothing to do


class DoctorView(Struct, frozen=True, forbid_unknown_fields=True):
    """Everything the daemon looked at, in its own environment."""

    checks: tuple[CheckView, ...]
    at: Instant
