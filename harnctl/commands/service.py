"""`harnctl service`: harnd under the systemd of its user, installed, removed, looked at and listened to.

Nothing here needs a daemon, and none is restarted.  Everything that is done is told, in order, also when it fails on
the way.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from harnctl.client import ClientError, Unreachable
from harnctl.client.place import find_state, unit_directory
from harnctl.commands.options import console_of
from harnctl.console import Console
from harnctl.failures import Failure
from harnctl.render import service as render
from harnctl.render.blocks import Paragraph
from harnctl.service import files, installation, journal, status
from harnctl.service.blueprint import draw_up
from harnctl.service.installation import Begin, Loaded, Proceedings
from harnctl.service.manager import UserManager
from harnctl.service.objections import Objections
from harnctl.service.report import Installed, Journal, Uninstalled
from harnctl.service.units import SERVICE, SOCKET, UNITS, state_of
from protocol.errors import Exit

LINE = "service.line"  # the name of one line of the journal as a document
LINES = 100

app = typer.Typer(no_args_is_help=True, help="Service: harnd under your own systemd, from log-in or boot on.")

DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be written and run; touch nothing.")]
Force = Annotated[bool, typer.Option("--force", help="Also units that harnctl did not write, or that were changed.")]
NoEnable = Annotated[bool, typer.Option("--no-enable", help="Neither start it now nor at log-in; only write.")]
NoStart = Annotated[bool, typer.Option("--no-start", help="Start it at the next log-in, and not now.")]
Following = Annotated[bool, typer.Option("--follow", "-f", help="Go on with the lines that come.")]
Lines = Annotated[int, typer.Option("--lines", "-n", metavar="N", min=0, max=100_000, help="How many of the last.")]


@app.command("install")
def install(
    context: typer.Context,
    *,
    dry_run: DryRun = False,
    force: Force = False,
    no_enable: NoEnable = False,
    no_start: NoStart = False,
) -> None:
    """Write the units with the paths of this machine, enable them, and start the daemon."""
    console = console_of(context)
    manager, begin = UserManager(console.environ), Begin(enable=not no_enable, start=not (no_enable or no_start))
    blueprint = draw_up(console.environ, state=console.state, socket=console.socket, listen=console.socket_path)
    directory = unit_directory(console.environ)
    found = files.compare(directory, blueprint.units)
    objections, loaded = Objections(rehearsed=dry_run), Loaded({})
    with objections.heard():
        if not force:
            installation.refuse_what_is_not_ours(found)
    with objections.heard():
        loaded = installation.load(manager, directory)
        if begin.start:  # not asked when systemd is not: a call could start what waits behind its socket
            _refuse_beside_another(console, loaded)
    told, proceedings = installation.commands(found, loaded, begin), Proceedings(manager)
    if dry_run:
        proceedings.rehearse(found, told)
    else:
        with _told_when_cut_short(console, proceedings):
            proceedings.write(blueprint, found)
            for command, limit_s in told:
                proceedings.run(command, limit_s)
    report = Installed(
        rehearsed=dry_run,
        objections=tuple(objections.found),
        units=tuple(found),
        deeds=tuple(proceedings.deeds),
        blueprint=blueprint,
        lingers=manager.lingers(),
        restart=installation.is_up(loaded, SERVICE) and bool(installation.touched(found)),
    )
    console.show("service.install", report, render.installed(report))


@app.command("uninstall")
def uninstall(context: typer.Context, *, force: Force = False) -> None:
    """Stop the daemon, disable and remove what `install` wrote, and say what stays."""
    console = console_of(context)
    manager, directory = UserManager(console.environ), unit_directory(console.environ)
    loaded = installation.load(manager, directory)
    paths = installation.to_go(directory, force=force)
    left = tuple(_left(console, manager, directory, paths))
    proceedings = Proceedings(manager)
    with _told_when_cut_short(console, proceedings):
        if paths:
            installation.take_down(paths, loaded, proceedings)
    report = Uninstalled(deeds=tuple(proceedings.deeds), left=left)
    console.show("service.uninstall", report, render.uninstalled(report))


@app.command("status")
def show_status(context: typer.Context) -> None:
    """Show the units, the daemon they started, and whether it is the one that answers."""
    console = console_of(context)
    found = status.find(UserManager(console.environ), socket=console.socket_path, now=console.now())
    console.show("service.status", found, render.status(found, console.now()))
    if any(unit.active == "failed" for unit in found.units):
        raise typer.Exit(Exit.FAILURE)


@app.command("logs")
def show_logs(context: typer.Context, *, follow: Following = False, lines: Lines = LINES) -> None:
    """Show what the daemon logged under systemd; Ctrl-C only ends the listing."""
    console = console_of(context)
    listed = journal.read(UserManager(console.environ), lines=lines, follow=follow)
    if console.json and not follow:
        console.show("service.logs", Journal(tuple(listed)), ())
        return
    told = False
    for line in listed:
        told = True
        console.show(LINE, line, [render.journal_line(line, console.now())])
    if not told:
        console.say([Paragraph("the journal has nothing of harnd")])


def _refuse_beside_another(console: Console, loaded: Loaded) -> None:
    """Raise `Failure` while another daemon has the socket: systemd would take it away from under it."""
    if installation.is_up(loaded, SOCKET) or installation.is_up(loaded, SERVICE):
        return
    try:
        daemon = status.answering(console.socket_path)
    except Unreachable:
        return
    except ClientError as error:
        raise Failure("service.daemon_runs", f"something answers already: {error.message}", fix=error.fix) from error
    raise Failure(
        "service.daemon_runs",
        f"a daemon that systemd did not start answers at {console.socket_path} (pid {daemon.pid}); nothing was changed",
        fix="stop it (Ctrl-C where it runs), or add --no-start",
    )


def _left(console: Console, manager: UserManager, directory: Path, going: list[Path]) -> Iterator[str]:
    """Say what an uninstallation leaves where it is."""
    for unit in UNITS:
        if (drop_ins := directory / f"{unit}.d").is_dir():
            yield f"your drop-ins stay: {drop_ins}"
    state = next(filter(None, map(_state_named, going)), None) or find_state(console.environ, console.state)
    if Path(state).is_dir():
        yield f"everything that harnd stored stays: {state}"
    if manager.lingers():
        yield "you still linger; if nothing else of yours needs that: loginctl disable-linger"


def _state_named(path: Path) -> str | None:
    return state_of(files.read(path) or "") if path.name == SERVICE else None


@contextmanager
def _told_when_cut_short(console: Console, proceedings: Proceedings) -> Generator[None]:
    """Tell what was done before something failed, or somebody pressed Ctrl-C."""
    try:
        yield
    except BaseException:
        console.tell(render.deeds(proceedings.deeds))
        raise
