"""The tick: every move that is legal now and none that depends on an answer; what moves nothing costs nothing."""

import msgspec
import pytest

from harnd.domain.goal import events as e
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.ledger import Entry
from harnd.domain.goal.template import AgentStage, CommandStage, ParallelStage
from harnd.domain.goal.wanted import wanted_trigger
from protocol.ids import CommitId, SpecialistName, WorkId
from protocol.values import FailureClass, Trigger, Unit
from tests.kit.given import (
    MINUTE,
    T0,
    Given,
    a_goal,
    a_plan,
    a_template,
    accept,
    accepted,
    answered,
    applied,
    approve,
    blocked,
    cancel_work,
    cancelled,
    commit,
    draft,
    failed,
    in_review,
    integrated,
    later,
    live,
    milestone_met,
    moved,
    planning,
    proposed,
    proved,
    question,
    reject,
    retry_plan,
    retry_work,
    succeeded,
    success,
    tick,
    unanswered,
    working,
)

THREE = (draft("a"), draft("b"), draft("c"), draft("end", "a", "b", "c"))
BASE = commit("base")
AGENT = AgentStage("make", SpecialistName("maker"), "Make it.")
FORMAT = CommandStage("format", ("format",), MINUTE)


def started(work: str, attempt: int = 1, *, base: CommitId = BASE, calls: int = 1) -> e.AttemptStarted:
    return e.AttemptStarted(work=WorkId(work), attempt=attempt, base=base, generation=1, calls=calls)


# --- planning


def test_a_new_goal_is_planned():
    goal = a_goal()
    Given(goal).when(tick()).then(
        e.GoalTicked(),
        e.PlanRequested(plan=1, trigger=Trigger.INITIAL, graph=goal.graph_digest()),
        e.PlannerCalled(plan=1, call=1),
    )


def test_a_milestone_that_is_met_is_followed_by_the_next_plan():
    goal = milestone_met()
    Given(goal).when(tick()).then(
        e.GoalTicked(),
        e.PlanRequested(plan=2, trigger=Trigger.MILESTONE, graph=goal.graph_digest()),
        e.PlannerCalled(plan=2, call=1),
    )


@pytest.mark.parametrize(
    ("goal", "trigger"),
    [
        (a_goal(), Trigger.INITIAL),
        (planning(), None),
        (proposed(), None),
        (live(proposed(), reject(a_plan())), Trigger.INITIAL),
        (live(planning(), answered(question())), None),
        (live(planning(), answered(question()), retry_plan()), Trigger.INITIAL),
        (live(planning(), unanswered(FailureClass.REFUSAL)), None),
        (live(planning(), unanswered(FailureClass.REFUSAL), retry_plan("")), Trigger.INITIAL),
        (applied(), None),
        (milestone_met(), Trigger.MILESTONE),
    ],
    ids=["new", "called", "proposed", "rejected", "asks", "answered", "failed", "retried", "applied", "met"],
)
def test_when_a_plan_is_wanted(goal, trigger):
    assert wanted_trigger(goal) is trigger


@pytest.mark.parametrize(
    "goal",
    [planning(), proposed(), live(planning(), answered(question())), in_review(), blocked(), cancelled(a_goal())],
    ids=["called", "proposed", "asks", "in review", "blocked", "cancelled"],
)
def test_what_waits_for_an_answer_is_not_moved_and_costs_nothing(goal):
    Given(goal).when(tick(later(10**6))).then_nothing()


@pytest.mark.parametrize("budget", [{"agent_calls": 1}, {"replans": 1}, {"active_runtime": 1}])
def test_no_plan_is_requested_beyond_a_budget(budget):
    goal = live(live(a_goal(**budget), tick()), answered(a_plan()), at=later(1))
    if budget != {"agent_calls": 1}:
        goal = live(goal, reject(a_plan()), at=later(1))
    Given(goal).when(tick(later(2))).then_nothing()


def test_a_call_that_failed_upstream_is_made_again_after_thirty_seconds_and_not_a_microsecond_before():
    goal = live(planning(), unanswered(FailureClass.UPSTREAM), at=T0)
    Given(goal).when(tick(later(29.999_999))).then_nothing()
    Given(goal).when(tick(later(30))).then(e.GoalTicked(), e.PlannerCalled(plan=1, call=2))
    again = live(live(goal, tick(later(30)), at=later(30)), unanswered(FailureClass.UPSTREAM, call=2), at=later(40))
    Given(again).when(tick(later(99.999_999))).then_nothing()
    Given(again).when(tick(later(100))).then(e.GoalTicked(), e.PlannerCalled(plan=1, call=3))


