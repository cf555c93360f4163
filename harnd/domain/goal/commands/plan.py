"""What a person can ask about a plan."""

from harnd.domain.goal.commands.command import Command
from protocol.ids import Digest


class ApprovePlan(Command, frozen=True):
    """Apply or complete exactly the candidate with this digest."""

    plan: int
    digest: Digest
    by: str


class RejectPlan(Command, frozen=True):
    """Say no to exactly this candidate; the guidance reaches the next planner."""

    plan: int
    digest: Digest
    guidance: str
    by: str


class RetryPlan(Command, frozen=True):
    """Answer a plan that asks, or that failed."""

    plan: int
    guidance: str
    by: str
