"""The forecast: what the rest of the active graph would take, at the mean of what is done; None is not known."""

from msgspec.structs import replace

from harnd.domain.goal.forecast import forecast
from harnd.domain.goal.usage import Usage
from protocol.values import FailureClass, MicroDollars, Unit
from tests.kit.given import (
    a_goal,
    a_plan,
    accept,
    answered,
    approve,
    cancel_work,
    draft,
    failed,
    later,
    live,
    plain,
    planning,
    resolve,
    succeeded,
    success,
    tick,
)

FOUR = a_plan(draft("a"), draft("b"), draft("c"), draft("d", "a", "b", "c"))
USED = Usage(1, 3_000, MicroDollars(50_000))


def begun(**intent):
    """Four items are planned by a call of 900 tokens that took 9 seconds, and the first two are under way."""
    goal = live(live(planning(**intent), answered(FOUR, tokens=900, cost=8_000), at=later(9)), approve(FOUR))
    return live(goal, tick(), at=later(9))


def test_before_anything_is_planned_nothing_is_known():
    assert set(forecast(a_goal()).values()) == {None}
    assert set(forecast(planning()).values()) == {None}


def test_before_anything_is_done_only_the_number_of_plans_is():
    assert {unit for unit, more in forecast(begun()).items() if more is not None} == {Unit.PLANNER_CALLS}


def test_what_is_left_is_reckoned_from_what_is_done():
    goal = live(begun(), failed("p1.a", usage=USED), at=later(69))
    goal = live(goal, tick(later(69)), at=later(69))
    goal = live(goal, succeeded("p1.a", 2, usage=USED), at=later(99))
    assert forecast(goal) == {
        Unit.ATTEMPTS: 3 * 2,
        Unit.AGENT_CALLS: 3 * 2 + 1,
        Unit.PLANNER_CALLS: 1,
        Unit.ACTIVE_RUNTIME_US: 3 * 90_000_000 + 9_000_000,
        Unit.TOKENS: 3 * 6_000 + 900,
        Unit.MICRO_DOLLARS: 3 * 100_000 + 8_000,
    }


def test_an_attempt_takes_no_runtime_while_it_is_parked():
    goal = live(begun(), failed("p1.a", FailureClass.QUOTA, stage="make-1"), at=later(19))
    goal = live(goal, resolve("p1.a"), tick(later(3_000)), at=later(3_000))
    goal = live(goal, succeeded("p1.a"), at=later(3_020))
    assert forecast(goal)[Unit.ACTIVE_RUNTIME_US] == 3 * 30_000_000 + 9_000_000


def test_what_somebody_did_not_say_makes_the_whole_unknown():
    goal = live(begun(), succeeded("p1.a", usage=replace(USED, cost=None)))
    assert (forecast(goal)[Unit.TOKENS], forecast(goal)[Unit.MICRO_DOLLARS]) == (3 * 3_000 + 900, None)


def test_what_was_given_up_takes_nothing_more():
    goal = live(begun(), succeeded("p1.a", usage=USED), cancel_work("p1.c"))
    assert forecast(goal)[Unit.ATTEMPTS] == 2


def test_without_a_mission_nobody_looks_again():
    goal = live(plain(), tick(), succeeded("p0.a", usage=USED), accept("p0.a"))
    assert set(forecast(goal).values()) == {0}


def test_a_goal_that_has_ended_takes_nothing():
    assert set(forecast(success()).values()) == {0}
