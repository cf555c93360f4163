"""Recovery: when nothing in the active graph can go on, the planner is asked for another way.

A person may be quicker.
"""

from typing import Any

import pytest

from harnd.domain.goal import events as e
from harnd.domain.goal.briefing import briefing
from harnd.domain.goal.commands import GoalCommand
from harnd.domain.goal.decide import decide
from harnd.domain.goal.failure import ROWS
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.inbox import asks
from harnd.domain.goal.ledger import Entry
from harnd.domain.goal.position import position
from harnd.domain.goal.reasons.item import reason_of
from harnd.domain.goal.wanted import wanted_trigger
from harnd.domain.goal.work import Standing
from protocol.values import Asked, FailureClass, NextAction, Phase, PlanStatus, Trigger, Unit, WorkState
from tests.domain.goal.walking import check_way_out
from tests.kit.given import (
    T0,
    Given,
    a_plan,
    a_specialist,
    a_template,
    accept,
    answered,
    applied,
    approve,
    babbled,
    blocked,
    cancel_work,
    completion,
    draft,
    extend_goal,
    failed,
    integrated,
    item,
    later,
    live,
    moved,
    planning,
    proved,
    question,
    reject,
    reopen,
    retry_work,
    succeeded,
    the_plan,
    tick,
    unanswered,
    working,
)

TWO = (draft("a"), draft("b"), draft("c", "a", "b"))
ANOTHER = a_plan(draft("around"), sequence=2)
PERSONS = [failure for failure, row in ROWS.items() if row.asked is Asked.PERSON and not row.retried]
PLANNERS = [failure for failure, row in ROWS.items() if row.asked is Asked.PLANNER]


def stuck(failure: FailureClass = FailureClass.REFUSAL, **intent: Any) -> Goal:
    """Work that nobody but the planner, or a person who wants to, can find a way around."""
    once = [a_template(attempts=1), a_template("chore", root=False)]
    return blocked(failure, templates=once, **intent)


def recovery_asked(**intent: Any) -> Goal:
    return live(stuck(**intent), tick())


def recovery_proposed(**intent: Any) -> Goal:
    return live(recovery_asked(**intent), answered(ANOTHER, plan=2))


# --- when


@pytest.mark.parametrize("failure", PLANNERS)
def test_a_graph_that_cannot_go_on_is_recovered_by_a_plan(failure):
    goal = stuck(failure)
    Given(goal).when(tick()).then(
        e.GoalTicked(),
        e.PlanRequested(plan=2, trigger=Trigger.RECOVERY, graph=goal.graph_digest()),
        e.PlannerCalled(plan=2, call=1),
    )
    where = check_way_out(goal, T0)
    assert (where.phase, where.next_action) == (Phase.READY, NextAction.REPLAN_RECOVERY)
    assert where.verbs == ("harnctl work retry billing p1.a",)


@pytest.mark.parametrize("failure", PERSONS)
def test_a_person_who_is_asked_is_waited_for(failure):
    goal = live(working(), failed("p1.a", failure))
    assert wanted_trigger(goal) is None
    assert position(goal, T0).next_action is NextAction.RESOLVE_BLOCKED


def test_one_item_that_waits_for_a_person_holds_the_recovery_of_all():
    goal = live(working(*TWO), failed("p1.a", FailureClass.REFUSAL), failed("p1.b", FailureClass.AUTH))
    assert wanted_trigger(goal) is None
    assert wanted_trigger(live(goal, cancel_work("p1.b"))) is Trigger.RECOVERY


