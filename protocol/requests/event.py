"""Requests about events."""

from typing import ClassVar

from protocol import fields
from protocol.bounds import EVENTS_PER_PAGE
from protocol.replies import EventPage, Subscribed, Unsubscribed
from protocol.requests.request import Request


class ListEvents(Request[EventPage], frozen=True, kw_only=True):
    """A page of events past a cursor, oldest first."""

    method: ClassVar[str] = "events.list"
    after: fields.Cursor = 0
    limit: fields.PageSize = EVENTS_PER_PAGE.default
    goal: fields.Goal | None = None  # None: of all goals


class SubscribeEvents(Request[Subscribed], frozen=True, kw_only=True):
    """Be told of every event past a cursor, those already there first.  A connection has one subscription."""

    method: ClassVar[str] = "events.subscribe"
    after: fields.Cursor
    goal: fields.Goal | None = None


class UnsubscribeEvents(Request[Unsubscribed], frozen=True):
    """Be told no more."""

    method: ClassVar[str] = "events.unsubscribe"
