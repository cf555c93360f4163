"""Pausing: nothing starts and nothing wakes, what runs is let finish, and every decision stays possible."""

import pytest

from harnd.domain.goal import events as e
from harnd.domain.goal.due import due
from harnd.domain.goal.fingerprint import fingerprint
from harnd.domain.goal.hindrance import Resting, hindrance
from harnd.domain.goal.inbox import asks
from harnd.domain.goal.position import position
from harnd.domain.goal.reasons.item import reason_of
from harnd.domain.goal.work import Standing
from protocol.ids import WorkId
from protocol.values import FailureClass, NextAction, ParkCause, Phase, PlanStatus, Unit
from tests.kit.given import (
    T0,
    Given,
    a_goal,
    a_plan,
    accept,
    accepted,
    answered,
    applied,
    approve,
    attend,
    cancel_goal,
    cancelled,
    draft,
    extend_goal,
    failed,
    in_review,
    integrating,
    item,
    later,
    live,
    moved,
    pause_at_once,
    pause_goal,
    planning,
    proposed,
    proved,
    resume_goal,
    succeeded,
    success,
    the_plan,
    tick,
    unanswered,
    working,
)

TWO = (draft("a"), draft("b"), draft("c", "a", "b"))


def test_a_person_holds_a_goal_and_lets_it_go_on():
    Given(a_goal()).when(pause_goal("the disk is full")).then(e.GoalPaused(by="ada", reason="the disk is full"))
    Given(live(a_goal(), pause_goal())).when(resume_goal()).then(e.GoalResumed(by="ada"))


def test_doing_it_twice_is_doing_it_once():
    Given(live(a_goal(), pause_goal())).when(pause_goal("another reason")).then_nothing()
    Given(a_goal()).when(resume_goal()).then_nothing()


def test_a_reason_is_not_needed_and_has_its_bound():
    Given(a_goal()).when(pause_goal("x" * 2_000)).then(e.GoalPaused(by="ada", reason="x" * 2_000))
    Given(a_goal()).when(pause_goal("x" * 2_001)).then_refused("text.reason_too_long")


@pytest.mark.parametrize("command", [pause_goal(), resume_goal()], ids=["pause", "resume"])
def test_what_has_ended_is_neither_held_nor_let_go(command):
    Given(success()).when(command).then_refused("goal.ended")
    Given(cancelled(live(a_goal(), pause_goal()))).when(command).then_refused("goal.ended")


# --- nothing starts

MOVING = {
    "a plan is wanted": a_goal(),
    "the planner would be called once more": live(planning(), unanswered(FailureClass.LOST)),
    "work is ready": applied(*TWO),
    "work is to be tried again": live(working(), failed("p1.a")),
    "accepted work is to be brought in": accepted(),
}


@pytest.mark.parametrize("name", MOVING)
def test_nothing_starts_until_it_is_resumed(name):
    goal = MOVING[name]
    held = live(goal, pause_goal())
    Given(held).when(tick(later(10**6))).then_nothing()
    assert due(held, later(10**6)) == due(goal, later(10**6))
    assert live(held, resume_goal(), tick()).ledger == live(goal, tick()).ledger


def test_time_wakes_nothing_that_would_start():
    waiting = live(working(), failed("p1.a", FailureClass.UPSTREAM))
    assert position(waiting, T0).phase is Phase.WAITING
    assert position(live(waiting, pause_goal()), T0).wake_at is None


# --- what runs is let finish


def test_what_runs_is_owed_as_before_and_its_end_is_taken():
    goal = live(working(*TWO), pause_goal())
    assert due(goal, T0) == due(working(*TWO), T0)
    goal = live(goal, succeeded("p1.a"), failed("p1.b"))
    assert [one.standing for one in goal.work.values()] == [Standing.IN_REVIEW, Standing.OPEN, Standing.OPEN]
    assert position(goal, T0).next_action is NextAction.RESUME


def test_an_integration_that_runs_comes_to_its_end():
    goal = live(integrating(), pause_goal(), proved("p1.a"))
    assert [effect.key for effect in due(goal, T0)] == ["goal/billing/work/p1.a/integration/1/move"]
    assert item(live(goal, moved("p1.a")), "p1.a").standing is Standing.INTEGRATED


