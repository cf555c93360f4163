"""Notes: what is not as it should be with the units, in one place for all who tell of it, the worst first."""

import re
from collections.abc import Iterator
from typing import Final

from harnctl.client.place import program
from harnctl.service.report import Note
from harnctl.service.units import SERVICE, UNITS

PROPERTIES: Final = (
    "LoadState",
    "UnitFileState",
    "ActiveState",
    "Result",
    "ExecMainStatus",
    "ExecStart",
    "NeedDaemonReload",
)
INSTALL: Final = "harnctl service install"
LOGS: Final = "harnctl service logs"

Shown = dict[str, dict[str, str]]  # properties by unit, as the manager has them


def notes(shown: Shown) -> Iterator[Note]:
    """Yield what would keep the service from running this installation's daemon, each with the way out."""
    service = shown[SERVICE]
    for unit in UNITS:
        if (state := shown[unit].get("LoadState", "unknown")) != "loaded":
            yield Note(f"{unit} is {'missing' if state == 'not-found' else f'not loaded ({state})'}", INSTALL)
    if any(unit.get("NeedDaemonReload") == "yes" for unit in shown.values()):
        yield Note("a unit was changed since systemd read it", "systemctl --user daemon-reload")
    if starts_another(shown):
        other, ours = started_program(service) or "an unknown one", program()[0]
        yield Note(f"the service starts another installation, {other}; the one of this harnctl is {ours}", INSTALL)
    if any(unit.get("ActiveState") == "failed" for unit in shown.values()):
        ended = f"{service.get('Result', 'an unknown result')} ({service.get('ExecMainStatus', '?')})"
        yield Note("the service has failed, and why is in the journal", LOGS)
        said = f"harnd ended with {ended}, and systemd does not start it again by itself"
        yield Note(said, f"when it is mended: {INSTALL}")
    if service.get("LoadState") == "loaded" and service.get("UnitFileState") != "enabled":
        yield Note("the service is not enabled, so it does not start at log-in", INSTALL)


def starts_another(shown: Shown) -> bool:
    """Tell whether the service is there and starts another program than an installation from here would."""
    service = shown[SERVICE]
    return service.get("LoadState") == "loaded" and started_program(service) != program()[0]


def started_program(service: dict[str, str]) -> str:
    """Return the program that a service starts, from the command line as `systemctl show` writes it."""
    found = re.search(r"path=(.*?) ; argv\[\]=", service.get("ExecStart", ""))
    return found[1] if found else ""
