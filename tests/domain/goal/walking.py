"""Walking: everything that could be asked of a goal next, sensible or not, and what must hold whatever comes of it.

`sensible` are the things that move a goal on; `senseless` are late, foreign, stale and doubled ones.  A walk keeps the
state the way a daemon does, and checks every sentence of `Walk.take` after each step.
"""

from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import product

import msgspec

from harnd.domain.digest import digest_of
from harnd.domain.goal import commands as c
from harnd.domain.goal import events as e
from harnd.domain.goal.codec import encode, fold
from harnd.domain.goal.decide import decide
from harnd.domain.goal.due import RunAttempt, due
from harnd.domain.goal.evolve import evolve
from harnd.domain.goal.fingerprint import fingerprint
from harnd.domain.goal.goal import Ending, Goal
from harnd.domain.goal.growth import GROWTHS
from harnd.domain.goal.intent import Intent
from harnd.domain.goal.ledger import opened
from harnd.domain.goal.overlap import overlap
from harnd.domain.goal.position import Position, position
from harnd.domain.goal.receipt import owed_receipt
from harnd.domain.goal.rules.tick import tick as step
from harnd.domain.goal.usage import METERED, Usage
from harnd.domain.goal.work import Standing, Work
from harnd.domain.rejected import Rejected
from protocol import bounds
from protocol.ids import Digest, WorkId
from protocol.values import (
    ApprovalState,
    AttemptOutcome,
    FailureClass,
    Instant,
    MicroDollars,
    Phase,
    PlanAuthor,
    PlanStatus,
    Risk,
    Unit,
    Verdict,
)
from tests.kit.given import (
    T0,
    a_plan,
    a_proof,
    accept,
    answered,
    archive_goal,
    asked,
    attend,
    babbled,
    cancel_goal,
    cancel_work,
    completion,
    create,
    deny,
    draft,
    extend_goal,
    failed,
    give,
    live,
    lost,
    moved,
    parked,
    pause_goal,
    proved,
    question,
    reopen,
    reopen_goal,
    resolve,
    resume_goal,
    retry_plan,
    retry_work,
    succeeded,
    tick,
    unanswered,
    use,
)
from tests.kit.panels import APPROVES, ASKS, OBJECTS, TWO, garbled, kept, leased, said, silent

# --- what can be asked next

PLANS = (
    (draft("a"),),
    (draft("a"), draft("b"), draft("c", "a", "b")),
    (draft("a"), draft("b", "a")),
    (draft("a", paths=["src/shared"]), draft("b", paths=["src/shared/x"]), draft("c", "a", "b", template="wide")),
    (draft("a"), draft("b"), draft("c", paths=[]), draft("d", "a", "b", "c")),
)
OTHER = digest_of("something else")


def sensible(goal: Goal, now: Instant) -> Iterator[c.GoalCommand]:
    """What daemon, runners and a person who looks would ask now."""
    yield tick(now)
    yield from _planner_reports(goal)
    yield from _review_reports(goal, now)
    yield from _plan_decisions(goal)
    for item in goal.active():
        yield from _reports(item)
        yield from _decisions(item)
        yield from _asking(goal, item, now)
    for approval in goal.pending_approvals():
        yield from (give(goal, approval.number, at=now), deny(goal, approval.number, at=now))
    yield from (reopen_goal(), archive_goal()) if goal.ending is not None else (pause_goal(),)
    yield from (resume_goal(),) if goal.paused is not None else ()
    yield from (extend_goal({unit: 1}) for unit in GROWTHS)
    yield extend_goal({Unit.AGENT_CALLS: 3, Unit.ACTIVE_RUNTIME_US: 90_000_000})


