"""Lines for anyio: one connection that was welcomed, and the questions that go over it.  The twin of `line`."""

from pathlib import Path
from typing import Self

import anyio
from anyio.abc import UNIXSocketStream

from harnctl.client.door import Peer, connect
from harnctl.client.errors import ProtocolError, Refused
from harnctl.client.exchange import Exchange, opening
from harnctl.client.greeting import explain
from harnctl.client.line import broken, late
from protocol.notices import Notice
from protocol.replies import Welcome
from protocol.requests import ReplyT, Request


class AsyncLine:
    """One connection that was welcomed."""

    welcome: Welcome

    def __init__(self, stream: UNIXSocketStream, path: Path) -> None:
        """Take a connection that was checked and not yet greeted; `open` makes these."""
        self._stream = stream
        self._path = path
        self._exchange = Exchange()

    @classmethod
    async def open(cls, path: Path, *, greeting_s: float) -> Self:
        """Connect and greet within `greeting_s`."""
        connection, peer = connect(path)
        try:
            line = cls(await UNIXSocketStream.from_socket(connection), path)
        except BaseException:
            connection.close()
            raise
        try:
            line.welcome = await line._greet(peer, greeting_s)
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
            raise late(self._path) from error
        return reply

    async def notice(self) -> Notice:
        """Wait for the next notice, for as long as it takes."""
        while (notice := self._exchange.notice()) is None:
            await self._receive()
        return notice

    async def _greet(self, peer: Peer, greeting_s: float) -> Welcome:
        try:
            return await self.ask(opening(), within_s=greeting_s)
        except (Refused, ProtocolError) as error:
            raise explain(error, peer=peer, path=self._path) from error

    async def _send(self, frame: bytes) -> None:
        try:
            await self._stream.send(frame)
        except anyio.BrokenResourceError:
            return  # the daemon hung up; why may still be read, and then comes the end
        except anyio.ClosedResourceError as error:
            raise broken(self._path, error) from error

    async def _receive(self) -> None:
        try:
            data = await self._stream.receive()
        except anyio.EndOfStream:
            data = b""
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise broken(self._path, error) from error
        self._exchange.receive(data)
