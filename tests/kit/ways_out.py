"""Every way out: for every phase, every class of failure and every verb, what comes next, as one table in words.

    PYTHONPATH=. python -m tests.kit.ways_out

writes the table anew; `test_ways_out` compares it and holds what must be true of every row.  A situation is a goal in
one phase in which something failed in one class; each verb of a person is then put to the real rules.  Classes that
lead to the same rows share them, with `CLASS` and `ADVICE` for what the failure table says of each.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from harnd.domain.goal import commands as c
from harnd.domain.goal.deadlines import deadlines
from harnd.domain.goal.failure import ROWS
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.position import Position, position
from harnd.domain.goal.work import Standing, Work
from harnd.domain.rejected import Rejected
from protocol.ids import Digest, WorkId
from protocol.values import Asked, FailureClass, Instant, Phase, Unit
from tests.kit.given import (
    T0,
    a_plan,
    a_proof,
    answered,
    applied,
    approve,
    cancelled,
    completion,
    draft,
    extend_goal,
    failed,
    give,
    integrated,
    live,
    plain,
    planning,
    resolve,
    retry_work,
    succeeded,
    tick,
    unanswered,
)
from tests.kit.given import asked as asked_for
from tests.kit.panels import OBJECTS, kept, passed, read_by

TABLE: Final = Path(__file__).parents[1] / "domain" / "goal" / "golden" / "ways_out.txt"
GOAL: Final = "billing"
WORK: Final = WorkId("p1.a")
OTHER: Final = Digest("0" * 64)

# --- situations

OTHERS: Final = (draft("a"), draft("b"), draft("c", "a", "b"))


def _one(goal: Goal, key: str = "a") -> Work:
    """Return an item of the first graph, whoever planned it."""
    return next(found for found in goal.work.values() if found.key == key)


def until_it_stops(goal: Goal, failure: FailureClass) -> Goal:
    """Let `a` fail in one class until harnd itself tries it no more, or only after a pause."""
    at = max(T0, goal.last_at)
    while _one(goal).standing in (Standing.OPEN, Standing.RUNNING):
        if _one(goal).standing is Standing.OPEN:
            at = _after_pauses(goal, at)
            goal = live(goal, tick(at), at=at)
        name, attempt = _one(goal).id, len(_one(goal).attempts)
        goal = live(goal, failed(name, failure, attempt, calls=0), at=at)
    return goal


def _after_pauses(goal: Goal, at: Instant) -> Instant:
    return max((at, *deadlines(goal, at)))


def _ready(failure: FailureClass) -> Goal:
    """The item stopped, and another could be started."""
    return until_it_stops(live(applied(*OTHERS, parallel_work=1), tick()), failure)


def _running(failure: FailureClass) -> Goal:
    """The item stopped, and another runs."""
    return until_it_stops(live(applied(*OTHERS), tick()), failure)


def _waiting(failure: FailureClass) -> Goal:
    """The item stopped, and another waits for its provider."""
    return live(_running(failure), failed("p1.b", FailureClass.UPSTREAM, 1))


def _in_review(failure: FailureClass) -> Goal:
    """The item stopped, and another waits to be accepted."""
    return live(_running(failure), succeeded("p1.b", proof=a_proof("p1.b")))


def _asks(failure: FailureClass) -> Goal:
    """The item stopped, and another asks a person before it goes on."""
    return live(_running(failure), asked_for("p1.b"))


def _approved(failure: FailureClass) -> Goal:
    """The item stopped, and another was approved and does not go on by itself."""
    goal = until_it_stops(live(applied(*OTHERS, resume_approved=False), tick()), failure)
    goal = live(goal, asked_for("p1.b"))
    return live(goal, give(goal))


def _planner(failure: FailureClass) -> Goal:
    """The planner failed until it was asked no more."""
    goal, at = planning(), T0
    while goal.plan is not None and not goal.plan.asks:
        call = goal.plan.open_call
        if call is None:
            at = _after_pauses(goal, at)
            goal = live(goal, tick(at), at=at)
        else:
            goal = live(goal, unanswered(failure, call=call.number), at=at)
    return goal


def _stopped(failure: FailureClass, **intent: int) -> Goal:
    """The item stopped, there is no other, and no planner."""
    return until_it_stops(live(plain(**intent), tick()), failure)


def _in_a_mission(failure: FailureClass) -> Goal:
    """The item stopped in a mission, and there is no other."""
    return until_it_stops(live(applied(), tick()), failure)


def _recovering(failure: FailureClass) -> Goal:
    """The item stopped, and the planner has proposed another way."""
    goal = live(_in_a_mission(failure), tick())
    return live(goal, answered(a_plan(draft("d"), sequence=2), plan=len(goal.plans)))


def _not_passed(failure: FailureClass) -> Goal:
    """The item stopped, and the planner's other way did not pass its review."""
    goal = until_it_stops(live(passed(), approve(a_plan()), tick()), failure)
    goal = live(goal, tick())
    goal = live(goal, answered(a_plan(draft("d"), sequence=2), plan=len(goal.plans)), tick())
    goal = read_by(goal, OBJECTS)
    return live(goal, kept(goal))


