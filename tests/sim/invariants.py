"""What must always hold, in plain sentences; each is checked after every step of a simulation.

1. One live holder per goal: no append is made under a fence older than one already used.
2. No effect without its stored event: whatever starts is owed by the fold of what is stored.
3. No effect key completes twice with different results.
4. The fold of what is stored is the live state: the rows written with an append are those of the fold.
5. After a terminal event nothing follows but what the design allows.
6. What is spent and set aside never passes a limit, and a limit is what was enrolled and what a person added.
7. No state without an owner or a timer: a goal at rest has ended, waits for a person, or has a deadline.
8. No work is lost: every commit an attempt ended with can be reached from a ref.
9. An attempt ends once, and a planner call returns once.
10. Nothing after a stage that asks is begun before a person has approved exactly what lay there, and that was used.
11. Whatever waits for an approval is what an attempt stands at, and every answer is given once and never taken back.
"""

import re
from typing import TYPE_CHECKING, Any, Final

import anyio
import msgspec

from harnd.actors.projector import project
from harnd.adapters.store.opening import open_inline_store
from harnd.domain.goal.codec import decode, fold
from harnd.domain.goal.due import due
from harnd.domain.goal.events import (
    AttemptEnded,
    AttemptSuperseded,
    BudgetExtended,
    GoalArchived,
    GoalReopened,
    PlannerReturned,
)
from harnd.domain.goal.goal import Ending, Goal
from harnd.domain.goal.ledger import opened
from harnd.domain.goal.position import position
from harnd.domain.goal.template import ApproveStage
from harnd.domain.goal.work import Standing
from harnd.ports.store import Append, Recorded
from protocol.ids import EffectKey, WorkId
from protocol.values import ApprovalState, FailureClass, Phase, Unit
from tests.sim.missions import REPOSITORY

if TYPE_CHECKING:
    from tests.sim.engine import Disk

AT_REST = {
    Phase.AWAITING_ATTENTION,
    Phase.BLOCKED,
    Phase.BUDGET_EXHAUSTED,
    Phase.SUCCEEDED,
    Phase.CANCELLED,
}


_FINAL: Final = (ApprovalState.DENIED, ApprovalState.EXPIRED, ApprovalState.CANCELLED)


class BrokenInvariant(AssertionError):
    """One of the sentences above does not hold."""


