"""The story of a world: every event, as a client hears it that goes on by its cursor whatever becomes of the daemon."""

from contextlib import aclosing

import anyio

from harnctl.client import Unreachable
from harnctl.client.aio import AsyncClient
from protocol.bounds import EVENTS_PER_PAGE
from protocol.requests import ListEvents
from protocol.views import EventView
from tests.worlds.daemon import PAUSE_S, WorldDaemon


class Story:
    """What was heard so far."""

    def __init__(self) -> None:
        self.events: list[EventView] = []
        self._news = anyio.Event()

    @property
    def count(self) -> int:
        """Return how many events were heard."""
        return len(self.events)

    async def listen(self, client: AsyncClient) -> None:
        """Hear every event, each once and in its place, until cancelled."""
        while True:
            try:
                await self._follow(client)
            except Unreachable:
                if self.events:  # once it has heard something, the client itself waits for the next daemon
                    raise
                await anyio.sleep(PAUSE_S)

    async def _follow(self, client: AsyncClient) -> None:
        async with aclosing(client.events(0)) as events:
            async for event in events:
                if event.seq != self.count + 1:
                    raise AssertionError(f"event {event.seq} was heard after event {self.count}")
                self.events.append(event)
                news, self._news = self._news, anyio.Event()
                news.set()

    async def more_than(self, count: int) -> None:
        """Return once more than `count` events were heard."""
        while self.count <= count:
            await self._news.wait()


async def read_all(daemon: WorldDaemon) -> list[EventView]:
    """Read every event from the beginning, page by page."""
    events: list[EventView] = []
    while True:
        after = events[-1].seq if events else 0
        page = await daemon.ask(ListEvents(after=after, limit=EVENTS_PER_PAGE.ceiling))
        if not page.events:
            return events
        events.extend(page.events)
