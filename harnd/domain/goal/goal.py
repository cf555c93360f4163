"""The state of one goal: what its events fold into, and the questions every rule asks of it.

Nothing here is stored; it is rebuilt by `harnd.domain.goal.evolve` and never changed in place.
"""

from collections.abc import Iterator
from enum import StrEnum

import msgspec

from harnd.domain.digest import digest_of
from harnd.domain.goal.approval import Approval
from harnd.domain.goal.intent import Criterion, Intent
from harnd.domain.goal.ledger import Ledger
from harnd.domain.goal.plan import Plan
from harnd.domain.goal.plan_review import ReviewAttempt, Round, Seat
from harnd.domain.goal.template import Template
from harnd.domain.goal.usage import Usage, total
from harnd.domain.goal.work import Standing, Work
from harnd.domain.review.freshness import Baseline
from protocol.ids import CommitId, Digest, WorkId
from protocol.values import ApprovalState, Instant, Micros, PlanStatus, Unit, WorkState


class Ending(StrEnum):
    """How a goal ended."""

    SUCCEEDED = "succeeded"
    CANCELLED = "cancelled"


class Pause(msgspec.Struct, frozen=True):
    """A person holds the goal."""

    by: str
    reason: str  # may be empty
    since: Instant


class Milestone(msgspec.Struct, frozen=True):
    """A materialised step: one applied plan and its graph, or the graph that the operator wrote (plan 0)."""

    sequence: int
    title: str
    objective: str
    acceptance: tuple[Criterion, ...]
    plan: int
    root: WorkId
    applied_at: Instant


