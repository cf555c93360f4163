"""Consequences: what follows from the failure that holds something up, and how much of its bound is used."""

import pytest

from harnd.domain.goal.consequence import Consequence, consequence_of, consequences
from harnd.domain.goal.failure import ROWS
from harnd.domain.goal.goal import Goal
from protocol.ids import WorkId
from protocol.values import SECOND, Asked, FailureClass, Instant
from tests.kit.given import (
    T0,
    accept,
    applied,
    blocked,
    cancel_goal,
    draft,
    failed,
    in_review,
    live,
    parked,
    planning,
    resolve,
    retry_work,
    tick,
    unanswered,
)
from tests.kit.ways_out import until_it_stops

A = WorkId("p1.a")


def of(goal: Goal, name: str = "p1.a") -> Consequence:
    found = consequence_of(goal, goal.work[WorkId(name)])
    assert found is not None
    return found


def stopped(failure: FailureClass) -> Goal:
    return until_it_stops(live(applied(draft("a")), tick()), failure)


@pytest.mark.parametrize("failure", list(FailureClass))
def test_blocked_work_has_the_row_of_its_class(failure):
    found = of(stopped(failure))
    assert (found.subject, found.failure, found.row) == ("p1.a", failure, ROWS[failure])
    assert (found.resolvable, found.unattended) == (ROWS[failure].resolvable, ROWS[failure].unattended)


@pytest.mark.parametrize("failure", [failure for failure, row in ROWS.items() if row.retried])
def test_what_was_tried_until_it_stopped_has_used_all_of_its_bound(failure):
    found = of(stopped(failure))
    assert (found.used, found.bound) == ((found.row.uncharged_bound or 3),) * 2


@pytest.mark.parametrize("failure", [failure for failure, row in ROWS.items() if not row.retried])
def test_what_is_not_tried_again_has_no_bound(failure):
    assert (of(stopped(failure)).used, of(stopped(failure)).bound) == (None, None)


def test_an_attempt_that_a_person_granted_counts_as_theirs():
    again = live(stopped(FailureClass.PROOF), retry_work("p1.a"), tick(), failed("p1.a", attempt=4))
    assert (of(again).used, of(again).bound) == (4, 4)


def test_the_planner_is_asked_only_where_one_can_find_another_way():
    assert of(stopped(FailureClass.PROOF)).asked is Asked.PLANNER
    assert of(stopped(FailureClass.QUOTA)).asked is Asked.PERSON
    without = until_it_stops(live(applied(draft("a"), milestones=1), tick()), FailureClass.PROOF)
    assert of(without).asked is Asked.PERSON


def test_work_that_waits_has_the_row_of_what_holds_it_up():
    goal = blocked(FailureClass.QUOTA, draft("a"), draft("b", "a"))
    assert of(goal, "p1.b") == of(goal) == consequences(goal)[0]


def test_accepted_work_that_could_not_come_in_is_resolved_unless_it_clashes():
    coming_in = live(in_review(), accept("p1.a"), tick())
    assert of(live(coming_in, parked("p1.a", failure=FailureClass.ENVIRONMENT))).resolvable
    assert not of(live(coming_in, parked("p1.a", 1, "bills.py"))).resolvable


def test_a_failed_plan_is_a_persons_and_goes_on_by_being_asked_for_again():
    goal = planning()
    for call in range(1, 4):
        goal = live(goal, tick(Instant(T0 + call * 600 * SECOND)), unanswered(FailureClass.UPSTREAM, call=call))
    (found,) = consequences(goal)
    assert (found.subject, found.failure, found.asked) == ("plan/1", FailureClass.UPSTREAM, Asked.PERSON)
    assert (found.used, found.bound, found.resolvable, found.unattended) == (3, 3, False, False)


def test_nothing_follows_where_nothing_failed_or_all_is_over():
    assert consequence_of(in_review(), in_review().work[A]) is None
    assert consequences(live(blocked(FailureClass.QUOTA), resolve("p1.a"))) == ()
    assert consequences(live(blocked(FailureClass.QUOTA), cancel_goal())) == ()
