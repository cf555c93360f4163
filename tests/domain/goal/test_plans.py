"""Decisions about plans: each names the digest of what the person saw."""

import msgspec
import pytest

from harnd.domain.digest import digest_of
from harnd.domain.goal import commands as c
from harnd.domain.goal import events as e
from harnd.domain.goal.goal import Goal
from protocol.ids import TemplateName, WorkId, WorkKey
from protocol.values import FailureClass, Micros, PlanStatus, Trigger
from tests.kit.given import (
    Given,
    a_goal,
    a_plan,
    answered,
    applied,
    approve,
    cancelled,
    completion,
    criteria,
    draft,
    integrated,
    item,
    live,
    planning,
    proposed,
    question,
    reassessing,
    reject,
    reopen,
    retry_plan,
    succeeded,
    success,
    the_plan,
    tick,
    unanswered,
)

PLAN = a_plan(draft("a"), draft("b", "a", paths=["src/b", "docs/"], acceptance=["It works.", "It is told."]))
DIGEST = digest_of(PLAN)
DONE = completion("p1.a")


def asking() -> Goal:
    return live(planning(), answered(question()))


def failed_plan(failure: FailureClass = FailureClass.REFUSAL) -> Goal:
    return live(planning(), unanswered(failure))


# --- approving


def test_approving_makes_the_work_and_the_milestone_in_one_append():
    Given(proposed(PLAN)).when(approve(PLAN)).then(
        e.WorkCreated(
            work=WorkId("p1.a"),
            key=WorkKey("a"),
            plan=1,
            title="Do a",
            objective="Make a work.",
            acceptance=criteria("WC", "It works."),
            dependencies=(),
            template=TemplateName("change"),
            paths=("src/a",),
        ),
        e.WorkCreated(
            work=WorkId("p1.b"),
            key=WorkKey("b"),
            plan=1,
            title="Do b",
            objective="Make b work.",
            acceptance=criteria("WC", "It works.", "It is told."),
            dependencies=(WorkId("p1.a"),),
            template=TemplateName("change"),
            paths=("src/b", "docs/"),
        ),
        e.PlanApplied(plan=1, digest=DIGEST, root=WorkId("p1.b"), by="ada"),
    )


def test_work_of_a_later_plan_keeps_the_ids_of_earlier_work():
    second = a_plan(draft("a", "p1.a"), draft("b", "p1.a", "a"), sequence=2)
    goal = live(reassessing(), answered(second, plan=2), approve(second, plan=2))
    assert {name: entry.dependencies for name, entry in goal.work.items()} == {
        "p1.a": (),
        "p2.a": ("p1.a",),
        "p2.b": ("p1.a", "p2.a"),
    }


def test_approving_a_completion_ends_the_mission():
    Given(live(reassessing(), answered(DONE, plan=2))).when(approve(DONE, plan=2)).then(
        e.PlanCompleted(plan=2, digest=digest_of(DONE), by="ada")
    )


def test_approving_twice_is_approving_once():
    Given(live(proposed(PLAN), approve(PLAN))).when(approve(PLAN)).then_nothing()
    Given(success()).when(approve(DONE, plan=2)).then_nothing()


def test_another_digest_is_stale():
    other = a_plan(draft("other"))
    Given(proposed(PLAN)).when(approve(other)).then_refused(
        "plan.stale", f"plan 1 has digest {DIGEST}, not {digest_of(other)}"
    )


def test_after_it_was_applied_another_digest_is_no_repeat():
    Given(live(proposed(PLAN), approve(PLAN))).when(approve(a_plan(draft("other")))).then_refused(
        "plan.not_proposed", "plan 1 is applied; there is nothing to decide about it"
    )


@pytest.mark.parametrize("number", [0, -1, 2, 99])
def test_a_plan_that_is_not_there_is_unknown(number):
    for command in (approve(PLAN, plan=number), reject(PLAN, plan=number), retry_plan(plan=number)):
        Given(proposed(PLAN)).when(command).then_refused("plan.unknown", f"goal billing has no plan {number}")


@pytest.mark.parametrize(
    ("goal", "status"),
    [(planning(), "requested"), (asking(), "attention"), (failed_plan(), "failed")],
    ids=["requested", "attention", "failed"],
)
def test_only_a_proposed_plan_is_decided(goal, status):
    said = f"plan 1 is {status}; there is nothing to decide about it"
    Given(goal).when(approve(PLAN)).then_refused("plan.not_proposed", said)
    Given(goal).when(reject(PLAN)).then_refused("plan.not_proposed", said)


