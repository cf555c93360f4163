"""Health: whether the service, if there is one, will start this installation's daemon when it should.

A service is nobody's duty: where none is installed, that is said and is well.
"""

from collections.abc import Iterator
from typing import Final

from harnctl.client.place import program, unit_directory
from harnctl.console import Console
from harnctl.failures import Failure
from harnctl.service import files
from harnctl.service.manager import UserManager
from harnctl.service.standing import started_program
from harnctl.service.units import SERVICE, SOCKET, UNITS
from protocol.views import CheckResult, CheckView

NAME: Final = "client.service"
_INSTALL: Final = "harnctl service install"


def service_check(console: Console) -> CheckView:
    """Look at the service from outside; the daemon is not asked, and not started either."""
    directory = unit_directory(console.environ)
    if files.standing(directory / SERVICE) is None:
        return _check(CheckResult.OK, "harnd is not installed as a service, and need not be")
    manager = UserManager(console.environ)
    try:
        manager.unit_path()
        shown = manager.show(UNITS, ("LoadState", "ActiveState", "UnitFileState", "ExecStart"))
    except Failure as error:
        return _check(CheckResult.UNKNOWN, f"the service is installed, and cannot be looked at: {error.message}")
    problem = next(_problems(shown, lingers=manager.lingers()), None)
    if problem is not None:
        return _check(CheckResult.WARN, problem[0], fix=problem[1])
    return _check(CheckResult.OK, f"the service starts {program()[0]}, also while you are logged out")


def _problems(shown: dict[str, dict[str, str]], *, lingers: bool | None) -> Iterator[tuple[str, str]]:
    """Yield what would keep it from running, the worst first, each with the way out."""
    service, started = shown[SERVICE], started_program(shown[SERVICE].get("ExecStart", ""))
    if service.get("LoadState") != "loaded" or shown[SOCKET].get("LoadState") != "loaded":
        yield "systemd has not loaded both units of the service", _INSTALL
    if started != program()[0]:
        yield f"the service starts another installation, {started or 'an unknown one'}", _INSTALL
    if any(unit.get("ActiveState") == "failed" for unit in shown.values()):
        yield "the service has failed", "harnctl service logs"
    if service.get("UnitFileState") != "enabled":
        yield "the service is not enabled, so it does not start at log-in", _INSTALL
    if lingers is not True:
        known = "" if lingers is False else "it is not known whether you linger: "
        yield f"{known}without lingering the service ends with your last log-out", "loginctl enable-linger"


def _check(result: CheckResult, said: str, *, fix: str = "") -> CheckView:
    return CheckView(name=NAME, result=result, said=said, fix=fix)
