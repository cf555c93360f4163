"""The inbox: everything about a goal that waits for a person, oldest first, whatever else is running."""

import pytest

from harnd.domain.digest import digest_of
from harnd.domain.goal.inbox import Ask, asks
from protocol.values import FailureClass
from tests.kit.given import (
    T0,
    a_goal,
    a_plan,
    a_proof,
    accepted,
    answered,
    applied,
    cancel_work,
    cancelled,
    completion,
    draft,
    failed,
    in_review,
    integrating,
    later,
    live,
    planning,
    proposed,
    question,
    reassessing,
    reject,
    retry_plan,
    retry_work,
    succeeded,
    success,
    unanswered,
    working,
)

TWO = (draft("a"), draft("b"), draft("c", "a", "b"))
PROOF = a_proof("p1.a").digest()


def test_a_plan_waits_under_its_digest():
    assert asks(proposed(), T0) == (Ask("plan", "plan/1", "apply: This comes first.", T0, digest_of(a_plan())),)
    done = completion("p1.a")
    goal = live(reassessing(), answered(done, plan=2), at=later(9))
    assert asks(goal, T0) == (Ask("plan", "plan/2", "complete: All is done.", later(9), digest_of(done)),)


def test_a_question_waits_until_it_is_answered():
    goal = live(planning(), answered(question("Which?")))
    assert asks(goal, T0) == (Ask("attention", "plan/1", "Which?", T0),)
    assert asks(live(goal, retry_plan()), T0) == ()


def test_a_plan_that_failed_waits_too():
    goal = live(planning(), unanswered(FailureClass.AUTH, detail="logged out"))
    said = "failed (auth): logged out; log the agent in again, then retry"
    assert asks(goal, T0) == (Ask("attention", "plan/1", said, T0),)


def test_work_waits_under_the_digest_of_its_proof():
    assert asks(in_review(), T0) == (Ask("work", "p1.a", "Do a: proved, to be accepted", T0, PROOF),)


def test_blocked_work_waits_with_its_cause():
    goal = live(working(), failed("p1.a", FailureClass.QUOTA))
    said = "blocked (quota): no luck; wait for the quota to come back, then resolve it"
    assert asks(goal, T0) == (Ask("blocked", "p1.a", said, T0),)
    assert asks(live(goal, retry_work("p1.a")), T0) == ()


def test_work_that_can_never_be_met_is_the_goals_own_ask():
    goal = live(applied(draft("a"), draft("b", "a"), milestones=1), cancel_work("p1.a"), at=later(3))
    (ask,) = asks(goal, T0)
    assert (ask.kind, ask.subject, ask.since) == ("blocked", "billing", later(3))
    assert ask.summary.startswith("p1.a was cancelled: not needed; and there can be no plan for another way")


def test_a_budget_waits_for_an_answer():
    goal = live(working(attempts=1), failed("p1.a"), at=later(3))
    spent = "p1.a is ready, and the budget allows no further attempt: every attempt is spent or set aside"
    assert asks(goal, later(3)) == (Ask("budget", "budget/attempts", spent, later(3)),)


def test_a_plan_without_requests_left_is_seen_and_so_is_the_budget():
    goal = live(planning(replans=1), answered(question("Which?")))
    assert asks(goal, T0) == (
        Ask("budget", "billing", "the planner asks: Which?; and every plan request is spent", T0),
        Ask("attention", "plan/1", "Which?", T0),
    )


def test_what_waits_is_seen_while_other_work_runs_oldest_first():
    goal = live(working(*TWO, parallel_work=2), succeeded("p1.b"), at=later(5))
    assert asks(goal, later(5)) == (
        Ask("work", "p1.b", "Do b: proved, to be accepted", later(5), a_proof("p1.b").digest()),
    )
    goal = live(goal, failed("p1.a", FailureClass.AUTH), at=later(7))
    assert [(ask.kind, ask.subject) for ask in asks(goal, later(9))] == [("work", "p1.b"), ("blocked", "p1.a")]


def test_what_the_planner_finds_another_way_around_waits_for_nobody():
    goal = live(working(*TWO), failed("p1.a", FailureClass.REFUSAL))
    assert asks(goal, T0) == ()
    without = live(working(*TWO, milestones=1), failed("p1.a", FailureClass.REFUSAL))
    assert [(ask.kind, ask.subject) for ask in asks(without, T0)] == [("blocked", "p1.a")]


@pytest.mark.parametrize(
    "goal",
    [
        a_goal(),
        planning(),
        live(proposed(), reject(a_plan())),
        applied(),
        working(),
        accepted(),
        integrating(),
        live(working(), failed("p1.a", FailureClass.UPSTREAM)),
        cancelled(in_review()),
        success(),
    ],
    ids=[
        "new",
        "planning",
        "rejected",
        "applied",
        "working",
        "accepted",
        "integrating",
        "pause",
        "cancelled",
        "success",
    ],
)
def test_nobody_is_asked_where_harnd_goes_on_by_itself(goal):
    assert asks(goal, T0) == ()