class Goal(msgspec.Struct, frozen=True):
    """Everything that is known of one goal."""

    intent: Intent
    intent_digest: Digest
    created_at: Instant
    created_by: str
    since: Instant  # when something other than a tick last happened
    last_at: Instant
    head: CommitId  # where the goal's branch is, by what was stored
    ledger: Ledger
    version: int = 0
    plans: tuple[Plan, ...] = ()
    work: dict[WorkId, Work] = {}
    milestones: tuple[Milestone, ...] = ()
    approvals: tuple[Approval, ...] = ()
    baselines: tuple[Baseline, ...] = ()  # the newest evidence of each reviewer of plans
    queue: tuple[WorkId, ...] = ()  # accepted, not yet integrated, oldest first
    active_since: Instant | None = None
    active_before: Micros = Micros(0)
    attended_by: str = ""
    ending: Ending | None = None
    ended_reason: str = ""
    paused: Pause | None = None
    archived: bool = False

    # --- plans

    @property
    def plan(self) -> Plan | None:
        """Return the newest plan."""
        return self.plans[-1] if self.plans else None

    @property
    def generation(self) -> int:
        """Return the number of applied plans; the operator's own graph is none."""
        return sum(1 for milestone in self.milestones if milestone.plan)

    # --- the active graph

    @property
    def milestone(self) -> Milestone | None:
        """Return the step that is being worked on, or was last."""
        return self.milestones[-1] if self.milestones else None

    @property
    def root(self) -> Work | None:
        """Return the item at the end of the active graph."""
        return self.work[self.milestones[-1].root] if self.milestones else None

    def active(self) -> tuple[Work, ...]:
        """Return the items of the active graph in the order they were planned."""
        if self.milestone is None:
            return ()
        return tuple(item for item in self.work.values() if item.plan == self.milestone.plan)

    def graph_digest(self) -> Digest:
        """Identify the work graph a planner is asked about."""
        return digest_of([[item.id, self.state_of(item).value, len(item.attempts)] for item in self.work.values()])

    def template_of(self, item: Work) -> Template:
        """Return the recipe of an item; plans name only templates of the intent."""
        template = self.intent.template(item.template)
        if template is None:
            raise AssertionError(f"{item.id}: no template {item.template} in the intent")
        return template

    # --- states

    def unmet(self, item: Work) -> tuple[WorkId, ...]:
        """Return the dependencies whose work is not yet on the goal's branch."""
        return tuple(name for name in item.dependencies if self.work[name].standing is not Standing.INTEGRATED)

    def held_by(self, item: Work) -> WorkId | None:
        """Return the cancelled or blocked item that an open item cannot get past, however far away."""
        ahead, seen = list(item.dependencies), set(item.dependencies)  # each item once: diamonds multiply paths
        while ahead:
            name = ahead.pop(0)
            before = self.work[name]
            if before.standing in (Standing.CANCELLED, Standing.BLOCKED):
                return name
            if before.standing is Standing.OPEN:
                further = [other for other in before.dependencies if other not in seen]
                seen.update(further)
                ahead.extend(further)
        return None

    def state_of(self, item: Work) -> WorkState:
        """Derive the state that people see."""
        match item.standing:
            case Standing.OPEN:
                return WorkState.WAITING if self.unmet(item) else WorkState.READY
            case Standing.RUNNING | Standing.ACCEPTED | Standing.INTEGRATING:
                return WorkState.RUNNING
            case Standing.AWAITING_APPROVAL:
                return WorkState.AWAITING_APPROVAL
            case Standing.PARKED:
                return WorkState.READY
            case Standing.IN_REVIEW:
                return WorkState.IN_REVIEW
            case Standing.BLOCKED:
                return WorkState.BLOCKED
            case Standing.INTEGRATED:
                return WorkState.SUCCEEDED
            case Standing.CANCELLED:
                return WorkState.CANCELLED

    def in_standing(self, standing: Standing) -> tuple[Work, ...]:
        """Return the active items that stand so."""
        return tuple(item for item in self.active() if item.standing is standing)

    def ready(self) -> tuple[Work, ...]:
        """Return the active items that could be started."""
        return tuple(item for item in self.in_standing(Standing.OPEN) if not self.unmet(item))

    def answers_spent(self, item: Work) -> bool:
        """Tell whether agents have answered for an item so often that no further attempt at it may be made."""
        return item.answers + len(self.template_of(item).agent_stages()) > self.intent.limits.answers_per_work

    def parked(self) -> tuple[Work, ...]:
        """Return the active items with an attempt that can go on later."""
        return tuple(item for item in self.active() if item.parked is not None)

    # --- approvals

    @property
    def resumes_approved(self) -> bool:
        """Tell whether an attempt goes on by itself once a person has approved what it asked."""
        return self.intent.automation is None or self.intent.automation.resume_approved

    def pending_approvals(self) -> tuple[Approval, ...]:
        """Return what people are asked, oldest first."""
        return tuple(each for each in self.approvals if each.state is ApprovalState.PENDING)

    def approval_of(self, work: WorkId, attempt: int, stage: str = "") -> Approval | None:
        """Return what an attempt asked last, or what it asked last in one stage."""
        return next(
            (
                each
                for each in reversed(self.approvals)
                if (each.work, each.attempt) == (work, attempt) and stage in ("", each.stage)
            ),
            None,
        )

    def why_asked_again(self, approval: Approval) -> str:
        """Say what became of the same question, asked before by the same attempt; empty when it is asked first."""
        before = self.approvals[: approval.number - 1]
        same = [each for each in before if (each.work, each.attempt, each.stage) == approval.at]
        if not same:
            return ""
        expired = same[-1].state is ApprovalState.EXPIRED
        return "nobody answered in time" if expired else same[-1].reason

    # --- what runs and what it costs

    @property
    def calls_running(self) -> bool:
        """Tell whether an attempt, a planner call or a reviewer's is owed its end."""
        planning = self.plan is not None and self.plan.open_call is not None
        return planning or bool(self.open_jobs()) or any(item.running for item in self.work.values())

    def open_jobs(self) -> tuple[tuple[Round, Seat, ReviewAttempt], ...]:
        """Return the attempts of reviewers whose answers are owed."""
        return self.plan.open_jobs() if self.plan is not None else ()

    def active_runtime(self, now: Instant) -> Micros:
        """Return how long calls and attempts have run in all, overlapping time counted once."""
        running = max(0, now - self.active_since) if self.active_since is not None else 0
        return Micros(self.active_before + running)

    def runtime_left(self, now: Instant) -> Micros:
        """Return how much longer calls and attempts may run."""
        return Micros(max(0, self.limit(Unit.ACTIVE_RUNTIME_US) - self.active_runtime(now)))

    def limit(self, unit: Unit) -> int:
        """Return how much may be spent of a budget in all: what was enrolled, and what a person added since."""
        return self.ledger.limit(unit)

    def left(self, unit: Unit) -> int:
        """Return what is left of a budget."""
        return self.ledger.left(unit)

    def used(self) -> Usage:
        """Return what all calls reported to have used; one that did not report makes the sum unknown."""
        return total(self._usages())

    def _usages(self) -> Iterator[Usage]:
        for plan in self.plans:
            yield from (Usage(1, call.tokens, call.cost) for call in plan.calls if not call.open)
            jobs = [attempt for each in plan.rounds for seat in each.seats for attempt in seat.attempts]
            yield from (Usage(1, job.tokens, job.cost) for job in jobs if not job.open)
        for item in self.work.values():
            for attempt in item.attempts:
                told = attempt.parked is not None or not attempt.open
                if told and attempt.metered.calls:
                    yield attempt.metered

    # --- the mission

    def milestone_met(self) -> bool:
        """Tell whether the active root is accepted and on the goal's branch, and nothing below it is being reworked."""
        if self.root is None or self.root.standing is not Standing.INTEGRATED:
            return False
        return all(item.standing in (Standing.INTEGRATED, Standing.CANCELLED) for item in self.active())

    def guidance(self) -> tuple[tuple[int, str], ...]:
        """Return every word of guidance the operator gave the planner, with the number of its plan."""
        return tuple((plan.number, plan.guidance) for plan in self.plans if plan.guidance)

    def rejected(self) -> tuple[Plan, ...]:
        """Return the plans whose candidate a person turned down."""
        return tuple(plan for plan in self.plans if plan.status is PlanStatus.REJECTED)
