"""Both clients under one face, so that one suite of plain tests holds them to the same.

`Portal` drives an `AsyncClient` on a loop in a thread of its own, one call after the other.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Self

from anyio.from_thread import BlockingPortal, start_blocking_portal

from harnctl.client import AsyncClient, AsyncEvents, Client
from protocol.replies import Welcome
from protocol.requests import ReplyT, Request
from protocol.views import EventView

KINDS: Final = ("sync", "asyncio", "trio")


class Portal:
    """An asynchronous client that blocks."""

    def __init__(self, portal: BlockingPortal, client: AsyncClient) -> None:
        self._portal = portal
        self._client = client

    def welcome(self) -> Welcome:
        return self._portal.call(self._client.welcome)

    def ask(self, request: Request[ReplyT], *, patience_s: float = 0.0) -> ReplyT:
        async def asking() -> ReplyT:
            return await self._client.ask(request, patience_s=patience_s)

        return self._portal.call(asking)

    def events(self, *args: Any, **kwargs: Any) -> "PortalEvents":
        return PortalEvents(self._portal, self._client.events(*args, **kwargs))

    def close(self) -> None:
        self._portal.call(self._client.aclose)


class PortalEvents:
    """Asynchronous events that block."""

    def __init__(self, portal: BlockingPortal, events: AsyncEvents) -> None:
        self._portal = portal
        self._events = events

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> EventView:
        async def following() -> EventView | None:
            try:
                return await anext(self._events)
            except StopAsyncIteration:
                return None

        event = self._portal.call(following)
        if event is None:
            raise StopIteration
        return event

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @property
    def after(self) -> int:
        return self._events.after

    def close(self) -> None:
        self._portal.call(self._events.aclose)


AnyClient = Client | Portal


@contextmanager
def client_of_kind(kind: str, path: Path, *, greeting_s: float = 5, answer_s: float = 5) -> Iterator[AnyClient]:
    """Make a client of one of `KINDS`, and hang up after the block."""
    if kind == "sync":
        with Client(path, greeting_s=greeting_s, answer_s=answer_s) as client:
            yield client
        return
    with start_blocking_portal(kind) as portal:
        made = Portal(portal, portal.call(lambda: AsyncClient(path, greeting_s=greeting_s, answer_s=answer_s)))
        yield made
        made.close()
