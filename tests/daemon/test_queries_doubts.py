"""Doubts and unknowns as people see them: what is not simply proved is listed with its reason, and accepted by name."""

from collections.abc import AsyncIterator

import msgspec
import pytest

from harnd.domain.goal.proof import CriterionProof, Proof, Run, evidence_of
from protocol import requests as ask
from protocol.ids import CriterionId, GoalId, WorkId
from protocol.values import Micros, Verdict
from protocol.views import DoubtView
from tests.kit import given as g
from tests.kit.shelf import Shelf, shelf

BILLING = GoalId("billing")
A = WorkId("p1.a")
FLAKY = g.a_flaky_proof("p1.a", of=["WC-2"], but=["WC-1"])
RED = Run("failed", Micros(1), exit_code=1)
GREEN = Run("passed", Micros(2_000_000), exit_code=0)


@pytest.fixture
async def house() -> AsyncIterator[Shelf]:
    async with shelf() as made:
        yield made


async def reported(house: Shelf, *reports, protected=("tests",)) -> None:
    plan = g.a_plan(g.draft("a", acceptance=("It works.", "It lasts.")))
    intent = g.an_intent(templates=[g.a_template(protected=protected)])
    await house.live(g.create(intent), g.tick(), g.answered(plan), g.approve(plan), g.tick(), *reports)


def one_command(*runs: Run, before: tuple[Run, ...] = ()) -> Proof:
    """A proof of both criteria by one command."""
    evidence = evidence_of("check", runs, before)
    verdict = Verdict.SATISFIED if evidence.found == "passed" else Verdict.UNKNOWN
    entries = tuple(CriterionProof(CriterionId(name), verdict, ("check",)) for name in ("WC-1", "WC-2"))
    return Proof(g.commit("p1.a"), g.tree("p1.a"), entries, (evidence,))


async def test_every_doubt_about_work_in_review_has_its_reason(house: Shelf):
    await reported(house, g.succeeded("p1.a", proof=FLAKY, changed=["src/a.py", "tests/x.py"]))
    view = await house.ask(ask.ShowWork(BILLING, A))
    assert view.doubts == (
        DoubtView(name="WC-2", said="flaky: units: it passed in run 2, and not before"),
        DoubtView(name="tests/x.py", said="changed, although the template protects it"),
    )
    assert view.attempts[0].protected == ("tests/x.py",)
    assert "proof units: it passed in run 2, and not before" in view.unknowns


async def test_what_was_accepted_is_in_doubt_no_more_and_says_what_was_acknowledged(house: Shelf):
    named = ("WC-2", "tests/x.py")
    await reported(
        house,
        g.succeeded("p1.a", proof=FLAKY, changed=["tests/x.py"]),
        g.acknowledge("p1.a", FLAKY, *named),
    )
    view = await house.ask(ask.ShowWork(BILLING, A))
    assert (view.doubts, view.acknowledged) == ((), named)


@pytest.mark.parametrize(
    ("proof", "said"),
    [
        (one_command(GREEN, before=(RED,)), "passed in 2s; without the work it failed with exit code 1"),
        (
            one_command(GREEN, before=(Run("failed", Micros(0), detail="it could not be started there: no make"),)),
            "passed in 2s; without the work it failed: it could not be started there: no make",
        ),
        (one_command(RED, GREEN), "flaky: it passed in run 2, and not before"),
        (one_command(GREEN, before=(GREEN,)), "proves nothing: it passes without the work"),
        (one_command(RED, RED), "failed with exit code 1 in 0s, 2 times over"),
    ],
)
async def test_what_the_runs_of_a_proof_came_to_is_said_with_each_criterion(house: Shelf, proof, said):
    await reported(house, g.succeeded("p1.a", proof=proof))
    view = await house.ask(ask.ShowWork(BILLING, A))
    assert [entry.said for entry in view.criteria[0].evidence] == [said]


async def test_a_criterion_of_which_no_proof_speaks_is_named(house: Shelf):
    plain = one_command(GREEN)
    silent = msgspec.structs.replace(plain.criteria[1], verdict=Verdict.UNKNOWN, evidence=())
    proof = msgspec.structs.replace(plain, criteria=(plain.criteria[0], silent))
    await reported(house, g.succeeded("p1.a", proof=proof))
    view = await house.ask(ask.ShowWork(BILLING, A))
    assert view.unknowns[0] == "WC-2: no proof of the template change speaks about it"


async def test_an_attempt_that_came_to_no_proof_leaves_every_criterion_unknown(house: Shelf):
    await reported(house, g.failed("p1.a", detail="it broke"))
    view = await house.ask(ask.ShowWork(BILLING, A))
    assert view.unknowns[0] == "WC-1, WC-2: attempt 1 ended before anything was proved"


async def test_what_was_not_known_on_the_integrated_tree_is_told_apart(house: Shelf):
    sure = g.a_proof("p1.a", of=["WC-1", "WC-2"])
    accept = g.accept("p1.a", sure)
    await reported(house, g.succeeded("p1.a", proof=sure), accept, g.tick(), g.proved("p1.a", proof=FLAKY))
    view = await house.ask(ask.ShowWork(BILLING, A))
    assert "proof units on the integrated tree: it passed in run 2, and not before" in view.unknowns
    assert view.reason.startswith("p1.a is blocked (decision): the proof is flaky on the integrated tree")