def _without_milestones(failure: FailureClass) -> Goal:
    """The item stopped, and there is no milestone left for another way."""
    return until_it_stops(live(applied(milestones=1), tick()), failure)


def _paused(failure: FailureClass) -> Goal:
    """The item stopped, and a person holds the goal."""
    return live(_stopped(failure), c.PauseGoal(by="ada", reason="lunch"))


def _without_attempts(failure: FailureClass) -> Goal:
    """The item stopped, and every attempt of the goal is spent."""
    return _stopped(failure, attempts=max(1, _one(_stopped(failure)).charged_attempts()))


def _exhausted(failure: FailureClass) -> Goal:
    """The item stopped, and every step of the goal is spent."""
    ledger = _stopped(failure).ledger
    return _stopped(failure, ticks=ledger.limit(Unit.TICKS) - ledger.left(Unit.TICKS))


def _retried_later(failure: FailureClass) -> Goal:
    """The item stopped, and harnd tries it again after a pause."""
    return _stopped(failure, retry_blocked=True)


def _retried_later_in_a_mission(failure: FailureClass) -> Goal:
    """The item stopped in a mission, and harnd tries it again before the planner is asked."""
    return until_it_stops(live(applied(retry_blocked=True), tick()), failure)


def _retried_in_vain(failure: FailureClass) -> Goal:
    """The item stopped, and stopped again each time that harnd tried it unasked."""
    goal = _retried_later(failure)
    while (pause := max(deadlines(goal, goal.last_at), default=None)) is not None:
        goal = until_it_stops(live(goal, tick(pause), at=pause), failure)
    return goal


def _succeeded(failure: FailureClass) -> Goal:
    """A person had it tried again, and the mission was met."""
    goal = integrated(live(_in_a_mission(failure), retry_work(WORK)), WORK)
    done = completion(WORK)
    goal = live(goal, tick(), answered(done, plan=len(goal.plans) + 1))
    return live(goal, _approve(goal))


def _cancelled(failure: FailureClass) -> Goal:
    """A person ended it all."""
    return cancelled(_stopped(failure))


class Kind(NamedTuple):
    """How a situation comes to be, and which failures lead to it: all, a person's, the planner's, what may pass."""

    build: Callable[[FailureClass], Goal]
    asked: Asked | None = None
    unattended: bool = False

    def exists(self, failure: FailureClass) -> bool:
        row = ROWS[failure]
        return self.asked in (None, row.asked) and (row.unattended or not self.unattended)


