"""What is owed: the same list after every restart, in a fixed order, each effect under a key of its own."""

import pytest

from harnd.domain.goal.due import CallPlanner, Integrate, MoveBranch, RunAttempt, due
from protocol.ids import EffectKey, WorkId
from protocol.values import FailureClass
from tests.kit.given import (
    HOUR,
    MINUTE,
    T0,
    a_goal,
    accept,
    accepted,
    applied,
    attend,
    babbled,
    blocked,
    cancelled,
    commit,
    draft,
    failed,
    in_review,
    integrating,
    later,
    live,
    parked,
    planning,
    proposed,
    proved,
    reassessing,
    succeeded,
    success,
    tick,
    working,
)

TWO = (draft("a"), draft("b"), draft("c", "a", "b"))


def run(work: str, attempt: int = 1) -> RunAttempt:
    key = EffectKey(f"goal/billing/work/{work}/attempt/{attempt}")
    return RunAttempt(key=key, work=WorkId(work), attempt=attempt, runtime_left=HOUR)


def test_a_planner_call_is_owed_until_it_returned():
    key = EffectKey("goal/billing/plan/1/call/1")
    assert due(planning(), T0) == (CallPlanner(key=key, plan=1, call=1, runtime_left=HOUR),)
    assert due(proposed(), T0) == ()


def test_each_call_has_a_key_of_its_own():
    second = live(planning(), babbled(), tick())
    keys = [due(goal, T0)[0].key for goal in (planning(), second, reassessing())]
    assert keys == ["goal/billing/plan/1/call/1", "goal/billing/plan/1/call/2", "goal/billing/plan/2/call/1"]


def test_attempts_are_owed_in_the_order_they_were_planned():
    assert due(working(*TWO), T0) == (run("p1.a"), run("p1.b"))
    goal = live(working(*TWO), failed("p1.a"), tick())
    assert due(goal, T0) == (run("p1.a", 2), run("p1.b"))


def test_an_integration_is_owed_first_and_the_move_when_it_is_proved():
    first = Integrate(key=EffectKey("goal/billing/work/p1.a/integration/1"), work=WorkId("p1.a"), number=1)
    assert due(integrating(), T0) == (first,)
    assert due(live(integrating(), proved("p1.a")), T0) == (
        MoveBranch(
            key=EffectKey("goal/billing/work/p1.a/integration/1/move"),
            work=WorkId("p1.a"),
            number=1,
            expected=commit("base"),
            to=commit("merged p1.a"),
        ),
    )


def test_an_integration_and_an_attempt_are_owed_together():
    goal = live(working(*TWO), succeeded("p1.a"), accept("p1.a"), tick())
    assert [effect.key for effect in due(goal, T0)] == [
        "goal/billing/work/p1.a/integration/1",
        "goal/billing/work/p1.b/attempt/1",
    ]


@pytest.mark.parametrize(
    "goal",
    [
        a_goal(),
        applied(),
        in_review(),
        blocked(),
        accepted(),
        live(integrating(), parked("p1.a")),
        live(working(), failed("p1.a", FailureClass.UPSTREAM)),
        cancelled(working()),
        cancelled(planning()),
        cancelled(integrating()),
        success(),
    ],
    ids=["new", "applied", "in review", "blocked", "accepted", "parked", "pause", "c1", "c2", "c3", "success"],
)
def test_nothing_is_owed_where_nothing_runs(goal):
    assert due(goal, later(10**6)) == ()


def test_a_restart_owes_the_same():
    goal = working(*TWO)
    assert due(live(goal, attend("second")), T0) == due(goal, T0)


def test_an_effect_may_take_as_long_as_the_runtime_lasts():
    effects = due(working(), later(60))
    assert [effect.runtime_left for effect in effects if isinstance(effect, RunAttempt)] == [HOUR - MINUTE]
    effects = due(planning(), later(10**6))
    assert [effect.runtime_left for effect in effects if isinstance(effect, CallPlanner)] == [0]
