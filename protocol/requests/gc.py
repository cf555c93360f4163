"""Requests about what piles up on the disk."""

from typing import ClassVar

from protocol import fields
from protocol.bounds import KEEP_S
from protocol.requests.request import Change, Request
from protocol.values import SECOND, Micros
from protocol.views import GcView

DEFAULT = Micros(KEEP_S.default * SECOND)


class ShowGc(Request[GcView], frozen=True, kw_only=True):
    """What could be cleared away, and what each goal takes on the disk; nothing is removed."""

    method: ClassVar[str] = "gc.show"
    older_than: fields.Age = DEFAULT  # microseconds since a goal ended, or a text was last written


class RunGc(Change[GcView], frozen=True, kw_only=True):
    """Clear away what is not needed any more; nothing unsaved is in it.  Asked again, it looks again."""

    method: ClassVar[str] = "gc.run"
    older_than: fields.Age = DEFAULT
