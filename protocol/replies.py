"""Replies: the answers that are not views of a thing, one class an answer."""

from typing import Any

from msgspec import Struct

from protocol.ids import CommitId, Digest, EffectKey, GoalId, InstanceId, WorkId
from protocol.values import Instant
from protocol.views import EventView


class Welcome(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The answer to `initialize`: what is spoken from here on, and by whom."""

    version: int  # of the protocol
    daemon_version: str
    store_schema: int
    capabilities: tuple[str, ...]  # names of parts that a daemon may lack; ignore those you do not know
    instance: InstanceId  # another one after a restart


class GoalCreated(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A goal is enrolled and its intent frozen."""

    goal: GoalId
    digest: Digest  # of the intent
    said: tuple[str, ...]  # what a person should know once, a sentence each
    created: bool = True  # False: it was there already with this very intent, and nothing changed


class Done(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A change was made and is durable."""

    goal: GoalId
    subject: str  # such as `plan/2` or `p1.parser`
    version: int  # of the goal's stream
    said: tuple[str, ...]  # what happened and what comes next, a sentence each


class EventPage(Struct, frozen=True, forbid_unknown_fields=True):
    """Events past a cursor.  Go on after `next_after`; when it is the cursor that was asked for, nothing is newer."""

    events: tuple[EventView, ...]
    next_after: int  # the last sequence number looked at, whether or not its event was wanted


class Subscribed(Struct, frozen=True, forbid_unknown_fields=True):
    """Events past `after` follow as notices."""

    after: int


class Unsubscribed(Struct, frozen=True, forbid_unknown_fields=True):
    """No event follows; `resume_after` is the last one sent, None when there was no subscription."""

    resume_after: int | None


class LogPart(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One process or call of an attempt, and what it wrote: whole when `omitted_bytes` is 0, else head and tail."""

    effect: EffectKey
    title: str  # such as `agent implement` or `proof tests`
    started: Instant | None
    ended: Instant | None
    outcome: str  # one sentence; `running` while it runs
    head: str
    tail: str
    omitted_bytes: int
    digest: Digest | None  # of the full text


class WorkLog(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What ran in one attempt, in order."""

    goal: GoalId
    work: WorkId
    attempt: int
    parts: tuple[LogPart, ...]


class WorkDiff(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one attempt changed, as a patch for a person to read."""

    goal: GoalId
    work: WorkId
    attempt: int
    base: CommitId
    commit: CommitId
    text: str  # whole lines; binary files are only named, and bytes that are no UTF-8 are written as `\\xff`
    omitted_bytes: int  # of the patch, behind `text`


class ErrorData(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The `data` of an error reply; programs go by `code` (see `protocol.errors`)."""

    code: str
    message: str  # one sentence
    fix: str  # the way out, often a command to type; empty when there is none
    details: dict[str, Any]  # for `goal.invalid` and `request.…`: `problems`, a list of `ProblemView`
