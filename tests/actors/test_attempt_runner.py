"""The attempt runner: a template carried out, from a worktree to a commit and its proof, and everything in between."""

from collections.abc import Mapping
from typing import Any

import anyio
import msgspec
import pytest

from harnd.adapters.imaginary_commands import Outcome
from harnd.adapters.memory_repository import HEAD
from harnd.domain.goal.commands import AttemptReport, GoalCommand, ReportAttempt, ReportObserved
from harnd.domain.goal.events import AttemptParked
from harnd.domain.goal.proof import CriterionProof, Evidence, Proof
from harnd.domain.goal.template import AgentStage, CommandStage, ParallelStage, PrepareStage, Stage, Template
from harnd.domain.goal.usage import Usage
from harnd.domain.goal.work import Attempt
from harnd.ports.errors import CorruptError, UnavailableError
from harnd.ports.workspace import Place
from protocol.ids import CriterionId, SpecialistName, WorkId
from protocol.values import SECOND, AttemptOutcome, FailureClass, MicroDollars, Micros, ParkCause, Verdict
from tests.kit.bench import REPOSITORY, Bench
from tests.kit.given import MINUTE, a_plan, a_template, answered, approve, draft, resolve, tick
from tests.kit.stores import BILLING

MAKER = SpecialistName("maker")
WORK = "src/a/x.py"
WRITES = f"do = [{{ write = '{WORK}', text = 'x' }}]\nanswer = 'Done.'"
NAME = "p1.a.1"


def agent(name: str = "make", *, prompt: str = "Make it.", output: str | None = None) -> AgentStage:
    return AgentStage(name, MAKER, prompt, output=output)


def command(name: str, *argv: str, output: str | None = None) -> CommandStage:
    return CommandStage(name, argv, MINUTE, output=output)


def prepare(*argv: str) -> PrepareStage:
    return PrepareStage("prepare", argv, MINUTE)


def recipe(*stages: Stage) -> Template:
    return msgspec.structs.replace(a_template(), stages=stages)


def rule(stage: str, body: str = WRITES) -> str:
    return f"when = 'stage {stage}.'\n{body}"


async def trying(bench: Bench, *stages: Stage, paths: tuple[str, ...] | None = None, **limits: Any) -> None:
    """Have a goal whose only item has its first attempt running."""
    plan = a_plan(draft("a", paths=paths))
    await bench.lived(tick(), answered(plan), approve(plan), tick(), intent=bench.intent(recipe(*stages), **limits))


async def tried(bench: Bench) -> AttemptReport:
    """Carry the attempt out and return its report."""
    (runner,) = await bench.owed()
    reported = await runner.run()
    assert isinstance(reported, ReportAttempt)
    return reported.report


async def judged(bench: Bench) -> Attempt:
    """Carry the attempt out and have the rules judge it."""
    goal = await bench.carried_out()
    return goal.work[WorkId("p1.a")].attempts[0]


def printed(bench: Bench, report: AttemptReport) -> str:
    assert report.output is not None
    return bench.blobs.kept[report.output].decode()


# --- success


async def test_an_attempt_goes_from_a_worktree_to_a_commit_and_its_proof(bench):
    bench.script(rule("make", f"{WRITES}\ntokens = 120\ncost = 900"))
    bench.commands["make"] = Outcome(stdout="1 passed", takes=Micros(2 * SECOND))
    await trying(bench, agent())

    report = await tried(bench)

    output = await bench.blobs.put(b"1 passed")
    found = Evidence("check", "passed", Micros(2 * SECOND), exit_code=0, output=output)
    made = bench.workspace.repository(REPOSITORY)
    commit = made.refs[f"refs/harnd/recorded/billing/{NAME}"]
    tree = made.commits[commit].tree
    assert report == AttemptReport(
        outcome=AttemptOutcome.SUCCEEDED,
        ran=Micros(0),
        usage=Usage(calls=1, tokens=120, cost=MicroDollars(900)),
        commit=commit,
        tree=tree,
        changed=(WORK,),
        proof=Proof(commit, tree, (CriterionProof(CriterionId("WC-1"), Verdict.SATISFIED, ("check",)),), (found,)),
    )
    assert made.commits[commit].message == "Do a\n\nWork item p1.a of goal billing.\n"


