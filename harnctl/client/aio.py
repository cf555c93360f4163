"""The asynchronous client: what `harnctl.client.Client` does, on anyio and so on asyncio and trio alike.

    async with AsyncClient() as client:
        goal = await client.ask(ShowGoal(GoalId("billing")))

Several tasks may share a client; their questions go one after the other.  Cancelling a question hangs up, as its answer
would be taken for the next one's; a change that was cancelled may have been made, and its key tells when asked again.
"""

import time
from collections.abc import AsyncIterator
from pathlib import Path
from types import TracebackType
from typing import Self

import anyio

from harnctl.client.async_line import AsyncLine
from harnctl.client.errors import ClientError, Lost, Refused
from harnctl.client.following import PATIENCE_S, Cursor, Watcher, unwatched
from harnctl.client.line import ANSWER_S, GREETING_S
from harnctl.client.patience import Patience
from harnctl.client.place import usual_socket
from protocol.ids import GoalId
from protocol.replies import Welcome
from protocol.requests import ReplyT, Request
from protocol.views import EventView


class AsyncClient:
    """A client of the daemon at one socket; by default the one that `harnctl` would speak to."""

    def __init__(self, path: Path | None = None, *, greeting_s: float = GREETING_S, answer_s: float = ANSWER_S) -> None:
        """Take note of where the daemon is; nothing is opened yet.

        `greeting_s` is for connecting and being welcomed, `answer_s` for each answer.
        """
        self.path = path or usual_socket()
        self._greeting_s = greeting_s
        self._answer_s = answer_s
        self._turn = anyio.Lock()
        self._line: AsyncLine | None = None

    def __repr__(self) -> str:
        return f"<AsyncClient {self.path} {'connected' if self._line else 'not connected'}>"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Hang up.  Whatever the daemon is doing goes on; the next question connects again."""
        if self._line is not None:
            line, self._line = self._line, None
            await line.aclose()

    async def welcome(self) -> Welcome:
        """Return what the daemon said of itself; connects when there is no connection."""
        async with self._turn:
            return (await self._connected()).welcome

    async def ask(self, request: Request[ReplyT], *, patience_s: float = 0.0) -> ReplyT:
        """Ask and return the answer; raises `Refused`, `Unreachable` and `ProtocolError`.

        With patience the request is sent again, under the same key, while nobody answers or the daemon says to try
        later: until there is an answer, or until so many seconds have passed and the last try has failed.
        """
        patience = Patience(patience_s, now=time.monotonic())
        while True:
            try:
                async with self._turn:
                    return await self._ask(request)
            except ClientError as error:
                if (pause := patience.pause(error, now=time.monotonic())) is None:
                    raise patience.last_word(error, request) from error.__cause__
            await anyio.sleep(pause)

    def events(
        self,
        after: int = 0,
        *,
        goal: GoalId | None = None,
        presence: Watcher = unwatched,
        patience_s: float = PATIENCE_S,
    ) -> "AsyncEvents":
        """Return an iterator of every event past `after`, and then of those that come, without end.

        It goes on by cursor after a lag and after a restart of the daemon; raises `Unreachable` when the daemon is not
        back after `patience_s`.  `presence` is told when it goes away and when it is back.
        """
        cursor = Cursor(after=after, goal=goal, presence=presence, patience_s=patience_s)
        return AsyncEvents(self.path, cursor, greeting_s=self._greeting_s, answer_s=self._answer_s)

    async def _connected(self) -> AsyncLine:
        if self._line is None:
            self._line = await AsyncLine.open(self.path, greeting_s=self._greeting_s)
        return self._line

    async def _ask(self, request: Request[ReplyT]) -> ReplyT:
        try:
            line = await self._connected()
            return await line.ask(request, within_s=self._answer_s)
        except Refused:
            raise
        except BaseException:  # cancellation too: the answer that is still to come belongs to nobody
            await self.aclose()
            raise


class AsyncEvents(AsyncIterator[EventView]):
    """Events as they come, over a connection of their own, which is made at the first of them.

    Closing it hangs up, as does the end of an `async with` block and a cancellation; it yields nothing after that.  No
    task runs for it: nothing is read from the daemon but while somebody waits for the next event.
    """

    def __init__(self, path: Path, cursor: Cursor, *, greeting_s: float, answer_s: float) -> None:
        """Begin where the cursor stands; `AsyncClient.events` makes these."""
        self._path = path
        self._cursor = cursor
        self._greeting_s = greeting_s
        self._answer_s = answer_s
        self._line: AsyncLine | None = None
        self._subscribed = False
        self._closed = anyio.Event()

    def __repr__(self) -> str:
        return f"<AsyncEvents of={self._cursor.goal or 'every goal'} after={self.after}>"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.aclose()

    @property
    def after(self) -> int:
        """The cursor: the sequence number of the last event that was handed out, to begin after another time."""
        return self._cursor.after

    async def aclose(self) -> None:
        """Hang up for good; whoever waits for the next event is told that there is none."""
        self._closed.set()
        await self._hang_up()

    async def __anext__(self) -> EventView:
        while not self._closed.is_set():
            try:
                return await self._next()
            except ClientError as error:
                if self._closed.is_set():  # by another task, which is why the line broke
                    break
                await self._hang_up()
                if (pause := self._cursor.pause(error, time.monotonic())) is None:
                    await self.aclose()
                    raise
            except BaseException:
                await self.aclose()
                raise
            with anyio.move_on_after(pause):
                await self._closed.wait()
        await self._hang_up()
        raise StopAsyncIteration

    async def _next(self) -> EventView:
        if self._line is None:
            self._line = await AsyncLine.open(self._path, greeting_s=self._greeting_s)
        line = self._line
        while not self._closed.is_set():
            if not self._subscribed:
                await line.ask(self._cursor.request(), within_s=self._answer_s)
                self._subscribed = True
                self._cursor.begin(time.monotonic())
            if (event := self._cursor.take(await line.notice())) is not None:
                return event
            self._subscribed = False
        raise Lost("the connection was closed on this side")

    async def _hang_up(self) -> None:
        self._subscribed = False
        if self._line is not None:
            line, self._line = self._line, None
            await line.aclose()
