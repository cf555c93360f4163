"""Subscriptions: one client is told of events, in order and without a gap, at the speed at which it reads.

Events are pulled from the store a page at a time and sent one by one; an announcement only says that there are more.
So nothing is queued for a reader, however slow: while it takes one page, up to `SUBSCRIBER_QUEUE` events may be
committed.  One more, and the page is dropped and the subscription ends with `lagged`, from which the client resumes.
"""

from collections import deque
from collections.abc import Awaitable, Callable

import anyio

from protocol.bounds import SUBSCRIBER_QUEUE
from protocol.notices import EventNotice, LaggedNotice, Notice
from protocol.replies import EventPage
from protocol.requests import ListEvents, SubscribeEvents
from protocol.views import EventView

Fetch = Callable[[ListEvents], Awaitable[EventPage]]
Send = Callable[[Notice], Awaitable[None]]


class Subscription:
    """What one client has been told, and what it is still owed."""

    def __init__(self, wanted: SubscribeEvents) -> None:
        """Begin after the client's cursor."""
        self.cursor = wanted.after  # of the last event handed to the socket
        self._goal = wanted.goal
        self._page: deque[EventView] = deque()
        self._committed = 0  # since the present page was asked for
        self._moved = anyio.Event()
        self._ended = False

    def __repr__(self) -> str:
        return f"<Subscription goal={self._goal or 'all'} cursor={self.cursor} behind={self._committed}>"

    @property
    def lagged(self) -> bool:
        """Tell whether too much was committed while the client took one page."""
        return self._committed > SUBSCRIBER_QUEUE

    def announce(self, committed: int) -> None:
        """Take note that so many more events are committed."""
        self._committed += committed
        self._moved.set()
        if self.lagged:
            self._page.clear()

    def end(self) -> None:
        """Send nothing more than what is being sent."""
        self._ended = True
        self._moved.set()
        self._page.clear()

    async def run(self, fetch: Fetch, send: Send) -> None:
        """Send events until the end, or until the client lags."""
        while not self._ended:
            self._moved = anyio.Event()  # before the store is read: what is committed meanwhile wakes it
            self._committed = 0
            asked = ListEvents(after=self.cursor, goal=self._goal)
            page = await fetch(asked)
            await self._send_all(page, send)
            if self.lagged and not self._ended:
                await send(LaggedNotice(resume_after=self.cursor))
                return
            if page.next_after == asked.after:
                await self._moved.wait()
            elif not self._ended:
                self.cursor = page.next_after  # past events of other goals too

    async def _send_all(self, page: EventPage, send: Send) -> None:
        if not self.lagged and not self._ended:
            self._page.extend(page.events)
        while self._page:
            event = self._page.popleft()
            self.cursor = event.seq
            await send(EventNotice(event))
