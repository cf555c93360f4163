"""Edits: a person writes a plan in the planner's place, under the same checks and a digest of its own."""

import pytest

from harnd.domain.digest import digest_of
from harnd.domain.goal import events as e
from harnd.domain.goal.candidate import normalised_digest
from harnd.domain.goal.fingerprint import fingerprint
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.inbox import asks
from harnd.domain.goal.ledger import Entry
from harnd.domain.goal.position import position
from protocol.ids import Digest
from protocol.values import FailureClass, NextAction, PlanAuthor, PlanStatus, Unit
from tests.domain.goal.walking import check_way_out
from tests.kit.given import (
    T0,
    Given,
    a_plan,
    answered,
    applied,
    approve,
    cancelled,
    completion,
    draft,
    edit_plan,
    item,
    live,
    planning,
    proposed,
    question,
    reassessing,
    reject,
    retry_plan,
    the_plan,
    tick,
    unanswered,
)

PLAN, OWN = a_plan(), a_plan(draft("mine"), rationale="Mine is shorter.")
ASKING = {
    "question": live(planning(), answered(question("Which?"))),
    "failed": live(planning(), unanswered(FailureClass.REFUSAL)),
    "no requests": live(planning(replans=1), answered(question("Which?"))),
}


def edited_event(base: Digest | None) -> e.PlanEdited:
    normalised = normalised_digest(OWN)
    return e.PlanEdited(plan=1, candidate=OWN, digest=digest_of(OWN), normalised=normalised, by="ada", base=base)


def test_an_edit_lies_before_a_person_under_its_own_digest():
    Given(proposed(PLAN)).when(edit_plan(OWN, PLAN)).then(edited_event(digest_of(PLAN)))
    goal = live(proposed(PLAN), edit_plan(OWN, PLAN))
    plan = the_plan(goal)
    assert (plan.status, plan.author, plan.digest) == (PlanStatus.PROPOSED, PlanAuthor.OPERATOR, digest_of(OWN))
    assert [(ask.kind, ask.digest) for ask in asks(goal, T0)] == [("plan", digest_of(OWN))]
    assert position(goal, T0).next_action is NextAction.DECIDE_PLAN


def test_decisions_bind_to_the_edit_and_no_more_to_what_was_edited():
    goal = live(proposed(PLAN), edit_plan(OWN, PLAN))
    Given(goal).when(approve(PLAN)).then_refused("plan.stale")
    Given(goal).when(reject(PLAN)).then_refused("plan.stale")
    assert item(live(goal, approve(OWN)), "p1.mine").title == "Do mine"
    assert the_plan(live(goal, reject(OWN))).status is PlanStatus.REJECTED


@pytest.mark.parametrize("name", ASKING)
def test_a_plan_that_asks_is_answered_by_an_edit_and_costs_no_request(name):
    goal = ASKING[name]
    assert "harnctl plan edit billing 1" in position(goal, T0).verbs
    before = goal.ledger.entries[Unit.PLANNER_CALLS]
    Given(goal).when(edit_plan(OWN)).then(edited_event(base=None))
    after = live(goal, edit_plan(OWN))
    assert after.ledger.entries[Unit.PLANNER_CALLS] == before
    assert (the_plan(after).question, the_plan(after).failure, the_plan(after).asks) == ("", None, False)
    check_way_out(after, T0)
    assert the_plan(live(after, approve(OWN))).status is PlanStatus.APPLIED


def test_the_same_edit_again_changes_nothing():
    goal = live(proposed(PLAN), edit_plan(OWN, PLAN))
    Given(goal).when(edit_plan(OWN, PLAN)).then_nothing()
    Given(goal).when(edit_plan(OWN, OWN)).then_nothing()


def test_an_edit_of_an_edit_names_what_it_edits():
    goal = live(proposed(PLAN), edit_plan(OWN, PLAN))
    Given(goal).when(edit_plan(PLAN, PLAN)).then_refused("plan.stale")
    (event,) = Given(goal).when(edit_plan(PLAN, OWN)).events
    assert isinstance(event, e.PlanEdited)
    assert event.base == digest_of(OWN)


@pytest.mark.parametrize(
    ("goal", "code"),
    [
        (planning(), "plan.not_proposed"),
        (applied(), "plan.not_proposed"),
        (live(proposed(PLAN), reject(PLAN)), "plan.not_proposed"),
        (live(planning(), answered(question()), retry_plan()), "plan.not_proposed"),
        (cancelled(proposed(PLAN)), "goal.ended"),
    ],
    ids=["requested", "applied", "rejected", "answered", "ended"],
)
def test_there_is_nothing_to_edit_about_what_waits_for_nobody(goal: Goal, code: str):
    Given(goal).when(edit_plan(OWN, PLAN)).then_refused(code)


def test_a_proposal_is_not_edited_without_its_digest():
    Given(proposed(PLAN)).when(edit_plan(OWN)).then_refused("plan.stale")


@pytest.mark.parametrize(
    "own",
    [
        a_plan(draft("a", "b"), draft("b", "a")),
        a_plan(draft("a", template="chore")),
        a_plan(draft("mine"), sequence=2),
        completion("p1.a"),
    ],
    ids=["cycle", "root", "sequence", "completion"],
)
def test_a_person_is_held_to_the_same_rules(own):
    Given(proposed(PLAN)).when(edit_plan(own, PLAN)).then_refused("plan.invalid_edit")


def test_a_person_may_propose_what_was_turned_down():
    goal = live(proposed(PLAN), reject(PLAN), tick(), answered(OWN, plan=2))
    goal = live(goal, edit_plan(PLAN, OWN, plan=2), approve(PLAN, plan=2))
    assert item(goal, "p2.a").plan == 2


def test_without_room_for_work_only_a_completion_can_be_written():
    goal = live(reassessing(milestones=1), answered(question(), plan=2))
    Given(goal).when(edit_plan(a_plan(draft("more"), sequence=2), plan=2)).then_refused("plan.invalid_edit")
    done = completion("p1.a")
    assert live(goal, edit_plan(done, plan=2), approve(done, plan=2)).ending == "succeeded"


def test_an_edit_is_never_applied_unasked():
    goal = live(proposed(PLAN, auto_apply=True), edit_plan(OWN, PLAN))
    Given(goal).when(tick()).then_nothing()
    assert position(goal, T0).next_action is NextAction.DECIDE_PLAN
    assert fingerprint(goal, T0) != fingerprint(proposed(PLAN, auto_apply=True), T0)


def test_an_edit_spends_no_budget():
    goal = live(proposed(PLAN), edit_plan(OWN, PLAN))
    assert goal.ledger.entries[Unit.PLANNER_CALLS] == Entry(5, spent=1)
    assert goal.ledger.entries[Unit.AGENT_CALLS] == Entry(50, spent=1)
