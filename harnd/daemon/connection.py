"""Connections: one client's requests, answered as they become ready, and its subscription.

Requests of a connection run side by side, up to `REQUESTS_IN_FLIGHT`; further ones are not read until one is answered,
so a client that floods or does not read its answers holds up nobody but itself.  A request that was read runs to its
end also when the client has gone.  A frame is written whole, unless the peer or the daemon ends.
"""

import socket
from contextlib import suppress
from typing import Any

import anyio
import msgspec
import structlog
from anyio.abc import SocketAttribute, SocketStream, TaskGroup
from structlog.typing import FilteringBoundLogger

from harnd.daemon.handler import Greeting, Handler
from harnd.daemon.principal import Principal, Role
from harnd.daemon.refusals import refusal_of
from harnd.daemon.subscription import Subscription
from protocol.bounds import REQUESTS_IN_FLIGHT
from protocol.conversation import Asked, Conversation, RemoteProtocolError
from protocol.conversation import Role as End
from protocol.decoding import read_request, write
from protocol.errors import Refusal
from protocol.framing import FrameError, FrameReader, FrameTooLong
from protocol.methods import MAX_VERSION, MIN_VERSION
from protocol.notices import LaggedNotice, Notice
from protocol.replies import EventPage, Subscribed, Unsubscribed, Welcome
from protocol.requests import Change, Initialize, ListEvents, Request, SubscribeEvents, UnsubscribeEvents

log: FilteringBoundLogger = structlog.get_logger()


