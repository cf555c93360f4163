"""Planner calls: a candidate, a question, another call, or the end of the request."""

import pytest

from harnd.domain.digest import digest_of
from harnd.domain.goal import events as e
from harnd.domain.goal.candidate import normalised_digest
from harnd.domain.goal.failure import ROWS
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.ledger import Entry
from harnd.domain.problem import Problem
from protocol.values import SECOND, FailureClass, Micros, Unit
from tests.kit.given import (
    Given,
    a_plan,
    answered,
    babbled,
    completion,
    draft,
    later,
    live,
    planning,
    proposed,
    question,
    reassessing,
    reject,
    replied,
    retry_plan,
    tick,
    unanswered,
    unfinished,
)

PLAN = a_plan()
RAN = Micros(9 * SECOND)
REPLY = digest_of("reply")
UNREADABLE = Problem("answer.unreadable", "", "there is no object in the answer")


def returned(call: int = 1, *, plan: int = 1, charged: bool = True, reply: bool = True) -> e.PlannerReturned:
    return e.PlannerReturned(plan=plan, call=call, ran=RAN, charged=charged, reply=REPLY if reply else None)


# --- an answer


def test_a_legal_plan_lies_before_a_person_under_its_digest():
    Given(planning()).when(answered(PLAN)).then(
        returned(),
        e.PlanProposed(plan=1, call=1, candidate=PLAN, digest=digest_of(PLAN), normalised=normalised_digest(PLAN)),
    )


def test_a_completion_lies_before_a_person_too():
    done = completion("p1.a")
    Given(reassessing()).when(answered(done, plan=2)).then(
        returned(plan=2),
        e.PlanProposed(plan=2, call=1, candidate=done, digest=digest_of(done), normalised=normalised_digest(done)),
    )


def test_a_question_goes_to_a_person():
    Given(planning()).when(answered(question("Which?"))).then(
        returned(), e.PlanAttention(plan=1, call=1, rationale="It depends.", question="Which?")
    )


# --- an answer that is no plan


def test_an_answer_without_an_object_is_corrected():
    Given(planning()).when(babbled()).then(returned(), e.AnswerRefused(plan=1, call=1, problems=(UNREADABLE,)))


def test_a_mistake_of_shape_is_refused_with_all_its_problems():
    value = unfinished(PLAN, rationale="", work="a", extra=1)
    Given(planning()).when(replied(value)).then(
        returned(),
        e.AnswerRefused(
            plan=1,
            call=1,
            problems=(
                Problem(
                    "unknown_key",
                    "extra",
                    "is not a key here, expected one of 'decision', 'rationale', 'milestone', 'work'",
                ),
                Problem("too_short", "rationale", "is empty, expected a text"),
                Problem("type", "work", "expected a list, found the text 'a'"),
            ),
        ),
    )


def test_a_refused_answer_is_followed_by_another_call_of_the_same_request():
    goal = live(planning(), babbled())
    Given(goal).when(tick()).then(e.GoalTicked(), e.PlannerCalled(plan=1, call=2))


def test_when_the_schema_attempts_are_spent_the_request_has_failed():
    goal = live(planning(schema_attempts=2), babbled(), tick())
    Given(goal).when(babbled(call=2)).then(
        returned(2),
        e.AnswerRefused(plan=1, call=2, problems=(UNREADABLE,)),
        e.PlanFailed(
            plan=1,
            failure=FailureClass.SCHEMA,
            detail=f"the answer had a problem: {UNREADABLE}",
            charged=True,
        ),
    )


def test_a_corrected_answer_is_as_good_as_a_first_one():
    goal = live(planning(), babbled(), tick())
    Given(goal).when(answered(PLAN, call=2)).then(
        returned(2),
        e.PlanProposed(plan=1, call=2, candidate=PLAN, digest=digest_of(PLAN), normalised=normalised_digest(PLAN)),
    )


# --- no answer

ONCE = [failure for failure, row in ROWS.items() if not row.retried]
AGAIN = [failure for failure, row in ROWS.items() if row.retried]