def senseless(goal: Goal, now: Instant) -> Iterator[c.GoalCommand]:
    """What comes late, twice, or from somewhere else; and what nobody should be able to do."""
    yield from (attend("first"), attend("second"))
    for plan in goal.plans:
        number = plan.number
        for call in range(len(plan.calls) + 2):
            yield answered(a_plan(sequence=len(goal.milestones) + 1), plan=number, call=call)
            yield unanswered(FailureClass.LOST, plan=number, call=call)
        yield c.ApprovePlan(plan=number, digest=plan.digest or OTHER, by="ada")
        yield c.ApprovePlan(plan=number, digest=plan.digest or OTHER, by="ada", override="I insist.")
        yield c.ApprovePlan(plan=number, digest=OTHER, by="ada")
        yield c.ReportReceipt(plan=number, review=len(plan.reviews), receipt=OTHER)
        for reviewer, at, attempt in product(TWO, range(1, len(plan.rounds) + 2), range(4)):
            yield said(reviewer, plan=number, at=at, attempt=attempt)
            yield silent(reviewer, FailureClass.LOST, plan=number, at=at, attempt=attempt)
        yield c.RejectPlan(plan=number, digest=plan.digest or OTHER, guidance="no", by="ada")
        yield retry_plan(plan=number)
        yield c.EditPlan(plan=number, candidate=a_plan(), digest=OTHER, by="ada")
    yield retry_plan(plan=len(goal.plans) + 1)
    for item in (*goal.work.values(), None):
        name = item.id if item else WorkId("p9.nowhere")
        for attempt in range(len(item.attempts) + 2 if item else 2):
            yield succeeded(name, attempt)
            yield failed(name, FailureClass.UPSTREAM, attempt)
            yield c.ReportObserved(work=name, attempt=attempt, surroundings=OTHER)
        for number in range(len(item.integrations) + 2 if item else 2):
            yield from (proved(name, number), parked(name, number), moved(name, number))
        yield from (accept(name), reopen(name), retry_work(name), resolve(name), cancel_work(name))
    for approval in goal.approvals:
        stale = msgspec.structs.replace(approval, digest=OTHER)
        foreign = msgspec.structs.replace(goal, approvals=tuple(stale for _ in goal.approvals))
        for seen in (goal, foreign):
            yield from (give(seen, approval.number, at=now), deny(seen, approval.number, at=now))
        yield from (use(goal, approval.number), use(goal, approval.number, of="something else"))
        yield asked(approval.work, attempt=approval.attempt, at=now)
    if now > T0:
        yield tick(T0)
    yield create(goal.intent)
    yield extend_goal({Unit.ATTEMPTS: 10_000})
    yield extend_goal({Unit.ATTEMPTS: 1, Unit.MILESTONES: 1})
    yield cancel_goal()
    yield from (pause_goal("why not"), resume_goal(), archive_goal(), reopen_goal(), reopen_goal(work="p9.nowhere"))


def _planner_reports(goal: Goal) -> Iterator[c.GoalCommand]:
    plan = goal.plan
    if plan is None or plan.open_call is None:
        return
    number, call = plan.number, plan.open_call.number
    for work in PLANS:
        told = [msgspec.structs.replace(entry, objective=f"{entry.objective} {number}") for entry in work]
        yield answered(a_plan(*told, sequence=len(goal.milestones) + 1), plan=number, call=call)
    yield from (answered(completion(item.id), plan=number, call=call) for item in goal.active()[-1:])
    yield answered(question(), plan=number, call=call)
    yield answered(question("Which money?"), plan=number, call=call, tokens=900, cost=None)
    yield babbled(plan=number, call=call)
    yield answered(a_plan(draft("a", "b"), draft("b", "a"), sequence=len(goal.milestones) + 2), plan=number, call=call)
    yield from (unanswered(failure, plan=number, call=call) for failure in FailureClass)


def _review_reports(goal: Goal, now: Instant) -> Iterator[c.GoalCommand]:
    if owed_receipt(goal) is not None:
        yield from (kept(goal), kept(goal, damaged="it is cut short"))
    for each, seat, attempt in goal.open_jobs():
        name, plan, at, number = seat.reviewer, len(goal.plans), each.number, attempt.number
        for what in (APPROVES, OBJECTS, APPROVES, ASKS):
            yield said(name, what, plan=plan, at=at, attempt=number)
        yield said(name, OBJECTS, plan=plan, at=at, attempt=number, tokens=900)
        yield said(name, plan=plan, at=at, attempt=number, touched=("src/a.py",))
        yield garbled(name, plan=plan, at=at, attempt=number)
        yield from (silent(name, failure, plan=plan, at=at, attempt=number) for failure in FailureClass)
        yield leased(name, plan=plan, at=at, attempt=number, until=Instant(now + 45_000_000))


