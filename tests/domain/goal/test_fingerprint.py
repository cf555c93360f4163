"""The fingerprint: equal where nothing can have changed what is due, different after each fact that can."""

import itertools

import msgspec
import pytest

from harnd.domain.goal import events as e
from harnd.domain.goal.commands import GoalCommand
from harnd.domain.goal.evolve import evolve
from harnd.domain.goal.fingerprint import fingerprint
from harnd.domain.goal.goal import Goal
from protocol.ids import InstanceId, WorkId
from protocol.values import FailureClass
from tests.kit.given import (
    T0,
    a_flaky_proof,
    a_goal,
    a_plan,
    accept,
    answered,
    applied,
    approve,
    babbled,
    cancel_work,
    cancelled,
    completion,
    draft,
    failed,
    in_review,
    integrating,
    later,
    live,
    moved,
    parked,
    planning,
    proposed,
    proved,
    question,
    reassessing,
    reject,
    reopen,
    retry_plan,
    retry_work,
    succeeded,
    tick,
    unanswered,
    working,
)

TWO = (draft("a"), draft("b"), draft("c", "a", "b"))
DONE = completion("p1.a")


def test_equal_facts_have_equal_fingerprints():
    assert fingerprint(working(), T0) == fingerprint(working(), T0)


@pytest.mark.parametrize(
    "goal",
    [a_goal(), planning(), proposed(), applied(), working(*TWO), in_review(), integrating(), cancelled(a_goal())],
    ids=["new", "planning", "proposed", "applied", "working", "in review", "integrating", "cancelled"],
)
def test_ticks_attendance_and_the_passing_of_time_change_nothing(goal):
    before = fingerprint(goal, T0)
    assert fingerprint(evolve(goal, e.GoalTicked(), later(5)), later(5)) == before
    assert fingerprint(evolve(goal, e.GoalAttended(InstanceId("second")), later(5)), later(5)) == before
    assert fingerprint(goal, later(60)) == before


def test_a_late_result_changes_nothing():
    goal = in_review()
    assert fingerprint(live(goal, failed("p1.a")), T0) == fingerprint(goal, T0)


def states(goal: Goal, *commands: GoalCommand) -> list[Goal]:
    """The goal after each of these, the first included."""
    goals = [goal]
    for command in commands:
        goals.append(live(goals[-1], command))
    return goals


LIVES = {
    "planning": states(
        a_goal(),
        tick(),
        babbled(),
        tick(),
        answered(a_plan(*TWO), call=2),
        reject(a_plan(*TWO)),
        tick(),
        answered(question(), plan=2),
        retry_plan(plan=2),
        tick(),
        unanswered(FailureClass.REFUSAL, plan=3),
        retry_plan("", plan=3),
        tick(),
        answered(a_plan(), plan=4),
        approve(a_plan(), plan=4),
    ),
    "work": states(
        applied(*TWO),
        tick(),
        failed("p1.a"),
        tick(),
        succeeded("p1.a", 2),
        accept("p1.a"),
        tick(),
        proved("p1.a"),
        moved("p1.a"),
        failed("p1.b", FailureClass.REFUSAL),
        retry_work("p1.b"),
        tick(),
        succeeded("p1.b", 2),
        reopen("p1.b"),
        tick(),
        succeeded("p1.b", 3),
        accept("p1.b", f1="fixed"),
        tick(),
        parked("p1.b", 1, "src/x"),
        cancel_work("p1.b"),
    ),
    "the end": states(reassessing(), answered(DONE, plan=2), approve(DONE, plan=2)),
}


@pytest.mark.parametrize("name", LIVES)
def test_every_step_of_a_life_is_told_from_the_one_before(name):
    digests = [fingerprint(goal, T0) for goal in LIVES[name]]
    assert [n for n, (before, after) in enumerate(itertools.pairwise(digests)) if before == after] == []


def test_what_another_attempt_is_doing_does_not_hide_an_answer():
    """Should a planner call and an attempt ever be open together, the end of the call is seen."""
    goal = working(*TWO)
    plan = msgspec.structs.replace(planning().plans[0], number=1)
    both = msgspec.structs.replace(goal, plans=(plan,))
    returned = msgspec.structs.replace(plan, calls=(msgspec.structs.replace(plan.calls[0], returned_at=T0),))
    assert fingerprint(both, T0) != fingerprint(msgspec.structs.replace(both, plans=(returned,)), T0)


@pytest.mark.parametrize(("seconds", "same"), [(29.999_999, True), (30, False)])
def test_a_deadline_is_a_fact_from_its_very_instant(seconds, same):
    alone = live(working(), failed("p1.a", FailureClass.UPSTREAM))
    beside = live(working(*TWO), failed("p1.a", FailureClass.UPSTREAM))
    for goal in (alone, beside):
        assert (fingerprint(goal, later(seconds)) == fingerprint(goal, T0)) is same


@pytest.mark.parametrize(("seconds", "same"), [(3_599.999_999, True), (3_600, False)])
def test_so_is_the_end_of_the_runtime(seconds, same):
    assert (fingerprint(working(), later(seconds)) == fingerprint(working(), T0)) is same


def test_the_last_tick_is_a_fact():
    assert fingerprint(applied(ticks=1), T0) != fingerprint(applied(ticks=2), T0)


def test_the_order_of_the_queue_is_a_fact():
    both = live(working(*TWO), succeeded("p1.a"), succeeded("p1.b"))
    one, other = (live(both, accept(first), accept(second)) for first, second in (("p1.a", "p1.b"), ("p1.b", "p1.a")))
    assert fingerprint(one, T0) != fingerprint(other, T0)


def test_what_a_person_must_answer_before_a_proof_is_accepted_is_a_fact():
    """Found by walking everywhere: without it both would look alike, and harnd accepts but the first unasked."""
    twice = live(in_review(), reopen("p1.a"), tick(), succeeded("p1.a", 2))
    found = twice.work[WorkId("p1.a")]
    answered_for = msgspec.structs.replace(found, findings=())
    without = msgspec.structs.replace(twice, work={**twice.work, found.id: answered_for})
    assert fingerprint(without, T0) != fingerprint(twice, T0)
    flaky = live(working(), succeeded("p1.a", proof=a_flaky_proof("p1.a")))
    assert fingerprint(flaky, T0) != fingerprint(in_review(), T0)


def test_other_goals_have_other_fingerprints():
    assert fingerprint(a_goal(), T0) != fingerprint(a_goal(goal="search"), T0)


def test_a_larger_budget_is_a_fact():
    goal = live(working(attempts=1), failed("p1.a"))
    entries = {
        unit: msgspec.structs.replace(entry, limit=entry.limit + 1) for unit, entry in goal.ledger.entries.items()
    }
    extended = msgspec.structs.replace(goal, ledger=msgspec.structs.replace(goal.ledger, entries=entries))
    assert fingerprint(extended, T0) != fingerprint(goal, T0)
