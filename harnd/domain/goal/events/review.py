"""What happened while a candidate was reviewed: the rounds, the jobs of their reviewers, and what came of it."""

import msgspec

from harnd.domain.goal.candidate import Proposal
from harnd.domain.goal.events.event import Event
from harnd.domain.problem import Problem
from harnd.domain.review.contract import Nonce
from harnd.domain.review.freshness import Mark
from harnd.domain.review.panel import Opinion, Outcome
from harnd.domain.review.partition import Partition
from protocol.ids import Digest, SpecialistName
from protocol.values import FailureClass, Instant, MicroDollars, Micros, ReviewOutcome, Unit


class PlanCandidate(Event, frozen=True, tag="plan.candidate/1"):
    """The planner answered with a legal candidate that reviewers are to read first; a replacement is one too."""

    plan: int
    call: int
    candidate: Proposal
    digest: Digest
    normalised: Digest


class JobName(msgspec.Struct, frozen=True):
    """One attempt of a reviewer, in one goal."""

    plan: int
    round: int
    reviewer: SpecialistName
    attempt: int

    @property
    def parts(self) -> tuple[int, int, SpecialistName, int]:
        """Return what every event of it begins with."""
        return self.plan, self.round, self.reviewer, self.attempt

    def __str__(self) -> str:
        """Write it as one word."""
        return f"plan/{self.plan}/review/{self.round}/{self.reviewer}/{self.attempt}"


class SeatOpened(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one reviewer is asked in a round, and where the evidence stood that the answer replaces."""

    reviewer: SpecialistName
    partition: Partition
    criterion: Digest  # of the plan contract and of the reviewer's instructions
    expected: Mark = Mark()
    reused: JobName | None = None  # whose fresh evidence stands; None: the reviewer is called


class ReviewOpened(Event, frozen=True, tag="review.opened/1"):
    """A panel reads a candidate; always in the append that brought it.  Rounds count within the plan."""

    plan: int
    round: int
    digest: Digest  # of the candidate
    subject: Digest  # of candidate, graph and context
    scaffold: Digest  # of all that a prompt says besides
    seats: tuple[SeatOpened, ...]


class JobEvent(Event, frozen=True):
    """Something that happened to one attempt of a reviewer."""

    plan: int
    round: int
    reviewer: SpecialistName
    attempt: int

    @property
    def job(self) -> JobName:
        """Name the attempt."""
        return JobName(self.plan, self.round, self.reviewer, self.attempt)


class ReviewJobCalled(JobEvent, frozen=True, tag="review_job.called/1"):
    """A reviewer's answer is owed."""

    set_aside: dict[Unit, int] = {}  # noqa: RUF012 - msgspec gives each its own; tokens and money, where limited


class ReviewJobLeased(JobEvent, frozen=True, tag="review_job.leased/1"):
    """Its prompt is written; said before anything is dispatched."""

    token: str  # names its directory
    nonce: Nonce
    prompt: Digest
    expires_at: Instant


class ReviewJobReturned(JobEvent, frozen=True, tag="review_job.returned/1"):
    """It ended, however; what it came to follows in the same append.  What is not known is absent."""

    ran: Micros
    charged: bool
    output: Digest | None = None  # the blob of what it wrote
    tokens: int | None = None
    cost: MicroDollars | None = None
    model: str | None = None  # by the word of the harness, and so is the effort
    effort: str | None = None
    self_reported_model: str | None = None  # the worker's own word, which is no identity
    touched: tuple[str, ...] = ()  # what changed besides the one file it was to write


class ReviewJobCompleted(JobEvent, frozen=True, tag="review_job.completed/1"):
    """It gave a valid opinion."""

    assessment: Opinion


class ReviewJobRefused(JobEvent, frozen=True, tag="review_job.refused/1"):
    """Its output is not as it was asked for; these are all its problems."""

    problems: tuple[Problem, ...]


class ReviewJobFailed(JobEvent, frozen=True, tag="review_job.failed/1"):
    """It gave no output that can be read."""

    failure: FailureClass
    detail: str


class ReviewJobExpired(JobEvent, frozen=True, tag="review_job.expired/1"):
    """Its lease ran out, and nobody said what became of it."""


class ReviewJobSuperseded(JobEvent, frozen=True, tag="review_job.superseded/1"):
    """It came late: kept as a fact, acted on by nobody."""

    output: Digest | None = None


class ReviewClosed(Event, frozen=True, tag="review.closed/1"):
    """Every reviewer of a round is done; in the append that finished the last."""

    plan: int
    round: int
    outcome: Outcome


class RevisionUnchanged(Event, frozen=True, tag="review.unchanged/1"):
    """The planner gave back the candidate of this round, and with it the last word."""

    plan: int
    round: int
    call: int


class PlanReviewed(Event, frozen=True, tag="plan.reviewed/1"):
    """The review is over and its receipt is kept; what follows from it is in the same append."""

    plan: int
    receipt: Digest
    outcome: ReviewOutcome
    rounds: int
    blocking: int  # findings of the last round, and so are the advisory ones
    advisory: int
    damaged: str = ""  # what is wrong with the receipt that lies in its place: nothing passes with it


class PlanReviewAttention(Event, frozen=True, tag="plan.review_attention/1"):
    """The candidate did not pass, and a person has to look at it."""

    plan: int
    digest: Digest
    reason: str


class PlanOverridden(Event, frozen=True, tag="plan.overridden/1"):
    """A person lets a candidate through that did not pass; in the append that decides it."""

    plan: int
    digest: Digest
    reason: str
    by: str