def _plan_decisions(goal: Goal) -> Iterator[c.GoalCommand]:
    plan = goal.plan
    if plan is None:
        return
    if plan.candidate is not None and plan.digest is not None:
        yield c.ApprovePlan(plan=plan.number, digest=plan.digest, by="ada")
        yield c.ApprovePlan(plan=plan.number, digest=plan.digest, by="ada", override="We need it.")
        yield c.RejectPlan(plan=plan.number, digest=plan.digest, guidance="no", by="ada")
    if plan.asks:
        yield retry_plan(plan=plan.number)
    yield _edited(goal, str(plan.number))


def _reports(item: Work) -> Iterator[c.GoalCommand]:
    if item.running is not None:
        number, calls = item.running.number, item.running.calls
        good = a_proof(item.id, of=[criterion.id for criterion in item.acceptance])
        yield succeeded(item.id, number, proof=good, calls=calls)
        yield succeeded(item.id, number, proof=good, usage=Usage(calls, 5_000 * calls, MicroDollars(20_000)))
        yield failed(
            item.id, FailureClass.UPSTREAM, number, usage=Usage(calls, None, MicroDollars(7), 30, said_tokens=1)
        )
        yield succeeded(item.id, number, proof=a_proof(item.id, verdict=Verdict.UNKNOWN), calls=calls)
        yield succeeded(item.id, number, changed=(), calls=calls)
        yield from (failed(item.id, failure, number, calls=calls) for failure in FailureClass)
        yield lost(item.id, number)
        yield failed(item.id, FailureClass.LOST, number, outcome=AttemptOutcome.INTERRUPTED, calls=0)
    if item.standing is Standing.INTEGRATING and item.integration is not None:
        number = item.integration.number
        yield proved(item.id, number)
        yield proved(item.id, number, proof=a_proof(item.id, verdict=Verdict.UNSATISFIED))
        yield parked(item.id, number, "src/x")
        yield parked(item.id, number, failure=FailureClass.ENVIRONMENT)
        yield moved(item.id, number)


def _asking(goal: Goal, item: Work, now: Instant) -> Iterator[c.GoalCommand]:
    """Yield what an attempt that comes to a stage that asks says of it, and what a person can say besides an answer."""
    if item.running is not None:
        number = item.running.number
        before = goal.approval_of(item.id, number)
        if before is not None:
            yield use(goal, before.number)
        yield asked(item.id, attempt=number, at=now, risk=Risk.CRITICAL)
        yield asked(item.id, attempt=number, at=now, of="something else")
    if item.standing is Standing.AWAITING_APPROVAL:
        yield from (retry_work(item.id), resolve(item.id), cancel_work(item.id), reopen(item.id))


def _decisions(item: Work) -> Iterator[c.GoalCommand]:
    match item.standing:
        case Standing.IN_REVIEW:
            proof = item.attempts[-1].proof
            yield c.AcceptWork(
                work=item.id,
                proof=proof.digest() if proof else Digest(""),
                dispositions=tuple((finding.id, "fixed") for finding in item.findings),
                by="ada",
            )
            yield reopen(item.id)
        case Standing.BLOCKED:
            yield from (retry_work(item.id), resolve(item.id), cancel_work(item.id), reopen(item.id))
        case Standing.PARKED:
            yield from (retry_work(item.id), cancel_work(item.id))
        case Standing.CANCELLED | Standing.INTEGRATED:
            yield reopen(item.id)
        case _:
            return


# --- what must hold


