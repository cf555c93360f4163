"""Errands: what an update owes to the world.  Each comes back as a message, or ends the program."""

from typing import NamedTuple, TypeAlias

from msgspec import Struct

from harnctl.tui.model import Decision, Model
from harnctl.tui.things import Page, Subject
from protocol.ids import GoalId


class ReadInbox(Struct, frozen=True):
    """Read what waits: `Listed` or `NotListed`."""


class Look(Struct, frozen=True):
    """Read a thing, with what one page needs: `Looked` or `NotLooked`."""

    subject: Subject
    page: Page


class ReadBudget(Struct, frozen=True):
    """Read a goal's ledger: `Budgeted` or `Refused`."""

    goal: GoalId


class Write(Struct, frozen=True):
    """Open the person's editor: `Written` or `NotWritten`."""

    about: str
    draft: str
    whole: bool = False  # the draft is a file of its own, in which lines that begin with # count


class Send(Struct, frozen=True):
    """Send a decision under a key of its own until it is answered: `Decided` or `Refused`."""

    decision: Decision


class Quit(Struct, frozen=True):
    """End the program."""

    interrupted: bool = False


Errand: TypeAlias = ReadInbox | Look | ReadBudget | Write | Send | Quit


class Step(NamedTuple):
    """What comes of a message."""

    model: Model
    errands: tuple[Errand, ...] = ()
