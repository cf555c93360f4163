"""Standing: how the service stands, as systemd has it, and whether the daemon that answers is the one it started.

Looking changes nothing.  A socket that waits for its first client is not connected to: that would start the daemon.
"""

import re
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from harnctl.client import Client, ClientError, VersionMismatch
from harnctl.client.place import program
from harnctl.console import Console
from harnctl.failures import Failure
from harnctl.service.installation import is_up
from harnctl.service.manager import UserManager
from harnctl.service.report import Answering, Note, ServiceStatus, UnitState
from harnctl.service.units import SERVICE, SOCKET, UNITS
from protocol.requests import ShowStatus
from protocol.values import Instant

_UNIT: Final = ("LoadState", "FragmentPath", "UnitFileState", "ActiveState", "SubState", "Result")
_DAEMON: Final = (
    "MainPID",
    "ExecMainStatus",
    "StatusText",
    "NRestarts",
    "WatchdogUSec",
    "ExecStart",
    "NeedDaemonReload",
)
_SINCE: Final = ("ActiveEnterTimestampMonotonic", "InactiveEnterTimestampMonotonic")
PROPERTIES: Final = (*_UNIT, *_DAEMON, *_SINCE)
_INSTALL: Final = "harnctl service install"
_SERVING: Final = frozenset({"active", "reloading"})
_NEVER: Final = frozenset({"0", "infinity", ""})

Shown = dict[str, dict[str, str]]


def find(console: Console, manager: UserManager) -> ServiceStatus:
    """Look at the service; raises `Failure` when there is none or no manager."""
    manager.unit_path()  # is there one?
    shown = manager.show(UNITS, PROPERTIES)
    service = shown[SERVICE]
    if service.get("LoadState") == "not-found":
        raise Failure("service.not_installed", "harnd is not installed as a service", fix="harnctl service install")
    daemon, trouble = _answering(console, shown)
    pid = int(service.get("MainPID") or 0) or None
    started, ours = started_program(service.get("ExecStart", "")), program()[0]
    lingers = manager.lingers()
    return ServiceStatus(
        units=tuple(_unit(unit, shown[unit]) for unit in UNITS),
        pid=pid,
        said=service.get("StatusText", ""),
        since=_since(console.now(), service),
        restarts=int(service.get("NRestarts") or 0),
        watchdog="off" if service.get("WatchdogUSec", "") in _NEVER else service["WatchdogUSec"],
        program=started,
        this_program=ours,
        daemon=daemon,
        lingers=lingers,
        notes=(*trouble, *_notes(shown, daemon, pid, ours)),
    )


def started_program(shown: str) -> str:
    """Return the program of a command line as `systemctl show` writes it."""
    found = re.search(r"path=(.*?) ; argv\[\]=", shown)
    return found[1] if found else ""


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


def _answering(console: Console, shown: Shown) -> tuple[Answering | None, list[Note]]:
    serves = shown[SERVICE].get("ActiveState") in _SERVING
    if is_up(shown, SOCKET) and not serves:
        return None, []
    try:
        return answering(console), []
    except ClientError as error:
        expected = serves or isinstance(error, VersionMismatch)
        return None, [Note(error.message, console.way_out(error))] if expected else []


def answering(console: Console) -> Answering:
    """Ask the daemon at the socket who it is; raises `ClientError`."""
    with Client(console.socket_path) as client:
        status = client.ask(ShowStatus())
    return Answering(pid=status.pid, version=status.version, state_dir=status.state_dir)


def _notes(shown: Shown, daemon: Answering | None, pid: int | None, ours: str) -> Iterator[Note]:
    service = shown[SERVICE]
    if any(unit.get("NeedDaemonReload") == "yes" for unit in shown.values()):
        yield Note("a unit was changed since systemd read it", "systemctl --user daemon-reload")
    if shown[SOCKET].get("LoadState") == "not-found":
        yield Note(f"{SOCKET} is missing", _INSTALL)
    if daemon is not None and daemon.pid != pid:
        said = f"the daemon that answers (pid {daemon.pid}, harnd {daemon.version}) is not the one of the service"
        yield Note(said, "stop it where it runs, then: harnctl service install")
    if (started := started_program(service.get("ExecStart", ""))) and started != ours:
        yield Note(f"the service starts another installation, {started}; the one of this harnctl is {ours}", _INSTALL)
    elif daemon is not None and (own := _version()) and daemon.version != own:
        yield Note(f"harnd {daemon.version} runs and {own} is installed", f"systemctl --user restart {SERVICE}")
    if any(unit.get("ActiveState") == "failed" for unit in shown.values()):
        ended = f"{service.get('Result', 'an unknown result')} ({service.get('ExecMainStatus', '?')})"
        yield Note("why is in the journal", "harnctl service logs")
        yield Note(
            f"harnd ended with {ended}, and systemd does not start it again by itself", f"when it is mended: {_INSTALL}"
        )


def _version() -> str | None:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - it loads half of the email package

    with suppress(PackageNotFoundError):
        return version("harnd")
    return None
