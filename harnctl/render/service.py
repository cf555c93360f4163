"""The service for a reader: what was done in order, how it stands, and what the journal has."""

import shlex
from collections.abc import Iterable, Iterator
from typing import Final

from harnctl.render.blocks import Block, Command, Fields, Gap, Heading, Line, Paragraph, Span, Style, Verbatim, command
from harnctl.render.texts import way_out
from harnctl.render.words import moment, when
from harnctl.service.blueprint import Blueprint
from harnctl.service.report import (
    RESTART,
    Condition,
    Deed,
    Did,
    Installed,
    JournalLine,
    ServiceStatus,
    Uninstalled,
    UnitState,
)
from protocol.values import Instant

_ACTIVE: Final = {
    "active": Span("● ", Style.GOOD),
    "activating": Span("◐ ", Style.BUSY),
    "deactivating": Span("◐ ", Style.BUSY),
    "failed": Span("✗ ", Style.BAD),
}
_INACTIVE: Final = Span("○ ")
LINGER: Final = Command(("loginctl", "enable-linger"), "to have harnd run while you are logged out")


def installed(report: Installed) -> Iterator[Block]:
    """Tell what was done, what was recorded, and what is left to a person."""
    if report.rehearsed:
        yield from _units(report)
    yield from deeds(report.deeds, rehearsed=report.rehearsed)
    for unit in report.units:
        if unit.condition is Condition.CHANGED:
            yield Heading(unit.unit)
            yield Verbatim("\n".join(unit.diff))
    for objection in report.objections:
        yield Gap()
        yield Paragraph(f"As things stand it would be refused: {objection.said} [{objection.code}]", style=Style.ASKS)
        yield from way_out(objection.fix)
    if not report.deeds:
        yield Paragraph("unchanged: the service is installed as it should be")
    yield from _recorded(report.blueprint)
    yield from _lingering(lingers=report.lingers)
    if report.restart:
        yield Gap()
        yield Paragraph(
            "The daemon that runs was started as the units were before.  A restart lets attempts end within the drain, "
            "cuts the others short at no charge, and they are tried again.",
            style=Style.ASKS,
        )
        yield Command(RESTART)
    if not report.rehearsed:
        yield Gap()
        yield command("service", "status")


def uninstalled(report: Uninstalled) -> Iterator[Block]:
    """Tell what was taken down and what stays."""
    yield from deeds(report.deeds)
    if not report.deeds:
        yield Paragraph("nothing to remove: harnctl has written no unit here")
    yield from (Paragraph(sentence) for sentence in report.left)


def status(service: ServiceStatus, now: Instant) -> Iterator[Block]:
    """Show how the service stands, and then whatever is not as it should be."""
    yield from (_unit(unit) for unit in service.units)
    pairs = [
        ("pid", "none" if service.pid is None else str(service.pid)),
        ("says", service.said or "nothing"),
        ("since", "unknown" if service.since is None else when(service.since, now)),
        ("restarts", str(service.restarts)),
        ("watchdog", service.watchdog),
        ("starts", service.program or "unknown"),
        ("answers", _answers(service)),
        ("lingering", {True: "yes", False: "no", None: "unknown"}[service.lingers]),
    ]
    yield Fields(tuple(pairs))
    for note in service.notes:
        yield Paragraph(note.said, style=Style.ASKS)
        yield from way_out(note.fix)
    yield from _lingering(lingers=service.lingers)


def journal_line(line: JournalLine, now: Instant) -> Block:
    """Show a line of the journal."""
    return Verbatim(f"{moment(line.at, now)}  {line.text}")


def _units(report: Installed) -> Iterator[Block]:
    """Show the files of a rehearsal whole: that is what it is for."""
    for unit in report.units:
        yield Heading(f"{unit.path} ({unit.condition})")
        yield Verbatim(report.blueprint.units[unit.unit].rstrip("\n"))
        yield Gap()


def deeds(done: Iterable[Deed], *, rehearsed: bool = False) -> Iterator[Block]:
    """Tell deeds in their order."""
    for deed in done:
        did = f"would have {_PARTICIPLE[deed.did]} " if rehearsed else f"{deed.did} "
        yield Line((Span(did, Style.PLAIN if rehearsed else Style.GOOD), Span(deed.what)))


_PARTICIPLE: Final = {Did.WROTE: "written", Did.RAN: "run"}  # a rehearsal is only of installing


def _recorded(blueprint: Blueprint) -> Iterator[Block]:
    yield Gap()
    pairs = [
        ("starts", shlex.join(blueprint.command)),
        ("state", blueprint.state),
        ("socket", blueprint.socket),
        ("PATH", ":".join(blueprint.path)),
    ]
    if blueprint.variables:
        pairs.append(("also set", ", ".join(blueprint.variables)))
    yield Fields(tuple(pairs))
    for gone in blueprint.departures:
        instead = f"; {gone.instead} is recorded in its place" if gone.instead else ", and is left out"
        yield Paragraph(f"PATH: {gone.entry or 'an empty entry'} {gone.because}{instead}")


def _lingering(*, lingers: bool | None) -> Iterator[Block]:
    if lingers:
        return
    yield Gap()
    sure = "Without lingering harnd ends with your last log-out and starts with the next log-in."
    yield Paragraph(sure if lingers is False else f"It is not known whether you linger.  {sure}", style=Style.ASKS)
    yield LINGER


def _unit(unit: UnitState) -> Block:
    mark = _ACTIVE.get(unit.active, _INACTIVE)
    state = f"{unit.active} ({unit.sub}), {unit.enabled or 'not enabled'}"
    return Line((mark, Span(unit.unit, Style.STRONG), Span(f"  {state}", mark.style)))


def _answers(service: ServiceStatus) -> str:
    if service.daemon is not None:
        return f"harnd {service.daemon.version}, pid {service.daemon.pid}, state {service.daemon.state_dir}"
    socket, daemon = (unit.active for unit in service.units)
    if socket == "active" and daemon == "inactive":
        return "nobody yet: the first client starts it"
    return "not yet" if daemon == "activating" else "nobody"
