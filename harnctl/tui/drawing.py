"""Drawing: a model as rows of spans, as many and as wide as the terminal has.  Pure.

From 80 columns on the list stands beside the thing; below that one of them is drawn; below 40 columns or 10 rows only a
sentence that says so.  State is always a word: colour and marks only help the eye.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from harnctl.render import goal
from harnctl.render.approval import RISKY
from harnctl.render.blocks import Block, Gap, Line, Paragraph, Span, Style
from harnctl.render.cells import cut, pad, width
from harnctl.render.layout import Row, lay_out, shown
from harnctl.render.screen import Screen
from harnctl.render.words import age, count
from harnctl.tui import forms
from harnctl.tui.keys import label, offered
from harnctl.tui.model import (
    LEAST_COLUMNS,
    LEAST_ROWS,
    Confirming,
    Disposing,
    Extending,
    Filtering,
    Helping,
    Link,
    Model,
    Pane,
    Tone,
)
from harnctl.tui.pages import rows_of
from harnctl.tui.rows import beside, ends, filled, fit, line, picked
from harnctl.tui.things import Subject
from protocol.values import Phase
from protocol.views import InboxItem

LIST: Final = 36  # columns of the list beside the thing
LIST_MOST: Final = 48
TONES: Final = {Tone.GOOD: Style.GOOD, Tone.ASKS: Style.ASKS, Tone.BAD: Style.BAD}
FORMS: Final[dict[type, str]] = {
    Helping: "help",
    Disposing: "answer what was found",
    Extending: "extend a budget",
}
KIND: Final = 9
AGE: Final = 4


def draw(model: Model) -> tuple[Row, ...]:
    """Return every row of the screen."""
    columns, rows = model.size.columns, model.size.rows
    if not model.size.is_enough:
        return filled(_laid(model, [_too_small(model)], columns=max(columns, 1)), columns=columns, height=rows)
    foot = _foot(model)
    body = rows - 1 - len(foot)
    return (_head(model), *_body(model, body), *foot)


def extent(model: Model) -> int:
    """Return how many rows there are to scroll through."""
    return len(_content(model))


def height(model: Model) -> int:
    """Return how many rows of them are drawn at once."""
    return max(model.size.rows - 2 - len(_foot(model)), 1) if model.size.is_enough else 1


# --- the head


def _head(model: Model) -> Row:
    waits = "reading …" if model.inbox is None else _waits(model)
    told = shown(f"  filter: {model.filter}", _screen(model)) if model.filter else ""
    link = Span(model.link.value, Style.GOOD if model.link is Link.LIVE else Style.ASKS)
    left = line(
        Span("harnctl", Style.STRONG),
        f"  {waits}",
        Span(told, Style.ASKS),
        Span(_running(model), Style.BUSY),
    )
    return ends(left, line(" ", link), model.size.columns)


def _waits(model: Model) -> str:
    listed, seen = len(model.inbox or ()), len(model.visible)
    if not listed:
        return "nothing waits for you"
    told = f"{count(listed, 'thing')} {'waits' if listed == 1 else 'wait'} for you"
    return told if seen == listed else f"{seen} of {told}"


def _running(model: Model) -> str:
    """Say how many goals are at work, whether or not anything waits."""
    running = sum(goal.phase is Phase.RUNNING for goal in model.goals.goals)
    return f"  {count(running, 'goal')} running" if running else ""


# --- the body


def _body(model: Model, height: int) -> tuple[Row, ...]:
    columns = model.size.columns
    if _is_split(model):
        left = _list_columns(model)
        return beside(
            _list(model, columns=left, height=height),
            _thing(model, columns=columns - left - 1, height=height),
            between="│" if model.unicode else "|",
        )
    listing = model.inbox and model.pane is Pane.LIST and not isinstance(model.mode, Helping | Disposing | Extending)
    return (_list if listing else _thing)(model, columns=columns, height=height)


def _is_split(model: Model) -> bool:
    """Tell whether list and thing stand side by side; an empty list, or one beside the help, only takes room."""
    return model.size.is_wide and bool(model.inbox) and not isinstance(model.mode, Helping)


def _list_columns(model: Model) -> int:
    return min(max(LIST, model.size.columns * 2 // 5), LIST_MOST)


def _list(model: Model, *, columns: int, height: int) -> tuple[Row, ...]:
    items = model.visible
    if not items:
        empty = "nothing matches the filter" if model.inbox else ""
        return filled([line(Span(f" {empty}", Style.FAINT))], columns=columns, height=height)
    top = max(0, min(model.at - height // 2, len(items) - height))
    shown_items = items[top : top + height]
    return filled((_item(model, item, columns=columns) for item in shown_items), columns=columns, height=height)


def _item(model: Model, item: InboxItem, *, columns: int) -> Row:
    chosen = Subject.of(item) == model.chosen
    kind = pad(item.kind.value, KIND)
    old = age(item.since, model.now).split()[0].rjust(AGE)
    at_stake = f" {item.risk}" if item.risk is not None else ""
    name = _name(model, item, columns=columns - KIND - AGE - 5 - len(at_stake))
    left = line("> " if chosen else "  ", Span(f"{kind} ", Style.ASKS), Span(name))
    risky = Span(at_stake, Style.BAD if item.risk in RISKY else Style.PLAIN)
    row = fit(ends(left, line(risky, Span(f" {old} ", Style.FAINT)), columns), columns)
    if chosen and model.pane is Pane.LIST:
        return picked(row)
    return (Span("".join(span.text for span in row), Style.STRONG),) if chosen else row


def _name(model: Model, item: InboxItem, *, columns: int) -> str:
    """Name an item in little room: the goal gives way, because what is asked about it tells more."""
    goal, what = shown(item.goal, _screen(model)), shown(_what(item), _screen(model))
    if not what:
        return goal
    end = shown("…", _screen(model))
    return f"{cut(goal, max(columns - width(what) - 1, len(end) + 1), end=end)} {what}"


def _what(item: InboxItem) -> str:
    """Say what of its goal an item is about; nothing when it is the goal as a whole."""
    if item.subject == item.goal:
        return ""
    subject = Subject.of(item)
    if subject.approval is not None:  # the kind says the rest, and the risk needs the room
        return f"#{subject.approval}"
    if subject.budget is not None:
        return subject.budget.removesuffix("_us").replace("_", " ")
    return item.subject.replace("/", " ")


def _thing(model: Model, *, columns: int, height: int) -> tuple[Row, ...]:
    rows = _content(model)
    top = max(0, min(model.scroll, len(rows) - (height - 1)))
    part = rows[top : top + height - 1]
    title = _title(model, first=top + 1, last=top + len(part), of=len(rows), columns=columns - 1)
    return filled((line(" ", *row) for row in (title, *part)), columns=columns, height=height)


def _title(model: Model, *, first: int, last: int, of: int, columns: int) -> Row:
    where = f" {first}-{last} of {of} " if of > last - first + 1 else ""
    title = FORMS.get(type(model.mode)) or (model.chosen.label if model.chosen is not None else "goals")
    pages = model.chosen.pages if model.chosen is not None and type(model.mode) not in FORMS else ()
    focus = Style.PICKED if model.pane is Pane.THING else Style.STRONG  # where the arrow keys are
    if not _is_split(model):
        pages = tuple(page for page in pages if page is model.page)  # the others by their key
    tabs = [Span(f"[{page}]") if page is model.page else Span(f" {page} ", Style.FAINT) for page in pages]
    return ends((Span(title, focus),), line(" ", *tabs, Span(where, Style.FAINT)), columns)


def _content(model: Model) -> tuple[Row, ...]:
    """Return all rows of what is shown, whether or not there is room for them."""
    columns = _thing_columns(model)
    match model.mode:
        case Helping():
            return _laid(model, forms.helping(), columns=columns)
        case Disposing() as mode:
            return _laid(model, forms.disposing(mode), columns=columns)
        case Extending() as mode:
            return _laid(model, forms.extending(mode), columns=columns)
        case _ if model.thing is not None:
            return rows_of(model.thing, model.page, now=model.now, columns=columns, unicode=model.unicode)
        case _:
            return _laid(model, _without_thing(model), columns=columns)


def _thing_columns(model: Model) -> int:
    columns = model.size.columns
    return (columns - _list_columns(model) - 1 if _is_split(model) else columns) - 2


def _without_thing(model: Model) -> Iterator[Block]:
    if model.trouble:
        yield Paragraph(model.trouble, style=Style.BAD)
    elif model.chosen is not None or model.inbox is None:
        yield Paragraph("reading …" if model.link is not Link.GONE else f"{Link.GONE.value}; waiting for it …")
    else:
        yield Paragraph("Nothing waits for you." if not model.inbox else "Nothing matches the filter.")
        yield Gap()
        yield goal.table(model.goals, model.now)


# --- the foot


def _foot(model: Model) -> tuple[Row, ...]:
    columns, most = model.size.columns, model.size.rows // 2
    told = [*_laid(model, _asked(model), columns=columns - 2)]
    hints = [*_hints(model)]
    room = max(most - len(hints) - 1, 1)
    rule = line(Span(("─" if model.unicode else "-") * columns, Style.FAINT))
    return (rule, *(fit(line(" ", *row), columns) for row in (*told[:room], *hints)))


def _asked(model: Model) -> Iterator[Block]:
    """Show what waits for the next key, or what was said last."""
    match model.mode:
        case Confirming() as mode:
            yield from forms.confirming(mode)
        case Filtering():
            yield Line((Span("filter: ", Style.ASKS), Span(f"{model.filter}_")))
        case _ if model.sending is not None:
            waits = " until the daemon is back" if model.link is Link.GONE else ""
            yield Paragraph(f"{model.sending.label}: waiting for the answer{waits} …", style=Style.BUSY)
        case _:
            pass
    if model.said is not None:
        yield Paragraph(model.said.text, style=TONES[model.said.tone])


def _hints(model: Model) -> Iterator[Row]:
    """Name the keys that can be pressed, as many a row as fit."""
    row, used = list[Span](), 0
    for one in offered(model):
        key, told = shown(forms.key_name(one.key), _screen(model)), f" {label(model, one)}   "
        taken = width(key) + width(told)
        if used and used + taken - 3 > model.size.columns - 2:
            yield tuple(row)
            row, used = [], 0
        row += [Span(key, Style.STRONG), Span(told, Style.FAINT)]
        used += taken
    if row:
        yield tuple(row)


# --- the rest


def _too_small(model: Model) -> Block:
    return Paragraph(
        f"too small: harnctl tui needs {LEAST_COLUMNS} columns and {LEAST_ROWS} rows, "
        f"this is {model.size.columns} by {model.size.rows}"
    )


def _screen(model: Model, columns: int | None = None) -> Screen:
    return Screen(columns=columns or model.size.columns, unicode=model.unicode, cells=True)


def _laid(model: Model, blocks: Iterable[Block], *, columns: int) -> tuple[Row, ...]:
    return tuple(lay_out(blocks, _screen(model, columns)))