async def test_an_agent_is_told_which_files_hold_only_pointers(bench):
    bench.script(rule("plan"), rule("make"))
    await trying(bench, agent("plan"), agent())
    path = await bench.workspace.open_worktree(Place(REPOSITORY, BILLING, WorkId("p1.a"), 1), bench.base)
    bench.workspace.files(path)["big.bin"] = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"

    await tried(bench)

    for task in bench.sessions.tasks:
        assert "- 'big.bin'\n" in task.prompt


async def test_the_rules_believe_it(bench):
    bench.script(rule("make"))
    await trying(bench, agent())

    attempt = await judged(bench)

    assert (attempt.outcome, attempt.failure, attempt.charged) == (AttemptOutcome.SUCCEEDED, None, True)


async def test_its_commit_is_kept_and_the_operators_branch_is_where_it_was(bench):
    bench.script(rule("make"))
    await trying(bench, agent())

    report = await tried(bench)

    made = bench.workspace.repository(REPOSITORY)
    assert report.commit in {commit for at in made.refs.values() for commit in made.past(at)}
    assert made.refs[HEAD] == bench.base


async def test_what_lies_around_is_looked_at_before_anything_runs(bench):
    bench.script(rule("make"))
    await trying(bench, agent())

    await tried(bench)

    (seen,) = bench.said
    assert isinstance(seen, ReportObserved)
    assert (seen.work, seen.attempt) == ("p1.a", 1)
    assert b"refs/heads/main" in bench.blobs.kept[seen.surroundings]
    assert b"refs/heads/harn/" in bench.blobs.kept[seen.surroundings]


async def test_an_attempt_that_is_carried_out_again_finds_its_own_work(bench):
    bench.script(rule("make", "do = [{ append = 'src/a/log', text = 'x' }]\nanswer = 'Done.'"))
    await trying(bench, agent())

    first = await tried(bench)

    assert await tried(bench) == first
    assert first.changed == ("src/a/log",)


# --- stages


async def test_stages_run_one_after_the_other_in_the_worktree(bench):
    bench.script(rule("make"))
    await trying(bench, prepare("install"), agent(), command("tidy", "format", "{{ work.key }}"))

    report = await tried(bench)

    here = f"/worktrees/billing/{NAME}"
    ran = [(task.argv, task.cwd, task.fresh) for task in bench.runner.tasks]
    assert report.outcome is AttemptOutcome.SUCCEEDED
    assert ran == [
        (("install",), f"{here}/work", True),
        (("format", "a"), f"{here}/work", False),
        (("install",), f"{here}/proof", True),
        (("make", "check"), f"{here}/proof", True),
    ]
    assert [(task.cwd, task.wants_json) for task in bench.sessions.tasks] == [(f"{here}/work", False)]


async def test_every_process_has_a_key_of_its_own(bench):
    bench.script(rule("make"))
    await trying(bench, prepare("install"), agent(), command("tidy", "format"))

    await tried(bench)

    attempt = "goal/billing/work/p1.a/attempt/1"
    assert [task.key for task in (*bench.sessions.tasks, *bench.runner.tasks)] == [
        f"{attempt}/stage/make",
        f"{attempt}/stage/prepare",
        f"{attempt}/stage/tidy",
        f"{attempt}/proof/prepare/prepare",
        f"{attempt}/proof/check",
    ]


async def test_what_a_stage_said_can_be_named_by_a_later_one(bench):
    bench.script(rule("plan", "answer = 'in two steps'"), rule("make"))
    bench.commands["lint"] = Outcome(stdout="3 warnings")
    await trying(
        bench,
        agent("plan", output="plan"),
        command("lint", "lint", "{{ outputs.plan }}", output="warnings"),
        agent(prompt="Do it {{ outputs.plan }}; there are {{ outputs.warnings }}."),
    )

    await tried(bench)

    assert bench.runner.tasks[0].argv == ("lint", "in two steps")
    assert "Do it in two steps; there are 3 warnings." in bench.sessions.tasks[1].prompt


