"""Goals as a whole: enrolling, ending, and being taken up by another daemon."""

import msgspec
import pytest

from harnd.domain.goal import commands as c
from harnd.domain.goal import events as e
from harnd.domain.goal.goal import Ending
from harnd.domain.goal.ledger import Entry
from harnd.domain.goal.usage import Usage
from protocol.ids import InstanceId, WorkId
from protocol.values import AttemptOutcome, FailureClass, Micros, PlanStatus, Unit
from tests.kit.given import (
    Given,
    a_goal,
    a_plan,
    a_proof,
    accept,
    an_intent,
    answered,
    applied,
    approve,
    attend,
    blocked,
    cancel_goal,
    cancel_work,
    cancelled,
    completion,
    create,
    draft,
    failed,
    in_review,
    integrating,
    live,
    moved,
    parked,
    planning,
    proposed,
    proved,
    reject,
    reopen,
    retry_plan,
    retry_work,
    succeeded,
    success,
    tick,
    unanswered,
    working,
)

INTENT = an_intent()


# --- enrolling


def test_an_intent_is_enrolled_under_its_digest():
    Given(None).when(create(INTENT)).then(e.GoalCreated(intent=INTENT, digest=INTENT.digest(), by="ada"))


def test_enrolling_the_same_intent_again_changes_nothing():
    Given(a_goal()).when(create(INTENT)).then_nothing()


def test_an_intent_is_never_edited():
    Given(a_goal()).when(create(an_intent(milestones=1))).then_refused(
        "goal.exists", "goal billing exists with another intent; an intent is never edited"
    )


@pytest.mark.parametrize(
    "command",
    [tick(), attend(), cancel_goal(), approve(a_plan()), accept("p1.a"), succeeded("p1.a"), answered(a_plan())],
    ids=lambda command: type(command).__name__,
)
def test_nothing_but_enrolling_can_be_asked_of_a_goal_that_is_not_there(command: c.GoalCommand):
    Given(None).when(command).then_refused("goal.unknown", "there is no such goal")


# --- cancelling


def test_a_goal_is_cancelled_with_a_reason():
    Given(applied()).when(cancel_goal("  changed my mind ")).then(e.GoalCancelled(by="ada", reason="changed my mind"))


def test_cancelling_ends_the_running_attempts_and_the_open_call_in_the_same_append():
    ended = [
        e.AttemptEnded(
            work=WorkId(name),
            attempt=1,
            outcome=AttemptOutcome.CANCELLED,
            charged=False,
            ran=Micros(0),
            usage=Usage(),
            detail="cancelled by the operator",
        )
        for name in ("p1.a", "p1.b")
    ]
    Given(working(draft("a"), draft("b"), draft("c", "a", "b"))).when(cancel_goal()).then(
        *ended, e.GoalCancelled(by="ada", reason="not needed")
    )
    Given(planning()).when(cancel_goal()).then(
        e.PlannerReturned(plan=1, call=1, ran=Micros(0), charged=False),
        e.GoalCancelled(by="ada", reason="not needed"),
    )


@pytest.mark.parametrize("goal", [planning(), working(), integrating()], ids=["planning", "working", "integrating"])
def test_a_cancelled_goal_has_nothing_set_aside(goal):
    assert {entry.reserved for entry in cancelled(goal).ledger.entries.values()} == {0}


def test_cancelling_twice_is_cancelling_once():
    Given(cancelled(a_goal())).when(cancel_goal("another reason")).then_nothing()


def test_a_goal_that_succeeded_is_not_cancelled():
    Given(success()).when(cancel_goal()).then_refused(
        "goal.ended", "goal billing has succeeded; nothing about it can be decided"
    )


@pytest.mark.parametrize(
    ("reason", "code"),
    [("", "text.reason_missing"), (" \n", "text.reason_missing"), ("x" * 2_001, "text.reason_too_long")],
)
def test_cancelling_wants_a_reason_within_bounds(reason, code):
    Given(a_goal()).when(cancel_goal(reason)).then_refused(code)


def test_a_reason_of_two_thousand_characters_is_kept():
    Given(a_goal()).when(cancel_goal("x" * 2_000)).then(e.GoalCancelled(by="ada", reason="x" * 2_000))


# --- after the end

LATER = [
    reject(a_plan()),
    retry_plan(),
    accept("p1.a", a_proof("another")),
    reopen("p1.a"),
    retry_work("p1.a"),
    cancel_work("p1.a"),
]


@pytest.mark.parametrize("command", LATER, ids=lambda command: type(command).__name__)
def test_nothing_is_decided_about_a_goal_that_has_ended(command):
    Given(cancelled(in_review())).when(command).then_refused("goal.ended")


@pytest.mark.parametrize("command", [tick(), attend()], ids=["tick", "attend"])
def test_nothing_moves_after_the_end(command):
    Given(cancelled(working())).when(command).then_nothing()


@pytest.mark.parametrize(
    "command",
    [answered(a_plan()), unanswered(FailureClass.UPSTREAM), proved("p1.a"), parked("p1.a"), moved("p1.a")],
    ids=["answered", "unanswered", "proved", "parked", "moved"],
)
def test_reports_after_the_end_change_nothing(command):
    Given(cancelled(planning())).when(command).then_nothing()
    Given(cancelled(integrating())).when(command).then_nothing()


def test_a_result_after_the_end_is_kept_and_acted_on_by_nobody():
    goal = cancelled(working())
    Given(goal).when(succeeded("p1.a")).then(
        e.AttemptSuperseded(work=WorkId("p1.a"), attempt=1, outcome=AttemptOutcome.SUCCEEDED)
    )
    assert live(goal, succeeded("p1.a")) == msgspec.structs.replace(goal, version=goal.version + 1)


def test_success_says_so():
    goal = success()
    assert (goal.ending, goal.plans[-1].status) == (Ending.SUCCEEDED, PlanStatus.COMPLETED)
    assert goal.ledger.entries[Unit.PLANNER_CALLS] == Entry(limit=5, spent=2)


def test_completing_is_repeated_without_effect_after_the_end():
    Given(success()).when(approve(completion("p1.a"), plan=2)).then_nothing()


# --- another daemon takes it up


def test_a_new_instance_is_noted_where_something_runs():
    Given(working()).when(attend("second")).then(e.GoalAttended(InstanceId("second")))
    Given(planning()).when(attend("second")).then(e.GoalAttended(InstanceId("second")))


@pytest.mark.parametrize(
    "goal",
    [a_goal(), proposed(), in_review(), blocked(), integrating()],
    ids=["new", "proposed", "in review", "blocked", "integrating"],
)
def test_where_no_call_runs_nobody_needs_to_know_who_attends(goal):
    Given(goal).when(attend("second")).then_nothing()


def test_the_same_instance_is_noted_once():
    Given(live(working(), attend("second"))).when(attend("second")).then_nothing()


def test_an_attempt_that_was_lost_is_no_end_of_the_goal():
    Given(live(working(), attend("second"))).when(failed("p1.a", FailureClass.LOST)).then(
        e.AttemptEnded(
            work=WorkId("p1.a"),
            attempt=1,
            outcome=AttemptOutcome.FAILED,
            charged=False,
            ran=Micros(60_000_000),
            usage=Usage(calls=1),
            failure=FailureClass.LOST,
            detail="no luck",
        )
    )
