"""Events as bytes: one JSON object whose `type` is the hand-written tag.

A stream of an older release decodes here for ever; an unknown tag is an error, never passed over.
"""

from collections.abc import Iterable

import msgspec

from harnd.domain.goal.events import GoalEvent
from harnd.domain.goal.evolve import evolve
from harnd.domain.goal.goal import Goal
from protocol.values import Instant

_decoder = msgspec.json.Decoder(GoalEvent)
_encoder = msgspec.json.Encoder()


class UnreadableEventError(Exception):
    """A stored event cannot be understood: the goal cannot be acted for until a newer harnd reads it."""


def encode(event: GoalEvent) -> tuple[str, bytes]:
    """Return the tag of an event and its JSON object."""
    return str(event.__struct_config__.tag), _encoder.encode(event)


def decode(body: bytes) -> GoalEvent:
    """Read an event; raises `UnreadableEventError`."""
    try:
        return _decoder.decode(body)
    except msgspec.MsgspecError as error:
        raise UnreadableEventError(str(error)) from error


def fold(history: Iterable[tuple[Instant, bytes]], goal: Goal | None = None) -> Goal | None:
    """Fold stored events, oldest first, into a goal."""
    for at, body in history:
        goal = evolve(goal, decode(body), at)
    return goal
