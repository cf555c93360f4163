"""Marks: one glyph and one style for each state.  The word stands beside it always: the mark is for the quick eye."""

from enum import StrEnum
from typing import Final

from harnctl.render.blocks import Span, Style
from harnctl.render.words import plain
from protocol.values import ApprovalState, AttemptOutcome, Phase, PlanStatus, Verdict, WorkState

ASKS: Final = ("!", Style.ASKS)
BUSY: Final = ("●", Style.BUSY)
READY: Final = ("○", Style.PLAIN)
WAITS: Final = ("◌", Style.FAINT)
DONE: Final = ("✓", Style.GOOD)
STUCK: Final = ("✗", Style.BAD)
OVER: Final = ("·", Style.FAINT)
UNKNOWN: Final = ("?", Style.ASKS)

MARKS: Final[dict[StrEnum, tuple[str, Style]]] = {
    Phase.READY: READY,
    Phase.RUNNING: BUSY,
    Phase.WAITING: WAITS,
    Phase.AWAITING_ATTENTION: ASKS,
    Phase.BLOCKED: STUCK,
    Phase.PAUSED: WAITS,
    Phase.BUDGET_EXHAUSTED: ASKS,
    Phase.SUCCEEDED: DONE,
    Phase.CANCELLED: OVER,
    PlanStatus.REQUESTED: BUSY,
    PlanStatus.REVIEWING: BUSY,
    PlanStatus.PROPOSED: ASKS,
    PlanStatus.APPLIED: DONE,
    PlanStatus.COMPLETED: DONE,
    PlanStatus.REJECTED: OVER,
    PlanStatus.ATTENTION: ASKS,
    PlanStatus.FAILED: STUCK,
    WorkState.WAITING: WAITS,
    WorkState.READY: READY,
    WorkState.RUNNING: BUSY,
    WorkState.AWAITING_APPROVAL: ASKS,
    WorkState.IN_REVIEW: ASKS,
    WorkState.BLOCKED: STUCK,
    WorkState.SUCCEEDED: DONE,
    WorkState.CANCELLED: OVER,
    AttemptOutcome.SUCCEEDED: DONE,
    AttemptOutcome.FAILED: STUCK,
    AttemptOutcome.LOST: STUCK,
    AttemptOutcome.INTERRUPTED: OVER,
    AttemptOutcome.PARKED: WAITS,
    AttemptOutcome.TIMED_OUT: STUCK,
    AttemptOutcome.CANCELLED: OVER,
    ApprovalState.PENDING: ASKS,
    ApprovalState.APPROVED: DONE,
    ApprovalState.DENIED: STUCK,
    ApprovalState.EXPIRED: UNKNOWN,
    ApprovalState.CANCELLED: OVER,
    Verdict.SATISFIED: DONE,
    Verdict.UNSATISFIED: STUCK,
    Verdict.UNKNOWN: UNKNOWN,
}


def marked(state: StrEnum) -> Span:
    """Return a state as it is shown everywhere: its mark and its word."""
    mark, style = MARKS[state]
    return Span(f"{mark} {plain(state)}", style)
