"""The reviewers of plans: one attempt of one reviewer, and the receipt once all have spoken.

Token and nonce are drawn and said before anything is made; an attempt that has a lease is carried on under it.  What a
job is and how it is carried out is `reviewer`'s business, what its report means the rules'.
"""

from contextlib import suppress
from typing import Final

from harnd.actors.asking import Say
from harnd.actors.places import place_of
from harnd.actors.reviewer import JobReport, JobTask, Reviewer
from harnd.domain.goal.commands import ReportLeased, ReportReceipt, ReportReview, ReviewReport
from harnd.domain.goal.due import KeepReceipt, Review, within
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.plan import Plan
from harnd.domain.goal.plan_review import Lease, ReviewAttempt, Round, Seat
from harnd.domain.goal.receipt import receipt, receipt_digest
from harnd.domain.goal.review_report import reported
from harnd.domain.goal.review_task import review_task
from harnd.domain.rejected import Rejected
from harnd.domain.review import governance
from harnd.domain.review.contract import JobToken, Nonce
from harnd.domain.review.correction import Correction
from harnd.ports.errors import CorruptError, MissingError, PortError
from harnd.ports.world import World
from protocol.ids import Digest
from protocol.values import SECOND, FailureClass, Instant, Micros

_UNKNOWN: Final = Digest("")
_AFTERWARDS: Final = Micros(600 * SECOND)  # for ending a worker and looking at all that it may have touched


class PlanReviewer:
    """One attempt of one reviewer of a candidate."""

    def __init__(self, world: World, goal: Goal, effect: Review, say: Say) -> None:
        self._world = world
        self._goal = goal
        self._effect = effect
        self._say = say
        self._specialist = goal.intent.specialist(effect.reviewer)
        self._plan: Plan = goal.plans[effect.plan - 1]
        self._round: Round = self._plan.rounds[effect.round - 1]
        self._seat = _seat(goal, effect)
        self._reviewer: Reviewer | None = None

    async def run(self) -> ReportReview:
        """Have the candidate read, and report."""
        await forget_returned(self._world, self._plan)
        lease = self._attempt.lease
        try:
            self._reviewer = await self._with(lease or self._drawn())
            if lease is None:
                self._reviewer = await self._leased(self._reviewer)
        except Rejected as error:
            return self._command(self._failure(FailureClass.ENVIRONMENT, error.reason))
        return self._command(_report(await self._reviewer.run()))

    def failed(self, error: PortError) -> ReportReview:
        """Report that the world did not let the attempt be made."""
        return self._command(self._failure(FailureClass.ENVIRONMENT, str(error)))

    async def withdraw(self) -> None:
        """Remove everything of an attempt that nobody wants any more."""
        if self._reviewer is not None:
            await self._reviewer.withdraw()

    # --- the lease

    @property
    def _attempt(self) -> ReviewAttempt:
        return self._seat.attempts[self._effect.attempt - 1]

    def _drawn(self) -> Lease:
        """Draw a lease; the digest of its prompt is not known yet."""
        entropy, now = self._world.entropy, self._world.clock.now()
        until = Instant(now + self._effect.runtime_left)
        expires_at = Instant(now + within(self._specialist.timeout, until=until, now=now) + _AFTERWARDS)
        return Lease(entropy.token(), Nonce(entropy.token()), prompt=_UNKNOWN, expires_at=expires_at)

    async def _leased(self, reviewer: Reviewer) -> Reviewer:
        """Say the lease before anything is made of it; the one that was said first stands."""
        task, effect = reviewer.task, self._effect
        goal = await self._say(
            ReportLeased(
                plan=effect.plan,
                round=effect.round,
                reviewer=effect.reviewer,
                attempt=effect.attempt,
                token=task.token,
                nonce=task.nonce,
                prompt=reviewer.prompt().digest,
                expires_at=Instant(task.until + _AFTERWARDS),
            )
        )
        stored = _seat(goal, effect).attempts[effect.attempt - 1].lease
        return reviewer if stored is None or stored.token == task.token else await self._with(stored)

    async def _with(self, lease: Lease) -> Reviewer:
        goal, repository = self._goal, self._goal.intent.repository
        found = await self._world.workspace.digests(repository, goal.head, governance.FILES)
        asked = review_task(goal, self._plan, self._round, self._seat, governance=governance.declared(found))
        task = JobTask(
            key=self._effect.key,
            place=place_of(goal, self._effect),
            commit=goal.head,
            contract=asked.contract,
            texts=asked.texts,
            token=JobToken(lease.token),
            nonce=lease.nonce,
            specialist=self._specialist,
            partition=self._seat.partition,
            until=Instant(lease.expires_at - _AFTERWARDS),
            correction=await self._correction(),
            prompt=lease.prompt or None,
        )
        return Reviewer(self._world, task)

    async def _correction(self) -> Correction | None:
        refused = self._seat.refused
        if refused is None:
            return None
        rejected = b""
        with suppress(MissingError):
            rejected = b"" if refused.output is None else await self._world.blobs.get(refused.output)
        return Correction(rejected, refused.problems)

    # --- the report

    def _command(self, report: ReviewReport) -> ReportReview:
        effect = self._effect
        return ReportReview(
            plan=effect.plan, round=effect.round, reviewer=effect.reviewer, attempt=effect.attempt, report=report
        )

    def _failure(self, failure: FailureClass, detail: str) -> ReviewReport:
        return ReviewReport(ran=Micros(0), failure=failure, detail=detail)


