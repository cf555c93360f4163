"""A goal that stopped because a budget is used up goes on by itself when a person extends it."""

import json
import os
import subprocess
import sys

import msgspec
import pytest

from harnctl.client import Refused, new_key
from protocol.requests import ExtendGoal, ListEvents, ListInbox, ShowBudget, ShowWork
from protocol.values import Phase, Unit, WorkState
from protocol.views import InboxKind, ProblemView
from tests.kit.daemons import BILLING, ROOT, WORK, Home, approve, carry, follow
from tests.kit.histories import FAILS_ONCE

pytestmark = pytest.mark.timeout(120)


def harnctl(home: Home, *argv: str) -> subprocess.CompletedProcess[str]:
    environ = {"PATH": os.environ["PATH"], "HOME": str(home.root), "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    command = [sys.executable, "-m", "harnctl", *argv, "--socket", str(home.socket)]
    return subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=40, check=False)


def exhausted(home: Home) -> None:
    """Enrol a goal with one attempt, and wait until it is spent."""
    home.agents(FAILS_ONCE)
    with home.client() as client:
        client.ask(home.enrolment(limits="attempts = 1"))
        approve(client)
        follow(client, "attempt.ended")
        assert home.show().phase is Phase.BUDGET_EXHAUSTED


def test_the_command_that_the_inbox_names_brings_the_goal_on_and_empties_the_inbox(home):
    home.start()
    exhausted(home)
    with home.client() as client:
        (question,) = client.ask(ListInbox()).items
        assert (question.kind, question.subject) == (InboxKind.BUDGET, "budget/attempts")
        assert question.verb == "harnctl goal extend billing --attempts 10"

        ran = harnctl(home, *question.verb.split()[1:], "--json")

        assert ran.returncode == 0, ran.stderr
        assert json.loads(ran.stdout)["said"] == [
            "There may be 11 attempts in all now; 10 left.",
            "billing: work is started next.",
        ]
        follow(client, "attempt.ended", outcome="succeeded", attempt=2)
        assert [item.kind for item in client.ask(ListInbox()).items] == [InboxKind.WORK]
        goal = carry(client)
        (row,) = [row for row in client.ask(ShowBudget(BILLING)).rows if row.unit is Unit.ATTEMPTS]
    assert goal.phase is Phase.SUCCEEDED
    assert (row.limit, row.spent) == (11, 2)
    assert "lets the goal spend 10 more attempts" in harnctl(home, "events", "--goal", "billing").stdout


def test_an_extension_is_made_once_however_often_it_is_asked_for_and_outlives_the_daemon(home):
    daemon = home.start()
    exhausted(home)
    request = ExtendGoal(key=new_key(), goal=BILLING, add={Unit.ATTEMPTS: 2})
    with home.client() as client:
        done = client.ask(request)
        assert client.ask(request) == done
        follow(client, "attempt.ended", outcome="succeeded")
    daemon.kill()
    home.start()
    with home.client() as client:
        assert client.ask(request) == done
        (row,) = [row for row in client.ask(ShowBudget(BILLING)).rows if row.unit is Unit.ATTEMPTS]
        assert row.limit == 3
        assert client.ask(ShowWork(BILLING, WORK)).state is WorkState.IN_REVIEW
        tags = [event.tag for event in client.ask(ListEvents()).events]
    assert tags.count("budget.extended/1") == 1


def test_everything_wrong_with_an_extension_is_told_at_once(home):
    home.start()
    home.create()
    wrong = {Unit.MILESTONES: 1, Unit.ATTEMPTS: 10_000, Unit.TICKS: 1}
    with home.client() as client, pytest.raises(Refused) as refused:
        client.ask(ExtendGoal(key=new_key(), goal=BILLING, add=wrong))
    assert refused.value.code == "budget.not_extendable"
    problems = msgspec.convert(refused.value.details["problems"], list[ProblemView])
    assert [(each.code, each.place) for each in problems] == [
        ("budget.not_extendable", "add.milestones"),
        ("budget.ceiling", "add.attempts"),
    ]
    ran = harnctl(home, "goal", "extend", "billing", "--runtime", "31d")
    assert (ran.returncode, ran.stdout) == (3, "")
    assert "[budget.ceiling]" in ran.stderr