def test_a_goal_that_ended_has_no_plan_to_approve():
    Given(cancelled(proposed(PLAN))).when(approve(PLAN)).then_refused("goal.ended")


# --- rejecting


def test_rejecting_says_why():
    Given(proposed(PLAN)).when(reject(PLAN, " too much at once \n")).then(
        e.PlanRejected(plan=1, digest=DIGEST, guidance="too much at once", by="ada")
    )


def test_rejecting_twice_in_the_same_words_is_rejecting_once():
    goal = live(proposed(PLAN), reject(PLAN, "smaller"))
    Given(goal).when(reject(PLAN, "smaller")).then_nothing()
    Given(goal).when(reject(PLAN, " smaller ")).then_nothing()
    Given(goal).when(reject(PLAN, "larger")).then_refused("plan.not_proposed")


def test_what_was_rejected_is_not_approved_any_more():
    Given(live(proposed(PLAN), reject(PLAN))).when(approve(PLAN)).then_refused("plan.not_proposed")


def test_a_stale_rejection_is_refused():
    Given(proposed(PLAN)).when(reject(a_plan(draft("other")))).then_refused("plan.stale")


@pytest.mark.parametrize(
    ("guidance", "code"),
    [("", "text.guidance_missing"), ("\t ", "text.guidance_missing"), ("x" * 2_001, "text.guidance_too_long")],
)
def test_a_rejection_gives_guidance_within_bounds(guidance, code):
    Given(proposed(PLAN)).when(reject(PLAN, guidance)).then_refused(code)


def test_after_a_rejection_the_planner_is_asked_anew():
    goal = live(proposed(PLAN), reject(PLAN, "smaller"))
    Given(goal).when(tick()).then(
        e.GoalTicked(),
        e.PlanRequested(plan=2, trigger=Trigger.INITIAL, graph=goal.graph_digest()),
        e.PlannerCalled(plan=2, call=1),
    )


# --- answering a plan that asks or failed


def test_a_question_is_answered():
    Given(asking()).when(retry_plan(" CSV ")).then(e.PlanRetried(plan=1, guidance="CSV", by="ada"))


def test_a_question_wants_an_answer():
    Given(asking()).when(retry_plan("  ")).then_refused("text.guidance_missing")


def test_a_failure_is_tried_again_without_a_word():
    Given(failed_plan()).when(retry_plan("")).then(e.PlanRetried(plan=1, guidance="", by="ada"))
    Given(failed_plan()).when(retry_plan("think")).then(e.PlanRetried(plan=1, guidance="think", by="ada"))


def test_the_same_answer_twice_is_one_answer():
    Given(live(asking(), retry_plan("CSV"))).when(retry_plan("CSV")).then_nothing()
    Given(live(failed_plan(), retry_plan(""))).when(retry_plan("")).then_nothing()
    Given(live(asking(), retry_plan("CSV"))).when(retry_plan("XML")).then_refused("plan.not_asking")


@pytest.mark.parametrize(
    ("goal", "status"),
    [(planning(), "requested"), (proposed(PLAN), "proposed"), (applied(), "applied")],
    ids=["requested", "proposed", "applied"],
)
def test_only_what_asks_or_failed_is_answered(goal, status):
    Given(goal).when(retry_plan()).then_refused(
        "plan.not_asking", f"plan 1 is {status}; only a plan that asks or failed can be retried"
    )


def test_an_older_question_is_not_answered_any_more():
    goal = live(asking(), retry_plan("CSV"), tick())
    Given(goal).when(retry_plan("XML")).then_refused("plan.not_asking")


def test_no_answer_buys_a_request_that_is_not_left():
    Given(live(planning(replans=1), answered(question()))).when(retry_plan()).then_refused(
        "budget.planner_calls", "every plan request of this goal is spent"
    )


def test_a_failure_that_nobody_paid_for_is_tried_again_with_the_last_request():
    goal = live(planning(replans=1), unanswered(FailureClass.ENVIRONMENT))
    Given(goal).when(retry_plan("")).then(e.PlanRetried(plan=1, guidance="", by="ada"))
    assert live(goal, retry_plan(""), tick()).plans[-1].number == 2


# --- a plan loses its ground when work is reopened


