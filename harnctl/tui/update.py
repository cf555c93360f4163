"""The update: a model and what happened give the next model and what is owed.  Pure, and complete by type."""

from typing import assert_never

from msgspec.structs import replace

from harnctl.tui import deciding, entry, moving, reading, writing
from harnctl.tui import messages as m
from harnctl.tui.errands import Quit, Step
from harnctl.tui.forms import key_name
from harnctl.tui.keys import ABOUT_GOAL, ABOUT_THING, BROWSING, YES, Action, action_of, is_on_screen
from harnctl.tui.model import Browsing, Confirming, Filtering, Helping, Model, Said, Tone, Writing

MOVES = frozenset(
    {
        *(Action.UP, Action.DOWN, Action.FIRST, Action.LAST, Action.SCROLL_UP, Action.SCROLL_DOWN),
        *(Action.OPEN, Action.NEXT_PAGE, Action.LAST_PAGE),
    }
)


def update(model: Model, message: m.Message) -> Step:
    """Take one message."""
    match message:
        case m.Pressed(key):
            return reading.chain(model, reading.attended, lambda read: _press(read, key))
        case m.Pasted(text):
            return entry.paste(model, text)
        case m.Resized(size):
            return moving.scroll(replace(model, size=size), model.scroll)
        case m.Shown():
            seen = isinstance(model.mode, Confirming)
            return Step(replace(model, mode=replace(model.mode, seen=True)) if seen else model)
        case m.Ticked(now):
            return Step(replace(model, now=now))
        case m.Listed():
            return reading.listed(model, message)
        case m.NotListed():
            return reading.not_listed(model, message)
        case m.Looked():
            return reading.looked(model, message)
        case m.NotLooked():
            return reading.not_looked(model, message)
        case m.Happened(goal):
            return reading.happened(model, goal)
        case m.Linked(link):
            return reading.linked(model, link)
        case m.Budgeted():
            return deciding.budgeted(model, message)
        case m.Written():
            return writing.written(model, message)
        case m.NotWritten(reason):
            return reading.chain(writing.not_written(model, reason).model, reading.settled)
        case m.Decided():
            return deciding.decided(model, message)
        case m.Refused():
            return deciding.refused(model, message)
        case _:
            assert_never(message)


def _press(model: Model, key: str) -> Step:
    if isinstance(model.mode, Writing):
        return Step(model)  # the terminal is the editor's
    action = action_of(model, key)
    if not model.size.is_enough and action not in {Action.QUIT, Action.INTERRUPT, Action.NO}:
        return Step(model)  # nothing is decided that cannot be seen
    if action is None:
        return entry.type_text(model, key) if len(key) == 1 and entry.takes_text(model) else Step(_told_why(model, key))
    model = replace(model, said=None)  # it was read
    match action:
        case Action.QUIT:
            return Step(model, (Quit(),))
        case Action.INTERRUPT:
            return Step(model, (Quit(interrupted=True),)) if isinstance(model.mode, Browsing) else _back(model)
        case Action.HELP:
            return Step(replace(model, mode=Helping(), scroll=0))
        case Action.FILTER:
            return Step(replace(model, mode=Filtering(model.filter)))
        case Action.KEEP:
            return Step(replace(model, mode=Browsing()))
        case Action.NO:
            return _back(model)
        case Action.BACK:
            return _back(model) if isinstance(model.mode, Helping) else moving.move(model, action)
        case Action.ERASE:
            return entry.erase(model)
        case _ if action in MOVES:
            return moving.move(model, action)
        case _:
            return deciding.act(model, action)


def _told_why(model: Model, key: str) -> Model:
    """Say why a key that does something at other times does nothing now; of any other nothing is said."""
    if isinstance(model.mode, Confirming) and key in YES:
        return replace(model, said=Said("it was not on the screen yet: press y again", Tone.ASKS))
    actions = {one.action for one in BROWSING if key in one.keys}
    if not isinstance(model.mode, Browsing) or not actions:
        return model
    if actions & (ABOUT_THING | ABOUT_GOAL) and model.chosen is not None and not is_on_screen(model):
        why = f"{key_name(key)} is about what is shown, and that is the list: enter opens it"
    elif model.sending is not None:
        why = "one decision is on its way: press it again when that is answered"
    elif model.chosen is not None and model.thing is None:
        why = "it is not read yet: press it again when it is shown"
    else:
        why = f"{key_name(key)} does nothing about what is shown"
    return replace(model, said=Said(why, Tone.ASKS))


def _back(model: Model) -> Step:
    """Take back whatever was begun."""
    browsing = replace(model, mode=Browsing())
    match model.mode:
        case Filtering(before):
            return entry.refilter(browsing, before)
        case Helping():
            return Step(replace(browsing, scroll=0))
        case _:
            return reading.settled(browsing)
