"""The journal of one goal: decide → append → evolve, the only place where a decision becomes a fact.

`Rejected` changes nothing.  After a conflict the goal is read again and the command decided again.  After an append
that was cancelled or failed nobody knows what is stored, so the state is thrown away and read again before the next
command.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import msgspec

from harnd.actors.projector import project
from harnd.domain.goal.codec import encode, fold
from harnd.domain.goal.commands import GoalCommand
from harnd.domain.goal.decide import decide
from harnd.domain.goal.events import GoalEvent
from harnd.domain.goal.evolve import evolve
from harnd.domain.goal.goal import Goal
from harnd.ports.clock import Clock
from harnd.ports.errors import ConflictError
from harnd.ports.store import Append, EventStore, Fact, Lease, Once, Recorded
from protocol.ids import Digest, GoalId, IdempotencyKey
from protocol.values import Instant

Tell: TypeAlias = Callable[[tuple[Recorded, ...]], None]
"""Hears what has just been made durable: after it is stored and never before."""


class Promise(msgspec.Struct, frozen=True):
    """A request that must be answered the same way for ever: its key, what it said, and how to word the answer."""

    key: IdempotencyKey
    payload: Digest
    word: Callable[[Goal], bytes]


class Journal:
    """One goal in step with its stream, for as long as its lease holds."""

    def __init__(self, goal: GoalId, *, lease: Lease, store: EventStore, clock: Clock, tell: Tell) -> None:
        self._stream = goal
        self._lease = lease
        self._store = store
        self._clock = clock
        self._tell = tell
        self._state: Goal | None = None
        self._in_step = False

    def __repr__(self) -> str:
        version = self._state.version if self._state else 0
        return f"<Journal {self._stream} version={version} fence={self._lease.fence}>"

    async def goal(self) -> Goal | None:
        """Return the goal as stored, or None when there is none yet."""
        if not self._in_step:
            history = await self._store.read(self._stream)
            self._state = fold((event.at, event.body) for event in history)
            self._in_step = True
        return self._state

    async def submit(self, command: GoalCommand, promise: Promise | None = None) -> Sequence[GoalEvent]:
        """Decide a command and make the outcome durable, with the answer to a request when one was promised.

        Raises `Rejected` from the rules, and from the store `FencedError`, `KeyReusedError` and `UnavailableError`.
        """
        while True:
            goal = await self.goal()
            events = decide(goal, command)
            if not events and promise is None:
                return events
            try:
                await self._append(goal, events, promise)
            except ConflictError:
                self._in_step = False
                if promise is not None and await self._store.answered(promise.key) is not None:
                    return ()  # the same request was answered meanwhile: what it asked for holds
            else:
                return events

    async def _append(self, goal: Goal | None, events: Sequence[GoalEvent], promise: Promise | None) -> None:
        now = self._clock.now()
        after = _evolved(goal, events, now)
        change = Append(
            stream=self._stream,
            expected=goal.version if goal else 0,
            fence=self._lease.fence,
            at=now,
            facts=tuple(Fact(*encode(event)) for event in events),
            rows=project(after, now),
            once=Once(promise.key, promise.payload, promise.word(after)) if promise else None,
        )
        self._in_step = False  # until the store has said that it is written
        recorded = await self._store.append(change)
        self._state, self._in_step = after, True
        self._tell(recorded)


def _evolved(goal: Goal | None, events: Sequence[GoalEvent], now: Instant) -> Goal:
    for event in events:
        goal = evolve(goal, event, now)
    if goal is None:
        raise AssertionError("nothing was decided about a goal that does not exist")
    return goal
