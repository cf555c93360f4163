"""Messages: what happened, at the keyboard, at the daemon or to the screen."""

from typing import TypeAlias

from msgspec import Struct

from harnctl.tui.model import Decision, Link, Size
from harnctl.tui.things import Page, Subject, Thing
from protocol.ids import GoalId
from protocol.replies import Done
from protocol.values import Instant
from protocol.views import BudgetView, GoalList, InboxView, ProblemView


class Pressed(Struct, frozen=True):
    """A key: a character as itself, any other by name (`up`, `escape`, `ctrl-c`)."""

    key: str


class Pasted(Struct, frozen=True):
    """A text from the clipboard, which is never taken for keys."""

    text: str


class Resized(Struct, frozen=True):
    """The terminal has another size."""

    size: Size


class Shown(Struct, frozen=True):
    """The model was drawn on the terminal as it is."""


class Ticked(Struct, frozen=True):
    """Time passed."""

    now: Instant


class Listed(Struct, frozen=True):
    """The inbox was read."""

    inbox: InboxView
    goals: GoalList


class NotListed(Struct, frozen=True):
    """The inbox could not be read."""

    reason: str


class Looked(Struct, frozen=True):
    """A thing was read, with what one page of it needs."""

    subject: Subject
    page: Page
    thing: Thing


class NotLooked(Struct, frozen=True):
    """A thing could not be read."""

    subject: Subject
    reason: str


class Happened(Struct, frozen=True):
    """An event of a goal was committed."""

    goal: GoalId


class Linked(Struct, frozen=True):
    """The daemon came or went."""

    link: Link


class Budgeted(Struct, frozen=True):
    """A budget was read, to be extended."""

    budget: BudgetView


class Written(Struct, frozen=True):
    """The editor was closed."""

    text: str


class NotWritten(Struct, frozen=True):
    """The editor came to nothing."""

    reason: str


class Decided(Struct, frozen=True):
    """The daemon did what was decided."""

    decision: Decision
    done: Done


class Refused(Struct, frozen=True):
    """Somebody said no: the daemon to a decision, or nobody could be asked."""

    decision: Decision | None
    code: str
    reason: str
    fix: str = ""
    problems: tuple[ProblemView, ...] = ()  # of a text that was sent, each with its line


Message: TypeAlias = (
    Pressed
    | Pasted
    | Resized
    | Shown
    | Ticked
    | Listed
    | NotListed
    | Looked
    | NotLooked
    | Happened
    | Linked
    | Budgeted
    | Written
    | NotWritten
    | Decided
    | Refused
)