@pytest.mark.parametrize(
    "goal",
    [
        live(working(*TWO), failed("p1.a", FailureClass.REFUSAL)),
        live(working(*TWO, parallel_work=1), failed("p1.a", FailureClass.REFUSAL)),
        live(working(*TWO), failed("p1.a", FailureClass.REFUSAL), failed("p1.b", FailureClass.UPSTREAM)),
        live(working(*TWO), failed("p1.a", FailureClass.REFUSAL), succeeded("p1.b")),
        live(working(*TWO), failed("p1.a", FailureClass.REFUSAL), succeeded("p1.b"), accept("p1.b")),
        live(working(*TWO), failed("p1.a", FailureClass.REFUSAL), succeeded("p1.b"), accept("p1.b"), tick()),
        live(
            working(*TWO, attempts=3),
            failed("p1.a", FailureClass.REFUSAL),
            failed("p1.b"),
            tick(),
            failed("p1.b", attempt=2),
        ),
    ],
    ids=["running", "startable", "pauses", "in review", "queued", "integrating", "waits for budget"],
)
def test_while_anything_can_move_or_waits_for_somebody_no_other_way_is_sought(goal):
    assert wanted_trigger(goal) is None


def test_work_that_was_cancelled_is_planned_around():
    goal = live(applied(draft("a"), draft("b", "a")), cancel_work("p1.a"))
    assert wanted_trigger(goal) is Trigger.RECOVERY
    assert wanted_trigger(live(goal, reopen("p1.a"))) is None


def test_work_for_which_agents_may_answer_no_more_is_planned_around():
    goal = live(working(answers_per_work=1), failed("p1.a"))
    assert item(goal, "p1.a").standing is Standing.OPEN
    assert wanted_trigger(goal) is Trigger.RECOVERY


def test_a_milestone_that_is_met_is_no_case_for_recovery():
    goal = integrated(applied(draft("a"), draft("b", "a")), "p1.a")
    goal = live(goal, tick(), failed("p1.b", FailureClass.REFUSAL))
    assert wanted_trigger(goal) is Trigger.RECOVERY
    goal = live(goal, retry_work("p1.b"), tick(), succeeded("p1.b", 2), accept("p1.b"), tick(), proved("p1.b"))
    assert wanted_trigger(live(goal, moved("p1.b"))) is Trigger.MILESTONE


# --- within bounds


@pytest.mark.parametrize(
    ("bound", "told"),
    [
        ({"milestones": 1}, "it takes 1 milestone, and none is left"),
        ({"replans": 1}, "every plan request is spent"),
        ({"planned_work": 1}, "it takes 1 work item, and none is left"),
    ],
    ids=["milestones", "requests", "work"],
)
def test_without_room_for_another_plan_nobody_is_called_and_a_person_looks(bound, told):
    goal = stuck(**bound)
    Given(goal).when(tick(later(10**6))).then_nothing()
    where = check_way_out(goal, T0)
    assert (where.phase, where.next_action) == (Phase.AWAITING_ATTENTION, NextAction.RESOLVE_BLOCKED)
    assert where.reason == (
        "p1.a is blocked (refusal): no luck; read the refusal, then retry with guidance; "
        f"and there can be no plan for another way: {told}"
    )
    assert where.verbs == (
        *(f"harnctl work {word} billing p1.a" for word in ("show", "log", "retry", "cancel")),
        "harnctl goal cancel billing",
    )
    assert [(ask.kind, ask.subject) for ask in asks(goal, T0)] == [("blocked", "p1.a")]


@pytest.mark.parametrize(
    ("bound", "unit"), [({"attempts": 1}, Unit.ATTEMPTS), ({"agent_calls": 2}, Unit.AGENT_CALLS)], ids=str
)
def test_a_budget_that_grows_is_asked_for_before_the_planner(bound, unit):
    goal = stuck(**bound)
    Given(goal).when(tick()).then_nothing()
    where = check_way_out(goal, T0)
    assert (where.phase, where.grows) == (Phase.BUDGET_EXHAUSTED, unit)
    assert where.reason.startswith("nothing of the active work can go on, and the planner cannot be called: ")
    assert "harnctl work retry billing p1.a" in where.verbs
    assert position(live(goal, extend_goal({unit: 1})), T0).next_action is NextAction.REPLAN_RECOVERY