def test_the_next_daemon_takes_up_what_still_runs():
    held = live(working(), pause_goal())
    Given(held).when(attend()).then(e.GoalAttended(attend().instance))
    assert due(live(held, attend()), T0) == due(held, T0)


# --- decisions stay possible


def test_a_plan_that_came_in_is_decided_while_the_goal_is_paused():
    goal = live(planning(), pause_goal(), answered(a_plan()))
    assert [ask.kind for ask in asks(goal, T0)] == ["plan"]
    goal = live(goal, approve(a_plan()))
    assert the_plan(goal).status is PlanStatus.APPLIED
    Given(goal).when(tick()).then_nothing()


def test_work_is_accepted_extended_and_cancelled_while_the_goal_is_paused():
    held = live(in_review(), pause_goal())
    assert item(live(held, accept("p1.a")), "p1.a").standing is Standing.ACCEPTED
    assert live(held, extend_goal({Unit.ATTEMPTS: 1})).limit(Unit.ATTEMPTS) == 21
    assert position(live(held, cancel_goal()), T0).phase is Phase.CANCELLED


# --- what is told


def test_an_item_that_could_start_says_who_holds_it():
    goal = live(applied(*TWO), pause_goal())
    one = item(goal, "p1.a")
    assert hindrance(goal, one, T0) == Resting("ada")
    told = reason_of(goal, one, T0)
    assert (told.condition, told.verbs) == (
        "p1.a is ready, and ada paused the goal",
        ("harnctl goal resume billing",),
    )


def test_so_does_accepted_work_in_the_queue():
    goal = live(accepted(), pause_goal())
    told = reason_of(goal, item(goal, "p1.a"), T0)
    assert told.condition == "p1.a is accepted and queued for integration, and ada paused the goal"
    assert told.verbs == ("harnctl goal resume billing",)


def test_holding_and_letting_go_are_facts_of_the_fingerprint():
    goal = proposed()
    held = live(goal, pause_goal())
    assert fingerprint(held, T0) != fingerprint(goal, T0)
    assert fingerprint(live(held, resume_goal()), T0) == fingerprint(goal, T0)


# --- at once


def test_what_runs_is_parked_at_once_and_goes_on_when_the_goal_is_resumed():
    goal = working(*TWO)
    parked = [e.AttemptParked(work=WorkId(f"p1.{key}"), attempt=1, cause=ParkCause.PAUSE) for key in "ab"]
    Given(goal).when(pause_at_once()).then(e.GoalPaused(by="ada", reason=""), *parked)

    held = live(goal, pause_at_once())
    assert (due(held, T0), held.calls_running) == ((), False)
    Given(held).when(tick()).then_nothing()
    resumed = live(held, resume_goal(), tick())
    assert [(item.standing, item.attempts[-1].pauses) for item in resumed.active()[:2]] == [(Standing.RUNNING, 1)] * 2


def test_a_goal_that_lets_finish_what_runs_can_be_stopped_at_once_after_all():
    goal = live(working(), pause_goal())
    Given(goal).when(pause_at_once()).then(e.AttemptParked(work=WorkId("p1.a"), attempt=1, cause=ParkCause.PAUSE))
    Given(live(goal, pause_at_once())).when(pause_at_once()).then_nothing()


def test_a_planner_call_that_was_stopped_costs_nothing_and_is_made_again():
    held = live(planning(), pause_at_once())
    assert due(held, T0) == ()
    assert (held.ledger.entries[Unit.AGENT_CALLS].spent, held.ledger.entries[Unit.PLANNER_CALLS].reserved) == (0, 1)
    again = live(held, resume_goal(), tick())
    assert [(call.number, call.open) for call in the_plan(again).calls] == [(1, False), (2, True)]
    Given(again).when(answered(a_plan(), call=1)).then_nothing()


def test_bringing_in_accepted_work_is_let_finish():
    held = live(integrating(), pause_at_once())
    assert [effect.key.rpartition("/")[2] for effect in due(held, T0)] == ["1"]
