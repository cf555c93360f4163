"""What a person can ask about a plan."""

from harnd.domain.goal.candidate import Proposal
from harnd.domain.goal.commands.command import Command
from protocol.ids import Digest


class ApprovePlan(Command, frozen=True):
    """Apply or complete exactly the candidate with this digest."""

    plan: int
    digest: Digest
    by: str
    override: str | None = None  # why a candidate is let through that did not pass its review


class RejectPlan(Command, frozen=True):
    """Say no to exactly this candidate; the guidance reaches the next planner."""

    plan: int
    digest: Digest
    guidance: str
    by: str


class EditPlan(Command, frozen=True):
    """Put another candidate in the place of the one with this digest, or of the answer that a plan waits for."""

    plan: int
    candidate: Proposal
    by: str
    digest: Digest | None = None  # of the candidate that was read; None: the plan asks, and has none


class RetryPlan(Command, frozen=True):
    """Answer a plan that asks, or that failed."""

    plan: int
    guidance: str
    by: str