async def test_parallel_stages_run_at_once(bench):
    sleeps = "do = [{{ write = 'src/a/{0}', text = 'x' }}, {{ sleep = 60.0 }}]\nanswer = 'Done.'"
    bench.script(rule("one", sleeps.format("one")), rule("two", sleeps.format("two")))
    await trying(bench, ParallelStage("both", (agent("one"), agent("two"), command("lint", "lint"))))

    report = await tried(bench)

    assert (report.outcome, report.changed, report.usage.calls) == (
        AttemptOutcome.SUCCEEDED,
        ("src/a/one", "src/a/two"),
        2,
    )
    assert (anyio.current_time(), report.ran) == (60, 120 * SECOND)


async def test_no_more_agents_than_the_goal_allows_are_at_work_at_once(bench):
    sleeps = "do = [{ write = 'src/a/x', text = 'x' }, { sleep = 60.0 }]\nanswer = 'Done.'"
    bench.script(rule("one", sleeps), rule("two", sleeps))
    await trying(bench, ParallelStage("both", (agent("one"), agent("two"))), agent_concurrency=1)

    await tried(bench)

    assert anyio.current_time() == 120


async def test_of_parallel_failures_the_first_of_the_template_is_told(bench):
    bench.script(rule("one", "do = [{ sleep = 60.0 }]\nexit = 3"), rule("two", "exit = 4"))
    await trying(bench, ParallelStage("both", (agent("one"), agent("two"))))

    report = await tried(bench)

    assert report.detail.startswith("stage one: no answer, exit code 3")


async def test_no_stage_takes_longer_than_the_goal_has_runtime_left(bench):
    bench.script(rule("make"))
    await trying(bench, command("lint", "lint"), agent(), active_runtime=20 * SECOND)

    await tried(bench)

    assert [task.timeout for task in (*bench.sessions.tasks, *bench.runner.tasks)] == [20 * SECOND] * 3


# --- failures

SPEAKS = "do = [" + ", ".join(["{ say = 'at it' }, { sleep = 500.0 }"] * 4) + "]\nanswer = 'late'"
FAILING_AGENTS: Mapping[str, tuple[str, AttemptOutcome, FailureClass, str]] = {
    "says nothing and fails": ("exit = 3", AttemptOutcome.FAILED, FailureClass.EMPTY, "no answer, exit code 3"),
    "cannot reach its provider": (
        "exit = 75",
        AttemptOutcome.FAILED,
        FailureClass.UPSTREAM,
        "the agent could not reach its provider",
    ),
    "refuses": ("answer = 'No.'\nstop = 'refused'", AttemptOutcome.FAILED, FailureClass.REFUSAL, ""),
    "is cut off": ("answer = 'And th'\nstop = 'truncated'", AttemptOutcome.FAILED, FailureClass.TRUNCATED, ""),
    "has used its quota up": (
        "answer = 'resets at 3pm'\nstop = 'out_of_quota'",
        AttemptOutcome.FAILED,
        FailureClass.QUOTA,
        "the provider's quota is used up: resets at 3pm",
    ),
    "is not logged in": (
        "answer = ''\nstop = 'not_logged_in'",
        AttemptOutcome.FAILED,
        FailureClass.AUTH,
        "the agent is",
    ),
    "says that its provider failed": (
        "answer = ''\nstop = 'unreachable'",
        AttemptOutcome.FAILED,
        FailureClass.UPSTREAM,
        "the provider failed",
    ),
    "never begins": ("do = [{ hang = true }]", AttemptOutcome.FAILED, FailureClass.STALLED, ""),
    "falls silent": (
        "do = [{ say = 'at it' }, { hang = true }]",
        AttemptOutcome.FAILED,
        FailureClass.STALLED,
        "",
    ),
    "takes too long": (SPEAKS, AttemptOutcome.TIMED_OUT, FailureClass.TIMEOUT, ""),
}


