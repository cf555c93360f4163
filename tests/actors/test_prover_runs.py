"""The prover where one run is not enough: what must fail without the work, and what is run again."""

from typing import Any

import anyio
import pytest

from harnd.actors.classing import Failure
from harnd.adapters.imaginary_commands import Outcome
from harnd.domain.goal.proof import Run
from harnd.domain.goal.template import PrepareStage, ProofCommand
from harnd.ports.sessions import CommandTask
from protocol.values import SECOND, FailureClass, Micros, Verdict
from tests.actors.test_prover import CHECKOUT, STYLE, a_prover, another_prover, prove, proved, recipe
from tests.kit.bench import Bench
from tests.kit.given import MINUTE

BEFORE = "/worktrees/billing/p1.a.1/before"
RED = ProofCommand("unit", ("unit",), MINUTE, ("WC-1",), red_then_green=True)
PASSES, FAILS = Outcome(), Outcome(exit_code=1, stderr="1 failed")
HANGS = Outcome(takes=None)


def again(times: int, **parts: Any) -> ProofCommand:
    return ProofCommand("unit", ("unit",), MINUTE, ("WC-1",), reruns=times, **parts)


def responding(bench: Bench, *, before: list[Outcome | None], after: list[Outcome | None]) -> None:
    """Have `unit` end so, run by run, without the work and with it."""
    left = {BEFORE: list(before), CHECKOUT: list(after)}

    def deed() -> None:
        bench.commands["unit"] = left[bench.runner.tasks[-1].cwd].pop(0)

    bench.deeds["unit"] = deed


def ran(bench: Bench, command: str = "unit") -> list[CommandTask]:
    return [task for task in bench.runner.tasks if task.argv[0] == command]


# --- red, then green


async def test_what_must_fail_without_the_work_runs_first_on_the_commit_that_the_item_started_from(bench):
    seen = {}
    responding(bench, before=[FAILS], after=[PASSES])
    deed = bench.deeds["unit"]
    bench.deeds["unit"] = lambda: (
        deed(),
        seen.update({(cwd := bench.runner.tasks[-1].cwd): dict(bench.workspace.files(cwd))}),
    )

    proof = await proved(bench, await a_prover(bench, recipe(RED, STYLE)))

    assert list(seen.items()) == [(BEFORE, {"README.md": b"# Billing\n"}), (CHECKOUT, {"src/a/x.py": b"x"})]
    assert [entry.verdict for entry in proof.criteria] == [Verdict.SATISFIED, Verdict.SATISFIED]
    output = await bench.blobs.put(b"1 failed")
    assert [entry.before for entry in proof.evidence] == [(Run("failed", Micros(0), 1, output),), ()]
    assert len(ran(bench, "style")) == 1  # whatever need not fail is not run there


async def test_what_passes_without_the_work_satisfies_nothing(bench):
    responding(bench, before=[PASSES], after=[PASSES])

    proof = await proved(bench, await a_prover(bench, recipe(RED, STYLE)))

    assert (proof.evidence[0].found, proof.evidence[0].detail) == ("unsound", "passes without the work")
    assert [entry.verdict for entry in proof.criteria] == [Verdict.UNSATISFIED, Verdict.SATISFIED]


async def test_what_cannot_even_be_started_without_the_work_fails_there(bench):
    responding(bench, before=[None], after=[PASSES])

    proof = await proved(bench, await a_prover(bench, recipe(RED, STYLE)))

    assert proof.criteria[0].verdict is Verdict.SATISFIED
    assert [(run.found, run.detail) for run in proof.evidence[0].before] == [
        (
            "failed",
            "it could not be started there: unit was not started: there is no executable of that name",
        )
    ]


async def test_what_does_not_end_without_the_work_is_not_known_to_fail_there(bench):
    responding(bench, before=[HANGS], after=[PASSES])

    proof = await proved(bench, await a_prover(bench, recipe(RED, STYLE)))

    assert proof.criteria[0].verdict is Verdict.UNKNOWN
    assert proof.evidence[0].found == "unknown"
    assert proof.evidence[0].detail.startswith("whether it fails without the work is not known: ")


async def test_what_needs_the_work_to_be_prepared_is_run_unprepared_and_that_is_said(bench):
    template = recipe(RED, STYLE, prepare=PrepareStage("modules", ("install",), MINUTE))
    bench.deeds["install"] = lambda: bench.commands.update(
        install=Outcome(exit_code=1, stderr="no package.json") if bench.runner.tasks[-1].cwd == BEFORE else PASSES
    )
    responding(bench, before=[FAILS], after=[PASSES])

    proof = await proved(bench, await a_prover(bench, template))

    assert proof.criteria[0].verdict is Verdict.SATISFIED
    assert [run.detail for run in proof.evidence[0].before] == [
        "it could not be prepared there: exit code 1: no package.json"
    ]


