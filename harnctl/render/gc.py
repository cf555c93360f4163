"""What was cleared away, what stays and why, and what each goal takes on the disk."""

from collections.abc import Iterator
from typing import Final

from harnctl.render.blocks import Block, Gap, Line, Paragraph, Span, Style, Table, command
from harnctl.render.marks import marked
from harnctl.render.texts import section
from harnctl.render.words import UNKNOWN, count, duration
from protocol.views import DiskRow, GarbageItem, GarbageRow, GcView

KIB: Final = 1024
MIB: Final = 1024 * KIB
SHOWN: Final = 20  # things that are named one by one


def cleared(view: GcView) -> Iterator[Block]:
    """Show what went, or would go, what stays, and what is left."""
    things, octets = sum(row.things for row in view.rows), sum(row.bytes for row in view.rows)
    verb = "cleared away" if view.removed else "would clear away"
    style = Style.GOOD if view.removed else Style.ASKS
    yield Line((Span(f"{verb} ", style), Span(f"{count(things, 'thing')}, {size(octets)}", Style.STRONG)))
    yield Paragraph(f"Of goals that ended, what ended more than {duration(view.older_than)} ago; nothing unsaved.")
    yield Gap()
    yield Table(("KIND", "THINGS", "SIZE"), tuple(map(_row, view.rows)))
    yield from section("largest", *([_items(view.items[:SHOWN])] if view.items else []))
    if more := len(view.items[SHOWN:]) + view.omitted:
        yield Paragraph(f"and {more} more", indent=2, style=Style.FAINT)
    yield from section("stays", *(Paragraph(sentence, indent=2) for sentence in view.stays))
    yield from section("what each goal takes", *([_goals(view.goals)] if view.goals else []))
    yield Paragraph(f"The event store takes {_known(view.database)}; {_known(view.free)} are free.")
    if things and not view.removed:
        yield Gap()
        yield command("gc", "--older-than", duration(view.older_than).replace(" ", ""))


def size(octets: int) -> str:
    """Say how large something is, rounded up: `36 KiB`, `12 MiB`."""
    return f"{-(-octets // MIB)} MiB" if octets >= 10 * MIB else f"{-(-octets // KIB)} KiB"


def _known(octets: int | None) -> str:
    return UNKNOWN if octets is None else size(octets)


def _row(row: GarbageRow) -> tuple[Span, ...]:
    return (Span(row.kind), Span(str(row.things)), Span(size(row.bytes)))


def _items(items: tuple[GarbageItem, ...]) -> Table:
    rows = tuple((Span(one.kind), Span(size(one.bytes)), Span(one.goal or "-"), Span(one.name)) for one in items)
    return Table(("KIND", "SIZE", "GOAL", "NAME"), rows)


def _goals(goals: tuple[DiskRow, ...]) -> Table:
    return Table(("GOAL", "PHASE", "WORKTREES", "OUTPUTS", "TEXTS", "RESCUED"), tuple(map(_goal, goals)))


def _goal(row: DiskRow) -> tuple[Span, ...]:
    sizes = (Span(size(octets)) for octets in (row.worktrees, row.outputs, row.texts))
    rescued = UNKNOWN if row.rescued is None else count(row.rescued, "ref")
    return (Span(row.goal), marked(row.phase), *sizes, Span(rescued))