def test_each_recovery_is_a_request_and_a_milestone():
    goal = live(recovery_proposed(), approve(ANOTHER, plan=2))
    assert goal.ledger.entries[Unit.PLANNER_CALLS] == Entry(5, spent=2)
    assert goal.ledger.entries[Unit.MILESTONES] == Entry(2, spent=2)


# --- what becomes of it


def test_another_way_is_the_next_milestone_and_leaves_the_old_graph_as_it_was():
    goal = live(recovery_proposed(), approve(ANOTHER, plan=2))
    assert [step.sequence for step in goal.milestones] == [1, 2]
    assert goal.generation == 2
    assert [each.id for each in goal.active()] == ["p2.around"]
    left = item(goal, "p1.a")
    assert (goal.state_of(left), left.blocked) == (WorkState.BLOCKED, FailureClass.REFUSAL)
    assert reason_of(goal, left, T0).condition == "p1.a was left as it was when a later plan was applied"
    assert position(goal, T0).next_action is NextAction.RUN
    Given(goal).when(retry_work("p1.a")).then_refused("work.not_active")


def test_a_mission_is_met_over_another_way():
    goal = live(recovery_proposed(), approve(ANOTHER, plan=2), tick(), succeeded("p2.around"), accept("p2.around"))
    goal = live(goal, tick(), proved("p2.around"), moved("p2.around"), tick())
    assert the_plan(goal).trigger is Trigger.MILESTONE
    done = completion("p2.around")
    goal = live(goal, answered(done, plan=3), approve(done, plan=3))
    assert position(goal, T0).phase is Phase.SUCCEEDED


def test_another_way_may_rest_on_what_was_accepted():
    goal = integrated(applied(draft("a"), draft("b", "a")), "p1.a")
    goal = live(goal, tick(), failed("p1.b", FailureClass.REFUSAL), tick())
    onwards = a_plan(draft("around", "p1.a"), sequence=2)
    goal = live(goal, answered(onwards, plan=2), approve(onwards, plan=2))
    assert item(goal, "p2.around").dependencies == ("p1.a",)
    assert position(goal, T0).next_action is NextAction.RUN


def test_a_mission_is_not_completed_by_a_recovery():
    goal = live(recovery_asked(), answered(completion("p1.a"), plan=2))
    assert the_plan(goal).status is PlanStatus.REQUESTED
    assert the_plan(goal).refused_call is not None


def test_another_way_that_fails_is_recovered_too_until_milestones_are_spent():
    once = [a_template(attempts=1)]
    goal = live(blocked(FailureClass.REFUSAL, templates=once), tick(), answered(ANOTHER, plan=2))
    goal = live(goal, approve(ANOTHER, plan=2), tick(), failed("p2.around", FailureClass.REFUSAL))
    Given(goal).when(tick()).then_nothing()
    assert position(goal, T0).phase is Phase.AWAITING_ATTENTION


def test_a_rejected_way_is_followed_by_another_request():
    goal = live(recovery_proposed(), reject(ANOTHER, "not around, through", plan=2))
    assert wanted_trigger(goal) is Trigger.RECOVERY
    prompt = briefing_of(live(goal, tick()))
    assert "- about plan 2: not around, through" in prompt


# --- a person can be quicker


UNDECIDED: dict[str, tuple[Goal, list[type[e.GoalEvent]]]] = {
    "requested": (recovery_asked(), [e.PlannerReturned, e.PlanFailed, e.PlanRetried]),
    "proposed": (recovery_proposed(), [e.PlanRejected]),
    "asks": (live(recovery_asked(), answered(question(), plan=2)), [e.PlanRetried]),
    "failed": (live(recovery_asked(), unanswered(FailureClass.AUTH, plan=2)), [e.PlanRetried]),
}
DECISIONS: dict[str, tuple[GoalCommand, type[e.GoalEvent]]] = {
    "retry": (retry_work("p1.a", "once more"), e.WorkRetried),
    "reopen": (reopen("p1.a"), e.WorkReopened),
    "cancel": (cancel_work("p1.a"), e.WorkCancelled),
}