class Walk:
    """One goal, one clock, and everything that has happened."""

    def __init__(self, intent: Intent) -> None:
        self.now = T0
        created = decide(None, create(intent))
        self.goal = self._folded(None, created)
        self.history: list[tuple[Instant, bytes]] = [(T0, encode(event)[1]) for event in created]
        self._ended: set[tuple[str, int]] = set()
        self._keys: dict[str, type] = {}
        self._answers: dict[int, ApprovalState] = {}
        self._quiet: Digest | None = None  # the fingerprint after the last tick
        self._hold()

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.now = Instant(self.now + round(seconds * 1_000_000))
        self._hold()

    def wait_for_wake(self) -> None:
        """Let time pass until harnd wants to look again by itself."""
        wake = position(self.goal, self.now).wake_at
        if wake is not None:
            self.now = wake
        self._hold()

    def take(self, command: c.GoalCommand) -> None:
        """Ask something; a refusal changes nothing."""
        before, goal = self.goal, self.goal
        try:
            events = decide(goal, command)
        except Rejected:
            events = []
        assert before is goal
        self._check_end(events)
        self._check_once(events)
        self.goal = self._folded(goal, events)
        self._check_success(events)
        self.history.extend((self.now, encode(event)[1]) for event in events)
        if isinstance(command, c.Tick):
            self._quiet = fingerprint(self.goal, command.now)
        self._hold()

    def _folded(self, goal: Goal | None, events: list[e.GoalEvent]) -> Goal:
        for event in events:
            goal = evolve(goal, event, self.now)
        assert goal is not None
        return goal

    def finish(self) -> None:
        """The fold of what was stored is the live state."""
        assert fold(self.history) == self.goal

    def _hold(self) -> None:
        self._budgets_hold()
        self._nothing_is_left_open_at_the_end()
        self._what_is_parked_keeps_what_it_needs()
        self._what_is_asked_is_answered_once()
        self._nothing_runs_too_wide()
        self._reviews_end_within_their_bounds()
        self._what_lies_before_a_person_was_reviewed()
        self._a_second_tick_is_empty()
        self._an_equal_fingerprint_starts_nothing()
        self._keys_mean_one_thing()
        check_way_out(self.goal, self.now)

    def _check_end(self, events: list[e.GoalEvent]) -> None:
        """After the end only late results follow, unless a person reopens a success; after archiving nothing else."""
        if self.goal.ending is not None and not any(isinstance(event, e.GoalReopened) for event in events):
            late = {e.AttemptSuperseded, e.ReviewJobSuperseded}
            assert {type(event) for event in events} <= {*late, e.GoalArchived}
        if any(isinstance(event, e.GoalReopened) for event in events):
            assert (self.goal.ending, self.goal.archived) == (Ending.SUCCEEDED, False)
            assert [type(event) for event in events] == [e.GoalReopened, e.WorkReopened]

    def _check_success(self, events: list[e.GoalEvent]) -> None:
        """With a mission a person approves that it is met; without one the append that leaves nothing to do says so."""
        goal = self.goal
        without = goal.intent.mission is None
        assert not any(isinstance(event, e.PlanCompleted if without else e.GoalSucceeded) for event in events)
        if without and goal.ending is None:
            assert not goal.milestone_met()

    def _check_once(self, events: list[e.GoalEvent]) -> None:
        """An attempt ends once, a call returns once."""
        for event in events:
            match event:
                case e.AttemptEnded(work=work, attempt=attempt):
                    name = (str(work), attempt)
                case e.PlannerReturned(plan=plan, call=call):
                    name = (f"plan {plan}", call)
                case e.ReviewJobReturned() | e.ReviewJobSuperseded():
                    name = (f"{event.job} {type(event).__name__}", event.attempt)
                case e.ReviewClosed(plan=plan, round=number):
                    name = (f"round of {plan}", number)
                case e.PlanReviewed(plan=plan, receipt=receipt):
                    name = (f"receipt {receipt}", plan)
                case e.IntegrationProved(work=work, number=number):
                    name = (f"{work} proved", number)
                case e.IntegrationParked(work=work, number=number) | e.WorkIntegrated(work=work, number=number):
                    name = (f"{work} integration", number)
                case _:
                    continue
            assert name not in self._ended
            self._ended.add(name)

    def _budgets_hold(self) -> None:
        limits, enrolled = self.goal.intent.limits, opened(self.goal.intent)
        for unit, entry in self.goal.ledger.entries.items():
            most = max(enrolled.limit(unit), GROWTHS[unit].ceiling if unit in GROWTHS else 0)
            assert enrolled.limit(unit) <= entry.limit <= most
        entries = self.goal.ledger.entries
        assert {unit for unit, entry in entries.items() if entry.left < 0 and unit not in METERED} == set()
        assert [item.id for item in self.goal.work.values() if item.answers > limits.answers_per_work] == []
        assert self.goal.active_runtime(self.now) <= self.now - T0

    def _nothing_is_left_open_at_the_end(self) -> None:
        if self.goal.ending is not None:
            assert not self.goal.calls_running
            assert {entry.reserved for entry in self.goal.ledger.entries.values()} == {0}

    def _what_is_parked_keeps_what_it_needs(self) -> None:
        """It holds its attempt and its calls, and is owed nothing."""
        owed = {effect.work for effect in due(self.goal, self.now) if isinstance(effect, RunAttempt)}
        unended = [item.unended for item in self.goal.work.values() if item.unended is not None]
        entries = self.goal.ledger.entries
        assert entries[Unit.ATTEMPTS].reserved == len(unended)
        planning = 1 if self.goal.plan is not None and self.goal.plan.open_call is not None else 0
        planning += len(self.goal.open_jobs())
        assert entries[Unit.AGENT_CALLS].reserved == planning + sum(attempt.calls for attempt in unended)
        assert [item.id for item in self.goal.work.values() if item.parked is not None and item.id in owed] == []

    def _what_is_asked_is_answered_once(self) -> None:
        """Whoever waits for an answer asked, nothing that ended can still be answered, and no answer is taken back."""
        goal = self.goal
        waiting = {item.id for item in goal.active() if item.standing is Standing.AWAITING_APPROVAL}
        unresumed = waiting if not goal.resumes_approved else set[WorkId]()
        pending = {approval.work for approval in goal.pending_approvals()}
        assert pending <= waiting
        assert waiting - unresumed <= pending
        for approval in goal.approvals:
            unended = goal.work[approval.work].unended
            assert not approval.open or (unended is not None and unended.number == approval.attempt)
            assert approval.state is ApprovalState.APPROVED or not approval.consumed
            before = self._answers.get(approval.number, ApprovalState.PENDING)
            gone = before is ApprovalState.APPROVED and approval.state is ApprovalState.CANCELLED
            assert before in (ApprovalState.PENDING, approval.state) or gone
            self._answers[approval.number] = approval.state

    def _nothing_runs_too_wide(self) -> None:
        running = [item for item in self.goal.work.values() if item.running is not None]
        assert len(running) <= self.goal.intent.limits.parallel_work
        clashes = [(one.id, two.id) for one in running for two in running if one.id < two.id]
        assert [pair for pair in clashes if overlap(*(self.goal.work[name].paths for name in pair))] == []

    def _reviews_end_within_their_bounds(self) -> None:
        """Each author's candidate has so many rounds, and each seat so many attempts, withdrawn ones apart."""
        policy = self.goal.intent.review
        for plan in self.goal.plans:
            assert not plan.reviews or policy is not None
            for review in plan.reviews:
                own = policy.max_revision_rounds if policy and review.author is PlanAuthor.PLANNER else 0
                assert len(review.rounds) <= 1 + own
            assert len([review for review in plan.reviews if review.author is PlanAuthor.PLANNER]) <= 1
            for seat in (seat for each in plan.rounds for seat in each.seats):
                member = self.goal.intent.specialist(seat.reviewer)
                counted = [attempt for attempt in seat.attempts if attempt.opinion or attempt.failure]
                assert seat.charged_attempts() <= member.schema_attempts
                assert len(counted) <= bounds.UNCHARGED_LOST + member.schema_attempts * (
                    bounds.UNCHARGED_UPSTREAM_IN_A_ROW + 1
                )

    def _what_lies_before_a_person_was_reviewed(self) -> None:
        """Under a policy nothing is proposed, and nothing applied without an override, that did not pass."""
        for plan in self.goal.plans if self.goal.intent.review is not None else ():
            if plan.status in (PlanStatus.PROPOSED, PlanStatus.APPLIED, PlanStatus.COMPLETED):
                assert plan.passed != bool(plan.override)
                assert plan.round is not None
                assert plan.round.digest == plan.digest
                spoke = all(seat.opinion is not None for seat in plan.round.seats)
                assert spoke or plan.override

    def _a_second_tick_is_empty(self) -> None:
        after = self._folded(self.goal, step(self.goal, self.now))
        assert step(after, self.now) == []

    def _an_equal_fingerprint_starts_nothing(self) -> None:
        if self._quiet is not None and fingerprint(self.goal, self.now) == self._quiet:
            assert step(self.goal, self.now) == []

    def _keys_mean_one_thing(self) -> None:
        owed = due(self.goal, self.now)
        assert len({effect.key for effect in owed}) == len(owed)
        for effect in owed:
            assert self._keys.setdefault(effect.key, type(effect)) is type(effect)


