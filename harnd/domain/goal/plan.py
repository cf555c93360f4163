"""A plan: one request to the planner and what came of it."""

import msgspec

from harnd.domain.goal.candidate import Proposal
from harnd.domain.goal.plan_review import Review, ReviewAttempt, Round, Seat
from harnd.domain.problem import Problem
from protocol.ids import Digest
from protocol.values import (
    FailureClass,
    Instant,
    MicroDollars,
    PlanAuthor,
    PlanStatus,
    ReviewOutcome,
    Trigger,
    Unit,
)


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
    reviews: tuple[Review, ...] = ()  # where its candidates are reviewed, oldest first
    calls_before: int = 0  # how many calls had been made when the candidate came: those after it are for the next one
    paid: bool = False  # its request is settled, and costs nothing more
    override: str = ""  # why a person let it through that did not pass

    @property
    def open_call(self) -> PlannerCall | None:
        """Return the call whose answer is owed."""
        return self.calls[-1] if self.calls and self.calls[-1].open else None

    @property
    def last_call(self) -> PlannerCall | None:
        """Return the newest call."""
        return self.calls[-1] if self.calls else None

    @property
    def answering(self) -> tuple[PlannerCall, ...]:
        """Return the calls for the answer that is owed: all of them, or those after the candidate to be revised."""
        return self.calls[self.calls_before :]

    @property
    def refused_call(self) -> PlannerCall | None:
        """Return the call whose answer was refused last: what the next call has to correct.

        Calls after it that gave no answer change nothing about that.
        """
        return next((call for call in reversed(self.answering) if call.problems), None)

    @property
    def settled(self) -> bool:
        """Tell whether nothing more comes of it by itself, and nobody is asked about it."""
        # A completed plan is settled for the rules only once its goal has been reopened.
        return self.answered or self.status in (PlanStatus.APPLIED, PlanStatus.REJECTED, PlanStatus.COMPLETED)

    @property
    def asks(self) -> bool:
        """Tell whether it waits for a person's answer (not for a decision about a candidate)."""
        return self.status in (PlanStatus.ATTENTION, PlanStatus.FAILED) and not self.answered

    @property
    def review(self) -> Review | None:
        """Return the review of the candidate as it stands."""
        return self.reviews[-1] if self.reviews else None

    @property
    def round(self) -> Round | None:
        """Return the newest round."""
        return self.review.last if self.review is not None else None

    @property
    def rounds(self) -> tuple[Round, ...]:
        """Return every round, oldest first."""
        return tuple(each for review in self.reviews for each in review.rounds)

    @property
    def in_review_attention(self) -> bool:
        """Tell whether a person is asked about a candidate that did not pass its review."""
        reviewed = self.review is not None and self.review.outcome is not None
        return self.status is PlanStatus.ATTENTION and not self.answered and reviewed

    @property
    def passed(self) -> bool:
        """Tell whether the candidate as it stands has passed its review, and the receipt says so."""
        return self.review is not None and self.review.outcome is ReviewOutcome.PASSED

    @property
    def revises(self) -> Round | None:
        """Return the round whose findings the planner is to answer with another candidate."""
        last = self.round
        return last if self.status is PlanStatus.REQUESTED and last is not None and last.outcome is not None else None

    def open_jobs(self) -> tuple[tuple[Round, Seat, ReviewAttempt], ...]:
        """Return the attempts of reviewers whose answers are owed."""
        last = self.round
        if last is None:
            return ()
        return tuple((last, seat, seat.open_attempt) for seat in last.seats if seat.open_attempt is not None)

    def charged_calls(self) -> int:
        """Count the calls for the answer that is owed which spent a schema attempt; each answer has its own."""
        return sum(1 for call in self.answering if not call.open and call.charged)

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