def test_reopening_withdraws_a_proposal():
    goal = live(reassessing(), answered(DONE, plan=2))
    Given(goal).when(reopen("p1.a", "It is slow.")).then(
        e.PlanRejected(
            plan=2, digest=digest_of(DONE), guidance="work was reopened after this plan was requested", by="ada"
        ),
        e.WorkReopened(work=WorkId("p1.a"), findings=(e.OpenFinding("f1", "It is slow."),), by="ada"),
    )
    Given(live(goal, reopen("p1.a"))).when(approve(DONE, plan=2)).then_refused("plan.not_proposed")


def test_reopening_withdraws_a_request_and_its_open_call():
    said = "work was reopened after this plan was requested"
    Given(reassessing()).when(reopen("p1.a", "It is slow.")).then(
        e.PlannerReturned(plan=2, call=1, ran=Micros(0), charged=False),
        e.PlanFailed(plan=2, failure=FailureClass.DECISION, detail=said, charged=False),
        e.PlanRetried(plan=2, guidance=said, by="ada"),
        e.WorkReopened(work=WorkId("p1.a"), findings=(e.OpenFinding("f1", "It is slow."),), by="ada"),
    )


def test_reopening_answers_a_plan_that_asks():
    goal = live(reassessing(), answered(question(), plan=2))
    Given(goal).when(reopen("p1.a", "It is slow.")).then(
        e.PlanRetried(plan=2, guidance="work was reopened after this plan was requested", by="ada"),
        e.WorkReopened(work=WorkId("p1.a"), findings=(e.OpenFinding("f1", "It is slow."),), by="ada"),
    )


def test_a_withdrawn_request_is_not_paid_for():
    before, after = reassessing(), live(reassessing(), reopen("p1.a"))
    assert {unit: entry.spent for unit, entry in before.ledger.entries.items()} == {
        unit: entry.spent for unit, entry in after.ledger.entries.items()
    }
    assert {entry.reserved for entry in after.ledger.entries.values()} == {0}


def test_the_planner_waits_until_reopened_work_is_done_again():
    goal = live(reassessing(), reopen("p1.a"))
    Given(goal).when(tick()).then(
        e.GoalTicked(), e.AttemptStarted(work=WorkId("p1.a"), attempt=2, base=goal.head, generation=1, calls=1)
    )
    assert the_plan(live(goal, tick())).status is PlanStatus.FAILED


def test_the_planner_waits_also_when_only_what_the_root_rests_on_was_reopened():
    """Otherwise it could propose completion, and a person could approve it, while accepted work is being mended."""
    goal = integrated(applied(draft("a"), draft("b", "a")), "p1.a", "p1.b")
    goal = live(goal, reopen("p1.a"))
    Given(goal).when(tick()).then(
        e.GoalTicked(), e.AttemptStarted(work=WorkId("p1.a"), attempt=2, base=goal.head, generation=1, calls=1)
    )
    goal = live(goal, tick())
    Given(goal).when(tick()).then_nothing()
    goal = live(goal, succeeded("p1.a", 2))
    Given(goal).when(tick()).then_nothing()


def test_rework_that_a_person_gives_up_holds_the_planner_no_longer():
    goal = integrated(applied(draft("a"), draft("b", "a")), "p1.a", "p1.b")
    goal = live(goal, reopen("p1.a"), c.CancelWork(work=WorkId("p1.a"), reason="good enough", by="ada"))
    Given(goal).when(tick()).then(
        e.GoalTicked(),
        e.PlanRequested(plan=2, trigger=Trigger.MILESTONE, graph=goal.graph_digest()),
        e.PlannerCalled(plan=2, call=1),
    )


# --- a plan that no longer fits


def test_a_plan_that_fitted_no_longer_is_stale():
    """It cannot happen by the rules of today; a stream of another release may hold it."""
    goal = proposed(PLAN)
    spoiled = msgspec.structs.replace(goal, ledger=a_goal(planned_work=1).ledger)
    Given(spoiled).when(approve(PLAN)).then_refused(
        "plan.stale",
        "plan 1 no longer fits: work: the plan needs at least 2 work_items; 1 are left [graph.over_budget]",
    )


def test_applying_leaves_every_item_open():
    goal = live(proposed(PLAN), approve(PLAN))
    assert [item(goal, name).attempts for name in ("p1.a", "p1.b")] == [(), ()]
