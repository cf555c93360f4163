"""Mailboxes and answers: how actors speak to one another.

A mailbox has one reader and a bound; whoever tells a full one waits.  An answer is given once and awaited by one.
"""

from typing import Generic, TypeVar

import anyio

T = TypeVar("T")


class ClosedMailboxError(Exception):
    """The actor has ended; whoever wanted to tell it something asks for a new one."""


class Mailbox(Generic[T]):
    """Messages for one actor, in the order they were told."""

    def __init__(self, capacity: int = 64) -> None:
        self._send, self._receive = anyio.create_memory_object_stream[T](capacity)

    def __repr__(self) -> str:
        return f"<Mailbox waiting={self.waiting}{' closed' if self.closed else ''}>"

    @property
    def waiting(self) -> int:
        """Return how many messages have not been read."""
        return self._receive.statistics().current_buffer_used

    @property
    def closed(self) -> bool:
        """Tell whether the actor has ended."""
        return self._receive.statistics().open_receive_streams == 0

    async def tell(self, message: T) -> None:
        """Leave a message; raises `ClosedMailboxError`."""
        try:
            await self._send.send(message)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise ClosedMailboxError from error

    def nudge(self, message: T) -> None:
        """Leave a message if there is room: one that is lost only says what any other message makes its reader see."""
        try:
            self._send.send_nowait(message)
        except (anyio.WouldBlock, anyio.BrokenResourceError, anyio.ClosedResourceError):
            return

    async def next(self) -> T:
        """Wait for the next message."""
        return await self._receive.receive()

    def next_nowait(self) -> T | None:
        """Take a message that is there already."""
        try:
            return self._receive.receive_nowait()
        except anyio.WouldBlock:
            return None

    def close(self) -> None:
        """Take no more messages."""
        self._receive.close()
        self._send.close()


class Answer(Generic[T]):
    """The place where one answer, or one refusal, is left; only the first word counts."""

    def __init__(self) -> None:
        self._given = anyio.Event()
        self._outcome: list[T] = []
        self._error: Exception | None = None

    def give(self, value: T) -> None:
        """Answer."""
        if not self._given.is_set():
            self._outcome.append(value)
            self._given.set()

    def refuse(self, error: Exception) -> None:
        """Answer with an error, which is raised where the answer is awaited."""
        if not self._given.is_set():
            self._error = error
            self._given.set()

    async def wait(self) -> T:
        """Wait for the answer; raises what it was refused with."""
        await self._given.wait()
        if self._error is not None:
            raise self._error
        return self._outcome[0]
