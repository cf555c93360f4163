"""Deciding in the TUI: what a person presses is what the daemon stores, and never more than they saw."""

import sys
from typing import Any

import pytest

from harnctl.client import new_key
from protocol.requests import ListEvents, RejectPlan, ShowApproval, ShowBudget, ShowPlan
from protocol.values import Unit
from tests.e2e.tui.conftest import ON_BOTH
from tests.kit.daemons import BILLING, CHANGE, MAKER, WORK, Home, approve, follow
from tests.kit.terminal import Terminal

pytestmark = pytest.mark.timeout(120)

DONE = "nothing waits for you"


def decide(terminal: Terminal, key: str, question: str) -> None:
    """Press a key, see what it asks, and say yes."""
    terminal.keys(key)
    terminal.wait_for(question)
    terminal.keys("y")


def events(home: Home, tag: str) -> list[dict[str, Any]]:
    with home.client() as client:
        page = client.ask(ListEvents(goal=BILLING))
    return [event.body for event in page.events if event.tag.partition("/")[0] == tag]


@ON_BOTH
def test_a_mission_is_carried_to_its_end_by_keys_alone(home, tui, kind):
    home.start()
    home.create()
    terminal = tui(kind)

    terminal.wait_for("proposed")
    decide(terminal, "a", "Approve plan 1 of billing?")
    terminal.wait_for("in review")
    decide(terminal, "a", "Accept p1.change of billing?")
    terminal.wait_for("says the mission is met")
    decide(terminal, "a", "Approve plan 2 of billing?")
    terminal.wait_for(lambda seen: DONE in seen and "succeeded" in seen)
    terminal.keys("q")

    assert terminal.ended() == 0
    assert home.git("show", "harn/billing:billing.txt") == "changed"


def test_the_digest_is_echoed_whole_and_is_the_one_that_is_stored(home, tui):
    home.start()
    home.create()
    terminal = tui()
    terminal.wait_for("proposed")
    with home.client() as client:
        digest = client.ask(ShowPlan(BILLING, 1)).digest

    terminal.keys("a")
    terminal.wait_for(f"bound to {digest}")
    terminal.keys("y")
    terminal.wait_for("done.")

    assert [body["digest"] for body in events(home, "plan.applied")] == [digest]


def test_a_plan_is_rejected_with_what_was_written_in_the_editor(home, tui, editor):
    home.start()
    home.create()
    terminal = tui(EDITOR=editor("Start smaller.\n# not this\n"))
    terminal.wait_for("proposed")

    decide(terminal, "r", "Start smaller.")
    terminal.wait_for("plan 2 of billing")

    (rejected,) = events(home, "plan.rejected")
    assert (rejected["plan"], rejected["guidance"]) == (1, "Start smaller.")


@ON_BOTH
def test_work_is_reopened_with_a_finding_a_line_and_accepted_with_an_answer_to_each(home, tui, editor, kind):
    home.start()
    home.create()
    with home.client() as client:
        approve(client)
    terminal = tui(kind, EDITOR=editor("no test\nno docs\n"))
    terminal.wait_for("in review")

    decide(terminal, "o", "Reopen p1.change of billing?")
    with home.client() as client:
        follow(client, "attempt.ended", attempt=2)
    terminal.wait_for("with 2 findings")
    terminal.keys("a")
    terminal.wait_for("finding 1 of 2")
    terminal.keys("f")
    terminal.wait_for("finding 2 of 2")
    terminal.keys("l", "later this week", "enter")
    terminal.wait_for("f2: deferred: later this week")
    terminal.keys("y")
    terminal.wait_for("plan 2 of billing")

    (accepted,) = events(home, "work.accepted")
    assert accepted["dispositions"] == [["f1", "fixed"], ["f2", "deferred: later this week"]]


def test_a_budget_is_extended_and_the_goal_goes_on_by_itself(home, tui):
    home.agents(MAKER.replace('text = "changed"', 'text = ""'))
    home.start()
    home.create(limits="attempts = 1")
    with home.client() as client:
        approve(client)
        follow(client, "attempt.ended", attempt=1)
    terminal = tui()
    terminal.wait_for("goal extend billing")

    home.agents(MAKER)
    terminal.keys("x")
    terminal.wait_for("> attempts + _")
    terminal.keys("2", "enter")
    terminal.wait_for("attempts: 2 more")
    terminal.keys("y")
    terminal.wait_for("in review")

    with home.client() as client:
        rows = {row.unit: row.limit for row in client.ask(ShowBudget(BILLING)).rows}
    assert rows[Unit.ATTEMPTS] == 3


def test_what_somebody_else_decided_takes_an_open_decision_back(home, tui):
    home.start()
    home.create()
    terminal = tui()
    terminal.wait_for("proposed")
    terminal.keys("a")
    terminal.wait_for("Approve plan 1 of billing?")

    with home.client() as client:
        digest = client.ask(ShowPlan(BILLING, 1)).digest
        assert digest is not None
        client.ask(RejectPlan(key=new_key(), goal=BILLING, plan=1, digest=digest, guidance="No."))
    terminal.wait_for("changed while you decided")
    terminal.wait_for("billing plan 2")
    terminal.keys("y", "left", "down")
    terminal.wait_for("plan 2 of billing")

    assert events(home, "plan.applied") == []


@ON_BOTH
def test_it_outlives_the_daemon_and_a_decision_made_meanwhile_is_made_once(home, tui, kind):
    daemon = home.start()
    home.create()
    terminal = tui(kind)
    terminal.wait_for("proposed")

    daemon.kill()
    terminal.wait_for("the daemon is away")
    terminal.keys("a")
    terminal.wait_for("Approve plan 1 of billing?")
    terminal.keys("y")
    terminal.wait_for("waiting for the answer until the daemon is back")
    home.start()
    terminal.wait_for("in review")

    assert len(events(home, "plan.applied")) == 1
    assert "live" in terminal.seen


