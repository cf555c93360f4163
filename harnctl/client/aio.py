"""The asynchronous client: what `harnctl.client.Client` does, on anyio and so on asyncio and trio alike.

    async with AsyncClient(path) as client:
        goal = await client.ask(ShowGoal(GoalId("billing")))

Several tasks may share a client; their questions go one after the other.  Cancelling a question hangs up, as its answer
would be taken for the next one's; a change that was cancelled may have been made, and its key tells when asked again.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from types import TracebackType
from typing import Self

import anyio
from anyio.abc import SocketAttribute, UNIXSocketStream

from harnctl.client.door import absent, check_peer, check_place
from harnctl.client.errors import Lost, ProtocolError, Refused, Unreachable
from harnctl.client.exchange import Exchange, opening
from harnctl.client.following import Cursor
from harnctl.client.greeting import explain
from harnctl.client.sync import ANSWER_S, GREETING_S
from protocol.ids import GoalId
from protocol.notices import Notice
from protocol.replies import Welcome
from protocol.requests import ReplyT, Request
from protocol.views import EventView


class AsyncClient:
    """A client of the daemon at one socket."""

    def __init__(self, path: Path, *, greeting_s: float = GREETING_S, answer_s: float = ANSWER_S) -> None:
        """Take note of where the daemon is; nothing is opened yet."""
        self.path = path
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

    async def ask(self, request: Request[ReplyT]) -> ReplyT:
        """Ask and return the answer; raises `Refused`, `Unreachable` and `ProtocolError`."""
        async with self._turn:
            try:
                return await self._ask(request)
            except Lost:
                return await self._ask(request)

    async def events(self, after: int, *, goal: GoalId | None = None) -> AsyncGenerator[EventView, None]:
        """Yield every event past `after`, then those that come, as `Client.events` does."""
        cursor = Cursor(after=after, goal=goal)
        while True:
            try:
                async with aclosing(await AsyncLine.open(self.path, greeting_s=self._greeting_s)) as line:
                    while True:
                        await line.ask(cursor.request(), within_s=self._answer_s)
                        cursor.begin()
                        while (event := cursor.take(await line.notice())) is not None:
                            yield event
            except Unreachable:
                if (pause := cursor.pause()) is None:
                    raise
                await anyio.sleep(pause)

    async def _ask(self, request: Request[ReplyT]) -> ReplyT:
        try:
            if self._line is None:
                self._line = await AsyncLine.open(self.path, greeting_s=self._greeting_s)
            return await self._line.ask(request, within_s=self._answer_s)
        except Refused:
            raise
        except BaseException:  # cancellation too: the answer that is still to come belongs to nobody
            await self.aclose()
            raise


class AsyncLine:
    """One connection that was welcomed."""

    def __init__(self, stream: UNIXSocketStream, path: Path) -> None:
        """Take a connection that was checked and not yet greeted."""
        self._stream = stream
        self._path = path
        self._exchange = Exchange()

    @classmethod
    async def open(cls, path: Path, *, greeting_s: float) -> Self:
        """Connect and greet within `greeting_s`."""
        check_place(path)
        try:
            with anyio.fail_after(greeting_s):
                stream = await anyio.connect_unix(path)
        except OSError as error:
            raise absent(path, error) from error
        line = cls(stream, path)
        try:
            await line._greet(greeting_s)
        except BaseException:
            await line.aclose()
            raise
        return line

    async def aclose(self) -> None:
        """Hang up, without waiting for anybody."""
        await anyio.aclose_forcefully(self._stream)

    async def ask(self, request: Request[ReplyT], *, within_s: float) -> ReplyT:
        """Send a request and wait for its reply."""
        number, frame = self._exchange.ask(request)
        try:
            with anyio.fail_after(within_s):
                await self._send(frame)
                while (reply := self._exchange.reply(number, request)) is None:
                    await self._receive()
        except TimeoutError as error:
            raise Unreachable(f"the daemon at {self._path} does not answer in time", fix="harnctl doctor") from error
        return reply

    async def notice(self) -> Notice:
        """Wait for the next notice, for as long as it takes."""
        while (notice := self._exchange.notice()) is None:
            await self._receive()
        return notice

    async def _greet(self, greeting_s: float) -> Welcome:
        peer = check_peer(self._stream.extra(attribute=SocketAttribute.raw_socket), self._path)
        try:
            return await self.ask(opening(), within_s=greeting_s)
        except (Refused, ProtocolError) as error:
            raise explain(error, peer=peer, path=self._path) from error

    async def _send(self, frame: bytes) -> None:
        try:
            await self._stream.send(frame)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise Lost(f"the connection to {self._path} broke") from error

    async def _receive(self) -> None:
        try:
            data = await self._stream.receive()
        except anyio.EndOfStream:
            data = b""
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise Lost(f"the connection to {self._path} broke") from error
        self._exchange.receive(data)