SITUATIONS: Final[Mapping[str, Kind]] = {
    "ready": Kind(_ready),
    "ready, for another way": Kind(_in_a_mission, Asked.PLANNER),
    "running": Kind(_running),
    "waiting": Kind(_waiting),
    "waiting, to be tried again unasked": Kind(_retried_later, unattended=True),
    "waiting, to be tried again before the planner is asked": Kind(
        _retried_later_in_a_mission, Asked.PLANNER, unattended=True
    ),
    "awaiting_attention, for other work": Kind(_in_review),
    "awaiting_attention, for an approval": Kind(_asks),
    "awaiting_attention, for approved work": Kind(_approved),
    "awaiting_attention, for the planner": Kind(_planner),
    "awaiting_attention, for another way": Kind(_recovering, Asked.PLANNER),
    "awaiting_attention, for another way that did not pass": Kind(_not_passed, Asked.PLANNER),
    "awaiting_attention, without a milestone": Kind(_without_milestones, Asked.PLANNER),
    "blocked": Kind(_stopped),
    "blocked, in a mission": Kind(_in_a_mission, Asked.PERSON),
    "blocked, without attempts": Kind(_without_attempts),
    "blocked, tried again unasked in vain": Kind(_retried_in_vain, unattended=True),
    "paused": Kind(_paused),
    "budget_exhausted": Kind(_exhausted),
    "succeeded": Kind(_succeeded),
    "cancelled": Kind(_cancelled),
}

# --- verbs


class About(NamedTuple):
    """What a verb is about: what the goal says is to be decided, and otherwise the item that stopped."""

    goal: Goal
    work: WorkId
    unit: Unit


def asked(goal: Goal, stands: Position) -> About:
    """Find out from the verbs that are offered which item they are about, and from the position which budget."""
    words = next((verb.split() for verb in stands.verbs if verb.startswith("harnctl work")), [])
    work = _one(goal).id if goal.work else WORK
    return About(goal, WorkId(words[4]) if words else work, stands.grows or Unit.ATTEMPTS)


def _approve(goal: Goal) -> c.ApprovePlan:
    override = "We need it." if goal.plan is not None and goal.plan.in_review_attention else None
    return c.ApprovePlan(plan=_newest(goal), digest=_digest(goal), by="ada", override=override)


def _newest(goal: Goal) -> int:
    return max(1, len(goal.plans))


def _digest(goal: Goal) -> Digest:
    return (goal.plan.digest if goal.plan else None) or OTHER


def _approval(goal: Goal) -> tuple[int, Digest]:
    return (len(goal.approvals), goal.approvals[-1].digest) if goal.approvals else (1, OTHER)


def _give(about: About) -> c.GiveApproval:
    number, digest = _approval(about.goal)
    return c.GiveApproval(approval=number, digest=digest, by="ada", now=about.goal.last_at)


def _deny(about: About) -> c.DenyApproval:
    number, digest = _approval(about.goal)
    return c.DenyApproval(approval=number, digest=digest, reason="not yet", by="ada", now=about.goal.last_at)


def _accept(about: About) -> c.AcceptWork:
    found = about.goal.work.get(about.work)
    proof = found.last.proof if found and found.last else None
    findings = tuple((finding.id, "fixed") for finding in found.findings) if found else ()
    return c.AcceptWork(work=about.work, proof=proof.digest() if proof else OTHER, dispositions=findings, by="ada")


def _edit(goal: Goal) -> c.EditPlan:
    """Write the smallest plan there can be, in place of what is proposed or still owed."""
    plan = goal.plan
    own = a_plan(draft("own"), sequence=len(goal.milestones) + 1)
    base = plan.digest if plan is not None and (plan.in_review_attention or not plan.asks) else None
    return c.EditPlan(plan=_newest(goal), candidate=own, digest=base, by="ada")


