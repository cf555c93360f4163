"""Hindrances: what keeps an item or a plan from being started; an item that nothing hinders starts."""

import pytest

from harnd.domain.goal.goal import Goal
from harnd.domain.goal.hindrance import NoAgent, NoSlot, Overlaps, Pauses, Waits, call_hindrance, hindrance
from harnd.domain.goal.rules.tick import tick as step
from harnd.domain.goal.shortage import Answered, Spent
from protocol.ids import WorkId
from protocol.values import FailureClass, Instant, Unit
from tests.kit.given import (
    T0,
    a_goal,
    a_plan,
    a_template,
    answered,
    applied,
    cancel_work,
    draft,
    failed,
    later,
    live,
    planning,
    proposed,
    reject,
    tick,
    unanswered,
    working,
)

A, B = WorkId("p1.a"), WorkId("p1.b")
TWO = (draft("a"), draft("b"), draft("c", "a", "b"))
DEEP = [a_template(agents=3)]
CALLS_LEFT = Spent(Unit.AGENT_CALLS, needed=3, left=1)  # of five, one for the plan and three for the first attempt
PAIR = [a_template(agents=2, wide=True)]

ITEMS = {
    "nothing": (applied(), "p1.a", None),
    "a dependency": (applied(*TWO), "p1.c", Waits((A, B))),
    "a dependency that was given up": (live(applied(*TWO), cancel_work("p1.a")), "p1.c", Waits((A, B))),
    "ticks": (applied(ticks=1), "p1.a", Spent(Unit.TICKS, 1, 0)),
    "attempts": (live(working(attempts=1), failed("p1.a")), "p1.a", Spent(Unit.ATTEMPTS, 1, 0)),
    "calls": (live(working(templates=DEEP, agent_calls=5), failed("p1.a", calls=3)), "p1.a", CALLS_LEFT),
    "answers": (live(working(answers_per_work=1), failed("p1.a")), "p1.a", Answered(1, 1, 1)),
    "a pause": (live(working(), failed("p1.a", FailureClass.UPSTREAM)), "p1.a", Pauses(later(30))),
    "the same paths": (
        working(draft("a"), draft("b", paths=["src/a/x"]), draft("c", "a", "b")),
        "p1.b",
        Overlaps((A,)),
    ),
    "no paths": (working(draft("a"), draft("b", paths=[]), draft("c", "a", "b")), "p1.b", Overlaps((A,))),
    "no slot": (working(*TWO, parallel_work=1), "p1.b", NoSlot((A,))),
    "no agent": (working(*TWO, templates=PAIR, agent_concurrency=3), "p1.b", NoAgent((A,), 2, 1, 3)),
}


@pytest.mark.parametrize("name", ITEMS)
def test_each_hindrance_of_an_item(name):
    goal, work, expected = ITEMS[name]
    assert hindrance(goal, goal.work[WorkId(work)], T0) == expected


@pytest.mark.parametrize(("seconds", "spent"), [(4.999_999, None), (5, Spent(Unit.ACTIVE_RUNTIME_US, 1, 0))])
def test_runtime_is_spent_at_its_very_end(seconds, spent):
    goal = live(working(active_runtime=5_000_000), failed("p1.a"), at=later(seconds))
    assert hindrance(goal, goal.work[A], later(seconds)) == spent


@pytest.mark.parametrize(("seconds", "pause"), [(29.999_999, Pauses(later(30))), (30, None)])
def test_a_pause_hinders_until_its_very_end(seconds, pause):
    goal = live(working(), failed("p1.a", FailureClass.UPSTREAM))
    assert hindrance(goal, goal.work[A], later(seconds)) == pause


def test_a_spent_budget_is_told_before_what_passes_by_itself():
    goal = live(working(*TWO, attempts=3), failed("p1.b", FailureClass.UPSTREAM), failed("p1.a"))
    assert hindrance(goal, goal.work[B], T0) == Pauses(later(30))
    goal = live(goal, tick(), failed("p1.a", attempt=2), tick())  # whose third attempt is set aside
    assert hindrance(goal, goal.work[B], T0) == Spent(Unit.ATTEMPTS, 1, 0)


CALLS: dict[str, tuple[Goal, Instant, Spent | Pauses | None]] = {
    "nothing": (a_goal(), T0, None),
    "ticks": (live(proposed(ticks=1), reject(a_plan())), T0, Spent(Unit.TICKS, 1, 0)),
    "requests": (live(proposed(replans=1), reject(a_plan())), T0, Spent(Unit.PLANNER_CALLS, 1, 0)),
    "calls": (live(planning(agent_calls=1), answered(a_plan())), T0, Spent(Unit.AGENT_CALLS, 1, 0)),
    "a pause": (live(planning(), unanswered(FailureClass.UPSTREAM)), later(29), Pauses(later(30))),
    "a pause that is over": (live(planning(replans=1), unanswered(FailureClass.UPSTREAM)), later(30), None),
}


@pytest.mark.parametrize("name", CALLS)
def test_each_hindrance_of_a_call_to_the_planner(name):
    goal, now, expected = CALLS[name]
    assert call_hindrance(goal, now) == expected
    assert bool(step(goal, now)) is (expected is None)
