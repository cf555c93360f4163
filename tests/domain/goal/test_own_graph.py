"""Work that the operator wrote: a mission around it, or none; when it is done, and what is asked then."""

import msgspec
import pytest

from harnd.domain.digest import digest_of
from harnd.domain.goal import events as e
from harnd.domain.goal.briefing import briefing
from harnd.domain.goal.due import due
from harnd.domain.goal.evolve import evolve
from harnd.domain.goal.goal import Ending, Goal, Milestone
from harnd.domain.goal.ledger import Entry
from harnd.domain.goal.planner_schema import planner_schema
from harnd.domain.goal.position import position
from harnd.domain.goal.wanted import wanted_trigger
from harnd.domain.goal.work import Standing
from protocol.ids import TemplateName, WorkId, WorkKey
from protocol.values import FailureClass, NextAction, Phase, Trigger, Unit
from tests.kit.given import (
    T0,
    Given,
    a_plan,
    accept,
    an_intent,
    answered,
    approve,
    cancel_work,
    completion,
    create,
    criteria,
    draft,
    failed,
    integrated,
    live,
    moved,
    plain,
    proved,
    reopen,
    succeeded,
    supplied,
    the_plan,
    tick,
)

DIAMOND = (draft("a"), draft("b", "a"), draft("c", "a"), draft("d", "b", "c"))


def created(key: str, *needs: str) -> e.WorkCreated:
    return e.WorkCreated(
        work=WorkId(f"p0.{key}"),
        key=WorkKey(key),
        plan=0,
        title=f"Do {key}",
        objective=f"Make {key} work.",
        acceptance=criteria("WC", "It works."),
        dependencies=tuple(WorkId(name) for name in needs),
        template=TemplateName("change"),
        paths=(f"src/{key}",),
    )


# --- enrolling


@pytest.mark.parametrize("mission", [True, False], ids=["mission", "no mission"])
def test_the_operators_work_exists_from_the_append_that_enrols_the_goal(mission):
    intent = an_intent(graph=(draft("a"), draft("b", "a")), mission=mission)
    Given(None).when(create(intent)).then(
        e.GoalCreated(intent=intent, digest=intent.digest(), by="ada"),
        created("a"),
        created("b", "p0.a"),
        e.RootSupplied(root=WorkId("p0.b")),
    )


def test_it_is_the_first_milestone_which_is_what_its_root_is_to_reach():
    goal = supplied(draft("a"), draft("b", "a", acceptance=("It works.", "It is told.")))
    assert goal.milestones == (
        Milestone(
            sequence=1,
            title="Do b",
            objective="Make b work.",
            acceptance=criteria("MC", "It works.", "It is told."),
            plan=0,
            root=WorkId("p0.b"),
            applied_at=T0,
        ),
    )
    assert goal.generation == 0
    assert [item.id for item in goal.active()] == ["p0.a", "p0.b"]


def test_it_takes_a_milestone_and_nothing_of_what_may_be_planned():
    entries = supplied(*DIAMOND).ledger.entries
    assert entries[Unit.MILESTONES] == Entry(limit=2, spent=1)
    assert (entries[Unit.PLANNER_CALLS], entries[Unit.WORK_ITEMS]) == (Entry(limit=5), Entry(limit=20))


def test_without_a_mission_there_may_be_a_milestone_for_each_plan_and_one_for_the_work_itself():
    limits = {unit: entry.limit for unit, entry in plain().ledger.entries.items()}
    assert (limits[Unit.MILESTONES], limits[Unit.PLANNER_CALLS], limits[Unit.WORK_ITEMS]) == (1, 0, 0)
    planned = supplied(mission=False).ledger
    assert (planned.limit(Unit.MILESTONES), planned.limit(Unit.PLANNER_CALLS)) == (6, 5)


def test_enrolling_it_again_changes_nothing():
    Given(plain()).when(create(plain().intent)).then_nothing()


def test_what_is_absent_from_an_intent_does_not_move_its_digest():
    builtins = msgspec.to_builtins(an_intent())
    assert {"graph", "parent"} & set(builtins) == set()
    assert {"mission", "replanning"} & set(msgspec.to_builtins(plain().intent)) == set()


# --- carrying it out


@pytest.mark.parametrize("goal", [supplied(*DIAMOND), plain(*DIAMOND)], ids=["mission", "no mission"])
def test_it_is_worked_on_at_once_and_nobody_is_asked_for_a_plan(goal):
    Given(goal).when(tick()).then(
        e.GoalTicked(),
        e.AttemptStarted(work=WorkId("p0.a"), attempt=1, base=goal.head, generation=0, calls=1),
    )
    assert position(goal, T0).next_action is NextAction.RUN


def test_with_a_mission_an_accepted_root_is_looked_at_by_the_planner():
    goal = integrated(supplied(draft("a")), "p0.a")
    assert goal.ending is None
    assert position(goal, T0).next_action is NextAction.PLAN_MILESTONE
    Given(goal).when(tick()).then(
        e.GoalTicked(),
        e.PlanRequested(plan=1, trigger=Trigger.MILESTONE, graph=goal.graph_digest()),
        e.PlannerCalled(plan=1, call=1),
    )


