"""The prover: what harnd itself finds out about exactly one commit."""

import anyio
import msgspec
import pytest

from harnd.actors.classing import Failure
from harnd.actors.prover import Prover
from harnd.adapters.imaginary_commands import Outcome
from harnd.adapters.memory_repository import Commit
from harnd.domain.goal.proof import CriterionProof, Evidence, Proof
from harnd.domain.goal.template import PrepareStage, ProofCommand, Template
from harnd.ports.errors import UnavailableError
from harnd.ports.workspace import Place
from protocol.ids import CriterionId, WorkId
from protocol.values import SECOND, AttemptOutcome, FailureClass, Instant, Micros, Verdict
from tests.kit.bench import REPOSITORY, Bench
from tests.kit.given import HOUR, MINUTE, a_plan, a_template, answered, approve, draft, tick
from tests.kit.stores import BILLING

A = WorkId("p1.a")
PLACE = Place(REPOSITORY, BILLING, A, 1)
UNIT = ProofCommand("unit", ("unit", "{{ work.key }}"), MINUTE, ("WC-1",))
STYLE = ProofCommand("style", ("style",), MINUTE, ("WC-2",))
CHECKOUT = "/worktrees/billing/p1.a.1/proof"


def recipe(*proofs: ProofCommand, prepare: PrepareStage | None = None) -> Template:
    plain = a_template()
    stages = (prepare, *plain.stages) if prepare else plain.stages
    return msgspec.structs.replace(plain, proofs=proofs or (UNIT, STYLE), stages=stages)


async def a_prover(
    bench: Bench, template: Template | None = None, *, most: Micros = HOUR, objective: str = ""
) -> Prover:
    plan = a_plan(draft("a", acceptance=("It works.", "It is tidy."), objective=objective))
    commands = (tick(), answered(plan), approve(plan), tick())
    await bench.lived(*commands, intent=bench.intent(template or recipe()))
    return await another_prover(bench, most=most)


async def another_prover(bench: Bench, *, purpose: str = "proof", again: int = 1, most: Micros = HOUR) -> Prover:
    goal = await bench.stored()
    until = Instant(bench.clock.now() + most)
    return Prover(bench.world, goal, goal.work[A], PLACE, purpose=purpose, until=until, again=again)


def a_commit(bench: Bench) -> Commit:
    """A commit that is on no branch and in no worktree."""
    made = bench.workspace.repository(REPOSITORY)
    commit = Commit({"src/a/x.py": b"x"}, (bench.base,), "by an agent")
    made.add(commit)
    return commit


async def prove(bench: Bench, prover: Prover) -> Proof | Failure:
    commit = a_commit(bench)
    return await prover.prove(commit.id, commit.tree)


async def proved(bench: Bench, prover: Prover) -> Proof:
    proof = await prove(bench, prover)
    assert isinstance(proof, Proof)
    return proof


async def test_commands_run_on_a_clean_checkout_of_exactly_the_commit(bench):
    seen = []
    bench.deeds["unit"] = lambda: seen.append(dict(bench.workspace.files(CHECKOUT)))

    await prove(bench, await a_prover(bench))

    assert seen == [{"src/a/x.py": b"x"}]
    assert [(task.argv, task.cwd, task.fresh) for task in bench.runner.tasks] == [
        (("unit", "a"), CHECKOUT, True),
        (("style",), CHECKOUT, True),
    ]


async def test_an_old_checkout_is_replaced(bench):
    prover = await a_prover(bench)
    await bench.workspace.checkout(PLACE, bench.base, "proof")
    bench.workspace.files(CHECKOUT)["left-over"] = b"x"

    await prove(bench, prover)

    assert dict(bench.workspace.files(CHECKOUT)) == {"src/a/x.py": b"x"}


