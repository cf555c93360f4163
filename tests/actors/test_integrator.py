"""The integrator: accepted work meets the goal's branch, is proved again, and only then the branch moves."""

import pytest

from harnd.adapters.imaginary_commands import Outcome
from harnd.adapters.memory_repository import HEAD
from harnd.domain.goal import commands as c
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.work import Standing
from harnd.ports.errors import UnavailableError
from harnd.ports.workspace import Place
from protocol.ids import CommitId, WorkId
from protocol.values import FailureClass
from tests.kit.bench import REPOSITORY, Bench
from tests.kit.given import a_plan, answered, approve, draft, retry_work, tick
from tests.kit.stores import BILLING

A, B = WorkId("p1.a"), WorkId("p1.b")
BRANCH = "refs/heads/harn/billing"
TWO = a_plan(draft("a"), draft("b"), draft("end", "a", "b"))
OWN_FILES = "when = 'Item p1.{0}'\ndo = [{{ write = 'src/{0}/x', text = '{0}' }}]\nanswer = 'Done.'"
SAME_FILE = "when = 'Item p1.{0}'\ndo = [{{ write = 'shared', text = '{0}' }}]\nanswer = 'Done.'"


def accepted(goal: Goal, work: WorkId) -> c.AcceptWork:
    """Accept what the last attempt at an item proved."""
    attempt = goal.work[work].last
    assert attempt is not None
    assert attempt.proof is not None
    return c.AcceptWork(work=work, proof=attempt.proof.digest(), dispositions=(), by="ada")


async def two_items(bench: Bench, body: str = OWN_FILES) -> Goal:
    """Have two items worked on from the same base, both accepted, and the first one's integration owed."""
    bench.script(body.format("a"), body.format("b"))
    await bench.lived(tick(), answered(TWO), approve(TWO), tick())
    goal = await bench.carried_out()
    journal = await bench.journal()
    for command in (accepted(goal, A), accepted(goal, B), tick()):
        await journal.submit(command)
    bench.runner.tasks.clear()
    return await bench.stored()


async def in_steps(bench: Bench, count: int) -> Goal:
    """Carry out what is owed and look for what comes next, so many times."""
    goal = await bench.stored()
    for _ in range(count):
        goal = await bench.carried_out(tick())
    return goal


def branch(bench: Bench) -> str:
    return bench.workspace.repository(REPOSITORY).refs[BRANCH]


def move_branch(bench: Bench, text: bytes = b"theirs") -> CommitId:
    """Do to the goal's branch what somebody else might."""
    made = bench.workspace.repository(REPOSITORY)
    at = made.commits[made.refs[BRANCH]]
    foreign = made.add(type(at)({**at.files, "README.md": text}, (at.id,), "somebody else's"))
    made.refs[BRANCH] = foreign
    return foreign


async def test_the_first_item_is_its_own_merge_and_is_proved_again_before_the_branch_moves(bench):
    goal = await two_items(bench)
    attempt = goal.work[A].attempts[0]

    (report,) = [await runner.run() for runner in await bench.owed()]

    assert isinstance(report, c.ReportProved)
    assert report.proof.satisfied
    assert (report.work, report.number, report.commit, report.tree) == (A, 1, attempt.commit, attempt.tree)
    assert [(task.key, task.cwd) for task in bench.runner.tasks] == [
        ("goal/billing/work/p1.a/attempt/1/integrated/check", "/worktrees/billing/p1.a.1/integrated")
    ]
    assert branch(bench) == bench.base


async def test_the_branch_moves_to_exactly_the_commit_that_was_proved(bench):
    await two_items(bench)
    goal = await bench.carried_out()
    proved = goal.work[A].integrations[0].commit

    goal = await bench.carried_out()

    assert branch(bench) == proved == goal.head
    assert goal.work[A].standing is Standing.INTEGRATED


async def test_two_items_of_one_base_are_brought_together_and_the_whole_is_proved(bench):
    await two_items(bench)

    goal = await in_steps(bench, 4)  # proved and moved, twice

    made = bench.workspace.repository(REPOSITORY)
    assert dict(made.commits[goal.head].files) == {"README.md": b"# Billing\n", "src/a/x": b"a", "src/b/x": b"b"}
    assert [goal.work[name].standing for name in (A, B)] == [Standing.INTEGRATED, Standing.INTEGRATED]


