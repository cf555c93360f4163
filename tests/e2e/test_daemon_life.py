"""The life of a real daemon: it comes up, is asked to stop, is stopped, is killed, and the goal goes on."""

import signal

import pytest

from harnctl.client import Client, Refused, new_key
from protocol.requests import (
    CancelGoal,
    ListGoals,
    ListProcesses,
    ShowBudget,
    ShowGoal,
    ShowStatus,
    ShowWork,
    ShowWorkDiff,
)
from protocol.values import AttemptOutcome, FailureClass, Phase, Unit
from tests.kit.daemons import BILLING, WORK, Gate, Home, approve, carry, follow, seen_to_end

pytestmark = pytest.mark.timeout(120)  # some seconds each, and many more on a machine that is busy


def attempts(home: Home) -> list[tuple[AttemptOutcome | None, FailureClass | None, bool | None]]:
    with home.client() as client:
        return [(each.outcome, each.failure, each.charged) for each in client.ask(ShowWork(BILLING, WORK)).attempts]


def went_on(home: Home, gate: Gate, *, first: AttemptOutcome) -> None:
    """See the next daemon take up what was cut short, at nobody's cost, and bring it to its end."""
    home.start()
    gate.wait()
    gate.open()
    with home.client() as client:
        follow(client, "attempt.ended", attempt=2)
    assert attempts(home) == [(first, FailureClass.LOST, False), (AttemptOutcome.SUCCEEDED, None, True)]


def refusal(client: Client, request: CancelGoal) -> str:
    with pytest.raises(Refused) as refused:
        client.ask(request)
    return refused.value.code


def test_it_starts_answers_and_ends_when_it_is_asked_to(home):
    daemon = home.start()
    with home.client() as client:
        status = client.ask(ShowStatus())
        assert (status.pid, status.state_dir, status.socket) == (daemon.pid, str(home.state), str(home.socket))
        assert client.ask(ListGoals()).goals == ()

    daemon.stop()

    assert sorted(path.name for path in home.state.iterdir() if path.is_file()) == ["harnd.db", "lock"]


def test_a_goal_is_carried_from_its_objective_to_its_end(home):
    home.start()
    home.create()
    with home.client() as client:
        goal = carry(client)
        diff = client.ask(ShowWorkDiff(BILLING, WORK))

    assert (diff.attempt, diff.omitted_bytes) == (1, 0)
    assert diff.text.startswith("diff --git a/billing.txt b/billing.txt\nnew file mode 100644\n")
    assert diff.text.endswith("+changed\n\\ No newline at end of file\n")
    assert (goal.phase, goal.parked) == (Phase.SUCCEEDED, None)
    assert home.git("show", "harn/billing:billing.txt") == "changed"
    assert home.git("rev-parse", "main") == goal.base_commit
    assert home.git("status", "--porcelain") == ""
    assert home.processes() == []


# --- being asked to stop


def test_a_drain_lets_an_agent_finish_and_starts_nothing_more(home):
    gate, daemon = home.gate(), home.start("--drain", "30")
    home.create()
    with home.client() as client:
        approve(client)
        gate.wait()
        daemon.signal(signal.SIGTERM)
        daemon.wait_until("daemon.draining")
        gate.open()

    assert daemon.ended() == 0
    assert daemon.lines[-3].endswith("event=daemon.drained all_ended")
    assert home.stored()[-1] == (BILLING, "attempt.ended/1")
    home.start()
    assert attempts(home) == [(AttemptOutcome.SUCCEEDED, None, True)]


def test_a_drain_ends_at_its_limit_and_the_next_daemon_goes_on(home):
    gate, daemon = home.gate(), home.start("--drain", "1")
    home.create()
    with home.client() as client:
        approve(client)
    gate.wait()

    daemon.signal(signal.SIGTERM)

    assert daemon.ended() == 0
    assert "event=daemon.drained all_ended=false" in daemon.said
    assert home.processes() == []
    went_on(home, gate, first=AttemptOutcome.INTERRUPTED)


def test_a_change_is_refused_during_a_drain_and_questions_are_answered(home):
    gate, daemon = home.gate(), home.start("--drain", "30")
    home.create()
    with home.client() as client:
        approve(client)
        gate.wait()
        daemon.signal(signal.SIGTERM)
        daemon.wait_until("daemon.draining")

        refused = refusal(client, CancelGoal(key=new_key(), goal=BILLING, reason="enough"))
        phase = client.ask(ShowGoal(BILLING)).phase
        gate.open()

    assert (refused, phase, daemon.ended()) == ("daemon.stopping", Phase.RUNNING, 0)


def test_a_second_term_stops_at_once(home):
    gate, daemon = home.gate(), home.start("--drain", "3600")
    home.create()
    with home.client() as client:
        approve(client)
    gate.wait()
    daemon.signal(signal.SIGTERM)
    daemon.wait_until("daemon.draining")

    daemon.signal(signal.SIGTERM)

    assert daemon.ended() == 0
    assert home.processes() == []
    went_on(home, gate, first=AttemptOutcome.INTERRUPTED)


def test_int_stops_at_once(home):
    gate, daemon = home.gate(), home.start("--drain", "3600")
    home.create()
    with home.client() as client:
        approve(client)
    gate.wait()

    daemon.signal(signal.SIGINT)

    assert daemon.ended() == 0
    assert home.processes() == []
    went_on(home, gate, first=AttemptOutcome.INTERRUPTED)


# --- being killed


def test_a_kill_leaves_no_process_and_the_goal_goes_on(home):
    gate, daemon = home.gate(), home.start()
    home.create()
    with home.client() as client:
        approve(client)
        gate.wait()
        (agent,) = client.ask(ListProcesses()).processes

    with seen_to_end(home.processes()):
        daemon.kill()

    assert agent.work == WORK
    assert home.processes() == []
    went_on(home, gate, first=AttemptOutcome.LOST)


def test_a_goal_that_was_just_enrolled_survives_a_kill_before_any_work_exists(home):
    script = home.root / "script.toml"
    plans = script.read_text()
    script.write_text("[[rule]]\nwhen = 'Plan request'\ndo = [{ hang = true }]\n")
    daemon = home.start()
    created = home.create()
    with home.client() as client:
        follow(client, "planner.called")
    before = home.show()
    daemon.kill()
    script.write_text(plans)

    home.start()

    with home.client() as client:
        (row,) = client.ask(ListGoals()).goals
        follow(client, "plan.proposed")
        after = client.ask(ShowGoal(BILLING))
        spent = {row.unit: row.spent for row in client.ask(ShowBudget(BILLING)).rows}
    assert (row.goal, before.work, after.work) == (BILLING, (), ())
    assert before.intent_digest == after.intent_digest == created.digest
    assert (after.phase, after.plans.requested, after.plans.failed) == (Phase.AWAITING_ATTENTION, 1, 0)
    assert (spent[Unit.PLANNER_CALLS], spent[Unit.AGENT_CALLS], spent[Unit.WORK_ITEMS]) == (1, 1, 0)
