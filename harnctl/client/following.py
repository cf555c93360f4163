"""Following events: where a subscription stands, and how long to wait for a daemon that went away.  No I/O."""

from collections.abc import Callable
from enum import Enum
from typing import Final

from harnctl.client.errors import ClientError
from harnctl.client.patience import Patience
from protocol.ids import GoalId
from protocol.notices import EventNotice, Notice
from protocol.requests import SubscribeEvents
from protocol.views import EventView

PATIENCE_S: Final = 30.0  # about as long as a restart may take


class Presence(Enum):
    """What a follower may want to know of the daemon, once each time."""

    GONE = "gone"  # it is waited for
    BACK = "back"


Watcher = Callable[[Presence], None]


def unwatched(_there: Presence) -> None:
    """Watch nothing."""


class Cursor:
    """The last event that was seen, from which a subscription goes on without a gap or a repeat."""

    def __init__(
        self, *, after: int, goal: GoalId | None, patience_s: float = PATIENCE_S, presence: Watcher = unwatched
    ) -> None:
        """Begin past `after`."""
        self.after = after
        self.goal = goal
        self._patience_s = patience_s
        self._presence = presence
        self._began = False
        self._gone = False
        self._since: float | None = None  # when the subscription was last made; None while there is none
        self._patience: Patience | None = None  # of an absence that goes on

    def __repr__(self) -> str:
        return f"<Cursor after={self.after} goal={self.goal}>"

    def request(self) -> SubscribeEvents:
        """Return the request to go on from here."""
        return SubscribeEvents(after=self.after, goal=self.goal)

    def begin(self, now: float) -> None:
        """Take note that the daemon subscribed us: from here on its absence is an interruption."""
        self._began = True
        self._since = now
        if self._gone:
            self._gone = False
            self._presence(Presence.BACK)

    def take(self, notice: Notice) -> EventView | None:
        """Move on by a notice and return its event; None when the subscription ended and is to be made again."""
        if not isinstance(notice, EventNotice):
            return None  # lagged: what was dropped lies past our own cursor, which is the one that counts
        self.after = notice.event.seq
        self._patience = None
        return notice.event

    def pause(self, error: ClientError, now: float) -> float | None:
        """Return how many seconds to wait before the next try; None when it is time to give up."""
        if not self._began:  # a daemon that was never there is not waited for
            return None
        # One that answers and goes away again is not asked for ever; one that stayed as long as we wait, or as one
        # usually would, is well.
        if self._patience is None or self._stayed(now):
            self._patience = Patience(self._patience_s, now=now)
        self._since = None
        pause = self._patience.pause(error, now=now)
        if pause is not None and not self._gone:
            self._gone = True
            self._presence(Presence.GONE)
        return pause

    def _stayed(self, now: float) -> bool:
        return self._since is not None and now - self._since >= min(self._patience_s, PATIENCE_S)