async def test_a_preparation_that_does_not_end_without_the_work_leaves_it_unknown(bench):
    template = recipe(RED, STYLE, prepare=PrepareStage("modules", ("install",), MINUTE))
    bench.deeds["install"] = lambda: bench.commands.update(
        install=HANGS if bench.runner.tasks[-1].cwd == BEFORE else PASSES
    )
    responding(bench, before=[], after=[PASSES])

    proof = await proved(bench, await a_prover(bench, template))

    assert proof.criteria[0].verdict is Verdict.UNKNOWN


async def test_the_integrated_tree_has_nothing_to_be_compared_with(bench):
    responding(bench, before=[FAILS], after=[PASSES])
    await a_prover(bench, recipe(RED, STYLE))
    bench.deeds.clear()

    proof = await proved(bench, await another_prover(bench, purpose="integrated"))

    assert proof.satisfied
    assert [task.cwd for task in ran(bench)] == [CHECKOUT.replace("proof", "integrated")]


# --- run again


@pytest.mark.parametrize(
    ("reruns", "runs", "found", "verdict"),
    [
        (0, [FAILS], "failed", Verdict.UNSATISFIED),
        (2, [FAILS, FAILS, FAILS], "failed", Verdict.UNSATISFIED),
        (3, [PASSES], "passed", Verdict.SATISFIED),
        (3, [FAILS, PASSES], "flaky", Verdict.UNKNOWN),
        (3, [FAILS, FAILS, FAILS, PASSES], "flaky", Verdict.UNKNOWN),
        (1, [HANGS, PASSES], "flaky", Verdict.UNKNOWN),
        (1, [HANGS, FAILS], "failed", Verdict.UNSATISFIED),
        (1, [HANGS, HANGS], "unknown", Verdict.UNKNOWN),
    ],
)
async def test_what_did_not_pass_is_run_again_until_it_does_and_never_forgotten(bench, reruns, runs, found, verdict):
    responding(bench, before=[], after=list(runs))

    proof = await proved(bench, await a_prover(bench, recipe(again(reruns), STYLE)))

    assert (proof.evidence[0].found, proof.criteria[0].verdict) == (found, verdict)
    assert len(ran(bench)) == len(runs)
    assert len(proof.evidence[0].runs) == (len(runs) if len(runs) > 1 else 0)
    assert len({task.key for task in ran(bench)}) == len(runs)


async def test_what_must_fail_without_the_work_must_fail_there_every_time(bench):
    responding(bench, before=[FAILS, PASSES], after=[PASSES])

    proof = await proved(bench, await a_prover(bench, recipe(again(1, red_then_green=True), STYLE)))

    assert [run.found for run in proof.evidence[0].before] == ["failed", "passed"]
    assert (proof.evidence[0].found, proof.criteria[0].verdict) == ("flaky", Verdict.UNKNOWN)


async def test_a_machine_that_cannot_start_a_rerun_proves_nothing(bench):
    responding(bench, before=[], after=[FAILS, None])

    found = await prove(bench, await a_prover(bench, recipe(again(1), STYLE)))

    assert isinstance(found, Failure)
    assert found.kind is FailureClass.ENVIRONMENT


async def test_a_failure_before_a_crash_is_not_lost_after_it(bench):
    """A command that failed, and would pass by now, is flaky although the daemon died between the two runs."""
    responding(bench, before=[], after=[FAILS, Outcome(takes=Micros(30 * SECOND)), PASSES])
    prover = await a_prover(bench, recipe(again(1), STYLE))
    async with anyio.create_task_group() as daemon:
        daemon.start_soon(prove, bench, prover)
        await anyio.wait_all_tasks_blocked()
        bench.machine.crash()
        daemon.cancel_scope.cancel()
    bench.machine.restart()

    proof = await proved(bench, prover)

    assert [run.found for run in proof.evidence[0].runs] == ["failed", "passed"]
    assert proof.evidence[0].found == "flaky"


async def test_a_proof_that_is_begun_again_asks_anew(bench):
    responding(bench, before=[], after=[FAILS, PASSES])
    assert not (await proved(bench, await a_prover(bench, recipe(again(0), STYLE)))).satisfied

    assert (await proved(bench, await another_prover(bench, again=2))).satisfied
