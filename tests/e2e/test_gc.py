"""Clearing away on a real daemon: also while goals are at work, and what was begun is finished."""

import pytest

from harnctl.client import new_key
from protocol.ids import GoalId
from protocol.requests import CancelGoal, RunGc, ShowGc, ShowWork, ShowWorkLog
from protocol.values import Micros, Phase, WorkState
from protocol.views import GarbageKind, GcView
from tests.kit.daemons import BILLING, WORK, Home, approve, carry, follow

pytestmark = pytest.mark.timeout(120)
NOW = Micros(0)  # however young


def things(view: GcView) -> dict[GarbageKind, int]:
    return {row.kind: row.things for row in view.rows if row.things}


def cleared(home: Home) -> GcView:
    with home.client() as client:
        return client.ask(RunGc(key=new_key(), older_than=NOW))


def test_outputs_of_a_goal_that_ended_go_and_of_one_at_work_stay(home):
    home.start()
    home.create()
    with home.client() as client:
        carry(client)
        gate = home.gate()
        home.create("docs")
        approve(client, goal="docs")
        gate.wait()
        before = client.ask(ShowGc(older_than=NOW))
        gone = client.ask(RunGc(key=new_key(), older_than=NOW))
        assert things(before) == things(gone) == {GarbageKind.OUTPUTS: len(gone.items)}
        assert {item.goal for item in gone.items} == {BILLING}
        assert gone.stays == ()
        assert {row.goal: row.phase for row in gone.goals} == {"billing": Phase.SUCCEEDED, "docs": Phase.RUNNING}
        assert client.ask(ShowWorkLog(BILLING, WORK)).parts == ()
        assert client.ask(ShowWork(BILLING, WORK)).state is WorkState.SUCCEEDED
        assert home.git("show", "harn/billing:billing.txt") == "changed"
        assert things(cleared(home)) == {}
        gate.open()
        follow(client, "attempt.ended", goal="docs")
        assert client.ask(ShowWork(GoalId("docs"), WORK)).state is WorkState.IN_REVIEW


def test_what_a_daemon_that_was_killed_had_begun_to_remove_the_next_one_removes(home):
    daemon = home.start()
    home.create()
    with home.client() as client:
        carry(client)
    daemon.kill()
    sessions = home.state / "sessions"
    half = min(sessions.iterdir())
    (half / "receipt").unlink()
    half.rename(sessions / f".gone-{half.name}")
    home.start()
    assert things(cleared(home)) != {}
    assert list(sessions.iterdir()) == []
    assert things(cleared(home)) == {}
    assert home.show().phase is Phase.SUCCEEDED


def test_a_cancelled_goal_keeps_what_its_attempt_had_not_saved(home):
    gate = home.gate()
    home.start()
    home.create()
    with home.client() as client:
        approve(client)
        gate.wait()
        (home.state / "worktrees/billing/p1.change.1/work/draft.txt").write_text("unsaved")
        client.ask(CancelGoal(key=new_key(), goal=BILLING, reason="enough"))
    cleared(home)
    cleared(home)
    [ref] = home.git("for-each-ref", "--format=%(refname)", "refs/harnd/rescue/billing/").splitlines()
    assert home.git("show", f"{ref}:draft.txt") == "unsaved"
    assert home.git("for-each-ref", "refs/heads/harn-attempt/") == ""
    assert not list((home.state / "worktrees").glob("*/*"))