async def test_what_was_found_is_mapped_to_the_criteria_it_speaks_of(bench):
    bench.commands |= {
        "unit": Outcome(stdout="3 passed", takes=Micros(2 * SECOND)),
        "style": Outcome(exit_code=4, stderr="a long line", takes=SECOND),
    }

    proof = await proved(bench, await a_prover(bench))

    commit = a_commit(bench)
    assert proof == Proof(
        commit.id,
        commit.tree,
        (
            CriterionProof(CriterionId("WC-1"), Verdict.SATISFIED, ("unit",)),
            CriterionProof(CriterionId("WC-2"), Verdict.UNSATISFIED, ("style",)),
        ),
        (
            Evidence("unit", "passed", Micros(2 * SECOND), 0, await bench.blobs.put(b"3 passed")),
            Evidence("style", "failed", SECOND, 4, await bench.blobs.put(b"a long line")),
        ),
    )


async def test_every_command_runs_also_after_one_that_failed(bench):
    bench.commands["unit"] = Outcome(exit_code=1)

    proof = await proved(bench, await a_prover(bench))

    assert [entry.found for entry in proof.evidence] == ["failed", "passed"]


async def test_a_command_that_did_not_end_has_found_nothing_and_that_is_unknown(bench):
    bench.commands["unit"] = Outcome(takes=None)

    proof = await proved(bench, await a_prover(bench))

    assert [entry.verdict for entry in proof.criteria] == [Verdict.UNKNOWN, Verdict.SATISFIED]
    assert (proof.evidence[0].found, proof.evidence[0].exit_code) == ("unknown", None)
    assert proof.evidence[0].detail != ""


async def test_no_command_takes_longer_than_there_is_time(bench):
    await prove(bench, await a_prover(bench, most=Micros(7 * SECOND)))

    assert [task.timeout for task in bench.runner.tasks] == [7 * SECOND, 7 * SECOND]


async def test_what_proofs_need_is_prepared_in_their_checkout_first(bench):
    template = recipe(prepare=PrepareStage("modules", ("install",), MINUTE))

    await prove(bench, await a_prover(bench, template))

    assert [(task.argv[0], task.cwd) for task in bench.runner.tasks] == [
        ("install", CHECKOUT),
        ("unit", CHECKOUT),
        ("style", CHECKOUT),
    ]


async def test_a_preparation_that_fails_is_the_environments_fault_and_proves_nothing(bench):
    bench.commands["install"] = Outcome(exit_code=1, stderr="no network\n")
    template = recipe(prepare=PrepareStage("modules", ("install",), MINUTE))

    found = await prove(bench, await a_prover(bench, template))

    assert found == Failure(AttemptOutcome.FAILED, FailureClass.ENVIRONMENT, "exit code 1: no network")
    assert [task.argv[0] for task in bench.runner.tasks] == ["install"]


async def test_a_command_that_does_not_exist_here_is_the_environments_fault(bench):
    bench.commands["unit"] = None

    found = await prove(bench, await a_prover(bench))

    assert isinstance(found, Failure)
    assert (found.kind, found.detail) == (
        FailureClass.ENVIRONMENT,
        "unit was not started: there is no executable of that name",
    )


async def test_a_text_that_grows_too_long_is_a_failure_and_no_bug(bench):
    loops = "{% for a in work.acceptance %}" * 4 + "{{ work.objective }}" + "{% endfor %}" * 4
    template = recipe(ProofCommand("unit", ("unit", loops * 20), MINUTE))

    found = await prove(bench, await a_prover(bench, template, objective="x" * 1_000))

    assert found == Failure(AttemptOutcome.FAILED, FailureClass.SCHEMA, "a proof command grows past 262,144 characters")


async def test_a_proof_that_was_cut_short_is_simply_made_again(bench):
    bench.commands["unit"] = Outcome(takes=Micros(30 * SECOND))
    prover = await a_prover(bench)
    async with anyio.create_task_group() as daemon:
        daemon.start_soon(prove, bench, prover)
        await anyio.wait_all_tasks_blocked()
        bench.machine.crash()
        daemon.cancel_scope.cancel()
    bench.machine.restart()

    proof = await proved(bench, prover)

    assert [entry.found for entry in proof.evidence] == ["passed", "passed"]


async def test_a_disk_without_room_for_what_was_printed_is_a_ports_error(bench):
    bench.commands["unit"] = Outcome(stdout="3 passed")
    bench.blobs.no_room_for = b"3 passed"

    with pytest.raises(UnavailableError):
        await prove(bench, await a_prover(bench))
