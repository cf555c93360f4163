"""A plan: one request to the planner and what came of it."""

import msgspec

from harnd.domain.goal.candidate import Proposal
from harnd.domain.problem import Problem
from protocol.ids import Digest
from protocol.values import FailureClass, Instant, MicroDollars, PlanAuthor, PlanStatus, Trigger, Unit


class PlannerCall(msgspec.Struct, frozen=True):
    """One call to the planner; it is open until it returned."""

    number: int
    started_at: Instant
    set_aside: dict[Unit, int]  # of tokens and money
    returned_at: Instant | None = None
    charged: bool = True
    tokens: int | None = None
    cost: MicroDollars | None = None
    reply: Digest | None = None
    problems: tuple[Problem, ...] = ()
    failure: FailureClass | None = None
    detail: str = ""

    @property
    def open(self) -> bool:
        """Tell whether its answer is still owed."""
        return self.returned_at is None


class Plan(msgspec.Struct, frozen=True):
    """A request, its calls, the candidate and the decision about it."""

    number: int
    trigger: Trigger
    graph: Digest
    requested_at: Instant
    status: PlanStatus
    since: Instant
    calls: tuple[PlannerCall, ...] = ()
    candidate: Proposal | None = None
    digest: Digest | None = None
    author: PlanAuthor = PlanAuthor.PLANNER
    normalised: Digest | None = None
    rationale: str = ""
    question: str = ""
    guidance: str = ""  # a person's words about it
    answered: bool = False  # an attention or a failure that a person answered
    decided_by: str = ""
    failure: FailureClass | None = None
    detail: str = ""
    charged: bool = True

    @property
    def open_call(self) -> PlannerCall | None:
        """Return the call whose answer is owed."""
        return self.calls[-1] if self.calls and self.calls[-1].open else None

    @property
    def last_call(self) -> PlannerCall | None:
        """Return the newest call."""
        return self.calls[-1] if self.calls else None

    @property
    def refused_call(self) -> PlannerCall | None:
        """Return the call whose answer was refused last: what the next call has to correct.

        Calls after it that gave no answer change nothing about that.
        """
        return next((call for call in reversed(self.calls) if call.problems), None)

    @property
    def settled(self) -> bool:
        """Tell whether nothing more comes of it by itself, and nobody is asked about it."""
        # A completed plan is settled for the rules only once its goal has been reopened.
        return self.answered or self.status in (PlanStatus.APPLIED, PlanStatus.REJECTED, PlanStatus.COMPLETED)

    @property
    def asks(self) -> bool:
        """Tell whether it waits for a person's answer (not for a decision about a candidate)."""
        return self.status in (PlanStatus.ATTENTION, PlanStatus.FAILED) and not self.answered

    def charged_calls(self) -> int:
        """Count the calls that spent a schema attempt."""
        return sum(1 for call in self.calls if not call.open and call.charged)

    def uncharged_in_a_row(self, failure: FailureClass) -> int:
        """Count the newest calls that all failed in this class."""
        count = 0
        for call in reversed(self.calls):
            if call.failure is not failure:
                break
            count += 1
        return count

    def uncharged_in_all(self, failure: FailureClass) -> int:
        """Count the calls that failed in this class."""
        return sum(1 for call in self.calls if call.failure is failure)