# --- starting work


def test_what_is_ready_is_started_in_the_order_it_was_planned():
    Given(applied(*THREE, parallel_work=9)).when(tick()).then(
        e.GoalTicked(), started("p1.a"), started("p1.b"), started("p1.c")
    )


def test_no_more_runs_at_once_than_may():
    goal = applied(*THREE, parallel_work=2)
    Given(goal).when(tick()).then(e.GoalTicked(), started("p1.a"), started("p1.b"))
    goal = live(goal, tick(), failed("p1.a", FailureClass.REFUSAL))
    Given(goal).when(tick()).then(e.GoalTicked(), started("p1.c"))


def test_items_that_could_touch_the_same_file_do_not_run_together():
    goal = applied(
        draft("a", paths=["src/"]), draft("b", paths=["src/deep/x"]), draft("c"), draft("end", "a", "b", "c")
    )
    Given(applied(*THREE[:2], draft("c", "a", "b"))).when(tick()).then(e.GoalTicked(), started("p1.a"), started("p1.b"))
    Given(goal).when(tick()).then(e.GoalTicked(), started("p1.a"))


def test_an_item_that_overlaps_is_overtaken_by_one_that_does_not():
    goal = applied(
        draft("a", paths=["src"]), draft("b", paths=["src/x"]), draft("c", paths=["docs"]), draft("e", "a", "b", "c")
    )
    Given(goal).when(tick()).then(e.GoalTicked(), started("p1.a"), started("p1.c"))


def test_an_item_that_declares_nothing_runs_alone():
    goal = applied(draft("a", paths=[]), draft("b"), draft("c", "a", "b"))
    Given(goal).when(tick()).then(e.GoalTicked(), started("p1.a"))
    goal = applied(draft("a"), draft("b", paths=[]), draft("c", "a", "b"))
    Given(goal).when(tick()).then(e.GoalTicked(), started("p1.a"))


def test_dependencies_are_met_when_they_are_on_the_branch_and_not_before():
    goal = working(draft("a"), draft("b", "a"))
    for step in (succeeded("p1.a"), accept("p1.a")):
        goal = live(goal, step)
        assert started("p1.b") not in live_tick(goal)
    goal = live(goal, tick(), proved("p1.a"))
    Given(goal).when(tick()).then_nothing()
    goal = live(goal, moved("p1.a"))
    Given(goal).when(tick()).then(e.GoalTicked(), started("p1.b", base=commit("merged p1.a")))


def live_tick(goal: Goal) -> tuple[e.GoalEvent, ...]:
    return Given(goal).when(tick()).events


def test_work_that_rests_on_given_up_work_is_not_started():
    Given(live(applied(draft("a"), draft("b", "a"), milestones=1), cancel_work("p1.a"))).when(tick()).then_nothing()


def test_a_retry_starts_from_where_the_branch_is_now():
    goal = integrated(applied(draft("a"), draft("b"), draft("c", "a", "b"), parallel_work=1), "p1.a")
    goal = live(goal, tick(), failed("p1.b"))
    Given(goal).when(tick()).then(e.GoalTicked(), started("p1.b", 2, base=commit("merged p1.a")))


# --- how many agents


@pytest.mark.parametrize(
    ("template", "agents"),
    [
        (a_template(agents=0), 0),
        (a_template(agents=3), 1),
        (a_template(agents=3, wide=True), 3),
        (msgspec.structs.replace(a_template(), stages=(ParallelStage("both", (AGENT, FORMAT)),)), 1),
    ],
    ids=["none", "in turn", "at once", "beside a command"],
)
def test_the_width_of_a_template_is_its_widest_stage(template, agents):
    assert template.width() == agents


@pytest.mark.parametrize(("most", "running"), [(1, ["a"]), (2, ["a"]), (3, ["a"]), (4, ["a", "b"])])
def test_agents_at_work_at_once_are_bounded(most, running):
    """Each item has two agents at work; where even one item is too wide, it runs alone, its agents in turn."""
    two = a_template(agents=2, wide=True)
    goal = applied(draft("a"), draft("b"), draft("c", "a", "b"), templates=[two], agent_concurrency=most)
    Given(goal).when(tick()).then(e.GoalTicked(), *[started(f"p1.{key}", calls=2) for key in running])


# --- budgets


