"""After the end: a success is reopened by a finding, and whatever has ended is archived."""

import pytest
from msgspec.structs import replace

from harnd.domain.goal import events as e
from harnd.domain.goal.due import CallPlanner, due
from harnd.domain.goal.goal import Ending
from harnd.domain.goal.ledger import Entry, Ledger
from harnd.domain.goal.position import position
from harnd.domain.goal.reasons.item import reason_of
from harnd.domain.goal.work import Standing
from protocol.ids import WorkId
from protocol.values import AttemptOutcome, NextAction, Phase, PlanStatus, Trigger, Unit
from tests.kit.given import (
    T0,
    Given,
    a_goal,
    a_plan,
    accept,
    answered,
    approve,
    archive_goal,
    cancelled,
    commit,
    completion,
    draft,
    extend_goal,
    in_review,
    integrated,
    item,
    live,
    moved,
    pause_goal,
    plain,
    planning,
    proved,
    reopen,
    reopen_goal,
    succeeded,
    success,
    the_plan,
    tick,
    tree,
    working,
)

FINDING = e.OpenFinding("f1", "It is slow.")
REOPENED = (e.GoalReopened(by="ada"), e.WorkReopened(work=WorkId("p1.a"), findings=(FINDING,), by="ada"))


# --- reopening


@pytest.mark.parametrize(
    "command",
    [reopen_goal(), reopen_goal(work="p1.a"), reopen("p1.a")],
    ids=["the goal", "the goal by its work", "the work"],
)
def test_a_success_and_its_work_are_reopened_in_one_append(command):
    Given(success()).when(command).then(*REOPENED)


def test_what_was_reopened_goes_on_at_once():
    goal = live(success(), reopen_goal(), tick())
    assert (goal.ending, position(goal, T0).phase) == (None, Phase.RUNNING)
    assert [effect.key for effect in due(goal, T0)] == ["goal/billing/work/p1.a/attempt/2"]


def test_an_item_that_others_built_upon_is_reopened_by_its_name():
    plan = a_plan(draft("a"), draft("b", "a"))
    done = completion("p1.b")
    goal = integrated(live(planning(), answered(plan), approve(plan)), "p1.a", "p1.b")
    goal = live(goal, tick(), answered(done, plan=2), approve(done, plan=2))
    after = live(goal, reopen_goal(work="p1.a"))
    assert [one.standing for one in after.work.values()] == [Standing.OPEN, Standing.INTEGRATED]
    assert item(live(goal, reopen_goal()), "p1.b").standing is Standing.OPEN


def test_the_mission_is_looked_at_again_once_the_mended_work_is_in():
    goal = live(success(), reopen_goal(), tick(), succeeded("p1.a", 2), accept("p1.a", f1="fixed"))
    assert position(goal, T0).next_action is NextAction.RUN
    goal = live(goal, tick())
    goal = live(goal, proved("p1.a", 2), moved("p1.a", 2), tick())
    assert (the_plan(goal).number, the_plan(goal).trigger) == (3, Trigger.MILESTONE)
    assert isinstance(due(goal, T0)[0], CallPlanner)
    done = completion("p1.a")
    goal = live(goal, answered(done, plan=3), approve(done, plan=3))
    assert (the_plan(goal).status, position(goal, T0).phase) == (PlanStatus.COMPLETED, Phase.SUCCEEDED)


def test_without_a_mission_mended_work_is_success_again():
    goal = integrated(plain(draft("a"), draft("b", "a")), "p0.a", "p0.b")
    assert goal.ending is Ending.SUCCEEDED
    again = live(goal, reopen_goal())
    assert (item(again, "p0.b").standing, again.ending) == (Standing.OPEN, None)
    again = live(again, tick(), succeeded("p0.b", 2), accept("p0.b", f1="fixed"), tick(), proved("p0.b", 2))
    Given(again).when(moved("p0.b", 2)).then(
        e.WorkIntegrated(work=WorkId("p0.b"), number=2, commit=commit("merged p0.b"), tree=tree("merged p0.b")),
        e.GoalSucceeded(root=WorkId("p0.b")),
    )
    assert item(live(goal, reopen("p0.a")), "p0.a").standing is Standing.OPEN