_OPTIONS = {growth.option: unit for unit, growth in GROWTHS.items()}


def _extension(option: str, amount: str) -> c.ExtendGoal:
    sizes = {"h": 3_600_000_000, "m": 60_000_000}
    size = sizes[amount[-1]] if option == "--runtime" else 1_000_000 if option == "--money" else 1
    return extend_goal({_OPTIONS[option]: round(Decimal(amount.rstrip("hm")) * size)})


def _edited(goal: Goal, plan: str) -> c.EditPlan:
    """A person writes the smallest plan there can be."""
    edited = goal.plans[int(plan) - 1]
    own = a_plan(draft("own"), sequence=len(goal.milestones) + 1)
    named = edited.in_review_attention or not edited.asks
    return c.EditPlan(plan=edited.number, candidate=own, digest=edited.digest if named else None, by="ada")


def _approved(goal: Goal, plan: str) -> c.ApprovePlan:
    found = goal.plans[int(plan) - 1]
    why = "We need it." if found.in_review_attention else None
    return c.ApprovePlan(plan=found.number, digest=found.digest or OTHER, by="ada", override=why)


_VERBS: dict[str, Callable[[Goal, str], c.GoalCommand]] = {
    "plan approve": _approved,
    "plan reject": lambda goal, plan: c.RejectPlan(int(plan), goal.plans[int(plan) - 1].digest or OTHER, "no", "ada"),
    "plan edit": _edited,
    "plan retry": lambda goal, plan: retry_plan(plan=int(plan)),
    "approval approve": lambda goal, number: give(goal, int(number)),
    "approval deny": lambda goal, number: deny(goal, int(number)),
    "work accept": lambda goal, work: next(iter(_decisions(goal.work[WorkId(work)]))),
    "work reopen": lambda goal, work: reopen(work),
    "work retry": lambda goal, work: retry_work(work),
    "work resolve": lambda goal, work: resolve(work),
    "work cancel": lambda goal, work: cancel_work(work),
    "goal cancel": lambda goal, _: cancel_goal(),
    "goal resume": lambda goal, _: resume_goal(),
    "goal reopen": lambda goal, _: reopen_goal(),
    "goal archive": lambda goal, _: archive_goal(),
}
_LOOKING = {"approval show", "plan show", "work show", "work log", "budget"}


