"""Moving: through the list, through what is shown, and between its pages."""

from msgspec.structs import replace

from harnctl.amounts import offered
from harnctl.tui.drawing import extent, height
from harnctl.tui.errands import Step
from harnctl.tui.keys import Action
from harnctl.tui.model import Extending, Helping, Model, Pane
from harnctl.tui.reading import choose, look
from harnctl.tui.things import Subject


def move(model: Model, action: Action) -> Step:
    """Go where a key of movement says."""
    match action:
        case Action.SCROLL_UP:
            return scroll(model, _top(model) - (height(model) - 1))
        case Action.SCROLL_DOWN:
            return scroll(model, _top(model) + height(model) - 1)
        case Action.OPEN:
            return Step(replace(model, pane=Pane.THING))
        case Action.BACK:
            return Step(replace(model, pane=Pane.LIST))
        case Action.NEXT_PAGE:
            return _turn(model, 1)
        case Action.LAST_PAGE:
            return _turn(model, -1)
        case _:
            return _go(model, action)


def scroll(model: Model, to: int) -> Step:
    """Show the thing from another row on, as far as it has rows."""
    return Step(replace(model, scroll=_within(model, to)))


def _top(model: Model) -> int:
    """Return the row that is drawn first: what is shown may have become shorter, or the room for it larger."""
    return _within(model, model.scroll)


def _within(model: Model, row: int) -> int:
    return max(0, min(row, extent(model) - height(model)))


def _turn(model: Model, by: int) -> Step:
    if model.chosen is None:
        return Step(model)
    pages = model.chosen.pages
    at = pages.index(model.page) if model.page in pages else 0
    return look(replace(model, page=pages[(at + by) % len(pages)], scroll=0))


def _go(model: Model, action: Action) -> Step:
    """Move by one, or to an end, of whatever the arrow keys are for now."""
    match model.mode:
        case Extending() as mode:
            at = _moved(mode.at, action, len(offered(mode.budget.rows)))
            return Step(replace(model, mode=replace(mode, at=at)))
        case _ if model.pane is Pane.THING or isinstance(model.mode, Helping):
            return scroll(model, _moved(_top(model), action, extent(model)))
        case _:
            return _pick(model, action)


def _pick(model: Model, action: Action) -> Step:
    names = [Subject.of(item) for item in model.visible]
    if not names:
        return Step(model)
    at = _moved(min(model.at, len(names) - 1), action, len(names))
    if model.chosen not in names and action in {Action.UP, Action.DOWN}:
        at = min(model.at, len(names) - 1)  # from something that has left the list to what stands in its place
    return choose(model, names[at], at=at)


def _moved(at: int, action: Action, count: int) -> int:
    to = {Action.UP: at - 1, Action.DOWN: at + 1, Action.FIRST: 0, Action.LAST: count - 1}[action]
    return max(0, min(to, count - 1))