class ReceiptKeeper:
    """The receipt of one review that is over."""

    def __init__(self, world: World, goal: Goal, effect: KeepReceipt) -> None:
        self._world = world
        self._goal = goal
        self._effect = effect
        self._plan: Plan = goal.plans[effect.plan - 1]

    async def run(self) -> ReportReceipt:
        """Keep it unless it is kept already, and report; one that is damaged is not mended."""
        await forget_returned(self._world, self._plan)
        review = self._plan.review
        if review is None:
            raise AssertionError(f"{self._effect.key}: there is no review")
        digest, blobs = receipt_digest(self._goal, self._plan, review), self._world.blobs
        damaged = ""
        try:
            await blobs.get(digest)
        except MissingError:
            await blobs.put(receipt(self._goal, self._plan, review))
        except CorruptError as error:
            damaged = str(error)
        return ReportReceipt(plan=self._effect.plan, review=self._effect.review, receipt=digest, damaged=damaged)

    def failed(self, error: PortError) -> ReportReceipt:
        """Report that it could not be kept: nothing passes without it."""
        review = self._plan.review
        if review is None:
            raise AssertionError(f"{self._effect.key}: there is no review")
        digest = receipt_digest(self._goal, self._plan, review)
        return ReportReceipt(
            plan=self._effect.plan, review=self._effect.review, receipt=digest, damaged=f"it cannot be kept: {error}"
        )

    async def withdraw(self) -> None:
        """Leave it: a receipt that is kept harms nobody."""


async def forget_returned(world: World, plan: Plan) -> None:
    """Remove the directories of attempts whose reports are stored."""
    lying = set(await world.review_jobs.lying())
    for attempt in (attempt for each in plan.rounds for seat in each.seats for attempt in seat.attempts):
        if attempt.lease is not None and not attempt.open and attempt.lease.token in lying:
            await world.review_jobs.discard(JobToken(attempt.lease.token))


def _seat(goal: Goal, effect: Review) -> Seat:
    seat = goal.plans[effect.plan - 1].rounds[effect.round - 1].seat(effect.reviewer)
    if seat is None:
        raise AssertionError(f"{effect.key}: nobody of this name sits in the panel")
    return seat


def _report(report: JobReport) -> ReviewReport:
    provenance = report.provenance
    plain = ReviewReport(
        ran=report.ran,
        problems=report.problems,
        failure=report.failure,
        detail=report.detail,
        output=report.output,
        tokens=report.usage.tokens,
        cost=report.usage.cost,
        model=provenance.runner.model,
        effort=provenance.runner.effort,
        self_reported_model=provenance.self_report.model if provenance.self_report is not None else None,
        touched=tuple(map(str, report.touched)),
    )
    return plain if report.results is None else reported(plain, report.results)
