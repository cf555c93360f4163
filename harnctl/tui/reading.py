"""Reading: keeping what is shown in step with the daemon, and the choice where a person left it.

At most one read of the inbox and one of the thing are under way; whatever happens meanwhile makes one more.  A thing
that leaves the list by somebody else's doing stays chosen, so that a key never falls on what slipped into its place.
"""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from harnctl.tui.errands import Errand, Look, ReadBudget, ReadInbox, Step
from harnctl.tui.messages import Listed, Looked, NotListed, NotLooked
from harnctl.tui.model import (
    OLD_US,
    Browsing,
    Confirming,
    Disposing,
    Extending,
    Link,
    Model,
    Pane,
    Said,
    Tone,
    Writing,
    matching,
)
from harnctl.tui.things import Page, Subject, Thing
from protocol.ids import GoalId
from protocol.views import BudgetView


def chain(model: Model, *parts: Callable[[Model], Step]) -> Step:
    """Take one step after the other."""
    errands: tuple[Errand, ...] = ()
    for part in parts:
        model, more = part(model)
        errands += more
    return Step(model, errands)


def read_inbox(model: Model) -> Step:
    """Have the inbox read, or read once more when it is being read."""
    if model.reading:
        return Step(replace(model, unread=True))
    return Step(replace(model, reading=True, unread=False), (ReadInbox(),))


def look(model: Model) -> Step:
    """Have the chosen thing read, or read once more when one is being read."""
    if model.chosen is None:
        return Step(replace(model, thing=None, trouble=""))
    if model.looking:
        return Step(replace(model, unlooked=True))
    return Step(replace(model, looking=True, unlooked=False), (Look(model.chosen, model.page),))


def choose(model: Model, subject: Subject | None, *, at: int) -> Step:
    """Choose another thing."""
    if subject == model.chosen:
        return Step(replace(model, at=at))
    fresh = replace(model, chosen=subject, at=at, page=Page.SUMMARY, scroll=0, thing=None, trouble="", decided=None)
    return look(fresh)


# --- what came


def listed(model: Model, message: Listed) -> Step:
    """Take a new inbox, and stay with the thing that was chosen."""
    before = model.visible
    items = message.inbox.items
    model = replace(
        model, inbox=items, visible=matching(items, model.filter), goals=message.goals, reading=False, read_at=model.now
    )
    return chain(model, lambda known: _stay(known, [Subject.of(item) for item in before]), _reread)


def not_listed(model: Model, message: NotListed) -> Step:
    """Keep the inbox that there is."""
    away = model.link is Link.GONE  # which the screen tells already
    said = model.said if away else Said(message.reason, Tone.BAD)
    return _reread(replace(model, reading=False, said=said))


def looked(model: Model, message: Looked) -> Step:
    """Take a thing as it is now; what a person is deciding about it, if it is another by now, is taken back."""
    model = replace(model, looking=False)
    if (message.subject, message.page) != (model.chosen, model.page):
        return look(model)
    model = replace(_taken_back(model, message.subject, message.thing), thing=message.thing, trouble="")
    return look(model) if model.unlooked else Step(model)


def not_looked(model: Model, message: NotLooked) -> Step:
    """Show why there is nothing to show; what was shown before stays while the daemon is away."""
    model = replace(model, looking=False)
    if message.subject != model.chosen:
        return look(model)
    if model.link is not Link.GONE:
        model = replace(_taken_back(model, message.subject, None), thing=None, trouble=message.reason)
    return look(model) if model.unlooked else Step(model)


def happened(model: Model, goal: GoalId) -> Step:
    """Read again what an event of a goal may have changed."""
    about = model.chosen is not None and model.chosen.goal == goal
    step = chain(model, read_inbox, look) if about else read_inbox(model)
    match model.mode:
        case Extending(budget=BudgetView(goal=extended)) | Confirming(budget=BudgetView(goal=extended)) if (
            extended == goal
        ):
            return Step(step.model, (*step.errands, ReadBudget(goal)))
        case _:
            return step


def linked(model: Model, link: Link) -> Step:
    """Take note that the daemon came or went, and look at everything again when it came."""
    came = link is Link.LIVE and model.link is not Link.LIVE
    model = replace(model, link=link)
    return chain(model, read_inbox, look) if came else Step(model)


def attended(model: Model) -> Step:
    """Read an inbox that is old again, now that a person is there: a supervisor that gave up leaves no event.

    While nobody presses a key nothing is asked, so a screen that is left open wakes no daemon.
    """
    old = model.now - model.read_at >= OLD_US
    return read_inbox(model) if old and model.link is Link.LIVE and not model.reading else Step(model)


# --- staying


def settled(model: Model) -> Step:
    """See what became of the chosen thing while the person was deciding about it."""
    return _stay(model, [model.chosen] if model.chosen is not None else [])


def _stay(model: Model, before: Sequence[Subject]) -> Step:
    names = [Subject.of(item) for item in model.visible]
    if isinstance(model.mode, Writing | Confirming | Disposing | Extending):  # nobody's choice moves while they decide
        return Step(replace(model, at=names.index(model.chosen)) if model.chosen in names else model)
    found = _find(model.chosen, names)
    if found is not None:
        if not model.unread:  # it was read after the decision and waits all the same: from here on it is as any other
            model = replace(model, decided=None)
        same = names[found]
        return Step(replace(model, at=found, chosen=same)) if same == model.chosen else choose(model, same, at=found)
    if model.chosen is None or model.decided == model.chosen:
        at = max(min(model.at, len(names) - 1), 0)
        return choose(replace(model, decided=None), names[at] if names else None, at=at)
    if model.chosen not in before:
        return Step(model)
    label = model.chosen.label
    told = model.said is not None and model.said.text.startswith(label)  # more was said about it already
    return look(model if told else replace(model, said=Said(f"{label} no longer waits for you", Tone.ASKS)))


def _find(wanted: Subject | None, names: Sequence[Subject]) -> int | None:
    """Find a subject; one that asks for something else by now is the same thing still."""
    if wanted is None:
        return None
    if wanted in names:
        return names.index(wanted)
    return next((at for at, one in enumerate(names) if (one.goal, one.name) == (wanted.goal, wanted.name)), None)


def _reread(model: Model) -> Step:
    return read_inbox(model) if model.unread else Step(model)


def _taken_back(model: Model, subject: Subject, thing: Thing | None) -> Model:
    """Take a decision back whose thing is another by now, or cannot be shown any more."""
    match model.mode:
        case (Confirming() | Disposing() | Extending()) as mode if (
            thing is None or mode.about.thing.stamp != thing.stamp
        ):
            now = "this is how it is now" if thing is not None else "it cannot be read now"
            said = f"{subject.label} changed while you decided: nothing was done, and {now}"
            return replace(model, mode=Browsing(), pane=Pane.THING, scroll=0, said=Said(said, Tone.ASKS))
        case _:
            return model