def test_the_diff_and_the_log_of_an_attempt_are_pages_of_its_work(home, tui):
    home.start()
    home.create()
    with home.client() as client:
        approve(client)
    terminal = tui()
    terminal.wait_for("in review")

    terminal.keys("d")
    terminal.wait_for("+changed")
    terminal.keys("d")
    terminal.wait_for("agent make")
    terminal.keys("d")
    terminal.wait_for("objective")

    assert WORK in terminal.seen


MINE = """
decision = "apply"
rationale = "I know a shorter way."

[milestone]
title = "The file"
objective = "Change it."
acceptance = ["It is changed."]

[[work]]
key = "mine"
title = "Change the file by hand"
objective = '''
# Write it.
'''
acceptance = ["It is there."]
dependencies = []
template = "{template}"
paths = []
"""


def test_a_plan_is_put_in_the_place_of_the_planners_and_what_is_wrong_with_it_is_seen_in_the_editor(home, tui):
    home.start()
    home.create()
    program = """
import sys
file, seen = sys.argv[1], open(sys.argv[1]).read()
open({seen!r}, "a").write(seen)
open(file, "w").write({mine!r}.replace("{{template}}", "change" if "#! " in seen else "gone"))
"""
    kept = home.root / "seen.toml"
    script = home.write("editor.py", program.format(seen=str(kept), mine=MINE))
    terminal = tui(EDITOR=f"{sys.executable} {script}")
    terminal.wait_for("proposed")

    decide(terminal, "e", "Put your plan in the place of plan 1 of billing?")
    terminal.wait_for("plan.invalid_edit")
    decide(terminal, "e", "Put your plan in the place of plan 1 of billing?")
    terminal.wait_for("by hand")
    decide(terminal, "a", "Approve plan 1 of billing?")
    terminal.wait_for("p1.mine of billing")

    (edited,) = events(home, "plan.edited")
    assert edited["candidate"]["work"][0]["objective"] == "# Write it.\n"
    first, _, again = kept.read_text().partition("#! ")
    assert 'rationale = "One step is enough."' in first
    assert "gone" in again.splitlines()[0]


def test_work_that_only_stopped_goes_on_once_its_cause_is_gone(home, tui):
    home.agents(MAKER.replace('answer = "Done."', 'answer = "None is left."\nstop = "out_of_quota"'))
    home.start()
    home.create()
    with home.client() as client:
        approve(client)
    terminal = tui()
    terminal.wait_for("✗ blocked")

    home.agents(MAKER)
    decide(terminal, "s", "Let p1.change of billing go on?")
    terminal.wait_for("in review")

    assert [body["attempt"] for body in events(home, "attempt.resumed")] == [1]


GATED = """
[[stages]]
kind = "approve"
name = "release"
question = "Publish what {{ goal.id }} made?"
risk = "critical"

[[proofs]]"""


TOLD = """
[[rule]]
when = ["Item p1.change of goal billing, attempt 2", "Not before the audit."]
do = [{ write = "audit.txt", text = "done" }]
answer = "It was audited."
"""


def test_an_approval_is_given_on_the_digest_that_is_echoed_and_the_attempt_goes_on(home, tui):
    home.write("goal/change.toml", CHANGE.replace("[[proofs]]", GATED))
    home.start()
    home.create()
    with home.client() as client:
        approve(client)
    terminal = tui()
    terminal.wait_for(lambda seen: "critical" in seen and "Publish what billing made?" in seen)
    with home.client() as client:
        digest = client.ask(ShowApproval(BILLING, 1)).digest

    terminal.keys("a")
    terminal.wait_for(f"bound to {digest}")
    terminal.keys("y")
    terminal.wait_for("in review")

    assert [body["digest"] for body in events(home, "approval.approved")] == [digest]
    assert [body["attempt"] for body in events(home, "attempt.resumed")] == [1]


def test_an_approval_is_denied_with_a_reason_that_the_next_attempt_is_told(home, tui, editor):
    home.write("goal/change.toml", CHANGE.replace("[[proofs]]", GATED))
    home.start()
    home.create()
    with home.client() as client:
        approve(client)
    terminal = tui(EDITOR=editor("Not before the audit.\n"))
    terminal.wait_for("approval 1 of billing")

    home.agents(TOLD + MAKER)
    decide(terminal, "r", "Deny approval 1 of billing?")
    terminal.wait_for("✗ blocked")
    decide(terminal, "t", "Retry p1.change of billing?")
    terminal.wait_for("approval 2 of billing")

    (denied,) = events(home, "approval.denied")
    assert denied["reason"] == "Not before the audit."
    assert [body["changed"] for body in events(home, "approval.requested")] == [["billing.txt"], ["audit.txt"]]


def test_a_goal_is_paused_and_goes_on_by_the_same_key(home, tui):
    home.start()
    home.create()
    terminal = tui()
    terminal.wait_for("proposed")

    decide(terminal, "p", "Pause billing?")
    terminal.wait_for("p resume")
    decide(terminal, "p", "Let billing go on?")
    terminal.wait_for(lambda seen: "Let billing go on: done." in seen and "p resume" not in seen)
    decide(terminal, "a", "Approve plan 1 of billing?")
    terminal.wait_for("in review")

    assert [len(events(home, tag)) for tag in ("goal.paused", "goal.resumed")] == [1, 1]
