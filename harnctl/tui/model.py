"""The model: all that the screen shows and every key depends on, as one frozen value.

Nothing here is computed from a clock or a terminal: `now` and `size` were told.  What is drawn at the right is the
`Thing` that was read for the chosen subject, and a decision is only ever about that thing, as it was read.
"""

from enum import Enum
from typing import Final, TypeAlias

from msgspec import Struct

from harnctl.tui.things import Drawn, Page, Subject, Thing, WorkThing
from protocol.ids import Digest, GoalId
from protocol.replies import Done
from protocol.requests import Change
from protocol.values import SECOND, Instant, Unit
from protocol.views import BudgetView, GoalList, InboxItem

WIDE: Final = 80
LEAST_COLUMNS: Final = 40
LEAST_ROWS: Final = 10
OLD_US: Final = 30 * SECOND  # an inbox that was read so long ago is read again when a person is there
WORDS_SHOWN: Final = 4  # lines of what goes with a decision, while it is confirmed


class Size(Struct, frozen=True):
    """How large the terminal is, in cells."""

    columns: int
    rows: int

    @property
    def is_wide(self) -> bool:
        """Tell whether list and thing stand side by side."""
        return self.columns >= WIDE

    @property
    def is_enough(self) -> bool:
        """Tell whether anything can be decided on it."""
        return self.columns >= LEAST_COLUMNS and self.rows >= LEAST_ROWS


class Link(Enum):
    """How the daemon is reached."""

    CONNECTING = "connecting"
    LIVE = "live"
    GONE = "the daemon is away"


class Pane(Enum):
    """Which half the arrow keys move in; on a narrow terminal the only one that is drawn."""

    LIST = "list"
    THING = "thing"


# --- decisions and modes


class Decision(Struct, frozen=True):
    """What a person is about to decide, bound to what they were shown."""

    subject: Subject
    label: str  # such as `Approve plan 2 of billing`
    request: Change[Done]  # its key is put in when it is sent
    digest: Digest | None = None
    words: str = ""  # what the person wrote for it
    wording: "Wording | None" = None  # how its words may be written anew; None when it takes none


class Wording(Enum):
    """What a person's words are for."""

    GUIDANCE = "what should be planned instead"
    ANSWER = "your answer"
    ADVICE = "what to do differently"
    FINDINGS = "what is wrong, a line each"
    NOTE = "what whoever goes on should know"
    REASON = "why"
    DENIAL = "why not"
    PLAN = "the plan, as TOML"


class Browsing(Struct, frozen=True):
    """Nothing is begun."""


class Helping(Struct, frozen=True):
    """The keys are explained."""


class Filtering(Struct, frozen=True):
    """The filter is typed; `before` is what it was."""

    before: str


class Writing(Struct, frozen=True):
    """The person's editor is open."""

    about: Drawn
    wording: Wording


class Confirming(Struct, frozen=True):
    """A decision waits for its deliberate key."""

    about: Drawn
    decision: Decision
    budget: BudgetView | None = None  # that it extends
    seen: bool = False  # it was on the screen: what was typed before that was meant for something else


class Disposing(Struct, frozen=True):
    """Open findings are answered one by one before work is accepted."""

    about: Drawn
    work: WorkThing  # the same thing, known to be work
    answers: tuple[tuple[str, str], ...] = ()
    reason: str | None = None  # being typed for the next finding; None: fixed or deferred is not said yet


class Extending(Struct, frozen=True):
    """More is granted of the budgets that can grow."""

    about: Drawn
    budget: BudgetView
    at: int = 0  # the row that typing goes to
    typed: tuple[tuple[Unit, str], ...] = ()


Deciding: TypeAlias = Writing | Confirming | Disposing | Extending
Mode: TypeAlias = Browsing | Helping | Filtering | Deciding


class Tone(Enum):
    """How something said to the person is meant."""

    GOOD = "good"
    ASKS = "asks"
    BAD = "bad"


class Said(Struct, frozen=True):
    """The last thing that was said to the person."""

    text: str
    tone: Tone


class Model(Struct, frozen=True):
    """All there is."""

    now: Instant
    size: Size
    unicode: bool = True  # the terminal can spell more than ASCII
    link: Link = Link.CONNECTING
    inbox: tuple[InboxItem, ...] | None = None  # None: not read yet
    visible: tuple[InboxItem, ...] = ()  # those of them that pass the filter
    goals: GoalList = GoalList(())
    filter: str = ""
    chosen: Subject | None = None
    at: int = 0  # where in the list the chosen one is or was
    page: Page = Page.SUMMARY
    pane: Pane = Pane.LIST
    scroll: int = 0
    thing: Thing | None = None  # of the chosen subject
    trouble: str = ""  # why there is no thing
    mode: Mode = Browsing()
    drafts: tuple[tuple[tuple[GoalId, str], str], ...] = ()  # words that were written and not sent, by subject
    sending: Decision | None = None
    decided: Subject | None = None  # the person's own doing: when it leaves the list, the next one is chosen
    said: Said | None = None
    reading: bool = False  # the inbox is being read
    unread: bool = False  # and something happened since
    read_at: Instant = Instant(0)
    looking: bool = False  # so for the thing
    unlooked: bool = False

    @property
    def drawn(self) -> Drawn | None:
        """The thing that was read of what is chosen."""
        return Drawn(self.chosen, self.thing) if self.chosen is not None and self.thing is not None else None


def matching(inbox: tuple[InboxItem, ...], words: str) -> tuple[InboxItem, ...]:
    """Return the items that have all words of a filter."""
    wanted = words.casefold().split()
    return tuple(item for item in inbox if all(word in _text(item) for word in wanted)) if wanted else inbox


def _text(item: InboxItem) -> str:
    return f"{item.goal} {item.kind} {item.subject} {item.summary}".casefold()