VERBS: Final[Mapping[str, Callable[[About], c.GoalCommand]]] = {
    "plan approve": lambda about: _approve(about.goal),
    "plan reject": lambda about: c.RejectPlan(
        plan=_newest(about.goal), digest=_digest(about.goal), guidance="smaller", by="ada"
    ),
    "plan edit": lambda about: _edit(about.goal),
    "plan retry": lambda about: c.RetryPlan(plan=_newest(about.goal), guidance="CSV", by="ada"),
    "approval approve": _give,
    "approval deny": _deny,
    "work accept": _accept,
    "work reopen": lambda about: c.ReopenWork(work=about.work, findings=("It is slow.",), by="ada"),
    "work retry": lambda about: retry_work(about.work),
    "work resolve": lambda about: resolve(about.work),
    "work cancel": lambda about: c.CancelWork(work=about.work, reason="not needed", by="ada"),
    "goal pause": lambda _: c.PauseGoal(by="ada", reason="lunch"),
    "goal resume": lambda _: c.ResumeGoal(by="ada"),
    "goal reopen": lambda _: c.ReopenGoal(work=None, findings=("It is slow.",), by="ada"),
    "goal archive": lambda _: c.ArchiveGoal(by="ada"),
    "goal extend": lambda about: extend_goal({about.unit: 10}),
    "goal cancel": lambda _: c.CancelGoal(by="ada", reason="not needed"),
}

# --- the table


class Row(NamedTuple):
    """What one verb leads to: a refusal's code, or whether anything happens and where the goal stands then."""

    verb: str
    refused: str = ""
    happens: bool = False
    after: Position | None = None


class Situation(NamedTuple):
    """A goal in a phase in which something failed in a class, and what each verb makes of it."""

    name: str
    failure: FailureClass
    goal: Goal
    now: Instant
    stands: Position
    rows: tuple[Row, ...]


def situations() -> Iterator[Situation]:
    """Build every situation there is."""
    for name, kind in SITUATIONS.items():
        for failure in filter(kind.exists, FailureClass):
            goal = kind.build(failure)
            now = goal.last_at
            stands = position(goal, now)
            rows = tuple(_row(asked(goal, stands), verb, now) for verb in VERBS)
            yield Situation(name, failure, goal, now, stands, rows)


def _row(about: About, verb: str, now: Instant) -> Row:
    command = VERBS[verb](about)
    try:
        after = live(about.goal, command, at=now)
    except Rejected as refusal:
        return Row(verb, refused=refusal.code)
    return Row(verb, happens=after.version != about.goal.version, after=position(after, now))


def table(found: Iterable[Situation] | None = None) -> str:
    """Write the table."""
    blocks: dict[str, dict[str, list[str]]] = {}
    for each in found or situations():
        text = "\n".join(_lines(each))
        blocks.setdefault(each.name, {}).setdefault(text, []).append(each.failure.value)
    parts = [_HEAD]
    for name, texts in blocks.items():
        for text, classes in texts.items():
            parts.append(f"== {name} · {', '.join(classes)}\n{text}")
    return "\n\n".join(parts) + "\n"


_HEAD = "Every way out.  Written by `python -m tests.kit.ways_out`; see there for how to read it."


def _lines(found: Situation) -> Iterator[str]:
    def plain(text: str) -> str:
        advice = ROWS[found.failure].advice
        for each in (advice, advice.replace(", then retry", ", then resolve it")):
            text = text.replace(each, "ADVICE")
        return text.replace(f"({found.failure})", "(CLASS)")

    yield plain(_told(found.stands))
    for row in found.rows:
        if row.after is not None and row.happens:
            same = row.after == found.stands
            yield f"   {row.verb} → {'the same' if same else plain(_told(row.after))}"
    idle = [row.verb for row in found.rows if row.after is not None and not row.happens]
    if idle:
        yield f"   already so: {', '.join(idle)}"
    refused = [f"{row.verb} ({row.refused})" for row in found.rows if row.refused]
    if refused:
        yield f"   refused: {', '.join(refused)}"


def _told(where: Position) -> str:
    verbs = [verb.removeprefix("harnctl ").replace(f" {GOAL}", "") for verb in where.verbs]
    offered = f" [{'; '.join(verbs)}]" if verbs else ""
    clock = " (by itself)" if where.wake_at is not None and where.phase is not Phase.RUNNING else ""
    return f"{where.phase}/{where.next_action}: {where.reason}{clock}{offered}"


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
