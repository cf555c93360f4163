"""The configuration for a reader: every key with the value in force, and what is the matter with the file."""

from collections.abc import Iterator

from harnctl.render.blocks import Block, Fields, Gap, Paragraph, Span, Style, Table, command
from harnctl.render.texts import problem
from harnctl.render.words import count
from protocol.views import ConfigOrigin, ConfigRow, ConfigView


def config(view: ConfigView, *, origin: bool) -> Iterator[Block]:
    """Show what holds, and where it comes from if that is wanted."""
    if view.loaded_at is None:
        yield Paragraph("no daemon answers; this is what one would start with", style=Style.ASKS)
    yield Paragraph(f"{view.path}{'' if view.found else ' (there is no such file)'}")
    yield Gap()
    if origin:
        yield Table(("KEY", "VALUE", "ORIGIN"), tuple(_row(row) for row in view.rows))
    else:
        yield Fields(tuple((row.key, row.value) for row in view.rows))
    yield from _waiting(view)
    yield from _refused(view)


def checked(view: ConfigView) -> Iterator[Block]:
    """Say that a configuration is right."""
    if view.found:
        own = sum(row.origin is ConfigOrigin.FILE for row in view.rows)
        yield Paragraph(f"{view.path} is well; {count(own, 'value')} of it would be used")
    else:
        yield Paragraph(f"{view.path} is not there, which is well: harnd runs with its defaults")


def _row(row: ConfigRow) -> tuple[Span, ...]:
    line = row.place.rpartition(":")[2]
    said = f"file, line {line}" if row.origin is ConfigOrigin.FILE else row.place or row.origin.value
    return (Span(row.key), Span(row.value), Span(said))


def _waiting(view: ConfigView) -> Iterator[Block]:
    waiting = [row for row in view.rows if row.waiting is not None]
    if waiting:
        yield Gap()
        yield Paragraph("changed in the file, and used after a restart:", style=Style.ASKS)
        yield from (Paragraph(f"{row.key} = {row.waiting}", indent=2) for row in waiting)


def _refused(view: ConfigView) -> Iterator[Block]:
    if view.problems:
        yield Gap()
        yield Paragraph("the file as it is now was refused; what was read before holds:", style=Style.BAD)
        yield from (Paragraph(problem(found), indent=2) for found in view.problems)
        yield command("config", "check", why="look again when it is mended")
