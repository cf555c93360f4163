"""Notices: what the daemon says unasked, to a client that subscribed.  A client ignores one it does not know."""

from typing import ClassVar

import msgspec

from protocol.views import EventView


class Notice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something said unasked."""

    method: ClassVar[str]


class EventNotice(Notice, frozen=True):
    """An event was committed.  Its `seq` is the cursor to resume from."""

    method: ClassVar[str] = "event"
    event: EventView


class LaggedNotice(Notice, frozen=True):
    """The subscription has ended because the client read too slowly; subscribe again after `resume_after`."""

    method: ClassVar[str] = "lagged"
    resume_after: int