class Invariants:
    """The checker; it keeps its own fold and never looks into the engine."""

    def __init__(self, disk: "Disk") -> None:
        self._disk = disk
        self._fence = 0
        self._results: dict[EffectKey, object] = {}
        self._ended: set[tuple[str, int]] = set()
        self._added: dict[Unit, int] = {}
        self._answers: dict[int, ApprovalState] = {}
        self.failures: set[FailureClass] = set()  # every class in which anything failed
        self.goal: Goal | None = None
        self.last_append = 0.0
        self.bugs: list[Exception] = []

    def broken(self, number: int, said: str) -> None:
        raise BrokenInvariant(f"invariant {number}: {said}")

    def appended(self, change: Append, recorded: tuple[Recorded, ...]) -> None:
        if change.fence < self._fence:
            self.broken(1, f"fence {change.fence} after {self._fence}")
        self._fence = change.fence
        self.last_append = anyio.current_time()
        self._check_after_the_end(recorded)
        causes = (getattr(decode(event.body), "failure", None) for event in recorded)
        self.failures |= {cause for cause in causes if cause is not None}
        self.goal = fold(((event.at, event.body) for event in recorded), self.goal)
        if self.goal is None:
            return
        if project(self.goal, change.at) != change.rows:
            self.broken(4, f"rows of the append differ from those of the fold: {change.rows}")
        self._count_extensions(recorded)
        self._check_budgets(self.goal)
        self._check_once(recorded)
        self._check_approvals(self.goal)

    def _check_after_the_end(self, recorded: tuple[Recorded, ...]) -> None:
        if self.goal is not None and self.goal.ending is not None:
            for event in recorded:
                match decode(event.body):
                    case AttemptSuperseded() | GoalArchived():
                        continue
                    case GoalReopened() if self.goal.ending is Ending.SUCCEEDED:
                        return  # what follows it in this append follows upon no end
                    case _:
                        self.broken(5, f"{event.tag} after {self.goal.ending}")

    def _count_extensions(self, recorded: tuple[Recorded, ...]) -> None:
        for event in recorded:
            match decode(event.body):
                case BudgetExtended(added=added):
                    for unit, count in added.items():
                        self._added[unit] = self._added.get(unit, 0) + count
                case _:
                    continue

    def _check_budgets(self, goal: Goal) -> None:
        enrolled = opened(goal.intent)
        for unit, entry in goal.ledger.entries.items():
            if entry.left < 0:
                self.broken(6, f"{unit}: {entry}")
            if entry.limit != enrolled.limit(unit) + self._added.get(unit, 0):
                self.broken(6, f"{unit}: {entry} is not what was enrolled and added")
        for item in goal.work.values():
            if item.answers > goal.intent.limits.answers_per_work:
                self.broken(6, f"{item.id} had {item.answers} answers")

    def _check_once(self, recorded: tuple[Recorded, ...]) -> None:
        for record in recorded:
            name: tuple[str, int]
            match decode(record.body):
                case AttemptEnded(work=work, attempt=attempt):
                    name = (work, attempt)
                case PlannerReturned(plan=plan, call=call):
                    name = (f"plan {plan}", call)
                case _:
                    continue
            if name in self._ended:
                self.broken(9, f"{name} ended twice")
            self._ended.add(name)

    def _check_approvals(self, goal: Goal) -> None:
        for approval in goal.approvals:
            item = goal.work[approval.work]
            unended = item.unended is not None and item.unended.number == approval.attempt
            if approval.open and not unended:
                self.broken(11, f"approval {approval.number} is {approval.state}, and its attempt has ended")
            if approval.consumed and approval.state is not ApprovalState.APPROVED:
                self.broken(11, f"approval {approval.number} was used and is {approval.state}")
            said = self._answers.setdefault(approval.number, approval.state)
            if approval.state is not said and said in _FINAL:
                self.broken(11, f"approval {approval.number} was {said} and is {approval.state}")
            if said is ApprovalState.APPROVED and approval.state not in (said, ApprovalState.CANCELLED):
                self.broken(11, f"approval {approval.number} was {said} and is {approval.state}")
            self._answers[approval.number] = approval.state
        waiting = {item.id for item in goal.work.values() if item.standing is Standing.AWAITING_APPROVAL}
        asked = {each.work for each in goal.approvals if each.state is ApprovalState.PENDING}
        if asked != waiting:
            self.broken(11, f"{sorted(waiting)} wait, and {sorted(asked)} are asked about")

    def _check_asked(self, goal: Goal, key: EffectKey) -> None:
        """Check that every stage that asks, before the one that begins, has been passed."""
        found = re.fullmatch(r"goal/[^/]+/work/([^/]+)/attempt/(\d+)/(stage|proof|record)(?:/([^/]+))?.*", key)
        if found is None:
            return
        work, attempt, what, name = WorkId(found[1]), int(found[2]), found[3], found[4]
        for stage in goal.template_of(goal.work[work]).stages:
            if what == "stage" and stage.name == name:
                return
            if isinstance(stage, ApproveStage):
                approval = goal.approval_of(work, attempt, stage.name)
                if approval is None or not approval.consumed:
                    self.broken(10, f"{key} started before {stage.name} was passed: {approval}")

    def effect_started(self, key: EffectKey) -> None:
        if self.goal is not None:
            self._check_asked(self.goal, key)
        owed = {effect.key for effect in due(self.goal, self._disk.clock.now())} if self.goal else set()
        # A proof of the integrated tree belongs to the integration, whose key differs from the attempt's.
        belongs = any(key == name or key.startswith(f"{name}/") for name in owed)
        if not belongs and not ("/integrated/" in key and any("/integration/" in name for name in owed)):
            self.broken(2, f"{key} started, owed are {sorted(owed)}")

    def effect_ended(self, key: EffectKey, result: Any) -> None:
        plain = msgspec.to_builtins(result)
        if self._results.setdefault(key, plain) != plain:
            self.broken(3, f"{key} ended again with another result: {self._results[key]} then {plain}")

    async def at_rest(self) -> None:
        """Check what must hold when no supervisor runs."""
        async with open_inline_store(self._disk.database, self._disk.clock) as store:
            history = await store.read(self._disk.goal)
        goal = fold((event.at, event.body) for event in history)
        if goal != self.goal:
            self.broken(4, "the fold of the stream is not what was seen")
        if goal is None:
            return
        where = position(goal, self._disk.clock.now())
        if where.phase not in AT_REST and where.wake_at is None:
            self.broken(7, f"{where.phase}: {where.reason}")
        if where.phase in (Phase.AWAITING_ATTENTION, Phase.BLOCKED, Phase.BUDGET_EXHAUSTED) and not where.verbs:
            self.broken(7, f"no verb leads out of {where.phase}: {where.reason}")
        self._check_commits(goal)

    def _check_commits(self, goal: Goal) -> None:
        repository = self._disk.workspace.repository(REPOSITORY)
        kept = {commit for at in repository.refs.values() for commit in repository.past(at)}
        for item in goal.work.values():
            for attempt in item.attempts:
                if attempt.commit is not None and attempt.commit not in kept:
                    self.broken(8, f"{item.id} attempt {attempt.number}: {attempt.commit} is on no ref")
