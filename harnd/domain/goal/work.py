"""A work item: what is wanted, its attempts, and what became of them.

The state of an item is derived, here the part that needs no other item; whether it waits for others is the graph's
business.
"""

from enum import StrEnum

import msgspec

from harnd.domain.goal import failure as failures
from harnd.domain.goal.events import OpenFinding
from harnd.domain.goal.intent import Criterion
from harnd.domain.goal.parking import Again, Parked
from harnd.domain.goal.proof import Proof
from harnd.domain.goal.usage import Usage
from protocol.ids import CommitId, Digest, TemplateName, TreeId, WorkId, WorkKey
from protocol.values import AttemptOutcome, FailureClass, Instant, Micros, Unit


class Standing(StrEnum):
    """Where an item stands by itself."""

    OPEN = "open"  # an attempt may be made
    RUNNING = "running"
    AWAITING_APPROVAL = "awaiting_approval"  # parked, because a person is asked
    PARKED = "parked"  # parked, and goes on as soon as nothing is in the way
    IN_REVIEW = "in_review"
    BLOCKED = "blocked"
    ACCEPTED = "accepted"  # waits to be integrated
    INTEGRATING = "integrating"
    INTEGRATED = "integrated"
    CANCELLED = "cancelled"


class Attempt(msgspec.Struct, frozen=True):
    """One try."""

    number: int
    base: CommitId
    generation: int
    calls: int  # agent calls set aside
    set_aside: dict[Unit, int]  # and of tokens and money
    started_at: Instant
    surroundings: Digest | None = None  # as they were before anything of it ran
    ended_at: Instant | None = None
    outcome: AttemptOutcome | None = None
    failure: FailureClass | None = None
    charged: bool = True
    detail: str = ""
    output: Digest | None = None
    commit: CommitId | None = None
    tree: TreeId | None = None
    changed: tuple[str, ...] = ()
    undeclared: tuple[str, ...] = ()
    changed_in_all: int = 0  # when there are more than are kept
    proof: Proof | None = None
    protected: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()
    usage: Usage = Usage()
    parked: Parked | None = None  # while it is open and does not run
    remade: tuple[Again, ...] = ()  # runs of stages that came to nothing, oldest first
    pauses: int = 0  # how often it was cut short by a pause and went on
    resumed_at: Instant | None = None  # when it last went on
    rested: Micros = Micros(0)  # how long it was parked in all, up to when it last went on or ended

    @property
    def open(self) -> bool:
        """Tell whether its end is still owed."""
        return self.outcome is None

    def rested_until(self, now: Instant) -> Micros:
        """Return how long it was parked in all."""
        return self.rested if self.parked is None else Micros(self.rested + max(0, now - self.parked.since))

    @property
    def metered(self) -> Usage:
        """Return what it used, where one that a person cut short may have made any of its calls and says nothing."""
        cut = self.outcome is AttemptOutcome.CANCELLED and not self.usage.calls
        return Usage(self.calls) if cut else self.usage

    def run_of(self, stage: str) -> int:
        """Return the run of a stage to begin with, from 0: the one after those that are known to have failed."""
        return max((again.run + 1 for again in self.remade if again.stage == stage), default=0)

    def doubts(self) -> tuple[str, ...]:
        """Return what a person must acknowledge by name to accept it: flaky criteria and protected paths it changed."""
        return (*(self.proof.flaky() if self.proof else ()), *self.protected)


class Integration(msgspec.Struct, frozen=True):
    """One try to bring accepted work onto the goal's branch."""

    number: int
    onto: CommitId
    started_at: Instant
    commit: CommitId | None = None  # set when proved
    tree: TreeId | None = None
    proof: Proof | None = None
    failure: FailureClass | None = None
    detail: str = ""
    paths: tuple[str, ...] = ()


class Work(msgspec.Struct, frozen=True):
    """One node of the work graph."""

    id: WorkId
    key: WorkKey
    plan: int
    title: str
    objective: str
    acceptance: tuple[Criterion, ...]
    dependencies: tuple[WorkId, ...]
    template: TemplateName
    paths: tuple[str, ...]
    created_at: Instant
    since: Instant
    standing: Standing = Standing.OPEN
    attempts: tuple[Attempt, ...] = ()
    findings: tuple[OpenFinding, ...] = ()  # not yet disposed of
    dispositions: tuple[tuple[str, str], ...] = ()
    findings_seen: int = 0
    guidance: str = ""  # with which a person asked for the next attempt
    granted: int = 0  # attempts a person asked for beyond the template's
    excused: int = 0  # attempts made before a person last asked for one: their uncharged failures count no more
    unasked: int = 0  # how often in a row harnd tried it again by itself since a person last touched it
    accepted_proof: Digest | None = None
    acknowledged: tuple[str, ...] = ()  # of the doubts about what was accepted
    accepted_by: str = ""
    accepted_at: Instant | None = None
    integrations: tuple[Integration, ...] = ()
    blocked: FailureClass | None = None
    blocked_detail: str = ""
    cancelled_reason: str = ""
    answers: int = 0  # agent answers so far

    @property
    def last(self) -> Attempt | None:
        """Return the newest attempt."""
        return self.attempts[-1] if self.attempts else None

    @property
    def running(self) -> Attempt | None:
        """Return the attempt that runs."""
        attempt = self.unended
        return attempt if attempt is not None and attempt.parked is None else None

    @property
    def unended(self) -> Attempt | None:
        """Return the attempt that has not ended, whether it runs or is parked."""
        return self.attempts[-1] if self.attempts and self.attempts[-1].open else None

    @property
    def parked(self) -> Parked | None:
        """Return where and why the attempt that has not ended is parked; None when there is none, or it runs."""
        return self.unended.parked if self.unended is not None else None

    @property
    def integration(self) -> Integration | None:
        """Return the newest integration."""
        return self.integrations[-1] if self.integrations else None

    def charged_attempts(self) -> int:
        """Count the attempts that were paid for."""
        return sum(1 for attempt in self.attempts if not attempt.open and attempt.charged)

    def uncharged(self, failure: FailureClass) -> int:
        """Count what bounds uncharged failures of this class: upstream in a row, everything else in all."""
        if failure is FailureClass.UPSTREAM:
            return self._in_a_row(failure)
        return sum(1 for attempt in self.attempts[self.excused :] if attempt.failure is failure)

    def may_try_again(self, failure: FailureClass, allowed: int) -> bool:
        """Apply the ordinary retry rule to an item whose newest attempt failed so."""
        return failures.tried_again(
            failure,
            charged_before=self.charged_attempts(),
            allowed=allowed + self.granted,
            uncharged_before=self.uncharged(failure),
        )

    def _in_a_row(self, failure: FailureClass) -> int:
        count = 0
        for attempt in reversed(self.attempts[self.excused :]):
            if attempt.failure is not failure:
                break
            count += 1
        return count