def test_a_goal_that_goes_on_is_reopened_item_by_item():
    Given(in_review()).when(reopen_goal()).then_refused("goal.not_ended")
    Given(a_goal()).when(reopen_goal()).then_refused("goal.not_ended")


def test_what_was_cancelled_stays_so():
    Given(cancelled(in_review())).when(reopen_goal()).then_refused(
        "goal.ended", "goal billing was cancelled; only a success is reopened"
    )


@pytest.mark.parametrize(("finding", "code"), [((" ",), "text.finding_missing"), (("x",) * 21, "work.findings_count")])
def test_findings_have_the_bounds_of_every_reopening(finding, code):
    Given(success()).when(reopen_goal(*finding)).then_refused(code)


def test_work_of_an_earlier_milestone_is_not_reopened():
    Given(success()).when(reopen_goal(work="p9.x")).then_refused("work.unknown")


# --- what could only end in giving up is refused


def test_without_a_plan_request_the_mission_could_not_be_looked_at_again():
    goal = success(replans=2)
    assert goal.ledger.entries[Unit.PLANNER_CALLS] == Entry(2, spent=2)
    Given(goal).when(reopen_goal()).then_refused("goal.not_reopenable")
    Given(goal).when(reopen("p1.a")).then_refused("goal.not_reopenable")


def test_spent_attempts_are_asked_for_when_the_goal_is_open_again():
    goal = success(attempts=1)
    after = live(goal, reopen_goal())
    assert (position(after, T0).phase, position(after, T0).grows) == (Phase.BUDGET_EXHAUSTED, Unit.ATTEMPTS)
    after = live(after, extend_goal({Unit.ATTEMPTS: 1}), tick())
    assert position(after, T0).phase is Phase.RUNNING


def test_attempts_that_no_goal_may_have_more_of_are_the_end():
    goal = success(attempts=10_000)
    spent = replace(goal.ledger.entries[Unit.ATTEMPTS], spent=10_000)
    goal = replace(goal, ledger=Ledger({**goal.ledger.entries, Unit.ATTEMPTS: spent}))
    Given(goal).when(reopen_goal()).then_refused("goal.not_reopenable")


# --- archiving


@pytest.mark.parametrize("goal", [success(), cancelled(working())], ids=["success", "cancelled"])
def test_what_has_ended_is_archived_once(goal):
    Given(goal).when(archive_goal()).then(e.GoalArchived(by="ada"))
    Given(live(goal, archive_goal())).when(archive_goal()).then_nothing()


def test_what_goes_on_is_not_archived():
    Given(working()).when(archive_goal()).then_refused("goal.not_ended")
    Given(live(working(), pause_goal())).when(archive_goal()).then_refused("goal.not_ended")


def test_archiving_is_final():
    goal = live(success(), archive_goal())
    Given(goal).when(reopen_goal()).then_refused("goal.archived")
    Given(goal).when(reopen("p1.a")).then_refused("goal.archived")
    assert position(goal, T0).verbs == ()


def test_a_late_result_is_kept_also_then():
    goal = live(cancelled(working()), archive_goal())
    Given(goal).when(succeeded("p1.a")).then(
        e.AttemptSuperseded(work=WorkId("p1.a"), attempt=1, outcome=AttemptOutcome.SUCCEEDED)
    )


# --- what is told


def test_accepted_work_of_a_success_says_what_would_change_it():
    goal = success()
    assert reason_of(goal, item(goal, "p1.a"), T0).would_change == "a finding that reopens p1.a"
    goal = live(goal, archive_goal())
    assert reason_of(goal, item(goal, "p1.a"), T0).would_change == "nothing"
