"""Goals around work that their operator wrote, with a mission and without, carried to their end by real daemons."""

import pytest

from protocol.requests import ShowGoal
from protocol.values import Phase
from tests.kit.daemons import BILLING, approve, follow
from tests.kit.own_graphs import HEAD, MISSION, WORK, accept, create, harnctl

pytestmark = pytest.mark.timeout(120)


def test_a_goal_without_a_mission_succeeds_when_its_root_is_accepted_whatever_happens_to_the_daemon(home):
    home.start()
    create(home, HEAD + WORK)
    accept(home, "p0.lines")
    home.daemons[-1].kill()
    home.start()
    accept(home, "p0.export")

    with home.client() as client:
        follow(client, "goal.succeeded", root="p0.export")
        goal = client.ask(ShowGoal(BILLING))

    assert (goal.phase, goal.reason) == (Phase.SUCCEEDED, "p0.export is accepted and on harn/billing")
    assert (goal.objective, goal.planner, goal.generation) == (None, None, 0)
    assert home.git("show", "harn/billing:billing.txt") == "export"
    tags = [tag for _, tag in home.stored()]
    assert tags[:4] == ["goal.created/1", "work.created/1", "work.created/1", "root.supplied/1"]
    assert tags[-2:] == ["work.integrated/1", "goal.succeeded/1"]
    assert not any(tag.startswith("plan") for tag in tags)


def test_what_a_person_reads_of_a_goal_without_a_mission(home):
    home.start()
    create(home, HEAD + WORK)
    accept(home, "p0.lines")

    shown = harnctl(home, "goal", "show", "billing")

    assert "objective" not in shown
    assert "planner" not in shown
    assert "Export them: under way" in shown
    assert "the work you wrote is the first milestone; p0.export is its root" in harnctl(home, "events")
    assert "planner_calls" not in harnctl(home, "budget", "billing", "--json")


def test_a_mission_around_it_is_met_when_a_person_approves_that_it_is(home):
    home.start()
    create(home, HEAD + MISSION + WORK)
    accept(home, "p0.lines")
    accept(home, "p0.export")

    with home.client() as client:
        approve(client)
        follow(client, "plan.completed")
        goal = client.ask(ShowGoal(BILLING))

    assert goal.phase is Phase.SUCCEEDED
    assert [(step.sequence, step.plan, step.outcome) for step in goal.milestones] == [(1, 0, "met")]
