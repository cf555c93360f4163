"""What waits for a person, and why a thing stands where it stands."""

from enum import StrEnum

from msgspec import Struct

from protocol.ids import Digest, GoalId
from protocol.values import Asked, FailureClass, Instant, Risk


class InboxKind(StrEnum):
    """What kind of answer is wanted."""

    PLAN = "plan"
    WORK = "work"
    ATTENTION = "attention"
    APPROVAL = "approval"
    BLOCKED = "blocked"
    BUDGET = "budget"
    PARKED = "parked"


class InboxItem(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing that waits for a person."""

    goal: GoalId
    kind: InboxKind
    subject: str  # such as `plan/2`, `approval/1`, `p1.parser` or `budget/attempts`
    summary: str
    since: Instant
    digest: Digest | None  # what a decision about it must name
    verb: str  # the command to type, such as `harnctl plan show billing 2`
    risk: Risk | None = None  # of an approval
    expires_at: Instant | None = None  # when an approval can be given no more


class InboxView(Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that waits for a person: approvals of critical and high risk, then the rest, oldest first.

    Who subscribes after `after` misses nothing that happened since; what is in the view already may be told again.
    That a supervisor gave up is no event, and is seen by looking again.
    """

    items: tuple[InboxItem, ...]
    after: int = 0  # the sequence number of an event up to which all is in the view


class FailureView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What follows from a failure that holds something up: its row of the table, and how much of its bound is used."""

    subject: str  # such as `p1.parser` or `plan/2`
    failure: FailureClass
    happened: str  # what a failure of this class is, as a clause
    charged: bool  # it counts as one of the attempts that a budget pays for
    retried: bool  # by the ordinary rule, within its bound
    used: int | None  # of that bound; None when it is not retried
    bound: int | None
    asked: Asked
    resolvable: bool  # `work resolve` lets it go on where it stopped
    unattended: bool  # `automation.retry_blocked` may try it again
    advice: str  # what a person can do, as the end of a sentence


class WhyView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which condition holds a goal or a work item, and what would change it."""

    target: str
    condition: str  # one sentence
    since: Instant
    would_change: str  # one sentence
    next_automatic: str | None  # what harnd does next by itself; None when it waits for a person or is done
    next_automatic_at: Instant | None
    verbs: tuple[str, ...]  # commands to type
    failures: tuple[FailureView, ...] = ()  # that hold it up
