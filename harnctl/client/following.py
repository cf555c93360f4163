"""Following events: where a subscription stands, and how long to wait for a daemon that went away.  No I/O."""

from collections.abc import Iterator
from enum import Enum
from typing import Final

from protocol.ids import GoalId
from protocol.notices import EventNotice, Notice
from protocol.requests import SubscribeEvents
from protocol.views import EventView

PATIENCE: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 2.0, 5.0, 5.0, 5.0, 10.0)  # seconds: about as long as a restart may take


class Presence(Enum):
    """What a follower may want to know of the daemon, once each time."""

    GONE = "gone"  # it is waited for
    BACK = "back"


class Cursor:
    """The last event that was seen, from which a subscription goes on without a gap or a repeat."""

    def __init__(self, *, after: int, goal: GoalId | None) -> None:
        """Begin past `after`."""
        self.after = after
        self.goal = goal
        self._began = False
        self._gone = False
        self._pauses: Iterator[float] = iter(())  # a daemon that was never there is not waited for

    def __repr__(self) -> str:
        return f"<Cursor after={self.after} goal={self.goal}>"

    def request(self) -> SubscribeEvents:
        """Return the request to go on from here."""
        return SubscribeEvents(after=self.after, goal=self.goal)

    def begin(self) -> Presence | None:
        """Take note that the daemon answered: from here on its absence is an interruption."""
        news, self._gone = Presence.BACK if self._gone else None, False
        if not self._began:  # only once: a daemon that answers and goes away again is not asked for ever
            self._began = True
            self._pauses = iter(PATIENCE)
        return news

    def lose(self) -> Presence | None:
        """Take note that the daemon is waited for."""
        news, self._gone = None if self._gone else Presence.GONE, True
        return news

    def take(self, notice: Notice) -> EventView | None:
        """Move on by a notice and return its event; None when the subscription ended and is to be made again."""
        if not isinstance(notice, EventNotice):
            return None  # lagged: what was dropped lies past our own cursor, which is the one that counts
        self.after = notice.event.seq
        self._pauses = iter(PATIENCE)
        return notice.event

    def pause(self) -> float | None:
        """Return how many seconds to wait before the next try; None when it is time to give up."""
        return next(self._pauses, None)
