"""Entry: characters that go into a filter, a reason or an amount instead of being keys."""

from msgspec.structs import replace

from harnctl import amounts
from harnctl.tui.errands import Step
from harnctl.tui.model import Disposing, Extending, Filtering, Model, Said, Tone, matching
from harnctl.tui.reading import choose
from harnctl.tui.things import Subject
from protocol.bounds import CRITERION_CHARS

FILTER_CHARS = 100


def takes_text(model: Model) -> bool:
    """Tell whether typing goes anywhere."""
    match model.mode:
        case Filtering() | Extending():
            return True
        case Disposing(reason=reason):
            return reason is not None
        case _:
            return False


def type_text(model: Model, text: str) -> Step:
    """Put text where typing goes; where it goes nowhere, nothing happens."""
    text = "".join(char for char in text if char.isprintable())
    match model.mode:
        case Filtering():
            return refilter(model, (model.filter + text)[:FILTER_CHARS])
        case Disposing(reason=reason) as mode if reason is not None:
            return Step(replace(model, mode=replace(mode, reason=(reason + text)[:CRITERION_CHARS])))
        case Extending() as mode:
            return _amount(model, mode, text)
        case _:
            return Step(model)


def erase(model: Model) -> Step:
    """Take the last character away."""
    match model.mode:
        case Filtering():
            return refilter(model, model.filter[:-1])
        case Disposing(reason=reason) as mode if reason:
            return Step(replace(model, mode=replace(mode, reason=reason[:-1])))
        case Disposing() as mode:
            return Step(replace(model, mode=replace(mode, reason=None)))
        case Extending() as mode:
            unit = amounts.offered(mode.budget.rows)[mode.at]
            return _typed(model, mode, dict(mode.typed).get(unit, "")[:-1])
        case _:
            return Step(model)


def paste(model: Model, text: str) -> Step:
    """Take the first line of what was pasted as typed text; a clipboard decides nothing."""
    line = next(iter(text.splitlines()), "")
    typed = type_text(model, line)
    if typed.model == model and line:
        return Step(replace(model, said=Said("pasted text is not taken for keys", Tone.ASKS)))
    return typed


def refilter(model: Model, text: str) -> Step:
    """Show other items, and choose the first when the chosen one is hidden."""
    model = replace(model, filter=text, visible=matching(model.inbox or (), text))
    names = [Subject.of(item) for item in model.visible]
    if model.chosen in names:
        return Step(replace(model, at=names.index(model.chosen)))
    return choose(model, names[0] if names else None, at=0)


def _amount(model: Model, mode: Extending, text: str) -> Step:
    unit = amounts.offered(mode.budget.rows)[mode.at]
    longer = dict(mode.typed).get(unit, "") + text.strip()
    return _typed(model, mode, longer) if amounts.may_type(unit, longer) else Step(model)


def _typed(model: Model, mode: Extending, text: str) -> Step:
    unit = amounts.offered(mode.budget.rows)[mode.at]
    typed = tuple({**dict(mode.typed), unit: text}.items())
    return Step(replace(model, mode=replace(mode, typed=typed), said=None))