async def test_the_operators_branch_and_checkout_are_not_touched_and_nothing_is_left(bench):
    await two_items(bench)

    await in_steps(bench, 4)

    assert bench.workspace.repository(REPOSITORY).refs[HEAD] == bench.base
    assert bench.workspace.files(REPOSITORY) == {"README.md": b"# Billing\n"}
    # The last item has just been started, on top of both.
    assert [name for name in await bench.workspace.occupied() if name.work in (A, B)] == []


async def test_a_clash_parks_the_item_and_names_the_paths(bench):
    await two_items(bench, SAME_FILE)
    goal = await in_steps(bench, 2)
    bench.runner.tasks.clear()

    (report,) = [await runner.run() for runner in await bench.owed()]

    assert report == c.ReportParked(
        work=B,
        number=1,
        failure=FailureClass.DECISION,
        detail="it clashes with work that came in before: shared",
        paths=("shared",),
    )
    assert (branch(bench), bench.runner.tasks) == (goal.head, [])


async def test_a_proof_that_fails_on_the_integrated_tree_parks_the_item_and_moves_nothing(bench):
    await two_items(bench)
    bench.commands["make"] = Outcome(exit_code=1, stdout="1 failed")

    goal = await bench.carried_out()

    integration = goal.work[A].integration
    assert integration is not None
    assert (integration.failure, integration.detail) == (
        FailureClass.PROOF,
        "the proof does not hold on the integrated tree: check failed",
    )
    assert (branch(bench), goal.head) == (bench.base, bench.base)


async def test_a_machine_that_cannot_prove_parks_the_item_for_the_environment(bench):
    await two_items(bench)
    bench.commands["make"] = None

    (report,) = [await runner.run() for runner in await bench.owed()]

    assert report == c.ReportParked(
        work=A,
        number=1,
        failure=FailureClass.ENVIRONMENT,
        detail="make was not started: there is no executable of that name",
    )
    assert await bench.workspace.occupied() == ()


async def test_after_the_repair_the_next_integration_is_not_answered_with_what_the_last_one_found(bench):
    await two_items(bench)
    bench.commands["make"] = None
    await bench.carried_out(retry_work("p1.a"), tick())
    bench.commands["make"] = Outcome()

    goal = await in_steps(bench, 3)  # the other item, which waited behind it, is proved and moved first

    assert goal.work[A].integrations[1].proof is not None
    assert bench.runner.tasks[-1].key == "goal/billing/work/p1.a/attempt/1/integrated/check/again/2"


async def test_a_branch_that_somebody_moved_is_left_where_it_is_and_the_item_parked(bench):
    await two_items(bench)
    await bench.carried_out()
    foreign = move_branch(bench)

    goal = await bench.carried_out()

    integration = goal.work[A].integration
    assert integration is not None
    assert (integration.failure, integration.detail) == (
        FailureClass.DECISION,
        f"somebody else moved the branch harn/billing; put it back to {bench.base}",
    )
    assert branch(bench) == foreign


async def test_a_branch_that_is_there_already_is_success(bench):
    await two_items(bench)
    await bench.carried_out()
    (mover,) = await bench.owed()

    assert await mover.run() == await mover.run() == c.ReportMoved(work=A, number=1)


@pytest.mark.parametrize("steps", [0, 1], ids=["integrating", "moving"])
async def test_an_error_of_a_port_parks_the_item_for_the_environment(bench, steps):
    await two_items(bench)
    await in_steps(bench, steps)
    (runner,) = await bench.owed()

    assert runner.failed(UnavailableError("git is locked")) == c.ReportParked(
        work=A, number=1, failure=FailureClass.ENVIRONMENT, detail="git is locked"
    )


async def test_an_integration_that_is_not_wanted_any_more_is_tidied_up(bench):
    await two_items(bench)
    (runner,) = await bench.owed()
    await bench.workspace.checkout(Place(REPOSITORY, BILLING, A, 1), bench.base, "integrated")

    await runner.withdraw()

    assert await bench.workspace.occupied() == ()
