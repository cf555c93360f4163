"""Rows: spans side by side, cut and filled to a width, and put beside or below one another."""

from collections.abc import Iterable, Sequence

from harnctl.render.blocks import Span, Style
from harnctl.render.cells import cut, drawn
from harnctl.render.layout import Row


def fit(row: Row, columns: int) -> Row:
    """Return a row that takes exactly so many columns."""
    room, fitted = columns, list[Span]()
    for span in row:
        text = cut(span.text, room, end="")
        if text:
            fitted.append(Span(text, span.style))
        room -= drawn(text)
        if text != span.text:
            break
    return (*fitted, Span(" " * room)) if room > 0 else tuple(fitted)


def picked(row: Row) -> Row:
    """Return a row that stands out as a whole."""
    return (Span("".join(span.text for span in row), Style.PICKED),)


def beside(left: Sequence[Row], right: Sequence[Row], *, between: str) -> tuple[Row, ...]:
    """Put two columns of rows, each already fitted, side by side."""
    line = Span(between, Style.FAINT)
    return tuple((*one, line, *other) for one, other in zip(left, right, strict=True))


def filled(rows: Iterable[Row], *, columns: int, height: int) -> tuple[Row, ...]:
    """Return exactly `height` rows of exactly `columns`."""
    kept = [fit(row, columns) for row in rows][:height]
    return (*kept, *([(Span(" " * columns),)] * (height - len(kept))))


def ends(left: Row, right: Row, columns: int) -> Row:
    """Put one row at the left end and another at the right end of one; the left one gives way."""
    taken = sum(drawn(span.text) for span in right)
    if taken >= columns:
        return fit(right, columns)
    return (*fit(left, columns - taken), *right)


def line(*spans: Span | str) -> Row:
    """Make a row of spans and plain texts."""
    return tuple(Span(one) if isinstance(one, str) else one for one in spans)
