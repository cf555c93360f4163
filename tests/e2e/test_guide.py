"""The guide in `docs/writing-goals.md`: each goal in it is created as it stands there, and carried to its end."""

import pytest

from harnctl.client import Client, new_key
from protocol.ids import CriterionId, GoalId, WorkId
from protocol.requests import (
    AcceptWork,
    ApprovePlan,
    GiveApproval,
    ListApprovals,
    ListInbox,
    ShowApproval,
    ShowGoal,
    ShowWork,
)
from protocol.values import ApprovalState, Phase, Risk
from protocol.views import GoalView, InboxItem, InboxKind
from tests.kit.bills import furnished, put_down
from tests.kit.daemons import Home
from tests.kit.manual import examples
from tests.kit.own_graphs import harnctl

pytestmark = pytest.mark.timeout(180)

ENDS = ("plan.completed", "goal.succeeded")


def decide(client: Client, asked: InboxItem) -> None:
    """Say yes to what waits; whatever is no decision would mean that the example goes wrong."""
    assert asked.digest is not None, asked
    match asked.kind:
        case InboxKind.PLAN:
            number = int(asked.subject.partition("/")[2])
            client.ask(ApprovePlan(key=new_key(), goal=asked.goal, plan=number, digest=asked.digest))
        case InboxKind.WORK:
            work = WorkId(asked.subject)
            client.ask(AcceptWork(key=new_key(), goal=asked.goal, work=work, digest=asked.digest))
        case InboxKind.APPROVAL:
            approval = int(asked.subject.partition("/")[2])
            client.ask(GiveApproval(key=new_key(), goal=asked.goal, approval=approval, digest=asked.digest))
        case _:
            raise AssertionError(asked)


def carried(home: Home, example: str) -> GoalView:
    """Create a goal of the guide and decide everything with yes, until it has ended."""
    furnished(home)
    files = examples()[example]
    harnctl(home, "goal", "create", str(put_down(home, files)))
    with home.client() as client, client.events(0) as events:
        for event in events:
            if event.tag.partition("/")[0] in ENDS:
                return client.ask(ShowGoal(GoalId(event.goal)))
            for asked in client.ask(ListInbox()).items:
                decide(client, asked)
    raise AssertionError("the events ended before the goal did")


def test_a_mission_is_met_by_what_its_planner_proposed(home):
    goal = carried(home, "mission")

    assert goal.phase is Phase.SUCCEEDED
    assert [(step.plan, step.outcome) for step in goal.milestones] == [(1, "met")]
    assert "tests/export.sh" in home.git("ls-tree", "-r", "--name-only", goal.branch)
    assert "bills export" in home.git("show", f"{goal.branch}:README.md")


def test_a_mission_goes_on_from_work_that_its_operator_wrote(home):
    goal = carried(home, "around")

    assert goal.phase is Phase.SUCCEEDED
    assert [(step.sequence, step.plan, step.outcome) for step in goal.milestones] == [(1, 0, "met"), (2, 1, "met")]
    assert [row.work for row in goal.work] == ["p0.amounts", "p0.total", "p1.readme"]
    assert "bills total" in home.git("show", f"{goal.branch}:README.md")


def test_work_without_a_mission_succeeds_and_its_test_was_red_before(home):
    goal = carried(home, "own")

    assert (goal.phase, goal.planner) == (Phase.SUCCEEDED, None)
    assert goal.reason == "p0.note is accepted and on harn/billing-rounding"
    assert "rounding" in home.git("show", f"{goal.branch}:CHANGES")
    with home.client() as client:
        work = client.ask(ShowWork(goal.goal, WorkId("p0.rounding")))
    said = {criterion.id: [entry.said for entry in criterion.evidence] for criterion in work.criteria}
    assert sorted(said) == ["WC-1", "WC-2"]
    assert "without the work it failed" in said[CriterionId("WC-1")][0]
    assert "without the work" not in said[CriterionId("WC-2")][0]


def test_a_person_was_asked_once_about_what_people_read(home):
    goal = carried(home, "own").goal

    with home.client() as client:
        asked = client.ask(ListApprovals(goal, decided=True)).approvals
        view = client.ask(ShowApproval(goal, 1))
        work = client.ask(ShowWork(goal, WorkId("p0.note")))
    assert [(row.work, row.stage, row.state) for row in asked] == [("p0.note", "wording", ApprovalState.APPROVED)]
    assert view.question == "Is this what people should read about it? Look at CHANGES."
    assert (view.risk, view.paths, view.used) == (Risk.LOW, ("CHANGES",), True)
    assert [attempt.outcome for attempt in work.attempts] == ["succeeded"]


def test_the_checkout_of_its_operator_is_left_alone(home):
    carried(home, "own")
    assert home.git("status", "--porcelain") == ""
    assert home.git("rev-parse", "--abbrev-ref", "HEAD") == "main"
