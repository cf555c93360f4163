"""A person changes course on a real daemon: holds a goal, finds fault with a finished one, edits a plan, pays more."""

import pytest

from harnctl.client import Client, new_key
from protocol.ids import WorkId
from protocol.requests import (
    AcceptWork,
    ExtendGoal,
    ListInbox,
    PauseGoal,
    ReopenGoal,
    ResumeGoal,
    ShowBudget,
    ShowPlan,
    ShowWork,
)
from protocol.values import AttemptOutcome, Hold, Phase, PlanAuthor, PlanStatus, Unit, WorkState
from protocol.views import InboxKind
from tests.kit.daemons import BILLING, MAKER, WORK, Home, approve, carry, follow, seen_to_end
from tests.kit.own_graphs import harnctl

pytestmark = pytest.mark.timeout(120)

DEAR_AT_FIRST = """
[[rule]]
when = "Item p1.change of goal"
attempt = 1
answer = "I did nothing."
cost = 15000

[[rule]]
matches = 'Item p1.change of goal (?P<goal>\\S+), attempt'
do = [{ write = "{{goal}}.txt", text = "changed" }]
answer = "Done."
cost = 5000
"""

CORRECTED = """
[[rule]]
matches = 'Item p1.change of goal (?P<goal>\\S+), attempt'
when = "It says nothing of June."
do = [{ write = "{{goal}}.txt", text = "changed, and June" }]
answer = "Done."
"""

OWN_PLAN = """
decision = "apply"
rationale = "Mine is shorter."

[milestone]
title = "The file, my way"
objective = "Change it."
acceptance = ["It is changed."]

[[work]]
key = "own"
title = "Write it"
objective = "Write it."
acceptance = ["It is there."]
template = "change"
"""

OWN_MAKER = MAKER.replace("p1.change", "p1.own")


def hold(client: Client, how: Hold) -> None:
    client.ask(PauseGoal(key=new_key(), goal=BILLING, reason="the demo is on", hold=how))


def let_go(client: Client) -> None:
    client.ask(ResumeGoal(key=new_key(), goal=BILLING))


def started(home: Home) -> int:
    return sum(tag == "attempt.started/1" for _, tag in home.stored())


# --- holding


def test_what_runs_is_stopped_and_goes_on_in_the_same_attempt_after_the_daemon_was_killed(home):
    gate, daemon = home.gate(), home.start()
    home.create()
    with home.client() as client:
        approve(client)
        gate.wait()
        with seen_to_end(home.processes()):
            hold(client, Hold.PARK)
            follow(client, "attempt.parked", cause="pause")
        assert client.ask(ShowWork(BILLING, WORK)).attempts[0].outcome is AttemptOutcome.PARKED
    daemon.kill()

    home.start()
    assert (home.show().phase, home.processes()) == (Phase.PAUSED, [])
    with home.client() as client:
        let_go(client)
        gate.wait()
        gate.open()
        carry(client)

    assert (home.show().phase, started(home)) == (Phase.SUCCEEDED, 1)


def test_what_runs_is_let_finish_and_nothing_else_starts(home):
    gate = home.gate()
    home.start()
    home.create()
    with home.client() as client:
        approve(client)
        gate.wait()
        hold(client, Hold.FINISH)
        gate.open()
        follow(client, "attempt.ended", outcome="succeeded")
        view = client.ask(ShowWork(BILLING, WORK))
        assert view.proof_digest is not None
        client.ask(AcceptWork(key=new_key(), goal=BILLING, work=WORK, digest=view.proof_digest))
        said = harnctl(home, "why", "billing")
        assert home.show().phase is Phase.PAUSED
        assert not any(tag == "integration.started/1" for _, tag in home.stored())

        let_go(client)
        carry(client)

    assert "the demo is on" in said
    assert home.show().phase is Phase.SUCCEEDED


# --- a change of mind


def test_a_finding_on_a_finished_goal_reopens_it_and_the_mended_work_ends_it_again(home):
    home.agents(CORRECTED + MAKER)
    home.start()
    home.create()
    with home.client() as client:
        end = carry(client)
        client.ask(ReopenGoal(key=new_key(), goal=BILLING, findings=("It says nothing of June.",)))
        assert home.show().phase is Phase.RUNNING
        follow(client, "attempt.ended", attempt=2, outcome="succeeded")
        view = client.ask(ShowWork(BILLING, WORK))
        assert view.proof_digest is not None
        dispositions = {finding.id: "fixed" for finding in view.open_findings}
        client.ask(
            AcceptWork(key=new_key(), goal=BILLING, work=WORK, digest=view.proof_digest, dispositions=dispositions)
        )
        approve(client, 3)
        follow(client, "plan.completed", plan=3)

    again = home.show()
    assert (end.phase, again.phase) == (Phase.SUCCEEDED, Phase.SUCCEEDED)
    assert home.git("show", "harn/billing:billing.txt") == "changed, and June"


def test_a_plan_of_ones_own_takes_the_planners_place_and_is_carried_out(home):
    home.agents(OWN_MAKER)
    home.start()
    home.create()
    file = home.write("own-plan.toml", OWN_PLAN)
    with home.client() as client:
        follow(client, "plan.proposed", plan=1)
        before = client.ask(ShowPlan(BILLING, 1)).digest

        harnctl(home, "plan", "edit", "billing", "1", "--file", str(file))

        view = client.ask(ShowPlan(BILLING, 1))
        assert (view.status, view.author) == (PlanStatus.PROPOSED, PlanAuthor.OPERATOR)
        assert view.digest not in (None, before)
        approve(client)
        follow(client, "attempt.ended", work="p1.own", outcome="succeeded")
        assert client.ask(ShowWork(BILLING, WorkId("p1.own"))).state is WorkState.IN_REVIEW


# --- a price


def test_a_goal_stops_at_its_price_asks_for_more_and_goes_on_with_it(home):
    home.agents(DEAR_AT_FIRST)
    home.start()
    with home.client() as client:
        client.ask(home.enrolment(limits='money = "0.015 USD"\n'))
        approve(client)
        follow(client, "attempt.ended")
        assert home.show().phase is Phase.BUDGET_EXHAUSTED
        (question,) = client.ask(ListInbox()).items
        assert (question.kind, question.subject) == (InboxKind.BUDGET, "budget/micro_dollars")

        client.ask(ExtendGoal(key=new_key(), goal=BILLING, add={Unit.MICRO_DOLLARS: 50_000}))

        carry(client)
        (row,) = [row for row in client.ask(ShowBudget(BILLING)).rows if row.unit is Unit.MICRO_DOLLARS]
    assert (row.limit, row.spent) == (65_000, 20_000)