class Connection:
    """One client, from its first line to its last answer."""

    def __init__(self, stream: SocketStream, *, principal: Principal, handler: Handler, greeting: Greeting) -> None:
        """Take over a connected stream; `run` closes it."""
        self._stream = stream
        self._principal = principal
        self._handler = handler
        self._greeting = greeting
        self._conversation = Conversation(End.DAEMON)
        self._slots = anyio.Semaphore(REQUESTS_IN_FLIGHT)
        self._writing = anyio.Lock()
        self._closing = False  # nothing more is read
        self._subscription: Subscription | None = None

    def __repr__(self) -> str:
        return f"<Connection pid={self._principal.pid} {self.role} {self._conversation!r}>"

    @property
    def role(self) -> Role:
        """What the client may do."""
        return self._principal.role

    async def run(self) -> None:
        """Answer until the client has no more to ask, or `stop`; then finish what runs and close."""
        try:
            async with anyio.create_task_group() as tasks:
                await self._read(tasks)
                self.stop()
        finally:
            self._conversation.close()
            await anyio.aclose_forcefully(self._stream)

    def stop(self) -> None:
        """Read nothing more and end the subscription; what runs is still answered."""
        self._closing = True
        with suppress(OSError):  # the client has gone
            # The reader wakes to an end of file.  Cancelling it would race with data that arrives at the same moment,
            # which anyio's asyncio sockets report as an error of the event loop.
            self._stream.extra_attributes[SocketAttribute.raw_socket]().shutdown(socket.SHUT_RD)
        if self._subscription:
            self._subscription.end()

    def announce(self, committed: int) -> None:
        """Take note that so many more events are committed."""
        if self._subscription:
            self._subscription.announce(committed)

    # --- reading

    async def _read(self, tasks: TaskGroup) -> None:
        reader = FrameReader()
        try:
            while data := await self._receive():
                for line in reader.lines(data):
                    await self._take(line, tasks)
            if not self._closing:
                reader.close()
        except FrameError as error:
            await self._send(self._conversation.error(None, Refusal(error.code, error.message).error()))

    async def _receive(self) -> bytes:
        """Return what the client sent, or nothing when it or the daemon is done."""
        try:
            return b"" if self._closing else await self._stream.receive()
        except (anyio.EndOfStream, anyio.BrokenResourceError):
            return b""

    async def _take(self, line: bytes, tasks: TaskGroup) -> None:
        try:
            incoming = self._conversation.receive(line)
        except RemoteProtocolError as error:
            await self._send(self._conversation.error(error.id, Refusal(error.code, error.message).error()))
            return
        if not isinstance(incoming, Asked):
            return
        await self._slots.acquire()
        if incoming.method == Initialize.method:  # in line: what was sent along with it is legal only afterwards
            await self._answer(incoming, tasks)
        else:
            tasks.start_soon(self._answer, incoming, tasks)

    # --- answering

    async def _answer(self, asked: Asked, tasks: TaskGroup) -> None:
        try:
            frame, opened = await self._frame(asked)
            await self._send(frame)
        finally:
            self._slots.release()
        if opened:
            tasks.start_soon(self._tell, opened)

    async def _frame(self, asked: Asked) -> tuple[bytes, Subscription | None]:
        """Return the answer, and the subscription that begins behind it."""
        try:
            request = read_request(asked.method, asked.params)
            reply = await self._reply(request)
            opened = self._subscription if isinstance(request, SubscribeEvents) else None
            return self._conversation.reply(asked.id, write(reply)), opened
        except Exception as error:  # noqa: BLE001 - a bug in one request is answered, and the connection goes on
            return self._refuse(asked, error), None

    def _refuse(self, asked: Asked, error: Exception) -> bytes:
        try:
            return self._conversation.error(asked.id, refusal_of(error, log).error())
        except (FrameTooLong, TypeError, ValueError) as unsayable:  # details too large, or no JSON
            return self._conversation.error(asked.id, refusal_of(unsayable, log).error())

    async def _reply(self, request: Request[Any]) -> msgspec.Struct:
        if isinstance(request, Change) and self.role is not Role.OPERATOR:
            raise Refusal(
                "principal.agent", f"this is for an operator, and the peer is none: {self._principal.because}"
            )
        match request:
            case Initialize():
                return self._welcome(request)
            case SubscribeEvents():
                return await self._subscribe(request)
            case UnsubscribeEvents():
                return self._unsubscribe()
            case _:
                reply: msgspec.Struct = await self._handler.handle(request, self._principal)
                return reply

    def _welcome(self, request: Initialize) -> Welcome:
        version = min(request.max_version, MAX_VERSION)
        if version < max(request.min_version, MIN_VERSION):
            raise _mismatch(request, self._greeting)
        return Welcome(
            version=version,
            daemon_version=self._greeting.daemon_version,
            store_schema=self._greeting.store_schema,
            capabilities=self._greeting.capabilities,
            instance=self._greeting.instance,
        )

    # --- telling

    async def _subscribe(self, request: SubscribeEvents) -> Subscribed:
        if self._subscription:
            raise Refusal(
                "events.subscribed", "this connection has a subscription", fix="end it first, or connect again"
            )
        self._subscription = Subscription(request)
        try:  # an unknown goal or a store that is down is said here, while there is an answer to say it in
            await self._fetch(ListEvents(after=request.after, limit=1, goal=request.goal))
        except Exception:
            self._subscription = None
            raise
        return Subscribed(after=request.after)

    def _unsubscribe(self) -> Unsubscribed:
        if not self._subscription:
            return Unsubscribed(resume_after=None)
        self._subscription.end()
        cursor, self._subscription = self._subscription.cursor, None
        return Unsubscribed(resume_after=cursor)

    async def _tell(self, subscription: Subscription) -> None:
        try:
            await subscription.run(self._fetch, self._notify)
        except Exception as error:  # noqa: BLE001 - as for requests; the client learns where to resume
            log.warning("subscription.failed", refusal=refusal_of(error, log).code)
            await self._notify(LaggedNotice(resume_after=subscription.cursor))
        if self._subscription is subscription:
            self._subscription = None

    async def _fetch(self, request: ListEvents) -> EventPage:
        return await self._handler.handle(request, self._principal)

    async def _notify(self, notice: Notice) -> None:
        await self._send(self._conversation.notice(notice.method, write(notice)))

    async def _send(self, frame: bytes) -> None:
        async with self._writing:
            try:
                await self._stream.send(frame)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                self.stop()


def _mismatch(request: Initialize, greeting: Greeting) -> Refusal:
    spoken = f"{MIN_VERSION}" if MIN_VERSION == MAX_VERSION else f"{MIN_VERSION} to {MAX_VERSION}"
    return Refusal(
        "version.mismatch",
        f"harnd {greeting.daemon_version} ({greeting.executable}, pid {greeting.pid}) speaks protocol {spoken}, "
        f"{request.client} speaks {request.min_version} to {request.max_version}",
        fix=f"stop process {greeting.pid} and start the harnd that was installed with this client",
        details={
            "min_version": MIN_VERSION,
            "max_version": MAX_VERSION,
            "daemon_version": greeting.daemon_version,
            "executable": greeting.executable,
            "pid": greeting.pid,
        },
    )