@pytest.mark.parametrize("decision", DECISIONS)
@pytest.mark.parametrize("name", UNDECIDED)
def test_a_decision_about_the_work_takes_the_plan_back_in_the_same_append(name, decision):
    (goal, withdrawn), (command, decided) = UNDECIDED[name], DECISIONS[decision]
    assert [type(event) for event in decide(goal, command)] == [*withdrawn, decided]
    after = live(goal, command)
    assert the_plan(after).answered or the_plan(after).status is PlanStatus.REJECTED
    check_way_out(after, T0)


@pytest.mark.parametrize("name", UNDECIDED)
def test_while_a_plan_around_it_is_undecided_the_work_can_be_set_going_again(name):
    goal, _ = UNDECIDED[name]
    assert position(goal, T0).verbs[-1] == "harnctl work retry billing p1.a"
    after = live(goal, retry_work("p1.a"), tick())
    assert item(after, "p1.a").standing is Standing.RUNNING
    assert after.plan is None or after.plan.open_call is None


def test_what_was_asked_and_not_answered_costs_no_request():
    goal = live(recovery_asked(), retry_work("p1.a"))
    assert goal.ledger.entries[Unit.PLANNER_CALLS] == Entry(5, spent=1)


def test_approving_a_plan_that_was_taken_back_is_refused():
    goal = live(recovery_proposed(), retry_work("p1.a"))
    Given(goal).when(approve(ANOTHER, plan=2)).then_refused("plan.not_proposed")


def test_nobody_is_asked_about_what_the_planner_works_on():
    assert asks(stuck(), T0) == ()
    assert asks(recovery_asked(), T0) == ()
    assert [(ask.kind, ask.subject) for ask in asks(recovery_proposed(), T0)] == [("plan", "plan/2")]


def test_blocked_work_says_that_the_planner_is_asked():
    waiting = live(working(*TWO), failed("p1.a", FailureClass.REFUSAL))
    told = reason_of(waiting, item(waiting, "p1.a"), T0)
    assert told.next_automatic == "the planner is asked for another way as soon as nothing else can go on"
    asked = recovery_asked()
    assert reason_of(asked, item(asked, "p1.a"), T0).next_automatic == "plan 2 is to find another way"
    alone = stuck(milestones=1)
    assert reason_of(alone, item(alone, "p1.a"), T0).next_automatic is None


# --- what the planner is told


def briefing_of(goal: Goal) -> str:
    return briefing(goal, the_plan(goal), a_specialist("planner"))


def test_the_planner_is_told_what_cannot_go_on_and_why():
    goal = live(working(*TWO), failed("p1.a", FailureClass.REFUSAL, detail="I may not"), failed("p1.b"))
    goal = live(goal, cancel_work("p1.b", "out of scope"), tick())
    prompt = briefing_of(goal)
    assert "Plan request 2, trigger recovery: nothing of the active work can go on." in prompt
    assert "- p1.a: blocked (refusal) after 1 attempt: I may not" in prompt
    assert "- p1.b: cancelled by the operator: out of scope" in prompt
    assert "# Active work" in prompt


def test_it_is_told_whose_answers_are_spent():
    goal = live(working(answers_per_work=1), failed("p1.a"), tick())
    assert "- p1.a: agents have answered 1 time for it, and more is not allowed" in briefing_of(goal)


def test_a_correction_of_another_way_tells_it_again():
    goal = live(recovery_asked(), babbled(plan=2), tick())
    assert "# What cannot go on" in briefing(goal, the_plan(goal), a_specialist("planner"), "no")


def test_other_requests_are_told_nothing_of_it():
    assert "# What cannot go on" not in briefing_of(planning())
