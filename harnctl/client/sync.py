"""The synchronous client: blocking calls over one connection, made when first needed.

    with Client(path) as client:
        goal = client.ask(ShowGoal(GoalId("billing")))

A connection that is lost before the answer came is made anew once and the request sent again.  That is safe: a change
carries a key, and the daemon answers a key it knows with what it answered before.  Not for use by several threads.
"""

import socket
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from harnctl.client.door import absent, check_peer, check_place
from harnctl.client.errors import Lost, ProtocolError, Refused, Unreachable
from harnctl.client.exchange import Exchange, opening
from harnctl.client.following import Cursor, Presence
from harnctl.client.greeting import explain
from protocol.ids import GoalId
from protocol.notices import Notice
from protocol.replies import Welcome
from protocol.requests import ReplyT, Request
from protocol.views import EventView

GREETING_S: Final = 5.0  # to connect and be welcomed
ANSWER_S: Final = 60.0  # to be answered; the daemon answers from memory or one transaction
PIECE_BYTES: Final = 64 * 1024


class Client:
    """A client of the daemon at one socket."""

    def __init__(self, path: Path, *, greeting_s: float = GREETING_S, answer_s: float = ANSWER_S) -> None:
        """Take note of where the daemon is; nothing is opened yet."""
        self.path = path
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

    @property
    def welcome(self) -> Welcome:
        """What the daemon said of itself; connects when there is no connection."""
        return self._connected().welcome

    def ask(self, request: Request[ReplyT]) -> ReplyT:
        """Ask and return the answer; raises `Refused`, `Unreachable` and `ProtocolError`."""
        try:
            return self._ask(request)
        except Lost:
            return self._ask(request)

    def events(
        self, after: int, *, goal: GoalId | None = None, presence: Callable[[Presence], None] = lambda _there: None
    ) -> Generator[EventView, None, None]:
        """Yield every event past `after`, then those that come, without end, over a connection of their own.

        It goes on by cursor after a lag and after a restart of the daemon; raises `Unreachable` when the daemon does
        not come back.  `presence` is told when it goes away and when it is back.  Closing the iterator hangs up.
        """
        cursor = Cursor(after=after, goal=goal)
        while True:
            try:
                yield from self._follow(cursor, presence)
            except Unreachable:
                if (pause := cursor.pause()) is None:
                    raise
                if (news := cursor.lose()) is not None:
                    presence(news)
                time.sleep(pause)

    def _follow(self, cursor: Cursor, presence: Callable[[Presence], None]) -> Iterator[EventView]:
        with closing(Line(self.path, greeting_s=self._greeting_s)) as line:
            while True:
                line.ask(cursor.request(), within_s=self._answer_s)
                if (news := cursor.begin()) is not None:
                    presence(news)
                while (event := cursor.take(line.notice())) is not None:
                    yield event

    def _connected(self) -> "Line":
        if self._line is None:
            self._line = Line(self.path, greeting_s=self._greeting_s)
        return self._line

    def _ask(self, request: Request[ReplyT]) -> ReplyT:
        try:
            return self._connected().ask(request, within_s=self._answer_s)
        except (Unreachable, ProtocolError):
            self.close()
            raise


class Line:
    """One connection that was welcomed."""

    def __init__(self, path: Path, *, greeting_s: float) -> None:
        """Connect and greet within `greeting_s`."""
        check_place(path)
        self._exchange = Exchange()
        self._path = path
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self.welcome = self._greet(greeting_s)
        except BaseException:
            self._socket.close()
            raise

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def ask(self, request: Request[ReplyT], *, within_s: float) -> ReplyT:
        """Send a request and wait for its reply."""
        deadline = time.monotonic() + within_s
        number, frame = self._exchange.ask(request)
        self._send(frame, deadline)
        while (reply := self._exchange.reply(number, request)) is None:
            self._receive(deadline)
        return reply

    def notice(self) -> Notice:
        """Wait for the next notice, for as long as it takes."""
        while (notice := self._exchange.notice()) is None:
            self._receive(None)
        return notice

    def _greet(self, greeting_s: float) -> Welcome:
        self._socket.settimeout(greeting_s)
        try:
            self._socket.connect(str(self._path))
        except OSError as error:
            raise absent(self._path, error) from error
        peer = check_peer(self._socket, self._path)
        try:
            return self.ask(opening(), within_s=greeting_s)
        except (Refused, ProtocolError) as error:
            raise explain(error, peer=peer, path=self._path) from error

    def _send(self, frame: bytes, deadline: float) -> None:
        self._wait_until(deadline)
        try:
            self._socket.sendall(frame)
        except OSError as error:
            raise self._broken(error) from error

    def _receive(self, deadline: float | None) -> None:
        self._wait_until(deadline)
        try:
            data = self._socket.recv(PIECE_BYTES)
        except OSError as error:
            raise self._broken(error) from error
        self._exchange.receive(data)

    def _wait_until(self, deadline: float | None) -> None:
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            raise self._broken(TimeoutError())
        self._socket.settimeout(left)

    def _broken(self, error: OSError) -> Unreachable:
        if isinstance(error, TimeoutError):  # asking again would only wait again
            return Unreachable(f"the daemon at {self._path} does not answer in time", fix="harnctl doctor")
        return Lost(f"the connection to {self._path} broke: {error.strerror or error}")
