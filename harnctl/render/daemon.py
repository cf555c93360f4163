"""The daemon for a reader: its state, its processes, its health, and what a goal may spend."""

from collections.abc import Iterable, Iterator
from typing import Final

from harnctl.render.blocks import Block, Fields, Gap, Line, Paragraph, Span, Style, Table
from harnctl.render.inbox import summary
from harnctl.render.texts import section, way_out
from harnctl.render.words import UNKNOWN, count, duration, money, plain
from protocol.values import MicroDollars, Phase, Unit
from protocol.views import (
    BudgetRow,
    BudgetView,
    CheckResult,
    CheckView,
    ProcessList,
    ProcessView,
    StatusView,
    StoreHealth,
)

CHECKED: Final = {
    CheckResult.OK: Span("✓ ok", Style.GOOD),
    CheckResult.WARN: Span("! warn", Style.ASKS),
    CheckResult.FAIL: Span("✗ fail", Style.BAD),
    CheckResult.UNKNOWN: Span("? unknown", Style.ASKS),
}
MIB: Final = 1024 * 1024


def status(daemon: StatusView) -> Iterator[Block]:
    """Show the daemon in one look."""
    state = Span("● draining", Style.ASKS) if daemon.draining else Span("● running", Style.GOOD)
    yield Line((state, Span(f"  harnd {daemon.version}  up {duration(daemon.uptime)}")))
    yield Fields(
        (
            ("goals", _goals(daemon.goals)),
            ("sessions", str(daemon.running_sessions)),
            ("store", _store(daemon.store)),
            ("state", daemon.state_dir),
            ("socket", daemon.socket),
            ("pid", str(daemon.pid)),
        )
    )
    yield from (Paragraph(note, style=Style.ASKS) for note in daemon.notes)
    yield from summary(daemon.inbox)


def processes(listed: ProcessList) -> Iterator[Block]:
    """Show every live process, oldest first."""
    if not listed.processes:
        yield Paragraph("Nothing runs.")
        return
    yield Table(("PID", "GOAL", "WORK", "AGE", "EFFECT"), tuple(map(_process, listed.processes)))


def budget(ledger: BudgetView) -> Iterator[Block]:
    """Show what a goal may spend and has spent."""
    yield Line((Span(ledger.goal, Style.STRONG),))
    yield Table(("UNIT", "SPENT", "RESERVED", "LEFT"), tuple(map(_row, ledger.rows)))
    for row in ledger.rows:
        if row.unknown:
            calls = count(row.unknown, "call")
            yield Paragraph(f"{calls} did not say how much: {counted(row.unit)} is what is known.", style=Style.ASKS)
    tokens = "unknown" if ledger.tokens is None else str(ledger.tokens)
    yield Gap()
    yield Fields((("tokens", tokens), ("cost", money(ledger.cost))))
    if ledger.forecast:
        yield from section("what is planned would still take, at the mean so far", _forecast(ledger))


def checks(found: Iterable[CheckView]) -> Iterator[Block]:
    """Show what was looked at, and under what is not well how to mend it."""
    for check in found:
        yield Line((CHECKED[check.result], Span(f"  {check.name}", Style.STRONG)))
        yield Paragraph(check.said, indent=2)
        yield from way_out(check.fix, indent=2)


def _goals(goals: dict[Phase, int]) -> str:
    return ", ".join(f"{number} {plain(phase)}" for phase, number in goals.items() if number) or "none"


def _store(store: StoreHealth | None) -> str:
    if store is None:
        return "did not answer"
    return f"{count(store.events, 'event')}, {store.size_bytes / MIB:.1f} MiB, schema {store.schema}, {store.engine}"


def _process(process: ProcessView) -> tuple[Span, ...]:
    work = process.work or "planning"
    return (Span(str(process.pid)), Span(process.goal), Span(work), Span(duration(process.age)), Span(process.effect))


def _row(row: BudgetRow) -> tuple[Span, ...]:
    left = Span(amount(row.unit, row.left), Style.PLAIN if row.left > 0 else Style.BAD)
    spent = f"{amount(row.unit, row.spent)} of {amount(row.unit, row.limit)}"
    return (Span(counted(row.unit)), Span(spent), Span(amount(row.unit, row.reserved)), left)


def _forecast(ledger: BudgetView) -> Fields:
    left = {row.unit: row.left for row in ledger.rows}
    told = list[tuple[str, str]]()
    for row in ledger.forecast:
        more = UNKNOWN if row.more is None else amount(row.unit, row.more)
        short = row.more is not None and row.unit in left and row.more > left[row.unit]
        told.append((counted(row.unit), f"{more}, more than is left" if short else more))
    return Fields(tuple(told), indent=2)


def counted(unit: Unit) -> str:
    """Say what a unit counts."""
    return "money" if unit is Unit.MICRO_DOLLARS else plain(unit.removesuffix("_us"))


def amount(unit: Unit, number: int) -> str:
    """Say an amount of a unit."""
    match unit:
        case Unit.ACTIVE_RUNTIME_US:
            return duration(number)
        case Unit.MICRO_DOLLARS:
            return money(MicroDollars(number))
        case _:
            return str(number)