def test_an_attempt_is_not_started_without_its_calls():
    goal = applied(templates=[a_template(agents=3)], agent_calls=5)  # the planner's call is one
    Given(goal).when(tick()).then(e.GoalTicked(), started("p1.a", calls=3))
    again = live(goal, tick(), failed("p1.a", calls=3))
    Given(again).when(tick()).then_nothing()


def test_calls_set_aside_by_one_attempt_are_not_there_for_the_next():
    goal = applied(*THREE, parallel_work=9, attempts=9, agent_calls=7, templates=[a_template(agents=1)])
    goal = live(goal, tick())
    assert goal.ledger.entries[Unit.AGENT_CALLS] == Entry(limit=7, spent=1, reserved=3)


def test_no_attempt_is_started_beyond_the_last():
    goal = applied(draft("a"), attempts=1)
    goal = live(goal, tick(), failed("p1.a"))
    Given(goal).when(tick()).then_nothing()


@pytest.mark.parametrize(("answers", "starts"), [(1, False), (2, True)])
def test_an_item_is_not_given_more_answers_than_it_may_have(answers, starts):
    goal = live(working(answers_per_work=answers), failed("p1.a", calls=1))
    assert (started("p1.a", 2) in live_tick(goal)) is starts


def test_active_runtime_ends_everything_new():
    goal = live(working(active_runtime=10_000_000), failed("p1.a"), at=later(9.999_999))
    Given(goal).when(tick(later(9.999_999))).then(e.GoalTicked(), started("p1.a", 2))
    goal = live(working(active_runtime=10_000_000), failed("p1.a"), at=later(10))
    Given(goal).when(tick(later(10))).then_nothing()


def test_the_last_tick_is_taken_and_none_after_it():
    goal = live(a_goal(ticks=1), tick())
    assert goal.left(Unit.TICKS) == 0
    goal = live(goal, answered(a_plan()), approve(a_plan()))
    Given(goal).when(tick()).then_nothing()


# --- trying again


def test_an_attempt_that_failed_upstream_is_made_again_later_each_time():
    goal = live(working(), failed("p1.a", FailureClass.UPSTREAM), at=later(5))
    Given(goal).when(tick(later(34.999_999))).then_nothing()
    Given(goal).when(tick(later(35))).then(e.GoalTicked(), started("p1.a", 2))
    goal = live(goal, tick(later(35)), failed("p1.a", FailureClass.UPSTREAM, 2), at=later(40))
    Given(goal).when(tick(later(99.999_999))).then_nothing()
    Given(goal).when(tick(later(100))).then(e.GoalTicked(), started("p1.a", 3))


def test_other_failures_are_tried_again_at_once():
    for failure in (FailureClass.PROOF, FailureClass.LOST, FailureClass.STALLED):
        Given(live(working(), failed("p1.a", failure))).when(tick()).then(e.GoalTicked(), started("p1.a", 2))


def test_a_persons_word_ends_the_pause():
    goal = working()
    for attempt in (1, 2, 3):
        at = later(attempt * 1_000)
        goal = live(goal, failed("p1.a", FailureClass.UPSTREAM, attempt), tick(later(attempt * 1_000 + 900)), at=at)
    goal = live(goal, retry_work("p1.a"), at=later(3_000))
    assert live_tick_at(goal, 3_000) == (e.GoalTicked(), started("p1.a", 4))


def live_tick_at(goal: Goal, seconds: float) -> tuple[e.GoalEvent, ...]:
    return Given(goal).when(tick(later(seconds))).events


def test_a_pause_of_one_item_holds_no_other():
    goal = live(working(*THREE, parallel_work=1), failed("p1.a", FailureClass.UPSTREAM))
    Given(goal).when(tick()).then(e.GoalTicked(), started("p1.b"))


# --- one step


def test_one_step_does_everything_that_is_possible_now():
    goal = live(working(*THREE), succeeded("p1.a"), accept("p1.a"))
    Given(goal).when(tick()).then(
        e.GoalTicked(), e.IntegrationStarted(work=WorkId("p1.a"), number=1, onto=BASE), started("p1.c")
    )


@pytest.mark.parametrize(
    "goal",
    [a_goal(), applied(*THREE), accepted(), milestone_met(), success()],
    ids=["new", "applied", "accepted", "met", "success"],
)
def test_a_second_step_at_the_same_instant_is_empty(goal):
    Given(live(goal, tick())).when(tick()).then_nothing()


def test_a_step_costs_one_tick_and_an_empty_one_nothing():
    goal = live(a_goal(), tick(), tick(), tick())
    assert goal.ledger.entries[Unit.TICKS] == Entry(limit=100, spent=1)