@pytest.mark.parametrize("case", FAILING_AGENTS.values(), ids=FAILING_AGENTS.keys())
async def test_an_agent_that(bench, case):
    body, outcome, failure, said = case
    bench.script(rule("make", body))
    await trying(bench, agent(), command("tidy", "format"))

    report = await tried(bench)

    assert (report.outcome, report.failure) == (outcome, failure)
    assert report.detail.startswith(f"stage make: {said}")
    assert (report.commit, report.proof, bench.runner.tasks) == (None, None, [])
    attempt = await judged(bench)
    assert (attempt.parked.failure if attempt.parked else attempt.failure) is failure


FAILING_COMMANDS: Mapping[str, tuple[Outcome | None, FailureClass, FailureClass]] = {
    "fails": (Outcome(exit_code=1, stderr="it is bad\n"), FailureClass.PROOF, FailureClass.ENVIRONMENT),
    "does not exist": (None, FailureClass.ENVIRONMENT, FailureClass.ENVIRONMENT),
    "never ends": (Outcome(takes=None), FailureClass.TIMEOUT, FailureClass.TIMEOUT),
}


@pytest.mark.parametrize("case", FAILING_COMMANDS.values(), ids=FAILING_COMMANDS.keys())
@pytest.mark.parametrize("preparing", [False, True], ids=["command", "preparation"])
async def test_a_command_or_a_preparation_that(bench, case, preparing):
    outcome, as_command, as_preparation = case
    bench.script(rule("make"))
    bench.commands["run"] = outcome

    await trying(bench, prepare("run") if preparing else command("one", "run"), agent())

    report = await tried(bench)

    assert report.failure is (as_preparation if preparing else as_command)
    assert report.detail.startswith(f"stage {'prepare' if preparing else 'one'}: ")
    assert (bench.sessions.tasks, report.commit) == ([], None)


async def test_what_a_failing_stage_printed_is_kept_for_the_next_attempt(bench):
    bench.commands["lint"] = Outcome(exit_code=1, stdout="line 3: bad\n", stderr="1 problem\n")
    await trying(bench, command("lint", "lint"))

    report = await tried(bench)

    assert report.detail == "stage lint: exit code 1: line 3: bad"
    assert printed(bench, report) == "line 3: bad\n\n1 problem\n"


async def test_a_retry_is_told_what_failed(bench):
    bench.commands["lint"] = Outcome(exit_code=1, stdout="line 3: bad\n")
    bench.script(rule("make"))
    await trying(bench, agent(), command("lint", "lint"))
    await bench.carried_out(tick(bench.clock.now()))

    await tried(bench)

    prompt = bench.sessions.tasks[-1].prompt
    assert "This is attempt 2. Mend this first:" in prompt
    assert "It printed:\nline 3: bad" in prompt


async def test_a_proof_that_does_not_hold_is_reported_whole_and_judged_by_the_rules(bench):
    bench.script(rule("make"))
    bench.commands["make"] = Outcome(exit_code=2, stdout="1 failed")
    await trying(bench, agent())

    attempt = await judged(bench)

    assert (attempt.outcome, attempt.failure) == (AttemptOutcome.FAILED, FailureClass.PROOF)
    assert attempt.detail == "the proof does not hold: check failed"
    assert attempt.proof is not None
    assert attempt.commit is not None


async def test_a_machine_that_cannot_prove_is_no_failure_of_the_work(bench):
    bench.script(rule("make"))
    bench.commands["make"] = None
    await trying(bench, agent())

    attempt = await judged(bench)

    assert attempt.parked is not None
    assert (attempt.parked.failure, attempt.proof) == (FailureClass.ENVIRONMENT, None)


async def test_an_attempt_that_changed_nothing_is_empty_and_proves_nothing(bench):
    bench.script(rule("make", "answer = 'All is well.'"))
    await trying(bench, agent())

    attempt = await judged(bench)

    assert (attempt.outcome, attempt.failure, attempt.proof) == (AttemptOutcome.FAILED, FailureClass.EMPTY, None)
    assert bench.runner.tasks == []