def check_way_out(goal: Goal, now: Instant) -> Position:
    """A goal that has not ended has something owed, a deadline, a next step, or a verb that is not refused."""
    where = position(goal, now)
    assert where.reason
    assert where.would_change
    assert (goal.ending is None) == (where.phase not in (Phase.SUCCEEDED, Phase.CANCELLED))
    assert where.wake_at is None or where.wake_at > now
    assert (where.phase is Phase.READY) <= bool(step(goal, now))
    if where.phase is Phase.WAITING:
        assert where.wake_at is not None
        assert step(goal, Instant(where.wake_at - 1)) == []
        assert step(goal, where.wake_at) != []
    _check_extensions(goal, where, now)
    assert (goal.paused is not None and goal.ending is None) == (where.phase is Phase.PAUSED)
    assert goal.ending is None or all(is_open(goal, verb) for verb in where.verbs)
    at_rest = goal.ending is None and where.phase is not Phase.READY and not due(goal, now) and where.wake_at is None
    assert not at_rest or any(is_open(goal, verb) for verb in where.verbs), where
    return where


def _check_extensions(goal: Goal, where: Position, now: Instant) -> None:
    """What a spent budget is said to need is enough: the goal moves, or another condition holds it."""
    for verb in where.verbs:
        if where.phase is Phase.BUDGET_EXHAUSTED and verb.startswith("harnctl goal extend"):
            after = position(live(goal, _extension(*verb.split()[-2:])), now)
            assert (after.phase, after.reason) != (where.phase, where.reason)


def is_open(goal: Goal, verb: str) -> bool:
    """Whether a verb that a position names would not be refused; what only shows something leads nowhere."""
    words = verb.removeprefix("harnctl ").removesuffix(" --override").split()
    name = " ".join(words[:2]) if words[0] != "budget" else "budget"
    if name in _LOOKING:
        return False
    assert goal.intent.goal in words
    try:
        if name == "goal extend":
            return bool(decide(goal, _extension(*words[-2:])))
        return bool(decide(goal, _VERBS[name](goal, words[-1])))
    except Rejected:
        return False
