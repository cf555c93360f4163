"""The synchronous client: blocking calls over one connection, made when first needed.

    with Client() as client:
        goal = client.ask(ShowGoal(GoalId("billing")))

A connection that is lost before the answer came is made anew once and the request sent again, or for as long as the
caller has patience.  That is safe: a change carries a key, and the daemon answers a key it knows with what it answered
before.  Not for use by several threads.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from harnctl.client.errors import ClientError, Refused
from harnctl.client.following import PATIENCE_S, Cursor, Watcher, unwatched
from harnctl.client.line import ANSWER_S, GREETING_S, Line
from harnctl.client.patience import Patience
from harnctl.client.place import usual_socket
from protocol.ids import GoalId
from protocol.replies import Welcome
from protocol.requests import ReplyT, Request
from protocol.views import EventView


class Client:
    """A client of the daemon at one socket; by default the one that `harnctl` would speak to."""

    def __init__(self, path: Path | None = None, *, greeting_s: float = GREETING_S, answer_s: float = ANSWER_S) -> None:
        """Take note of where the daemon is; nothing is opened yet.

        `greeting_s` is for connecting and being welcomed, `answer_s` for each answer.
        """
        self.path = path or usual_socket()
        self._greeting_s = greeting_s
        self._answer_s = answer_s
        self._line: Line | None = None

    def __repr__(self) -> str:
        return f"<Client {self.path} {'connected' if self._line else 'not connected'}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Hang up.  Whatever the daemon is doing goes on; the next question connects again."""
        if self._line is not None:
            self._line.close()
            self._line = None

    def welcome(self) -> Welcome:
        """Return what the daemon said of itself; connects when there is no connection."""
        return self._connected().welcome

    def ask(self, request: Request[ReplyT], *, patience_s: float = 0.0) -> ReplyT:
        """Ask and return the answer; raises `Refused`, `Unreachable` and `ProtocolError`.

        With patience the request is sent again, under the same key, while nobody answers or the daemon says to try
        later: until there is an answer, or until so many seconds have passed and the last try has failed.
        """
        patience = Patience(patience_s, now=time.monotonic())
        while True:
            try:
                return self._ask(request)
            except ClientError as error:
                if (pause := patience.pause(error, now=time.monotonic())) is None:
                    raise patience.last_word(error, request) from error.__cause__
            time.sleep(pause)

    def events(
        self,
        after: int = 0,
        *,
        goal: GoalId | None = None,
        presence: Watcher = unwatched,
        patience_s: float = PATIENCE_S,
    ) -> "Events":
        """Return an iterator of every event past `after`, and then of those that come, without end.

        It goes on by cursor after a lag and after a restart of the daemon; raises `Unreachable` when the daemon is not
        back after `patience_s`.  `presence` is told when it goes away and when it is back.
        """
        cursor = Cursor(after=after, goal=goal, presence=presence, patience_s=patience_s)
        return Events(self.path, cursor, greeting_s=self._greeting_s, answer_s=self._answer_s)

    def _connected(self) -> Line:
        if self._line is None:
            self._line = Line(self.path, greeting_s=self._greeting_s)
        return self._line

    def _ask(self, request: Request[ReplyT]) -> ReplyT:
        try:
            return self._connected().ask(request, within_s=self._answer_s)
        except Refused:
            raise
        except BaseException:  # Ctrl-C too: the answer that is still to come belongs to nobody
            self.close()
            raise


class Events(Iterator[EventView]):
    """Events as they come, over a connection of their own, which is made at the first of them.

    Closing it hangs up, as does the end of a `with` block; it yields nothing after that.
    """

    def __init__(self, path: Path, cursor: Cursor, *, greeting_s: float, answer_s: float) -> None:
        """Begin where the cursor stands; `Client.events` makes these."""
        self._path = path
        self._cursor = cursor
        self._greeting_s = greeting_s
        self._answer_s = answer_s
        self._line: Line | None = None
        self._subscribed = False
        self._closed = False

    def __repr__(self) -> str:
        return f"<Events of={self._cursor.goal or 'every goal'} after={self.after}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @property
    def after(self) -> int:
        """The cursor: the sequence number of the last event that was handed out, to begin after another time."""
        return self._cursor.after

    def close(self) -> None:
        """Hang up for good."""
        self._closed = True
        self._hang_up()

    def __next__(self) -> EventView:
        while not self._closed:
            try:
                return self._next()
            except ClientError as error:
                self._hang_up()
                if (pause := self._cursor.pause(error, time.monotonic())) is None:
                    self.close()
                    raise
            except BaseException:
                self.close()
                raise
            time.sleep(pause)
        raise StopIteration

    def _next(self) -> EventView:
        if self._line is None:
            self._line = Line(self._path, greeting_s=self._greeting_s)
        while True:
            if not self._subscribed:
                self._line.ask(self._cursor.request(), within_s=self._answer_s)
                self._subscribed = True
                self._cursor.begin(time.monotonic())
            if (event := self._cursor.take(self._line.notice())) is not None:
                return event
            self._subscribed = False

    def _hang_up(self) -> None:
        self._subscribed = False
        if self._line is not None:
            self._line.close()
            self._line = None