async def test_a_hook_that_refuses_the_commit_fails_the_attempt_and_is_quoted(bench):
    bench.script(rule("make"))
    bench.workspace.repository(REPOSITORY).hook = lambda _files: "no tabs, please"
    await trying(bench, agent())

    report = await tried(bench)

    assert (report.failure, report.detail) == (FailureClass.PROOF, "the repository's hooks refused the commit")
    assert printed(bench, report) == "no tabs, please"
    assert (report.commit, bench.runner.tasks) == (None, [])


async def test_an_agent_whose_daemon_died_is_lost_and_paid_for_by_nobody(bench):
    bench.script(rule("make", "do = [{ hang = true }]"))
    await trying(bench, agent())
    (runner,) = await bench.owed()
    async with anyio.create_task_group() as daemon:
        daemon.start_soon(runner.run)
        await anyio.wait_all_tasks_blocked()
        bench.machine.crash()
        daemon.cancel_scope.cancel()
    bench.machine.restart()

    attempt = await judged(bench)

    assert (attempt.outcome, attempt.failure, attempt.charged) == (AttemptOutcome.LOST, FailureClass.LOST, False)


async def test_an_agent_that_a_stop_cut_short_was_interrupted_and_is_paid_for_by_nobody(bench):
    bench.script(rule("make", "do = [{ hang = true }]"))
    await trying(bench, agent())
    (runner,) = await bench.owed()
    async with anyio.create_task_group() as daemon:
        daemon.start_soon(runner.run)
        await anyio.wait_all_tasks_blocked()
        daemon.cancel_scope.cancel()

    attempt = await judged(bench)

    assert (attempt.outcome, attempt.charged) == (AttemptOutcome.INTERRUPTED, False)


# --- what the world says


@pytest.mark.parametrize("together", [False, True])
async def test_a_text_that_cannot_be_filled_in_fails_the_attempt_and_not_the_daemon(bench, together):
    bench.script(rule("plan", f"answer = '{'x' * 300_000}'"), rule("make"))
    make = agent(prompt="{{ outputs.plan }}")
    await trying(bench, agent("plan", output="plan"), ParallelStage("both", (make,)) if together else make)

    report = await tried(bench)

    assert (report.outcome, report.failure) == (AttemptOutcome.FAILED, FailureClass.SCHEMA)
    assert report.detail == "stage make: grows past 262,144 characters"


@pytest.mark.parametrize("together", [False, True])
async def test_an_error_of_a_port_reaches_the_supervisor_as_it_is(bench, together):
    bench.commands["lint"] = Outcome(exit_code=1, stdout="bad")
    bench.blobs.no_room_for = b"bad"
    lint = command("lint", "lint")
    await trying(bench, ParallelStage("both", (lint,)) if together else lint)

    with pytest.raises(UnavailableError, match="the disk is full"):
        await tried(bench)


async def test_when_one_of_several_stages_has_no_room_the_others_are_stopped(bench):
    bench.script(rule("make", "do = [{ hang = true }]"))
    bench.commands["lint"] = Outcome(exit_code=1, stdout="bad")
    bench.blobs.no_room_for = b"bad"
    await trying(bench, ParallelStage("both", (agent(), command("lint", "lint"))))

    with pytest.raises(UnavailableError):
        await tried(bench)

    assert (bench.machine.playing(), anyio.current_time()) == ([], 0)


async def test_an_error_of_a_port_is_the_environments_fault(bench):
    await trying(bench, agent())
    (runner,) = await bench.owed()

    assert runner.failed(UnavailableError("git is locked")) == ReportAttempt(
        work=WorkId("p1.a"),
        attempt=1,
        report=AttemptReport(
            outcome=AttemptOutcome.FAILED,
            ran=Micros(0),
            usage=Usage(),
            failure=FailureClass.ENVIRONMENT,
            detail="git is locked",
        ),
    )


async def test_an_output_that_cannot_be_read_back_is_told_by_its_digest(bench):
    bench.commands["lint"] = Outcome(exit_code=1, stdout="line 3: bad\n")
    await trying(bench, command("lint", "lint"))
    goal = await bench.carried_out(tick(bench.clock.now()))
    output = goal.work[WorkId("p1.a")].attempts[0].output
    assert output is not None
    bench.blobs.kept[output] = b"something else"

    with pytest.raises(CorruptError, match=output):
        await tried(bench)


