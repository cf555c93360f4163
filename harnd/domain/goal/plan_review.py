"""The review of a plan: its rounds, the seats of their reviewers, and the attempts of each.

A review belongs to one author's candidate: the planner's, which may be revised for as many rounds as the goal allows,
or a person's, which nobody rewrites.  A reviewer speaks once in a round, and alone; the attempts at an answer are the
seat's.  What a round came to is the panel's rule, and what the review came to follows from its last round.
"""

import msgspec

from harnd.domain.goal.candidate import Proposal
from harnd.domain.goal.events.review import JobName
from harnd.domain.problem import Problem
from harnd.domain.review.contract import Nonce
from harnd.domain.review.freshness import Mark
from harnd.domain.review.panel import Opinion, Outcome, Severity, Vote
from harnd.domain.review.partition import Partition
from protocol.ids import Digest, SpecialistName
from protocol.values import (
    FailureClass,
    Instant,
    MicroDollars,
    PlanAuthor,
    ReviewJobState,
    ReviewOutcome,
    Unit,
)


class Lease(msgspec.Struct, frozen=True):
    """The right to answer one prompt, until an instant."""

    token: str
    nonce: Nonce
    prompt: Digest
    expires_at: Instant


class ReviewAttempt(msgspec.Struct, frozen=True):
    """One attempt of a reviewer; it is open until it returned."""

    number: int
    called_at: Instant
    set_aside: dict[Unit, int]  # of tokens and money
    lease: Lease | None = None
    returned_at: Instant | None = None
    charged: bool = True
    tokens: int | None = None
    cost: MicroDollars | None = None
    model: str | None = None
    effort: str | None = None
    self_reported_model: str | None = None
    output: Digest | None = None
    touched: tuple[str, ...] = ()
    opinion: Opinion | None = None
    problems: tuple[Problem, ...] = ()
    failure: FailureClass | None = None
    detail: str = ""
    expired: bool = False
    late: bool = False  # something came when nobody waited for it any more

    @property
    def open(self) -> bool:
        """Tell whether its answer is still owed."""
        return self.returned_at is None

    @property
    def state(self) -> ReviewJobState:
        """Derive the state that people see."""
        if self.open:
            return ReviewJobState.QUEUED if self.lease is None else ReviewJobState.LEASED
        if self.opinion is not None:
            return ReviewJobState.COMPLETED
        if self.expired:
            return ReviewJobState.EXPIRED
        return ReviewJobState.FAILED if self.failure is not None else ReviewJobState.SUPERSEDED


class Seat(msgspec.Struct, frozen=True):
    """One reviewer's part in a round."""

    reviewer: SpecialistName
    partition: Partition
    criterion: Digest
    expected: Mark
    reused: JobName | None = None
    attempts: tuple[ReviewAttempt, ...] = ()
    opinion: Opinion | None = None

    @property
    def open_attempt(self) -> ReviewAttempt | None:
        """Return the attempt whose answer is owed."""
        return self.attempts[-1] if self.attempts and self.attempts[-1].open else None

    @property
    def last(self) -> ReviewAttempt | None:
        """Return the newest attempt."""
        return self.attempts[-1] if self.attempts else None

    @property
    def refused(self) -> ReviewAttempt | None:
        """Return the attempt whose output was refused last: what the next one has to correct."""
        return next((attempt for attempt in reversed(self.attempts) if attempt.problems), None)

    def charged_attempts(self) -> int:
        """Count the attempts that spent a schema attempt."""
        return sum(1 for attempt in self.attempts if not attempt.open and attempt.charged)

    def uncharged_in_a_row(self, failure: FailureClass) -> int:
        """Count the newest attempts that all failed in this class."""
        count = 0
        for attempt in reversed(self.attempts):
            if attempt.failure is not failure:
                break
            count += 1
        return count

    def uncharged_in_all(self, failure: FailureClass) -> int:
        """Count the attempts that failed in this class."""
        return sum(1 for attempt in self.attempts if attempt.failure is failure)


class Round(msgspec.Struct, frozen=True):
    """One reading of one candidate by the whole panel; rounds count within the plan."""

    number: int
    candidate: Proposal
    digest: Digest
    normalised: Digest
    subject: Digest
    scaffold: Digest
    context: str  # what every reviewer is told besides, as it was when the round began; empty once it is closed
    seats: tuple[Seat, ...]
    opened_at: Instant
    outcome: Outcome | None = None
    closed_at: Instant | None = None

    def seat(self, reviewer: SpecialistName) -> Seat | None:
        """Return a reviewer's seat."""
        return next((seat for seat in self.seats if seat.reviewer == reviewer), None)

    def votes(self) -> tuple[Vote, ...]:
        """Return what each reviewer said, with None for those who said nothing valid."""
        return tuple(Vote(seat.reviewer, seat.opinion) for seat in self.seats)

    def count(self, severity: Severity) -> int:
        """Count the findings of all reviewers in a severity."""
        opinions = [seat.opinion for seat in self.seats if seat.opinion is not None]
        return sum(finding.severity is severity for opinion in opinions for finding in opinion.findings)


class Review(msgspec.Struct, frozen=True):
    """All rounds about one author's candidate, and what came of them."""

    number: int  # within the plan
    author: PlanAuthor
    rounds: tuple[Round, ...] = ()
    unchanged: bool = False  # the planner gave the candidate of the last round back
    outcome: ReviewOutcome | None = None  # once its receipt is kept
    receipt: Digest | None = None
    damaged: str = ""
    reviewed_at: Instant | None = None

    @property
    def last(self) -> Round | None:
        """Return the newest round."""
        return self.rounds[-1] if self.rounds else None

    def came_to(self, revisions: int) -> ReviewOutcome | None:
        """Say what it came to, where so many revisions are allowed; None while anything of it goes on."""
        match self.last.outcome if self.last is not None else None:
            case None:
                return None
            case Outcome.APPROVED:
                return ReviewOutcome.PASSED
            case Outcome.ATTENTION:
                return ReviewOutcome.ATTENTION
            case Outcome.FAILED:
                return ReviewOutcome.FAILED
            case Outcome.REVISE:
                return None if self._is_revised(revisions) else ReviewOutcome.REVISION_EXHAUSTED

    def _is_revised(self, revisions: int) -> bool:
        # A person's words are a person's to change.
        return self.author is PlanAuthor.PLANNER and not self.unchanged and len(self.rounds) <= revisions
