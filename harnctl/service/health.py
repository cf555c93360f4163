"""Health: whether the service, if there is one, will start this installation's daemon when it should.

A service is nobody's duty: where none is installed, that is said and is well.
"""

from collections.abc import Mapping
from typing import Final

from harnctl.client.place import program, unit_directory
from harnctl.failures import Failure
from harnctl.service import files
from harnctl.service.manager import UserManager
from harnctl.service.notes import PROPERTIES, Shown, notes
from harnctl.service.report import Note
from harnctl.service.units import SERVICE, UNITS
from protocol.views import CheckResult, CheckView

NAME: Final = "client.service"


def service_check(environ: Mapping[str, str]) -> CheckView:
    """Look at the service from outside; the daemon is not asked, and not started either."""
    directory = unit_directory(environ)
    if files.condition(directory / SERVICE) is None:
        return _check(CheckResult.OK, "harnd is not installed as a service, and need not be")
    manager = UserManager(environ)
    try:
        manager.unit_path()
        shown = manager.show(UNITS, PROPERTIES)
    except Failure as error:
        return _check(CheckResult.UNKNOWN, f"the service is installed, and cannot be looked at: {error.message}")
    if (problem := _problem(shown, lingers=manager.lingers())) is not None:
        return _check(CheckResult.WARN, problem.said, fix=problem.fix)
    return _check(CheckResult.OK, f"the service starts {program()[0]}, also while you are logged out")


def _problem(shown: Shown, *, lingers: bool | None) -> Note | None:
    """Return the worst of what would keep it from running."""
    if (worst := next(notes(shown), None)) is not None or lingers is True:
        return worst
    known = "" if lingers is False else "it is not known whether you linger: "
    return Note(f"{known}without lingering the service ends with your last log-out", "loginctl enable-linger")


def _check(result: CheckResult, said: str, *, fix: str = "") -> CheckView:
    return CheckView(name=NAME, result=result, said=said, fix=fix)