async def test_what_an_attempt_moved_is_put_back_when_it_is_not_wanted_any_more(bench):
    bench.script(rule("make", "do = [{ hang = true }]"))
    await trying(bench, agent())
    (runner,) = await bench.owed()
    async with anyio.create_task_group() as daemon:
        daemon.start_soon(runner.run)
        await anyio.wait_all_tasks_blocked()
        daemon.cancel_scope.cancel()
    made = bench.workspace.repository(REPOSITORY)
    foreign = made.add(msgspec.structs.replace(made.commits[bench.base], message="not yours"))
    made.refs["refs/heads/harn/billing"] = foreign

    await runner.withdraw()

    assert made.refs["refs/heads/harn/billing"] == bench.base


# --- parked, and on from there


async def on(bench: Bench, *commands: GoalCommand) -> Attempt:
    """Carry on with what is parked, and look at the attempt."""
    journal = await bench.journal()
    for command in (*commands, tick(bench.clock.now())):
        await journal.submit(command)
    goal = await bench.carried_out()
    return goal.work[WorkId("p1.a")].attempts[0]


OUT_OF_QUOTA = "do = [{{ append = 'src/a/log', text = 'half ' }}]\nanswer = 'later'\nstop = 'out_of_quota'{}"
GOES_ON = "do = [{ append = 'src/a/log', text = 'whole' }]\nanswer = 'Done.'\ntokens = 20\ncost = 2"


async def test_a_stage_that_failed_is_made_again_in_the_same_worktree_and_finished_ones_are_not(bench):
    bench.script(
        rule("plan", "do = [{ append = 'src/a/plan', text = 'once' }]\nanswer = 'in two steps'\ntokens = 5\ncost = 1"),
        f"when = ['stage make.', 'topped up']\n{GOES_ON}",
        rule("make", OUT_OF_QUOTA.format("\ntokens = 100\ncost = 9")),
    )
    plan, make = agent("plan", output="plan"), agent(prompt="Do it {{ outputs.plan }}.")
    await trying(bench, command("lint", "lint"), plan, make)
    await bench.carried_out()

    attempt = await on(bench, resolve("p1.a", "topped up"))

    made = bench.workspace.repository(REPOSITORY)
    assert attempt.commit is not None
    files = made.commits[attempt.commit].files
    assert (files["src/a/plan"], files["src/a/log"]) == (b"once", b"half whole")
    asked = [task.key.rpartition("/stage/")[2] for task in bench.sessions.tasks]
    assert asked == ["plan", "make", "plan", "make/run/1"]  # what ended gives its stored result
    assert "Do it in two steps." in bench.sessions.tasks[-1].prompt
    assert "The operator says: topped up" in bench.sessions.tasks[-1].prompt
    assert "# Begun before" in bench.sessions.tasks[-1].prompt
    # What was used for nothing was used; the call that failed is nobody's.
    assert (attempt.number, attempt.outcome, attempt.usage) == (
        1,
        AttemptOutcome.SUCCEEDED,
        Usage(2, 125, MicroDollars(12)),
    )


async def test_what_failed_twice_has_a_third_run(bench):
    bench.script(rule("make", OUT_OF_QUOTA.format("")))
    await trying(bench, agent())
    await bench.carried_out()

    await on(bench, resolve("p1.a"))
    attempt = await on(bench, resolve("p1.a"))

    assert [again.run for again in attempt.remade] == [0, 1, 2]
    assert [task.key.rpartition("/make")[2] for task in bench.sessions.tasks] == ["", "/run/1", "/run/2"]


async def test_of_parallel_stages_only_those_that_failed_are_made_again(bench):
    bench.script(
        rule("one", "do = [{ append = 'src/a/one', text = 'x' }]\nanswer = 'Done.'"),
        f"when = ['stage two.', 'topped up']\n{GOES_ON}",
        rule("two", OUT_OF_QUOTA.format("")),
    )
    await trying(bench, ParallelStage("both", (agent("one"), agent("two"))))
    await bench.carried_out()

    attempt = await on(bench, resolve("p1.a", "topped up"))

    assert attempt.commit is not None
    files = bench.workspace.repository(REPOSITORY).commits[attempt.commit].files
    assert (files["src/a/one"], files["src/a/log"]) == (b"x", b"half whole")


