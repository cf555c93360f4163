"""A desk that answers, a server on a real socket before it, and clients that speak bytes, well or badly."""

import json
import os
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import anyio
from anyio.abc import UNIXSocketStream

from harnd.daemon.handler import Greeting
from harnd.daemon.principal import Principal, Role
from harnd.daemon.server import Server, Who
from harnd.daemon.socket_path import listen
from protocol import requests as ask
from protocol.errors import Refusal
from protocol.framing import FrameReader, read_frame
from protocol.ids import EffectKey, GoalId, InstanceId, WorkId
from protocol.replies import Done, EventPage, LogPart, WorkLog
from protocol.requests import ReplyT, Request
from protocol.values import Instant
from protocol.views import EventView, GoalList, ProcessList

GREETING = Greeting(
    daemon_version="0.1.0",
    store_schema=1,
    instance=InstanceId("5f0c2a"),
    executable="/opt/harnd/bin/harnd",
    pid=4242,
)
OPERATOR = Principal(uid=1000, gid=1000, pid=4711, started=1, role=Role.OPERATOR, because="a test says so")
AGENT = Principal(uid=1000, gid=1000, pid=4712, started=1, role=Role.AGENT, because="a test says so")


def event(seq: int, *, goal: str = "billing", weight: int = 0) -> EventView:
    body = {"text": "x" * weight}
    return EventView(seq=seq, goal=GoalId(goal), version=seq, at=Instant(seq), tag="note/1", body=body)


def work_log(characters: int) -> WorkLog:
    """A reply of any size."""
    part = LogPart(
        effect=EffectKey("goal/billing/work/p1.x/1"),
        title="agent",
        started=None,
        ended=None,
        outcome="exit 0",
        head="x" * characters,
        tail="",
        omitted_bytes=0,
        digest=None,
    )
    return WorkLog(goal=GoalId("billing"), work=WorkId("p1.x"), attempt=1, parts=(part,))


@dataclass
class Desk:
    """A handler with a log of its own: what it was asked, what it answers, what it holds back."""

    events: list[EventView] = field(default_factory=list)
    errors: dict[str, BaseException] = field(default_factory=dict)  # raised for a method
    gates: dict[str, anyio.Event] = field(default_factory=dict)  # waited for by a method
    replies: dict[str, object] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    finished: list[str] = field(default_factory=list)
    given: int = 0  # events, in all pages together
    at_gate: anyio.Event = field(default_factory=anyio.Event)

    async def handle(self, request: Request[ReplyT], principal: Principal) -> ReplyT:
        self.asked.append(f"{principal.role}: {request.method}")
        if gate := self.gates.get(request.method):
            self.at_gate.set()
            await gate.wait()
        if error := self.errors.get(request.method):
            raise error
        self.finished.append(request.method)
        return cast("ReplyT", self.replies.get(request.method) or self._answer(request))

    def _answer(self, request: Request[Any]) -> object:
        match request:
            case ask.ListGoals():
                return GoalList(())
            case ask.ListProcesses():
                return ProcessList(())
            case ask.CancelGoal(goal=goal):
                return Done(goal=goal, subject="goal", version=2, said=("the goal is cancelled",))
            case ask.ListEvents(after=after, limit=limit, goal=goal):
                looked = self.events[after : after + limit]  # they are numbered from 1 without a gap
                wanted = tuple(event for event in looked if goal in (None, event.goal))
                self.given += len(wanted)
                return EventPage(wanted, looked[-1].seq if looked else after)
            case _:
                raise Refusal("goal.unknown", "there is no such goal")


class Client:
    """One end of a connection, in bytes."""

    def __init__(self, stream: UNIXSocketStream) -> None:
        self.stream = stream
        self._reader = FrameReader()
        self._lines: list[bytes] = []

    async def send(self, *frames: bytes) -> None:
        await self.stream.send(b"".join(frames))

    async def next(self) -> dict[str, Any]:
        """The next message of the daemon; `EndOfStream` when it has closed."""
        while not self._lines:
            self._lines += self._reader.lines(await self.stream.receive())
        return read_frame(self._lines.pop(0))

    async def ask(self, method: str, id: object = 1, **params: object) -> dict[str, Any]:  # noqa: A002 - its name
        await self.send(request(method, id, **params))
        return await self.next()

    async def code(self) -> str:
        """The stable code of the error that comes next."""
        return str((await self.next())["error"]["data"]["code"])

    async def rest(self) -> list[dict[str, Any]]:
        """Everything until the daemon closes."""
        messages = []
        try:
            while True:
                messages.append(await self.next())
        except (anyio.EndOfStream, anyio.BrokenResourceError):
            return messages


def request(method: str, id: object = 1, **params: object) -> bytes:  # noqa: A002 - the member's name
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode() + b"\n"


HELLO = request("initialize", 0, min_version=1, max_version=1, client="test")


@dataclass
class Office:
    """A running server, and where it listens."""

    server: Server
    desk: Desk
    path: Path
    clients: AsyncExitStack

    async def connect(self) -> Client:
        """A client that has said nothing."""
        return Client(await self.clients.enter_async_context(await anyio.connect_unix(self.path)))

    async def client(self) -> Client:
        """A client that has been welcomed."""
        client = await self.connect()
        await client.send(HELLO)
        assert "result" in await client.next()
        return client

    def commit(self, *events: EventView) -> None:
        self.desk.events += events
        self.server.announce(len(events))


def as_operator(_: socket.socket) -> Principal:
    return OPERATOR


def as_agent(_: socket.socket) -> Principal:
    return AGENT


@asynccontextmanager
async def office(
    directory: Path, *, desk: Desk | None = None, who: Who = as_operator, drain_s: float = 5
) -> AsyncIterator[Office]:
    """Serve on a socket in `directory` until the block ends; `who` tells who connects."""
    desk = desk or Desk()
    server = Server(desk, greeting=GREETING, who=who)
    path = directory / "run" / "harnd.sock"
    async with anyio.create_task_group() as tasks:

        async def serve(*, task_status: anyio.abc.TaskStatus[None]) -> None:
            await server.serve([listen(path)], drain_s=drain_s, task_status=task_status)

        await tasks.start(serve)
        async with AsyncExitStack() as clients:
            yield Office(server, desk, path, clients)
        server.stop()


def raw(path: Path) -> socket.socket:
    """A client of the plainest kind, with a small buffer to fill."""
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect(os.fspath(path))
    return client
