"""What holds for every goal, whatever is asked of it and in whatever order.

Walks are long and random; the small world is walked exhaustively, every sensible thing from every state.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harnd.domain.goal import commands as c
from harnd.domain.goal.candidate import WorkDraft
from harnd.domain.goal.decide import decide
from harnd.domain.goal.fingerprint import fingerprint
from harnd.domain.goal.goal import Ending, Goal
from harnd.domain.goal.intent import Intent
from harnd.domain.goal.position import position
from harnd.domain.goal.receipt import owed_receipt
from harnd.domain.goal.template import ApproveStage
from harnd.domain.goal.work import Standing, Work
from harnd.domain.rejected import Rejected
from protocol.ids import Digest
from protocol.values import ApprovalState, FailureClass, Instant, Phase
from tests.domain.goal.walking import PLANS, Walk, check_way_out, senseless, sensible
from tests.kit.given import (
    T0,
    a_plan,
    a_proof,
    a_template,
    an_intent,
    answered,
    asked,
    babbled,
    cancel_work,
    completion,
    create,
    deny,
    draft,
    failed,
    give,
    live,
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
from tests.kit.panels import APPROVES, OBJECTS, kept, said, silent
from tests.kit.panels import TWO as READERS

TEMPLATES = (a_template(), a_template("wide", agents=3, wide=True), a_template("chore", root=False))


def small_or_plenty(least: int, plenty: int) -> Any:
    return st.just(plenty) | st.integers(least, plenty)


# A mission alone, around work of its operator's, and that work without a mission, with a planner and without.
shapes = st.sampled_from(
    [
        {},
        {},
        {"graph": PLANS[1]},
        {"graph": PLANS[0], "mission": False, "planner": False},
        {"graph": PLANS[3], "mission": False, "planner": False},
        {"graph": PLANS[2], "mission": False},
        {"reviewers": READERS[:1]},
        {"reviewers": READERS, "rounds": 2},
        {"reviewers": READERS, "rounds": 1, "graph": PLANS[0]},
    ]
)
intents = st.builds(
    lambda shape, **bounds: an_intent(**shape, **bounds),
    shapes,
    templates=st.just(TEMPLATES),
    milestones=small_or_plenty(1, 5),
    replans=small_or_plenty(1, 12),
    planned_work=small_or_plenty(1, 25),
    schema_attempts=small_or_plenty(1, 4),
    attempts=small_or_plenty(1, 60),
    agent_calls=small_or_plenty(1, 200),
    answers_per_work=small_or_plenty(1, 20),
    parallel_work=st.integers(1, 3),
    agent_concurrency=st.integers(1, 4),
    auto_apply=st.booleans(),
    accept_passing_proof=st.booleans(),
    retry_blocked=st.booleans(),
    resume_approved=st.booleans(),
    active_runtime=st.sampled_from([10**12, 10**12, 3_600_000_000, 60_000_000, 1]),
    ticks=small_or_plenty(1, 200),
    tokens=st.none() | small_or_plenty(1, 10**9),
    money=st.none() | st.integers(1, 10**9),
)
# Mostly what moves a goal on, so that walks get somewhere; each step also says how long it took.
kinds = st.sampled_from(["good", "good", "good", "on", "tick", "tick", "astray", "wake"])
times = st.sampled_from([0, 0, 0, 0.000001, 1, 29.999999, 30, 600, 3_600])
walks = st.lists(st.tuples(kinds, st.integers(0, 10_000), times), max_size=80)


@settings(max_examples=200)
@given(intents, walks)
def test_no_sequence_of_commands_breaks_what_must_hold(intent: Intent, steps: list[tuple[str, int, float]]):
    walk = Walk(intent)
    for kind, choice, seconds in steps:
        match kind:
            case "wake":
                walk.wait_for_wake()
            case "tick":
                walk.take(tick(walk.now))
            case _:
                menu = list((senseless if kind == "astray" else sensible)(walk.goal, walk.now))
                few = min(5, len(menu)) if kind == "good" else len(menu)
                walk.take(menu[choice % few])
        walk.wait(seconds)
    walk.finish()


# --- small worlds, walked exhaustively


class World(NamedTuple):
    """A goal with tiny budgets, the one plan its planner ever proposes, and every state it can come to."""

    intent: Intent
    work: tuple[WorkDraft, ...]
    states: dict[bytes, Goal]
    leads: dict[bytes, set[bytes]]


OWN = a_plan(draft("own"))
FEW = (FailureClass.PROOF, FailureClass.ENVIRONMENT)


def tiny(*, ticks: int, calls: int = 4, **shape: Any) -> Intent:
    return an_intent(
        **{"templates": [a_template(attempts=2)], **shape},
        milestones=1,
        replans=2,
        schema_attempts=1,
        attempts=2,
        agent_calls=calls,
        answers_per_work=2,
        ticks=ticks,
    )


ONE, TWO = (draft("a"),), (draft("a"), draft("b", "a"))
ALONE: Mapping[str, Any] = {"graph": ONE, "mission": False, "planner": False}
ASKS = msgspec.structs.replace(
    a_template(attempts=2),
    stages=(*a_template().stages, ApproveStage("ask", "Publish it?")),
)
WORLDS: Mapping[str, Callable[[], World]] = {
    "one item": lambda: walked(tiny(ticks=5), *ONE),
    "two items": lambda: walked(tiny(ticks=6), *TWO, failures=FEW[:1]),
    "own work": lambda: walked(tiny(ticks=5, graph=TWO, mission=False, planner=False)),
    "own work in a mission": lambda: walked(tiny(ticks=4, graph=ONE)),
    "tried again": lambda: walked(tiny(ticks=4, **ALONE, retry_blocked=True)),
    "asks": lambda: walked(tiny(ticks=3, **ALONE, templates=[ASKS])),
    "asks, and goes on when told": lambda: walked(tiny(ticks=3, **ALONE, templates=[ASKS], resume_approved=False)),
    "edited, or applied and accepted unasked": lambda: walked(
        tiny(ticks=4, auto_apply=True, accept_passing_proof=True), *ONE
    ),
    "reviewed": lambda: walked(tiny(ticks=6, calls=5, reviewers=READERS[:1]), *ONE),
    "fails in every way": lambda: walked(tiny(ticks=3, **ALONE), failures=FailureClass),
    "fails in every way in a mission": lambda: walked(tiny(ticks=3, graph=ONE), failures=FailureClass),
}


@pytest.fixture(scope="module", params=WORLDS)
def world(request: pytest.FixtureRequest) -> World:
    return WORLDS[request.param]()


def walked(intent: Intent, *work: WorkDraft, failures: Iterable[FailureClass] = FEW) -> World:
    """Go everywhere, breadth first; time stands still, and pauses are waited for."""
    start = live(None, create(intent))
    states, leads = {key_of(start): start}, dict[bytes, set[bytes]]()
    waiting = deque(states)
    while waiting:
        key = waiting.popleft()
        goal, leads[key] = states[key], set()
        for command in moves(goal, work, tuple(failures)):
            after = tried(goal, command)
            reached = key if after is goal else key_of(after)  # a key costs as much as a decision
            leads[key].add(reached)
            if reached not in states:
                states[reached] = after
                waiting.append(reached)
    return World(intent, work, states, leads)


def tried(goal: Goal, command: c.GoalCommand) -> Goal:
    """The goal after a command; a refusal changes nothing."""
    try:
        return live(goal, command)
    except Rejected:
        return goal


def key_of(goal: Goal) -> bytes:
    return msgspec.json.encode(msgspec.structs.replace(goal, version=0))


def next_look(goal: Goal) -> Instant:
    where = position(goal, T0)
    return where.wake_at if where.phase is Phase.WAITING and where.wake_at is not None else T0


def moves(goal: Goal, work: tuple[WorkDraft, ...], failures: tuple[FailureClass, ...]) -> Iterator[c.GoalCommand]:
    """One of each kind of thing that can happen to a small goal."""
    yield tick(next_look(goal))
    plan = goal.plan
    if plan is not None and plan.open_call is not None:
        number, call = plan.number, plan.open_call.number
        if work:
            yield answered(a_plan(*work), plan=number, call=call)
        yield answered(completion(*(item.id for item in goal.active()[-1:])), plan=number, call=call)
        yield answered(question(), plan=number, call=call)
        yield babbled(plan=number, call=call)
        yield unanswered(FailureClass.UPSTREAM, plan=number, call=call)
    yield from review_moves(goal)
    if plan is not None and plan.asks:
        yield retry_plan(plan=plan.number)
    if plan is not None and plan.digest is not None:
        yield c.ApprovePlan(plan=plan.number, digest=plan.digest, by="ada")
        yield c.RejectPlan(plan=plan.number, digest=plan.digest, guidance="no", by="ada")
    unattended = goal.intent.replanning is not None and goal.intent.replanning.auto_apply
    if plan is not None and plan.candidate != OWN and unattended:  # in one world: each edit doubles what follows
        base = None if plan.asks else plan.digest
        yield c.EditPlan(plan=plan.number, candidate=OWN, digest=base, by="ada")
    if goal.ending is None and goal.work and not goal.calls_running:
        yield resume_goal() if goal.paused else pause_goal()
    if goal.ending is not None:
        yield reopen_goal()
        return
    for item in goal.active():
        number = len(item.attempts)
        match item.standing:
            case Standing.RUNNING:
                yield succeeded(item.id, number, proof=a_proof(item.id))
                yield from (failed(item.id, failure, number) for failure in failures)
                yield from asking(goal, item)
            case Standing.IN_REVIEW:
                findings = tuple((finding.id, "fixed") for finding in item.findings)
                yield c.AcceptWork(work=item.id, proof=a_proof(item.id).digest(), dispositions=findings, by="ada")
            case Standing.INTEGRATING:
                yield proved(item.id, len(item.integrations))
                yield moved(item.id, len(item.integrations))
                yield parked(item.id, len(item.integrations))
            case Standing.BLOCKED:
                yield from (retry_work(item.id), resolve(item.id), cancel_work(item.id))
            case Standing.CANCELLED | Standing.INTEGRATED:
                yield reopen(item.id)
            case Standing.AWAITING_APPROVAL:
                yield from (resolve(item.id), cancel_work(item.id))
                for approval in goal.pending_approvals():
                    yield from (give(goal, approval.number), deny(goal, approval.number), tick(approval.expires_at))
            case Standing.PARKED:
                yield cancel_work(item.id)
            case Standing.OPEN | Standing.ACCEPTED:
                pass


def asking(goal: Goal, item: Work) -> Iterator[c.GoalCommand]:
    """What an attempt says at the next stage that asks: that it was approved, or what is to be."""
    stages = [stage.name for stage in goal.template_of(item).stages if isinstance(stage, ApproveStage)]
    number = len(item.attempts)
    asked_at = {stage: goal.approval_of(item.id, number, stage) for stage in stages}
    following = [stage for stage, approval in asked_at.items() if approval is None or not approval.consumed]
    for stage in following[:1]:
        approval = asked_at[stage]
        if approval is not None and approval.state is ApprovalState.APPROVED:
            yield use(goal, approval.number)
        report = asked(item.id, attempt=number)
        yield msgspec.structs.replace(report, report=msgspec.structs.replace(report.report, stage=stage))


def review_moves(goal: Goal) -> Iterator[c.GoalCommand]:
    if owed_receipt(goal) is not None:
        yield kept(goal)
    for each, seat, attempt in goal.open_jobs():
        name, plan, at, number = seat.reviewer, len(goal.plans), each.number, attempt.number
        yield from (said(name, what, plan=plan, at=at, attempt=number) for what in (APPROVES, OBJECTS))
        yield silent(name, FailureClass.AUTH, plan=plan, at=at, attempt=number)


def test_no_state_is_without_a_way_out(world: World):
    for goal in world.states.values():
        check_way_out(goal, T0)


def test_what_nothing_but_giving_up_leads_out_of_has_spent_a_budget_or_was_given_up(world: World):
    stuck = [world.states[key] for key, after in world.leads.items() if after == {key}]
    phases = {(position(goal, T0).phase, bool(goal.ledger.exhausted())) for goal in stuck if goal.ending is None}
    assert phases <= {(phase, True) for phase in (Phase.BUDGET_EXHAUSTED, Phase.BLOCKED, Phase.AWAITING_ATTENTION)}


def test_success_is_among_the_ends_and_has_nothing_open(world: World):
    ends = [goal for goal in world.states.values() if goal.ending is Ending.SUCCEEDED]
    assert ends
    assert {goal.milestone_met() and not goal.calls_running for goal in ends} == {True}


def test_in_every_state_a_second_tick_is_empty_and_no_budget_is_passed(world: World):
    for goal in world.states.values():
        after = tried(goal, tick(next_look(goal)))
        assert decide(after, tick(next_look(goal))) == []
        assert min(entry.left for entry in goal.ledger.entries.values()) >= 0


def test_states_in_which_another_step_is_possible_differ_by_their_fingerprints(world: World):
    """Of two states of equal fingerprint either both have a next step or none: the fingerprint misses nothing."""
    steps: dict[Digest, bool] = {}
    for goal in world.states.values():
        possible = bool(decide(goal, tick(T0)))
        assert steps.setdefault(fingerprint(goal, T0), possible) is possible
