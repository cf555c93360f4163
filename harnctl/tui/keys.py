"""Keys: what each does, in which mode, and when it can be pressed.

One table is what the update goes by, what the footer offers and what the help explains, so the three cannot differ.
A decision takes two keys: one that opens it, and `y`, which does nothing anywhere else.
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final

from msgspec import Struct

from harnctl.tui.model import Browsing, Confirming, Disposing, Extending, Filtering, Helping, Mode, Model, Pane, Writing
from harnctl.tui.things import ApprovalThing, GoalThing, PlanThing, Thing, WorkThing
from protocol.values import Phase, WorkState
from protocol.views import InboxKind

REOPENABLE: Final = (WorkState.IN_REVIEW, WorkState.BLOCKED, WorkState.SUCCEEDED, WorkState.CANCELLED)


class Action(Enum):
    """What a key does, in a few words."""

    UP = "up"
    DOWN = "down"
    FIRST = "first"
    LAST = "last"
    SCROLL_UP = "scroll up"
    SCROLL_DOWN = "scroll down"
    OPEN = "open"
    BACK = "back"
    NEXT_PAGE = "details"
    LAST_PAGE = "details, backwards"
    APPROVE = "approve"
    ACCEPT = "accept"
    REJECT = "reject"
    GIVE = "give approval"
    DENY = "deny"
    REOPEN = "reopen"
    RETRY = "retry"
    RESOLVE = "resolve"
    EDIT = "edit"
    PAUSE = "pause"
    RESUME = "resume"
    EXTEND = "extend budget"
    FILTER = "filter"
    HELP = "help"
    QUIT = "quit"
    INTERRUPT = "leave"
    YES = "yes, do it"
    NO = "no"
    REWRITE = "write for it"
    FIXED = "it is fixed"
    DEFER = "not now, because"
    KEEP = "keep it"
    ERASE = "erase"
    GO_ON = "go on"


class Binding(Struct, frozen=True):
    """Some keys that do one thing."""

    action: Action
    keys: tuple[str, ...]
    told: str  # what it does, for the help
    offered: bool = True  # in the footer, when it can be pressed

    @property
    def key(self) -> str:
        """The key to show."""
        return self.keys[0]


_LEAVE: Final = Binding(Action.INTERRUPT, ("ctrl-c",), "take back what is begun; leave when nothing is", offered=False)
_NO: Final = Binding(Action.NO, ("escape", "n"), "take it back")

_SCROLLING: Final = (
    Binding(Action.UP, ("up", "k"), "one up", offered=False),
    Binding(Action.DOWN, ("down", "j"), "one down", offered=False),
    Binding(Action.SCROLL_UP, ("pageup", "b"), "a page back in what is shown", offered=False),
    Binding(Action.SCROLL_DOWN, ("pagedown", " "), "a page on in what is shown", offered=False),
)
_ENDS: Final = (
    Binding(Action.FIRST, ("home", "g"), "to the top", offered=False),
    Binding(Action.LAST, ("end", "G"), "to the end", offered=False),
)
BROWSING: Final = (
    Binding(Action.APPROVE, ("a",), "approve the plan that is shown; asks once more"),
    Binding(Action.ACCEPT, ("a",), "accept the work that is shown, on its proof; asks once more"),
    Binding(Action.REJECT, ("r",), "reject the plan and write what should be planned instead"),
    Binding(Action.GIVE, ("a",), "give the approval that is shown, on its digest; asks once more"),
    Binding(Action.DENY, ("r",), "deny the approval that is shown, and write why"),
    Binding(Action.REOPEN, ("o",), "send the work back and write what is wrong with it"),
    Binding(Action.RETRY, ("t",), "try again what is blocked or has failed, or answer a question"),
    Binding(Action.RESOLVE, ("s",), "what blocked the work is gone: it goes on where it stopped; asks once more"),
    Binding(Action.EDIT, ("e",), "write the plan yourself: your editor opens on it; asks once more"),
    Binding(Action.EXTEND, ("x",), "grant the goal more attempts, calls, ticks or runtime"),
    Binding(Action.PAUSE, ("p",), "pause the goal of what is shown; what runs is let finish; asks once more"),
    Binding(Action.RESUME, ("p",), "let the goal of what is shown go on; asks once more"),
    Binding(Action.NEXT_PAGE, ("d", "tab"), "more of it: what it changes, its log, its budget"),
    Binding(Action.LAST_PAGE, ("D", "shift-tab"), "the same, backwards", offered=False),
    Binding(Action.OPEN, ("enter", "right", "l"), "move in what is shown"),
    Binding(Action.BACK, ("escape", "left", "h"), "back to the list"),
    *_SCROLLING,
    *_ENDS,
    Binding(Action.FILTER, ("/",), "show only items whose goal, kind or summary has all the words"),
    Binding(Action.HELP, ("?",), "this help"),
    Binding(Action.QUIT, ("q",), "leave; whatever harnd does goes on"),
    _LEAVE,
)
HELPING: Final = (
    Binding(Action.SCROLL_DOWN, ("pagedown", " "), "a page on"),
    Binding(Action.BACK, ("escape", "?", "q", "enter"), "back"),
    *_SCROLLING,
    *_ENDS,
    _LEAVE,
)
FILTERING: Final = (
    Binding(Action.KEEP, ("enter",), "keep the filter"),
    Binding(Action.NO, ("escape",), "as it was before"),
    Binding(Action.ERASE, ("backspace",), "erase a character", offered=False),
    _LEAVE,
)
YES: Final = ("y",)
CONFIRMING: Final = (
    Binding(Action.YES, YES, "do it"),
    Binding(Action.REWRITE, ("e",), "open the editor"),
    _NO,
    _LEAVE,
)
DISPOSING: Final = (
    Binding(Action.FIXED, ("f",), "the finding is fixed"),
    Binding(Action.DEFER, ("l",), "it is left for later, and why"),
    Binding(Action.GO_ON, ("enter",), "that is the reason"),
    Binding(Action.ERASE, ("backspace",), "erase a character", offered=False),
    Binding(Action.NO, ("escape",), "take it back"),
    _LEAVE,
)
EXTENDING: Final = (
    Binding(Action.UP, ("up", "shift-tab"), "one up", offered=False),
    Binding(Action.DOWN, ("down", "tab"), "one down", offered=False),
    Binding(Action.GO_ON, ("enter",), "grant what is typed; asks once more"),
    Binding(Action.ERASE, ("backspace",), "erase a character", offered=False),
    Binding(Action.NO, ("escape",), "take it back"),
    _LEAVE,
)


TABLES: Final[Mapping[str, Sequence[Binding]]] = {
    "browsing": BROWSING,
    "deciding": CONFIRMING,
    "answering findings": DISPOSING,
    "extending a budget": EXTENDING,
    "filtering": FILTERING,
}


def bindings(mode: Mode) -> tuple[Binding, ...]:
    """Return every key of a mode."""
    match mode:
        case Browsing():
            return BROWSING
        case Helping():
            return HELPING
        case Filtering():
            return FILTERING
        case Confirming():
            return CONFIRMING
        case Disposing():
            return DISPOSING
        case Extending():
            return EXTENDING
        case Writing():
            return ()  # the terminal is the editor's


def action_of(model: Model, key: str) -> Action | None:
    """Return what a key does now; None when it does nothing."""
    return next((one.action for one in bindings(model.mode) if key in one.keys and can(model, one.action)), None)


def label(model: Model, binding: Binding) -> str:
    """Return what a key does, in a few words that fit what is shown."""
    if binding.action is Action.GIVE:
        return "approve"
    asked = isinstance(model.thing, PlanThing) and bool(model.thing.view.question)
    return "answer" if asked and binding.action is Action.RETRY else binding.action.value


def offered(model: Model) -> tuple[Binding, ...]:
    """Return the keys that the footer names."""
    return tuple(one for one in bindings(model.mode) if one.offered and can(model, one.action) and _is_apt(model, one))


def _is_apt(model: Model, binding: Binding) -> bool:
    """Tell whether a key is worth naming: some can be pressed at any time, and are what is wanted only now and then."""
    match binding.action:
        case Action.EXTEND:
            return model.chosen is not None and model.chosen.kind in {InboxKind.BUDGET, InboxKind.BLOCKED}
        case Action.PAUSE:
            return False
        case _:
            return True


def can(model: Model, action: Action) -> bool:
    """Tell whether something can be done now."""
    if action in ABOUT_THING:
        return _fits(_decidable(model), action)
    if action in ABOUT_GOAL:
        return _decidable(model) is not None and _lets(phase_of(model), action)
    match action, model.mode:
        case Action.OPEN, Browsing():
            return model.pane is Pane.LIST and model.chosen is not None
        case Action.BACK, Browsing():
            return model.pane is Pane.THING
        case ((Action.NEXT_PAGE | Action.LAST_PAGE), _):
            return model.chosen is not None and len(model.chosen.pages) > 1
        case Action.YES, Confirming(seen=seen):
            return seen
        case Action.REWRITE, Confirming(decision=decision):
            return decision.wording is not None
        case ((Action.FIXED | Action.DEFER), Disposing(reason=reason)):
            return reason is None
        case ((Action.GO_ON | Action.ERASE), Disposing(reason=reason)):
            return reason is not None
        case _:
            return True


ABOUT_THING: Final = frozenset(
    {
        *(Action.APPROVE, Action.ACCEPT, Action.REJECT, Action.REOPEN, Action.RETRY, Action.EXTEND),
        *(Action.RESOLVE, Action.EDIT, Action.GIVE, Action.DENY),
    }
)
ABOUT_GOAL: Final = frozenset({Action.PAUSE, Action.RESUME})
ENDED: Final = (None, Phase.SUCCEEDED, Phase.CANCELLED)


def _decidable(model: Model) -> Thing | None:
    """Return what a decision would be about: only what is on the screen, and one at a time."""
    return model.thing if model.sending is None and is_on_screen(model) else None


def is_on_screen(model: Model) -> bool:
    """Tell whether the thing is drawn, and not the list alone."""
    return model.size.is_wide or model.pane is Pane.THING


def phase_of(model: Model) -> Phase | None:
    """Return the phase of the goal of what is chosen; None when it is not known."""
    name = model.chosen.goal if model.chosen is not None else None
    return next((goal.phase for goal in model.goals.goals if goal.goal == name), None)


def _lets(phase: Phase | None, action: Action) -> bool:
    paused = phase is Phase.PAUSED
    return paused if action is Action.RESUME else not paused and phase not in ENDED


def _fits(thing: Thing | None, action: Action) -> bool:
    match action, thing:
        case ((Action.APPROVE | Action.REJECT), PlanThing()):
            return thing.digest is not None
        case ((Action.GIVE | Action.DENY), ApprovalThing()):
            return thing.digest is not None
        case Action.RETRY, PlanThing():
            return thing.asks
        case Action.EDIT, PlanThing():
            return thing.asks or thing.digest is not None
        case Action.ACCEPT, WorkThing():
            return thing.digest is not None
        case Action.REOPEN, WorkThing(view=work):
            return work.state in REOPENABLE
        case Action.RETRY, WorkThing(view=work):
            return work.state is WorkState.BLOCKED
        case Action.RESOLVE, WorkThing(view=work):
            return work.resolvable
        case Action.EXTEND, (PlanThing() | WorkThing() | ApprovalThing() | GoalThing()):
            return True
        case _:
            return False
