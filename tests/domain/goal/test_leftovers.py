"""Which places nothing works in again, and since when something may be written that no event names."""

from typing import Any

import pytest

from harnd.domain.goal.goal import Goal
from harnd.domain.goal.leftovers import PLANNER, busy_since, is_over, planner_work
from protocol.ids import WorkId
from protocol.values import FailureClass
from tests.kit import given as g

A = WorkId("p1.a")


def again() -> Goal:
    """The first attempt failed, the second runs."""
    return g.live(g.applied(), g.tick(), g.failed("p1.a"), g.tick(), at=g.later(60))


@pytest.mark.parametrize(
    ("goal", "attempt", "over"),
    [
        (g.working(), 1, False),
        (again(), 1, True),
        (again(), 2, False),
        (again(), 3, False),
        (g.blocked(FailureClass.AUTH), 1, False),
        (g.in_review(), 1, False),
        (g.accepted(), 1, False),
        (g.integrating(), 1, False),
        (g.live(g.integrating(), g.parked("p1.a", 1, "README.md")), 1, False),
        (g.milestone_met(), 1, True),
        (g.live(g.milestone_met(), g.reopen("p1.a", "It is slow.")), 1, False),
        (g.live(g.milestone_met(), g.reopen("p1.a", "It is slow."), g.tick()), 1, True),
        (g.live(g.working(), g.cancel_work("p1.a")), 1, True),
        (g.cancelled(g.working()), 1, True),
        (g.cancelled(g.blocked()), 1, True),
        (g.success(), 1, True),
    ],
)
def test_an_attempt_is_over_when_no_event_can_take_its_place_up_again(goal: Goal, attempt: int, over: Any):
    assert is_over(goal, A, attempt) is over


def test_what_is_no_attempt_of_a_goal_that_goes_on_is_left_alone():
    assert not is_over(g.working(), WorkId("p1.z"), 1)
    assert not is_over(g.working(), A, 7)


def test_the_place_of_a_plans_calls_is_over_with_the_next_plan():
    rejected = g.live(g.proposed(), g.reject(g.a_plan()), g.tick())
    assert (len(rejected.plans), rejected.plans[-1].number) == (2, 2)
    assert [is_over(rejected, planner_work(number), PLANNER) for number in (1, 2, 3)] == [True, False, False]
    assert is_over(g.cancelled(rejected), planner_work(2), PLANNER)


def test_an_item_called_planner_is_not_taken_for_the_planner():
    goal = g.working(g.draft("planner"))
    assert not is_over(goal, planner_work(1), 1)


def test_since_the_first_start_of_what_is_not_over_something_may_be_written():
    assert busy_since(g.working()) == g.T0
    assert busy_since(again()) == g.later(60)
    assert busy_since(g.planning()) == g.T0
    assert busy_since(g.blocked()) == g.T0  # it may be resumed
    assert busy_since(g.proposed()) is None
    assert busy_since(g.milestone_met()) is None
    assert busy_since(g.cancelled(g.working())) is None
