"""Events as they leave the daemon: an envelope, and a body that is read by its tag."""

from typing import Any

from msgspec import Struct

from protocol.ids import GoalId
from protocol.values import Instant


class EventView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something that happened.  `seq` counts over all goals, `version` within one; both from 1."""

    seq: int
    goal: GoalId
    version: int
    at: Instant
    tag: str  # such as `plan.applied/1`
    body: dict[str, Any]  # structured data and digests, never prompts or replies