async def test_a_proof_that_could_not_be_run_is_run_when_it_can(bench):
    bench.script(rule("make"))
    bench.commands["make"] = None
    await trying(bench, agent())
    await bench.carried_out()
    bench.commands["make"] = Outcome()

    attempt = await on(bench, resolve("p1.a"))

    assert (attempt.outcome, len(bench.sessions.tasks)) == (AttemptOutcome.SUCCEEDED, 2)
    assert bench.machine.began(bench.sessions.tasks[0].key) == bench.machine.began(bench.sessions.tasks[1].key)


async def test_the_daemon_may_die_anywhere_after_it_went_on(bench):
    bench.script(
        f"when = ['stage make.', 'topped up']\n{GOES_ON}",
        rule("make", OUT_OF_QUOTA.format("")),
        rule("more", "do = [{ hang = true }]"),
    )
    await trying(bench, agent(), agent("more"))
    await bench.carried_out()
    journal = await bench.journal()
    for step in (resolve("p1.a", "topped up"), tick(bench.clock.now())):
        await journal.submit(step)
    (runner,) = await bench.owed()
    async with anyio.create_task_group() as daemon:
        daemon.start_soon(runner.run)
        await anyio.wait_all_tasks_blocked()
        bench.machine.crash()
        daemon.cancel_scope.cancel()
    bench.machine.restart()

    attempt = await judged(bench)

    assert (attempt.outcome, attempt.charged) == (AttemptOutcome.LOST, False)
    assert [task.key.rpartition("/stage/")[2] for task in bench.sessions.tasks[-2:]] == ["make/run/1", "more"]


async def test_what_a_pause_cut_short_is_made_again(bench):
    bench.script(rule("make", "do = [{ append = 'src/a/log', text = 'x' }, { sleep = 30.0 }]\nanswer = 'Done.'"))
    await trying(bench, agent())
    (runner,) = await bench.owed()
    async with anyio.create_task_group() as daemon:
        daemon.start_soon(runner.run)
        await anyio.wait_all_tasks_blocked()
        daemon.cancel_scope.cancel()
    await bench.happened(AttemptParked(work=WorkId("p1.a"), attempt=1, cause=ParkCause.PAUSE))

    attempt = await on(bench)

    assert (attempt.outcome, attempt.pauses) == (AttemptOutcome.SUCCEEDED, 1)
    assert [task.key.rpartition("/make")[2] for task in bench.sessions.tasks] == ["", "", "/run/1"]


async def test_a_worktree_that_was_cleared_away_while_it_was_parked_is_a_loss_that_nobody_pays_for(bench):
    bench.script(rule("make", OUT_OF_QUOTA.format("")))
    await trying(bench, agent())
    await bench.carried_out()
    await bench.workspace.discard(Place(REPOSITORY, BILLING, WorkId("p1.a"), 1))

    attempt = await on(bench, resolve("p1.a"))

    assert (attempt.outcome, attempt.charged) == (AttemptOutcome.LOST, False)
    assert attempt.detail == "its worktree was cleared away before it had ended"
    assert len(bench.sessions.tasks) == 1


async def test_a_worktree_that_was_cleared_away_while_no_daemon_ran_is_lost_too(bench):
    bench.script(rule("make"), rule("more", "do = [{ hang = true }]"))
    await trying(bench, agent(), agent("more"))
    (runner,) = await bench.owed()
    async with anyio.create_task_group() as daemon:
        daemon.start_soon(runner.run)
        await anyio.wait_all_tasks_blocked()
        bench.machine.crash()
        daemon.cancel_scope.cancel()
    bench.machine.restart()
    await (await bench.journal()).submit(bench.said[0])
    await bench.workspace.discard(Place(REPOSITORY, BILLING, WorkId("p1.a"), 1))

    attempt = await judged(bench)

    assert (attempt.outcome, attempt.charged) == (AttemptOutcome.LOST, False)
    assert attempt.detail == "its worktree was cleared away before it had ended"


