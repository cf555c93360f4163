"""Status: how the service stands, as systemd has it, and whether the daemon that answers is the one it started.

Looking changes nothing.  A socket that waits for its first client is not connected to: that would start the daemon.
"""

import shlex
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from harnctl.client import Barred, Client, ClientError, Unreachable, VersionMismatch
from harnctl.client.place import program
from harnctl.failures import Failure
from harnctl.service.installation import is_up
from harnctl.service.manager import UserManager
from harnctl.service.notes import INSTALL, LOGS, PROPERTIES, Shown, notes, started_program, starts_another
from harnctl.service.report import RESTART, Answering, Note, ServiceStatus, UnitState
from harnctl.service.units import SERVICE, SOCKET, UNITS
from protocol.requests import ShowStatus
from protocol.values import Instant

_SHOWN: Final = ("FragmentPath", "SubState", "MainPID", "StatusText", "NRestarts", "WatchdogUSec")
_SINCE: Final = ("ActiveEnterTimestampMonotonic", "InactiveEnterTimestampMonotonic")
_SERVING: Final = frozenset({"active", "reloading"})
_NEVER: Final = frozenset({"0", "infinity", ""})


def find(manager: UserManager, *, socket: Path, now: Instant) -> ServiceStatus:
    """Look at the service, and at who answers at the socket; raises `Failure` when there is none or no manager."""
    manager.unit_path()  # is there one?
    shown = manager.show(UNITS, (*PROPERTIES, *_SHOWN, *_SINCE))
    service = shown[SERVICE]
    if service.get("LoadState") == "not-found":
        raise Failure("service.not_installed", "harnd is not installed as a service", fix=INSTALL)
    daemon, trouble = _answering(socket, shown)
    pid = int(service.get("MainPID") or 0) or None
    lingers = manager.lingers()
    return ServiceStatus(
        units=tuple(_unit(unit, shown[unit]) for unit in UNITS),
        pid=pid,
        said=service.get("StatusText", ""),
        since=_since(now, service),
        restarts=int(service.get("NRestarts") or 0),
        watchdog="off" if service.get("WatchdogUSec", "") in _NEVER else service["WatchdogUSec"],
        program=started_program(service),
        this_program=program()[0],
        daemon=daemon,
        lingers=lingers,
        notes=(*trouble, *(_notes_on(daemon, pid=pid, shown=shown) if daemon else ()), *notes(shown)),
    )


def _unit(unit: str, shown: dict[str, str]) -> UnitState:
    loaded = shown.get("LoadState") == "loaded"
    return UnitState(
        unit=unit,
        file=shown.get("FragmentPath", ""),
        enabled=shown.get("UnitFileState", "") if loaded else shown.get("LoadState", "unknown"),
        active=shown.get("ActiveState", "unknown"),
        sub=shown.get("SubState", "unknown"),
        result=shown.get("Result", ""),
    )


def _since(now: Instant, service: dict[str, str]) -> Instant | None:
    """Turn the moment of the last change into one of the wall clock; systemd counts microseconds since boot."""
    entered = int(service.get(_SINCE[0 if service.get("ActiveState") == "active" else 1]) or 0)
    return Instant(now - (time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1_000 - entered)) if entered else None


def _answering(socket: Path, shown: Shown) -> tuple[Answering | None, list[Note]]:
    serves = shown[SERVICE].get("ActiveState") in _SERVING
    if is_up(shown, SOCKET) and not serves:
        return None, []
    try:
        return answering(socket), []
    except ClientError as error:
        expected = serves or isinstance(error, VersionMismatch)
        # A daemon that systemd took for ready is not started by hand because it does not answer.
        gone = isinstance(error, Unreachable) and not isinstance(error, Barred)
        return None, [Note(error.message, LOGS if gone else error.fix)] if expected else []


def answering(socket: Path) -> Answering:
    """Ask the daemon at a socket who it is; raises `ClientError`."""
    with Client(socket) as client:
        status = client.ask(ShowStatus())
    return Answering(pid=status.pid, version=status.version, state_dir=status.state_dir)


def _notes_on(daemon: Answering, *, pid: int | None, shown: Shown) -> Iterator[Note]:
    if daemon.pid != pid:
        said = f"the daemon that answers (pid {daemon.pid}, harnd {daemon.version}) is not the one of the service"
        yield Note(said, f"stop it where it runs, then: {INSTALL}")
    if not starts_another(shown) and (own := _version()) and daemon.version != own:
        yield Note(f"harnd {daemon.version} runs and {own} is installed", shlex.join(RESTART))


def _version() -> str | None:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - it loads half of the email package

    with suppress(PackageNotFoundError):
        return version("harnd")
    return None
