"""Goals around work that their operator wrote, with a mission and without, carried to their end by real daemons."""

import os
import subprocess
import sys

import pytest

from harnctl.client import new_key
from protocol.ids import GoalId, WorkId
from protocol.replies import GoalCreated
from protocol.requests import AcceptWork, CreateGoal, ShowGoal, ShowWork
from protocol.values import Phase, WorkState
from tests.kit.daemons import BILLING, ROOT, Home, approve, follow

pytestmark = pytest.mark.timeout(120)

HEAD = """
goal = "billing"
title = "Export bills"
repository = "../repository"
base = "main"
team = "team.toml"
templates = ["change.toml"]
"""

MISSION = """
[mission]
objective = "Bills are exported."
acceptance = ["They are there."]
max_milestones = 1

[replanning]
planner = "planner"
max_replans = 1
"""

WORK = """
[[work]]
key = "lines"
title = "Write lines"
objective = "A bill is a line."
acceptance = ["It is there."]
template = "change"
paths = ["billing.txt"]

[[work]]
key = "export"
title = "Export them"
objective = "Bills are exported."
acceptance = ["It is there."]
dependencies = ["lines"]
template = "change"
"""

AGENTS = """
[[rule]]
matches = 'Item p0.(?P<item>\\S+) of goal (?P<goal>\\S+), attempt'
do = [{ write = "{{goal}}.txt", text = "{{item}}" }]
answer = "Done."

[[rule]]
when = "Plan request"

[rule.answer]
decision = "complete"
rationale = "They are there."

[[rule.answer.evidence]]
criterion = "AC-1"
work = ["p0.export"]
note = "It was proved."
"""


def create(home: Home, text: str) -> GoalCreated:
    home.write("script.toml", AGENTS)
    files = {name: (home.root / "goal" / name).read_bytes() for name in ("team.toml", "change.toml")}
    request = CreateGoal(
        key=new_key(),
        files={"goal.toml": text.encode(), **files},
        main="goal.toml",
        directory=str(home.root / "goal"),
    )
    with home.client() as client:
        return client.ask(request)


def accept(home: Home, name: str) -> None:
    work = WorkId(name)
    with home.client() as client:
        follow(client, "attempt.ended", work=work, outcome="succeeded")
        view = client.ask(ShowWork(BILLING, work))
        assert view.state is WorkState.IN_REVIEW
        assert view.proof_digest is not None
        client.ask(AcceptWork(key=new_key(), goal=BILLING, work=work, digest=view.proof_digest))


def harnctl(home: Home, *argv: str) -> str:
    environ = {"PATH": os.environ["PATH"], "HOME": str(home.root), "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    command = [sys.executable, "-m", "harnctl", *argv, "--socket", str(home.socket)]
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=40, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_goal_without_a_mission_succeeds_when_its_root_is_accepted_whatever_happens_to_the_daemon(home):
    home.start()
    create(home, HEAD + WORK)
    accept(home, "p0.lines")
    home.daemons[-1].kill()
    home.start()
    accept(home, "p0.export")

    with home.client() as client:
        follow(client, "goal.succeeded", root="p0.export")
        goal = client.ask(ShowGoal(GoalId(BILLING)))

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
        goal = client.ask(ShowGoal(GoalId(BILLING)))

    assert goal.phase is Phase.SUCCEEDED
    assert [(step.sequence, step.plan, step.outcome) for step in goal.milestones] == [(1, 0, "met")]
