"""Plans that are decided unasked: only what the planner proposed, by a step that says who decided."""

import msgspec
import pytest

from harnd.domain.digest import digest_of
from harnd.domain.goal import events as e
from harnd.domain.goal.automation import ACCEPT_PASSING_PROOF, AUTO_APPLY, decided_unasked
from harnd.domain.goal.candidate import WorkDraft
from harnd.domain.goal.fingerprint import fingerprint
from harnd.domain.goal.goal import Ending, Goal
from harnd.domain.goal.inbox import asks
from harnd.domain.goal.position import position
from harnd.domain.goal.reasons.item import reason_of
from protocol.values import FailureClass, NextAction, Phase, PlanStatus, Unit
from tests.domain.goal.walking import check_way_out
from tests.kit.given import (
    T0,
    Given,
    a_flaky_proof,
    a_plan,
    a_template,
    accept,
    an_intent,
    answered,
    completion,
    draft,
    extend_goal,
    failed,
    in_review,
    item,
    live,
    milestone_met,
    moved,
    pause_goal,
    planning,
    proposed,
    proved,
    question,
    reject,
    reopen,
    resume_goal,
    succeeded,
    the_plan,
    tick,
    working,
)

PLAN = a_plan()


def unasked(**intent: int) -> Goal:
    return proposed(PLAN, auto_apply=True, **intent)


def test_what_the_planner_proposes_is_applied_by_the_next_step_and_its_work_starts_in_it():
    applied, *_ = [event for event in Given(unasked()).when(tick()).events if isinstance(event, e.PlanApplied)]
    assert applied == e.PlanApplied(plan=1, digest=digest_of(PLAN), root=applied.root, by=AUTO_APPLY)
    kinds = [type(event) for event in Given(unasked()).when(tick()).events]
    assert kinds == [e.GoalTicked, e.WorkCreated, e.PlanApplied, e.AttemptStarted]


def test_a_completion_ends_the_mission_and_nothing_follows_in_its_step():
    goal = live(milestone_met(auto_apply=False), tick(), answered(completion("p1.a"), plan=2))
    Given(goal).when(tick()).then_nothing()
    goal = live(unasked(), tick(), succeeded("p1.a"), accept("p1.a"), tick(), proved("p1.a"), moved("p1.a"), tick())
    goal = live(goal, answered(completion("p1.a"), plan=2))
    assert [type(event) for event in Given(goal).when(tick()).events] == [e.GoalTicked, e.PlanCompleted]
    assert live(goal, tick()).ending is Ending.SUCCEEDED


def test_a_recovery_is_applied_unasked_too():
    once = [a_template(attempts=1)]
    goal = live(proposed(PLAN, auto_apply=True, templates=once), tick())
    around = a_plan(draft("around"), sequence=2)
    goal = live(goal, failed("p1.a", FailureClass.REFUSAL), tick(), answered(around, plan=2), tick())
    assert [each.id for each in goal.active()] == ["p2.around"]


@pytest.mark.parametrize(
    "goal",
    [
        proposed(PLAN),
        live(planning(auto_apply=True), answered(question())),
        live(unasked(), reject(PLAN)),
        live(unasked(), pause_goal()),
    ],
    ids=["not allowed", "a question", "rejected", "paused"],
)
def test_nothing_else_is_decided_unasked(goal):
    decided = [event for event in Given(goal).when(tick()).events if isinstance(event, e.PlanApplied)]
    assert decided == []


def test_it_is_told_and_nobody_is_asked():
    goal = unasked()
    where = check_way_out(goal, T0)
    assert (where.phase, where.next_action) == (Phase.READY, NextAction.RUN)
    assert where.reason == "plan 1 is applied next, unasked: replanning.auto_apply"
    assert asks(goal, T0) == ()


def test_it_is_resumed_with_the_goal():
    goal = live(unasked(), pause_goal())
    assert position(goal, T0).phase is Phase.PAUSED
    assert [ask.kind for ask in asks(goal, T0)] == ["plan"]
    assert the_plan(live(goal, resume_goal(), tick())).status is PlanStatus.APPLIED


def test_without_a_step_left_a_person_decides():
    goal = unasked(ticks=1)
    assert position(goal, T0).next_action is NextAction.DECIDE_PLAN
    assert [ask.kind for ask in asks(goal, T0)] == ["plan"]
    assert the_plan(live(goal, extend_goal({Unit.TICKS: 1}), tick())).status is PlanStatus.APPLIED


def test_a_proposal_wakes_the_goal():
    assert fingerprint(unasked(), T0) != fingerprint(planning(auto_apply=True), T0)


# --- proved work


def passing(*work: WorkDraft) -> Goal:
    return in_review(*work, accept_passing_proof=True)


def acceptances(goal: Goal) -> list[e.WorkAccepted]:
    return [event for event in Given(goal).when(tick()).events if isinstance(event, e.WorkAccepted)]


def test_work_whose_proof_passes_is_accepted_by_the_next_step_and_brought_in_with_it():
    goal = passing()
    (accepted,) = acceptances(goal)
    proof = item(goal, "p1.a").attempts[-1].proof
    assert proof is not None
    assert (accepted.proof, accepted.by, accepted.acknowledged) == (proof.digest(), ACCEPT_PASSING_PROOF, ())
    kinds = [type(event) for event in Given(goal).when(tick()).events]
    assert kinds == [e.GoalTicked, e.WorkAccepted, e.IntegrationStarted]


def test_without_the_switch_a_person_accepts():
    assert acceptances(in_review()) == []
    assert [ask.kind for ask in asks(in_review(), T0)] == ["work"]


def test_what_a_person_would_have_to_acknowledge_waits_for_one():
    flaky = live(working(accept_passing_proof=True), succeeded("p1.a", proof=a_flaky_proof("p1.a")))
    assert acceptances(flaky) == []
    assert [ask.kind for ask in asks(flaky, T0)] == ["work"]


def test_what_has_an_open_finding_waits_for_a_person():
    goal = live(passing(), reopen("p1.a", "Too slow."), tick(), succeeded("p1.a", attempt=2))
    assert acceptances(goal) == []
    assert [ask.kind for ask in asks(goal, T0)] == ["work"]


def test_a_goal_that_is_paused_accepts_nothing_unasked():
    goal = live(passing(), pause_goal())
    assert acceptances(goal) == []
    assert [ask.kind for ask in asks(goal, T0)] == ["work"]
    assert len(acceptances(live(goal, resume_goal()))) == 1


def test_an_acceptance_to_come_is_told_and_nobody_is_asked():
    goal = passing()
    where = check_way_out(goal, T0)
    assert (where.phase, where.next_action) == (Phase.READY, NextAction.RUN)
    assert where.reason == "proved work is accepted next, unasked: automation.accept_passing_proof"
    assert asks(goal, T0) == ()
    told = reason_of(goal, item(goal, "p1.a"), T0).next_automatic
    assert told == "p1.a is accepted, unasked: automation.accept_passing_proof"


def test_an_intent_without_automation_says_nothing_of_it():
    assert b"automation" not in msgspec.json.encode(an_intent())


def test_whoever_enrols_a_goal_is_told_what_it_decides_unasked():
    assert decided_unasked(an_intent()) == ()
    assert decided_unasked(an_intent(resume_approved=False)) == ()
    assert decided_unasked(an_intent(auto_apply=True, accept_passing_proof=True, retry_blocked=True)) == (
        "plans are applied",
        "work is accepted on its proof",
        "blocked work is tried again",
    )
