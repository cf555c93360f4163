"""Saved histories fold for ever, to what they were when they were saved."""

import msgspec
import pytest

from harnd.domain.goal.codec import decode, encode, fold
from harnd.domain.goal.ledger import opened
from harnd.domain.goal.position import position
from harnd.domain.goal.work import Standing
from protocol.values import Phase, Unit, WorkState
from tests.kit.histories import HISTORIES, saved

TREE = "8822c8bf7560e270c4a4475005b137dfbbadef3f"
DEMOS = ["demo-0.1", "demo-killed-0.1"]
NAMES = sorted(path.stem for path in HISTORIES.glob("*.jsonl"))
WORK = ("p1.slug", "p1.wrap", "p1.report", "p2.shell")


def folded(name):
    goal = fold((line.at, bytes(line.body)) for line in saved(name))
    assert goal is not None
    return goal


def test_no_history_got_lost():
    assert [*DEMOS, "extended-0.1"] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_history_is_whole(name):
    lines = saved(name)
    assert [line.version for line in lines] == list(range(1, len(lines) + 1))
    assert [line.seq for line in lines] == sorted(line.seq for line in lines)
    assert [msgspec.json.decode(line.body)["type"] for line in lines] == [line.tag for line in lines]


@pytest.mark.parametrize("name", DEMOS)
def test_a_history_of_the_demo_folds_to_a_mission_that_is_met(name):
    goal = folded(name)

    assert goal.version == len(saved(name))
    assert position(goal, goal.last_at).phase is Phase.SUCCEEDED
    assert tuple(goal.work) == WORK
    assert {goal.state_of(item) for item in goal.work.values()} == {WorkState.SUCCEEDED}
    assert [item.standing for item in goal.work.values()] == [Standing.INTEGRATED] * len(WORK)
    assert [(step.sequence, step.root) for step in goal.milestones] == [(1, "p1.report"), (2, "p2.shell")]
    assert [plan.status for plan in goal.plans] == ["applied", "applied", "completed"]
    last = max((item.integrations[-1] for item in goal.work.values()), key=lambda each: each.started_at)
    assert (last.tree, last.commit) == (TREE, goal.head)


@pytest.mark.parametrize("name", NAMES)
def test_each_accepted_proof_is_the_one_that_was_made(name):
    """A digest that was bound by a person must come out the same from what is stored, in every later release."""
    for item in folded(name).work.values():
        assert item.last is not None
        assert item.last.proof is not None
        assert item.accepted_proof == item.last.proof.digest()


def test_what_the_histories_have_spent_stays_what_it_was():
    spent = {name: folded(name).ledger.entries[Unit.ATTEMPTS].spent for name in NAMES}
    assert spent == {"demo-0.1": 5, "demo-killed-0.1": 5, "extended-0.1": 2}


def test_what_was_added_to_limits_stays_added():
    goal, enrolled = folded("extended-0.1"), opened(folded("extended-0.1").intent)
    assert {
        unit: goal.limit(unit) - enrolled.limit(unit)
        for unit in enrolled.entries
        if goal.limit(unit) != enrolled.limit(unit)
    } == {
        Unit.ATTEMPTS: 2,
        Unit.AGENT_CALLS: 5,
        Unit.TICKS: 7,
        Unit.ACTIVE_RUNTIME_US: 5_400_000_000,
    }
    assert position(goal, goal.last_at).phase is Phase.SUCCEEDED


@pytest.mark.parametrize("name", NAMES)
def test_every_event_is_stored_as_it_would_be_today(name):
    """When this fails, the shape of an event has changed under its tag: give the event a new one."""
    for line in saved(name):
        assert encode(decode(bytes(line.body))) == (line.tag, bytes(line.body))
