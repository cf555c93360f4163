"""`harnctl doctor`: everything that can be checked from here, and everything that the daemon checks about itself.

It works with the daemon down, and then says how to start it.  What could not be looked at is unknown, never well.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import Final

import typer

from harnctl.client import Client, ClientError, Unreachable
from harnctl.client.door import check_place
from harnctl.client.place import start_command
from harnctl.commands.options import console_of
from harnctl.console import Console
from harnctl.failures import Failure
from harnctl.render.daemon import checks
from harnctl.service.health import service_check
from protocol.errors import Exit
from protocol.requests import ShowDoctor
from protocol.views import CheckResult, CheckView, DoctorView

PYTHON: Final = (3, 11)
GIT: Final = (2, 38)  # the first with `git merge-tree --write-tree`


def show_doctor(context: typer.Context) -> None:
    """Check this machine, the way to the daemon, and the daemon."""
    console = console_of(context)
    found = [_python(), _git(), service_check(console.environ), *_daemon(console)]
    console.show(ShowDoctor.method, DoctorView(tuple(found), console.now()), checks(found))
    if any(check.result is CheckResult.FAIL for check in found):
        raise typer.Exit(Exit.FAILURE)


def _python() -> CheckView:
    said = f"python {sys.version.split()[0]} at {sys.executable}"
    return _check("client.python", sys.version_info >= PYTHON, said, fix="install python 3.11 or newer")


def _git() -> CheckView:
    try:
        said = subprocess.run(["git", "--version"], capture_output=True, text=True, check=False).stdout.strip()
    except OSError as error:
        return _check("client.git", well=False, said=f"git does not start: {error.strerror}", fix="install git")
    number = re.search(r"(\d+)\.(\d+)", said)
    if number is None:
        return CheckView(name="client.git", result=CheckResult.UNKNOWN, said=said or "git said nothing", fix="")
    well = (int(number[1]), int(number[2])) >= GIT
    return _check("client.git", well, said, fix="install git 2.38 or newer")


def _daemon(console: Console) -> Iterator[CheckView]:
    """Check the way to the daemon step by step, and hand on what it finds itself."""
    try:
        path = console.socket_path
        check_place(path)
    except (Failure, Unreachable) as error:
        yield _check("client.socket", well=False, said=error.message, fix=console.way_out(error))
        return
    yield _check("client.socket", well=True, said=f"{path} is the place, and nobody else's")
    with Client(path) as client:
        try:
            yield _versions(client.welcome().daemon_version)
            yield from client.ask(ShowDoctor()).checks
        except ClientError as error:
            yield _check("client.daemon", well=False, said=error.message, fix=console.way_out(error) or start_command())


def _versions(theirs: str) -> CheckView:
    try:
        ours = version("harnd")
    except PackageNotFoundError:
        ours = "unknown"
    said = f"harnctl {ours}, harnd {theirs}"
    return _check("client.versions", ours == theirs, said, fix="stop the daemon and start the one of this installation")


def _check(name: str, well: bool, said: str, fix: str = "") -> CheckView:  # noqa: FBT001 - reads as name: well, said
    return CheckView(name=name, result=CheckResult.OK if well else CheckResult.FAIL, said=said, fix="" if well else fix)
