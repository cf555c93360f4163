"""Closed vocabularies and units.  A word that is not here does not exist: readers refuse it, nobody defaults it."""

from enum import StrEnum
from typing import Final, NewType

Instant = NewType("Instant", int)  # UTC microseconds since 1970
Micros = NewType("Micros", int)  # a duration in microseconds
MicroDollars = NewType("MicroDollars", int)

SECOND: Final = Micros(1_000_000)

FIXED: Final = "fixed"  # what becomes of a finding that an accept answers: this, or a reason after the other
DEFERRED: Final = "deferred: "


class Phase(StrEnum):
    """Where a goal stands.  Derived from its events, never stored."""

    READY = "ready"
    RUNNING = "running"
    WAITING = "waiting"
    AWAITING_ATTENTION = "awaiting_attention"
    BLOCKED = "blocked"
    PAUSED = "paused"
    BUDGET_EXHAUSTED = "budget_exhausted"
    SUCCEEDED = "succeeded"
    CANCELLED = "cancelled"


class NextAction(StrEnum):
    """What happens next to a goal, by harnd itself or by a person."""

    RUN = "run"
    WAIT_FOR_RUN = "wait_for_run"
    RESUME = "resume"
    RETRY = "retry"
    ACCEPT = "accept"
    REPLAN_RECOVERY = "replan_recovery"
    PLAN_INITIAL = "plan_initial"
    PLAN_MILESTONE = "plan_milestone"
    REVIEW_PLAN = "review_plan"
    DECIDE_PLAN = "decide_plan"
    RETRY_PLAN = "retry_plan"
    DECIDE_APPROVAL = "decide_approval"
    DECIDE_WORK = "decide_work"
    RESOLVE_BLOCKED = "resolve_blocked"
    ANSWER_BUDGET = "answer_budget"
    WAIT_FOR_QUOTA = "wait_for_quota"
    WAIT_FOR_TIMER = "wait_for_timer"
    NONE = "none"


class PlanAuthor(StrEnum):
    """Who wrote the candidate of a plan as it stands."""

    PLANNER = "planner"
    OPERATOR = "operator"


class Trigger(StrEnum):
    """Why a plan was asked for."""

    INITIAL = "initial"
    RECOVERY = "recovery"
    MILESTONE = "milestone"


class PlanDecision(StrEnum):
    """The branch a planner's answer takes."""

    APPLY = "apply"
    COMPLETE = "complete"
    ATTENTION = "attention"


class PlanStatus(StrEnum):
    """How far a plan has come."""

    REQUESTED = "requested"
    REVIEWING = "reviewing"
    PROPOSED = "proposed"
    APPLIED = "applied"
    COMPLETED = "completed"
    REJECTED = "rejected"
    ATTENTION = "attention"
    FAILED = "failed"


class ReviewOutcome(StrEnum):
    """What the whole review of a candidate came to; only `passed` lets it be proposed."""

    PASSED = "passed"
    REVISION_EXHAUSTED = "revision_exhausted"  # something still stands in its way, and it is not revised again
    ATTENTION = "attention"  # a reviewer asks for a person
    FAILED = "failed"  # a reviewer gave no valid opinion: it is no verdict in either direction


class ReviewJobState(StrEnum):
    """How far one attempt of a reviewer has come."""

    QUEUED = "queued"
    LEASED = "leased"  # its prompt is written, and nobody else may answer it
    COMPLETED = "completed"
    FAILED = "failed"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"  # what it was about is no more


class WorkState(StrEnum):
    """How far a work item has come; `succeeded` only by accept."""

    WAITING = "waiting"
    READY = "ready"
    RUNNING = "running"
    AWAITING_APPROVAL = "awaiting_approval"
    IN_REVIEW = "in_review"
    BLOCKED = "blocked"
    SUCCEEDED = "succeeded"
    CANCELLED = "cancelled"


class AttemptOutcome(StrEnum):
    """How an attempt ended."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    LOST = "lost"
    INTERRUPTED = "interrupted"
    PARKED = "parked"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"


class ParkCause(StrEnum):
    """Why an attempt stopped where it can go on."""

    APPROVAL = "approval"  # a person is asked
    FAILURE = "failure"  # nothing is wrong with the work: it goes on once the cause is gone
    PAUSE = "pause"  # a person paused the goal


class Risk(StrEnum):
    """How much hangs on an approval; what hangs on it more is asked for a shorter time."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class ApprovalState(StrEnum):
    """What came of asking a person whether something may go on."""

    PENDING = "pending"
    APPROVED = "approved"
    DENIED = "denied"
    EXPIRED = "expired"  # nobody answered in time
    CANCELLED = "cancelled"  # what it was about is no more


class Asked(StrEnum):
    """Who is asked when the ordinary retries of what failed are used up, or there are none."""

    PERSON = "person"
    PLANNER = "planner"  # for another way, where there is one; a person can always be quicker


class FailureClass(StrEnum):
    """What kind of failure it was; each has one row in `harnd.domain.goal.failure`."""

    ENVIRONMENT = "environment"
    UPSTREAM = "upstream"
    QUOTA = "quota"
    AUTH = "auth"
    SCHEMA = "schema"
    REFUSAL = "refusal"
    TRUNCATED = "truncated"
    EMPTY = "empty"
    TIMEOUT = "timeout"
    STALLED = "stalled"
    PROOF = "proof"
    REVIEW = "review"
    DECISION = "decision"
    PERMISSION = "permission"
    LOST = "lost"


class Hold(StrEnum):
    """What becomes of what runs when a person holds a goal."""

    FINISH = "finish"  # it is let finish
    PARK = "park"  # it is stopped at once, and goes on where it stopped


class Verdict(StrEnum):
    """What is known of a criterion; unknown is a third value."""

    SATISFIED = "satisfied"
    UNSATISFIED = "unsatisfied"
    UNKNOWN = "unknown"


class Unit(StrEnum):
    """What a budget counts."""

    ATTEMPTS = "attempts"
    AGENT_CALLS = "agent_calls"
    PLANNER_CALLS = "planner_calls"
    MILESTONES = "milestones"
    WORK_ITEMS = "work_items"
    TICKS = "ticks"
    ACTIVE_RUNTIME_US = "active_runtime_us"
    TOKENS = "tokens"  # this and the next only where a goal limits them
    MICRO_DOLLARS = "micro_dollars"
