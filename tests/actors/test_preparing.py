"""Preparing: what stages build in kept directories, in attempts and in proofs, is built once and found by everybody."""

import msgspec
import pytest

from harnd.adapters.imaginary_commands import Outcome
from harnd.domain.goal.template import PREPARED, CommandStage, PrepareStage, Template, variable
from harnd.ports.sessions import CommandTask
from protocol.ids import WorkId
from protocol.values import FailureClass
from tests.kit.bench import Bench
from tests.kit.given import MINUTE, a_plan, a_template, answered, approve, draft, tick

A = WorkId("p1.a")
MODULES = PrepareStage("go-modules", ("install",), MINUTE, files=("README.md",))
WORKS = "when = 'Item p1.a'\ndo = [{ write = 'src/a/x', text = 'a' }]\nanswer = 'Done.'"


def recipe(*stages: PrepareStage) -> Template:
    plain = a_template()
    return msgspec.structs.replace(plain, stages=(*stages, CommandStage("lint", ("lint",), MINUTE), *plain.stages))


async def attempted(bench: Bench, *stages: PrepareStage, script: str = WORKS) -> None:
    bench.script(script)
    await bench.lived(
        tick(), answered(plan := a_plan(draft("a"))), approve(plan), tick(), intent=bench.intent(recipe(*stages))
    )


def ran(bench: Bench, command: str) -> list[CommandTask]:
    return [task for task in bench.runner.tasks if task.argv[0] == command]


def given(task: CommandTask) -> dict[str, str]:
    return dict(task.env)


async def test_a_stage_that_names_its_files_builds_once_for_the_worktree_and_the_checkout(bench):
    await attempted(bench, MODULES)

    await bench.carried_out()

    (build,) = ran(bench, "install")
    path = given(build)[PREPARED]
    assert path.startswith("/prepared/")
    assert [given(task) for task in (*ran(bench, "lint"), *ran(bench, "make"))] == [
        {"HARND_PREPARED_GO_MODULES": path}
    ] * 2
    assert [dict(task.given) for task in bench.sessions.tasks] == [{"HARND_PREPARED_GO_MODULES": path}]


async def test_the_next_attempt_finds_what_the_last_one_built(bench):
    await attempted(bench, MODULES)
    bench.commands["make"] = Outcome(exit_code=1)
    await bench.carried_out(tick())

    await bench.carried_out()

    assert (len(ran(bench, "install")), len(ran(bench, "lint"))) == (1, 2)


async def test_a_stage_that_names_no_files_runs_every_time_in_place(bench):
    await attempted(bench, msgspec.structs.replace(MODULES, files=()))

    await bench.carried_out()

    assert [(task.cwd.rpartition("/")[2], task.env) for task in ran(bench, "install")] == [("work", ()), ("proof", ())]


@pytest.mark.parametrize(
    "other",
    [
        msgspec.structs.replace(MODULES, name="b", argv=("install", "--more")),
        msgspec.structs.replace(MODULES, name="b", files=("README.md", "src")),
    ],
    ids=["words", "files"],
)
async def test_other_words_or_files_are_another_directory(bench, other):
    await attempted(bench, MODULES, other)

    await bench.carried_out()

    assert len({given(task)[PREPARED] for task in ran(bench, "install")}) == len(ran(bench, "install")) >= 2


async def test_a_file_that_the_agent_changed_is_built_for_anew_in_the_proof(bench):
    await attempted(bench, MODULES, script=WORKS.replace("src/a/x", "README.md"))

    await bench.carried_out()

    assert [task.cwd.rpartition("/")[2] for task in ran(bench, "install")] == ["work", "proof"]
    assert given(ran(bench, "make")[0]) != given(ran(bench, "lint")[0])


async def test_a_later_stage_is_told_where_an_earlier_one_built(bench):
    await attempted(bench, MODULES, PrepareStage("assets", ("bundle",), MINUTE, files=("README.md",)))

    await bench.carried_out()

    assert set(given(ran(bench, "bundle")[0])) == {PREPARED, variable("go-modules")}


async def test_what_could_not_be_built_is_the_environments_fault_and_nothing_of_it_is_kept(bench):
    await attempted(bench, MODULES)
    bench.commands["install"] = Outcome(exit_code=1, stderr="no network")

    goal = await bench.carried_out()

    attempt = goal.work[A].attempts[0]
    assert attempt.parked is not None
    assert attempt.parked.failure is FailureClass.ENVIRONMENT
    assert attempt.parked.detail == "stage go-modules: exit code 1: no network"


async def test_what_somebody_changed_meanwhile_is_built_anew_and_said(bench):
    await attempted(bench, MODULES)
    bench.deeds["lint"] = lambda: bench.preparations.files(
        given(bench.runner.tasks[-1])[variable("go-modules")]
    ).update({"evil.py": b"x"})

    goal = await bench.carried_out()

    attempt = goal.work[A].attempts[0]
    assert attempt.reports == ("prepared: somebody changed what go-modules had built, and it was built anew",)
    assert given(ran(bench, "make")[0]) != given(ran(bench, "lint")[0])
    assert len(ran(bench, "install")) == 2


async def test_a_build_that_ended_before_its_directory_counted_is_made_again(bench):
    """The command's end was stored and the daemon died: an empty directory is not what it had built."""
    await attempted(bench, MODULES)
    (runner,) = await bench.owed()
    await runner.run()
    bench.preparations.forget()
    bench.runner.tasks.clear()

    (again,) = await bench.owed()
    bench.deeds["install"] = lambda: bench.preparations.files(given(bench.runner.tasks[-1])[PREPARED]).update(
        {"lib": b"x"}
    )
    await again.run()

    path = given(ran(bench, "install")[0])[PREPARED]
    assert dict(bench.preparations.files(path)) == {"lib": b"x"}
