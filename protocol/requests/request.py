"""What every request is, and the first one of a connection."""

from typing import ClassVar, Generic, TypeVar

import msgspec

from protocol import fields
from protocol.replies import Welcome

ReplyT = TypeVar("ReplyT", bound=msgspec.Struct)


class Request(msgspec.Struct, Generic[ReplyT], frozen=True, forbid_unknown_fields=True):
    """Something asked, and the type of its answer."""

    method: ClassVar[str]


class Change(Request[ReplyT], frozen=True, kw_only=True):
    """A request that changes something.  The same key with another request is refused."""

    key: fields.Key


class Initialize(Request[Welcome], frozen=True, kw_only=True):
    """The first request: which protocol versions the client speaks, and what it calls itself."""

    method: ClassVar[str] = "initialize"
    min_version: fields.Version
    max_version: fields.Version
    client: fields.ClientName