def test_the_plan_after_it_is_milestone_two_and_may_build_on_it():
    goal = live(integrated(supplied(draft("a")), "p0.a"), tick())
    plan = a_plan(draft("b", "p0.a"), sequence=2)
    goal = live(goal, answered(plan), approve(plan))
    assert [(step.sequence, step.plan, step.root) for step in goal.milestones] == [(1, 0, "p0.a"), (2, 1, "p1.b")]
    assert goal.generation == 1
    assert goal.left(Unit.MILESTONES) == 0


def test_a_mission_around_it_is_met_by_an_approved_plan_alone():
    done = completion("p0.a")
    goal = live(integrated(supplied(draft("a")), "p0.a"), tick(), answered(done))
    Given(goal).when(approve(done)).then(e.PlanCompleted(plan=1, digest=digest_of(done), by="ada"))


# --- success without a mission


def test_without_a_mission_an_accepted_root_on_the_branch_is_success_in_the_same_append():
    goal = live(plain(), tick(), succeeded("p0.a"), accept("p0.a"), tick(), proved("p0.a"))
    moving = Given(goal).when(moved("p0.a"))
    assert [type(event) for event in moving.events] == [e.WorkIntegrated, e.GoalSucceeded]
    assert moving.events[-1] == e.GoalSucceeded(root=WorkId("p0.a"))


def test_nothing_is_owed_then_and_it_says_what_was_reached():
    goal = integrated(plain(*DIAMOND), "p0.a", "p0.b", "p0.c", "p0.d")
    assert goal.ending is Ending.SUCCEEDED
    assert due(goal, T0) == ()
    where = position(goal, T0)
    assert (where.phase, where.next_action) == (Phase.SUCCEEDED, NextAction.NONE)
    assert where.reason == "p0.d is accepted and on harn/billing"
    Given(goal).when(tick()).then_nothing()


def test_nobody_is_asked_what_comes_next_where_there_is_no_mission():
    over = integrated(supplied(draft("a"), mission=False), "p0.a")
    assert wanted_trigger(msgspec.structs.replace(over, ending=None)) is None


def test_an_item_before_the_root_is_not_success():
    goal = integrated(plain(draft("a"), draft("b", "a")), "p0.a")
    assert goal.ending is None


def reworked_below_a_finished_root() -> Goal:
    """The root is on the branch, and what it built upon is being changed again."""
    goal = integrated(plain(draft("a"), draft("b", "a")), "p0.a")
    goal = live(goal, tick(), succeeded("p0.b"), reopen("p0.a"), accept("p0.b"), tick())
    return live(goal, proved("p0.b"), moved("p0.b"))


def test_a_root_on_the_branch_is_no_success_while_what_it_built_upon_is_reworked():
    goal = reworked_below_a_finished_root()
    assert goal.root is not None
    assert goal.root.standing is Standing.INTEGRATED
    assert goal.ending is None


def test_whatever_settles_the_rest_makes_it_success():
    answer = Given(reworked_below_a_finished_root()).when(cancel_work("p0.a"))
    assert [type(event) for event in answer.events] == [e.AttemptEnded, e.WorkCancelled, e.GoalSucceeded]


def test_success_gives_back_whatever_was_set_aside():
    goal = live(plain(draft("a"), draft("b", "a")), tick())
    assert goal.ledger.entries[Unit.ATTEMPTS].reserved == 1
    over = evolve(goal, e.GoalSucceeded(root=WorkId("p0.b")), T0)
    assert {entry.reserved for entry in over.ledger.entries.values()} == {0}


# --- what a planner is told where there is no mission


def recovering() -> Goal:
    """A goal without a mission, whose planner is asked because its work cannot go on."""
    goal = supplied(draft("a", objective="Export the bills."), mission=False)
    request = e.PlanRequested(plan=1, trigger=Trigger.RECOVERY, graph=goal.graph_digest())
    return evolve(evolve(goal, request, T0), e.PlannerCalled(plan=1, call=1), T0)


def test_the_root_says_what_is_wanted_where_no_mission_does():
    goal = recovering()
    prompt = briefing(goal, the_plan(goal), goal.intent.planner)
    assert "# Goal: Export the billing\n\nExport the bills.\n\nAcceptance:\n\n- MC-1 It works." in prompt
    assert "# Mission" not in prompt


def test_nobody_can_say_that_a_mission_is_met_where_there_is_none():
    schema = planner_schema(recovering(), Trigger.MILESTONE)
    branches = schema["oneOf"]
    assert isinstance(branches, list)
    assert [branch["properties"]["decision"]["const"] for branch in branches] == ["apply", "attention"]


def test_another_way_to_the_same_end_makes_it_success_too():
    """The planner is asked once nothing of the operator's work can go on, and the root of its plan is what counts."""
    goal = integrated(supplied(draft("a"), draft("b", "a"), mission=False), "p0.a")
    for attempt in (1, 2, 3):
        goal = live(goal, tick(), failed("p0.b", FailureClass.PROOF, attempt))
    goal = live(goal, tick())
    assert the_plan(goal).trigger is Trigger.RECOVERY

    plan = a_plan(draft("c", "p0.a"), sequence=2)
    goal = integrated(live(goal, answered(plan), approve(plan)), "p1.c")

    assert (goal.ending, goal.generation) == (Ending.SUCCEEDED, 1)
    assert position(goal, T0).reason == "p1.c is accepted and on harn/billing"
    assert goal.work[WorkId("p0.b")].standing is Standing.BLOCKED