async def test_what_the_operator_did_while_it_was_parked_is_not_laid_to_it(bench):
    bench.script(f"when = ['stage make.', 'topped up']\n{GOES_ON}", rule("make", OUT_OF_QUOTA.format("")))
    await trying(bench, agent(), paths=("src/a", "README.md"))
    await bench.carried_out()
    bench.workspace.files(REPOSITORY)["README.md"] = b"mine"

    attempt = await on(bench, resolve("p1.a", "topped up"))

    assert (attempt.outcome, attempt.reports) == (AttemptOutcome.SUCCEEDED, ())


# --- usage


@pytest.mark.parametrize(
    ("first", "second", "usage"),
    [
        pytest.param("tokens = 100\ncost = 5", "tokens = 200\ncost = 6", (300, 11), id="both told"),
        pytest.param("tokens = 100\ncost = 5", "tokens = 200", (300, None, 0, 5, 0, 1), id="one cost is unknown"),
        pytest.param("", "tokens = 200\ncost = 6", (None, None, 200, 6, 1, 1), id="the first told nothing"),
        pytest.param("tokens = 0\ncost = 0", "tokens = 0\ncost = 0", (0, 0), id="nothing was used, and that is known"),
        pytest.param("", "", (None, None), id="nothing is known, which is not nothing"),
    ],
)
async def test_usage_is_summed_and_unknown_plus_something_is_unknown(bench, first, second, usage):
    bench.script(rule("one", f"{WRITES}\n{first}"), rule("two", f"{WRITES}\n{second}"))
    await trying(bench, agent("one"), agent("two"))

    report = await tried(bench)

    assert report.usage == Usage(2, *usage)


# --- trespass


@pytest.mark.parametrize(
    ("paths", "edited", "body", "failure"),
    [
        pytest.param((), "README.md", WRITES, None, id="elsewhere, while it did its work: told"),
        pytest.param(("README.md",), "README.md", WRITES, FailureClass.PERMISSION, id="at a path of its own"),
        pytest.param((), "README.md", "answer = 'Done.'", FailureClass.PERMISSION, id="and nothing in its own place"),
        pytest.param((), None, WRITES, None, id="not at all"),
    ],
)
async def test_files_of_the_operators_checkout_that_change(bench, paths, edited, body, failure):
    bench.script(rule("make", body))
    if edited:
        bench.deeds["lint"] = lambda: bench.workspace.files(REPOSITORY).update({edited: b"changed"})
    await trying(bench, agent(), command("lint", "lint"), paths=("src/a", *paths))

    attempt = await judged(bench)

    told = (f"checkout: files in {REPOSITORY} changed: '{edited}'",) if edited else ()
    assert (attempt.failure, attempt.reports) == (failure, told)


async def test_a_goals_branch_that_an_attempt_moved_is_put_back_and_told(bench):
    bench.script(rule("make"))
    made = bench.workspace.repository(REPOSITORY)
    foreign = made.add(msgspec.structs.replace(made.commits[bench.base], message="not yours"))
    bench.deeds["lint"] = lambda: made.refs.update({"refs/heads/harn/billing": foreign})
    await trying(bench, agent(), command("lint", "lint"))

    report = await tried(bench)

    assert made.refs["refs/heads/harn/billing"] == bench.base
    (told,) = report.reports
    assert told.startswith("undone: ")


async def test_another_ref_that_moved_is_told_and_left_alone(bench):
    bench.script(rule("make"))
    made = bench.workspace.repository(REPOSITORY)
    bench.deeds["lint"] = lambda: made.refs.update({"refs/tags/v1": bench.base})
    await trying(bench, agent(), command("lint", "lint"))

    report = await tried(bench)

    assert made.refs["refs/tags/v1"] == bench.base
    (told,) = report.reports
    assert told.startswith("ref: ")
    assert report.outcome is AttemptOutcome.SUCCEEDED