@pytest.mark.parametrize("failure", ONCE)
def test_a_failure_that_is_not_retried_ends_the_request(failure):
    charged = ROWS[failure].charged
    Given(planning(schema_attempts=9)).when(unanswered(failure)).then(
        returned(charged=charged, reply=False),
        e.PlannerFailed(plan=1, call=1, failure=failure, detail="no luck"),
        e.PlanFailed(plan=1, failure=failure, detail="no luck", charged=charged),
    )


@pytest.mark.parametrize("failure", AGAIN)
def test_a_failure_that_is_retried_leaves_the_request_open(failure):
    Given(planning()).when(unanswered(failure)).then(
        returned(charged=ROWS[failure].charged, reply=False),
        e.PlannerFailed(plan=1, call=1, failure=failure, detail="no luck"),
    )


def after(failure: FailureClass, times: int, **intent: int) -> Goal:
    """So many calls of the first request have failed in this class."""
    goal = planning(**intent)
    for call in range(1, times + 1):
        at = later(call * 100)
        goal = live(goal, unanswered(failure, call=call), at=at)
        goal = live(goal, tick(later(call * 100 + 90)), at=later(call * 100 + 90))
    return goal


@pytest.mark.parametrize(("failure", "most"), [(FailureClass.UPSTREAM, 3), (FailureClass.LOST, 20)])
def test_uncharged_failures_have_their_own_bound(failure, most):
    goal = after(failure, most - 1)
    Given(goal).when(unanswered(failure, call=most)).then(
        returned(most, charged=False, reply=False),
        e.PlannerFailed(plan=1, call=most, failure=failure, detail="no luck"),
        e.PlanFailed(plan=1, failure=failure, detail="no luck", charged=False),
    )
    assert goal.ledger.entries[Unit.AGENT_CALLS] == Entry(limit=50, spent=0, reserved=1)


def test_upstream_counts_in_a_row():
    goal = after(FailureClass.UPSTREAM, 2, schema_attempts=9)
    goal = live(goal, babbled(call=3), tick(later(9_000)), unanswered(FailureClass.UPSTREAM, call=4))
    goal = live(goal, tick(later(9_000)))
    Given(goal).when(unanswered(FailureClass.UPSTREAM, call=5)).then(
        returned(5, charged=False, reply=False),
        e.PlannerFailed(plan=1, call=5, failure=FailureClass.UPSTREAM, detail="no luck"),
    )


def test_uncharged_failures_take_no_schema_attempt():
    goal = after(FailureClass.LOST, 5, schema_attempts=2)
    Given(goal).when(babbled(call=6)).then(returned(6), e.AnswerRefused(plan=1, call=6, problems=(UNREADABLE,)))


# --- late and foreign reports


@pytest.mark.parametrize(
    "report",
    [answered(PLAN, plan=2), answered(PLAN, plan=0), answered(PLAN, call=2), answered(PLAN, call=0), babbled(call=2)],
    ids=["later plan", "no plan", "later call", "no call", "babble"],
)
def test_a_report_of_no_open_call_changes_nothing(report):
    Given(planning()).when(report).then_nothing()


def test_a_call_is_answered_once():
    Given(proposed()).when(answered(PLAN)).then_nothing()
    Given(proposed()).when(unanswered(FailureClass.LOST)).then_nothing()


def test_an_answer_to_an_older_request_changes_nothing():
    goal = live(proposed(PLAN), reject(PLAN), tick())
    Given(goal).when(answered(PLAN, plan=1)).then_nothing()


# --- the same plan again


def test_a_rejected_plan_in_other_words_is_no_progress():
    goal = live(proposed(PLAN), reject(PLAN), tick())
    again = a_plan(draft("a", title="Do A, at last"), rationale="I insist.")
    Given(goal).when(answered(again, plan=2)).then(
        returned(plan=2),
        e.AnswerRefused(
            plan=2,
            call=1,
            problems=(Problem("plan.no_progress", "", "this is plan 1 again, which the operator rejected"),),
        ),
    )


def test_a_plan_that_failed_is_not_taken_for_rejected():
    goal = live(planning(), unanswered(FailureClass.REFUSAL), retry_plan(""), tick())
    Given(goal).when(answered(PLAN, plan=2)).then(
        returned(plan=2),
        e.PlanProposed(plan=2, call=1, candidate=PLAN, digest=digest_of(PLAN), normalised=normalised_digest(PLAN)),
    )
