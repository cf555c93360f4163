"""Goals around work that their operator wrote, for real daemons: their files, their agents, a person who accepts."""

import os
import subprocess
import sys

from harnctl.client import new_key
from protocol.ids import GoalId, WorkId
from protocol.replies import GoalCreated
from protocol.requests import AcceptWork, CreateGoal, ShowWork
from protocol.values import WorkState
from tests.kit.daemons import BILLING, ROOT, Home, follow
from tests.kit.planner_rules import completes

HEAD = """
goal = "{goal}"
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

MAKER = """
[[rule]]
matches = 'Item p0.(?P<item>\\S+) of goal (?P<goal>\\S+), attempt'
do = [{ write = "{{goal}}.txt", text = "{{item}}" }]
answer = "Done."
"""
AGENTS = MAKER + completes("p0.export")


def request(home: Home, text: str, *, goal: str = BILLING, parent: str | None = None) -> CreateGoal:
    """Ask for a goal of this file, with agents that do what it says."""
    home.write("script.toml", AGENTS)
    files = {name: (home.root / "goal" / name).read_bytes() for name in ("team.toml", "change.toml")}
    return CreateGoal(
        key=new_key(),
        files={"goal.toml": text.replace("{goal}", goal).encode(), **files},
        main="goal.toml",
        directory=str(home.root / "goal"),
        parent=GoalId(parent) if parent else None,
    )


def create(home: Home, text: str, *, goal: str = BILLING, parent: str | None = None) -> GoalCreated:
    with home.client() as client:
        return client.ask(request(home, text, goal=goal, parent=parent))


def accept(home: Home, name: str, *, goal: str = BILLING) -> None:
    """Wait until an item is proved, and accept it."""
    work = WorkId(name)
    with home.client() as client:
        follow(client, "attempt.ended", goal=goal, work=work, outcome="succeeded")
        view = client.ask(ShowWork(GoalId(goal), work))
        assert view.state is WorkState.IN_REVIEW
        assert view.proof_digest is not None
        client.ask(AcceptWork(key=new_key(), goal=GoalId(goal), work=work, digest=view.proof_digest))


def harnctl(home: Home, *argv: str) -> str:
    """Run a command that succeeds, and return what it printed."""
    environ = {"PATH": os.environ["PATH"], "HOME": str(home.root), "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    command = [sys.executable, "-m", "harnctl", *argv, "--socket", str(home.socket)]
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=40, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
