"""The reviewer on a bench: what its worker is told, what is reported, and what a crash leaves, wherever it strikes."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import anyio
import anyio.lowlevel
import msgspec
import pytest

from harnd.actors.reviewer import JobReport, JobTask, Reviewer
from harnd.adapters.review_jobs import memory
from harnd.domain.goal.intent import Specialist
from harnd.domain.problem import Problem
from harnd.domain.rejected import Rejected
from harnd.domain.review.correction import Correction
from harnd.domain.review.output import Assessed, Reviewed
from harnd.domain.review.partition import Partition
from harnd.domain.review.prompt import DISPATCH, render
from harnd.ports.errors import UnavailableError
from harnd.ports.review_jobs import JobDirectory
from harnd.ports.sessions import Usage
from harnd.ports.workspace import Place
from harnd.ports.world import World
from protocol.ids import WorkId
from protocol.values import FailureClass, MicroDollars
from tests.kit.bench import REPOSITORY, SCRIPT, Bench
from tests.kit.given import a_specialist
from tests.kit.review_world import TOKEN, a_panel_job, a_task
from tests.kit.reviews import NONCE, OTHER_NONCE, a_pair
from tests.kit.stores import BILLING

PLACE = Place(REPOSITORY, BILLING, WorkId("p1.critic"), 0)
JOB = JobDirectory(TOKEN, "output.json")
OPINION = '{"verdict":"approve","rationale":"It holds.","findings":[]}'
KNOWS = "matches = ['nonce of this task is `(?P<nonce>[0-9a-f]+)`', 'exactly one file, `(?P<output>[^`]+)`']"


def answer(opinion: str = OPINION, nonce: str = "{{nonce}}") -> str:
    entry = {"subject": "plan-1", "criterion": "plan-contract/critic", "result": "ASSESSMENT"}
    return json.dumps({"nonce": nonce, "results": [{**entry, "assessment": json.loads(opinion)}]})


def writes(text: str, *before: str, more: str = "") -> str:
    """Write a rule whose worker writes this output after some steps."""
    steps = ", ".join([*before, f"{{ write = '{{{{output}}}}', text = '{text}' }}"])
    return f"when = 'You are a review worker'\n{KNOWS}\ndo = [{steps}]\nanswer = 'Written.'\n{more}"


def critic(**options: str) -> Specialist:
    return msgspec.structs.replace(a_specialist("critic"), options=(("script", SCRIPT), *options.items()))


def the_task(bench: Bench, specialist: Specialist | None = None, **changes: Any) -> JobTask:
    return a_task(PLACE, bench.base, specialist or critic(), now=bench.clock.now(), **changes)


async def review(bench: Bench, **changes: Any) -> JobReport:
    return await Reviewer(bench.world, the_task(bench, **changes)).run()


def opinion(report: JobReport) -> object:
    assert isinstance(report.results, Reviewed)
    (result,) = report.results.results
    assert isinstance(result, Assessed)
    assert result.pair == a_pair("plan-1", "plan-contract/critic")
    return json.loads(result.value)


# --- what a worker is told


async def test_a_worker_is_told_one_line_with_the_path_of_its_prompt(bench: Bench):
    bench.script(writes(answer()))
    report = await review(bench)

    (session,) = bench.sessions.tasks
    path = bench.review_jobs.paths(JOB).prompt
    assert (session.prompt, session.prompt_path) == (DISPATCH.format(prompt=path), path)
    assert (session.wants_json, session.given, session.env) == (False, (), ())
    assert opinion(report) == json.loads(OPINION)


async def test_its_prompt_is_the_contract_rendered_for_this_attempt_and_nothing_besides(bench: Bench):
    bench.script(writes(answer()))
    reviewer = Reviewer(bench.world, the_task(bench))
    contract, texts = a_panel_job()
    paths = bench.review_jobs.paths(JOB)

    await reviewer.run()

    assert reviewer.prompt() == render(contract, texts, nonce=NONCE, output=paths.output)
    there = bench.review_jobs.files(f"{memory.ROOT}/{TOKEN}")
    assert there["prompt.md"] == reviewer.prompt().text.encode()
    assert sorted(there) == ["out/output.json", "prompt.md"]


async def test_a_correction_is_part_of_the_prompt(bench: Bench):
    bench.script(writes(answer()))
    correction = Correction(b"{}", (Problem("pair.missing", "", "was asked for and is not there"),))
    reviewer = Reviewer(bench.world, the_task(bench, nonce=OTHER_NONCE, correction=correction))
    assert "## Correction" in reviewer.prompt().text
    assert opinion(await reviewer.run()) == json.loads(OPINION)


async def test_it_works_in_a_checkout_of_its_own_of_exactly_the_commit(bench: Bench):
    bench.script(writes(answer()))
    await review(bench)
    (session,) = bench.sessions.tasks
    assert session.cwd == "/worktrees/billing/p1.critic.0/review"


async def test_it_may_run_as_long_as_its_job_may(bench: Bench):
    bench.script(writes(answer()))
    await review(bench, until=bench.clock.now() + 5_000_000)
    (session,) = bench.sessions.tasks
    assert session.timeout == 5_000_000


# --- what is reported


async def test_what_it_used_and_whether_it_could_write_is_reported(bench: Bench):
    bench.script(writes(answer(), more="tokens = 1200\ncost = 7"))
    report = await review(bench)
    assert (report.usage, report.read_only) == (Usage(1200, MicroDollars(7)), True)
    assert not (await review(bench, **another(read_only_launch="false"))).read_only


def another(**options: str) -> dict[str, Any]:
    return {"specialist": critic(**options), "key": "goal/billing/plan/1/review/1/critic/attempt/2", "token": "cd" * 16}


@pytest.mark.parametrize(
    ("more", "failure"),
    [
        ("stop = 'unreachable'", FailureClass.UPSTREAM),
        ("stop = 'out_of_quota'", FailureClass.QUOTA),
        ("stop = 'not_logged_in'", FailureClass.AUTH),
    ],
)
async def test_half_an_output_of_an_outage_is_the_outage_and_not_the_workers_mistake(bench, more, failure):
    bench.script(writes("{", more=more))
    report = await review(bench)
    assert (report.failure, report.problems, report.results) == (failure, (), None)


async def test_a_whole_output_counts_whatever_is_said_after_it(bench: Bench):
    bench.script(writes(answer(), more="stop = 'unreachable'"))
    assert opinion(await review(bench)) == json.loads(OPINION)


async def test_all_that_is_wrong_with_an_output_is_told_with_its_lines(bench: Bench):
    bench.script(writes(answer('{"verdict":"perhaps","findings":[]}')))
    report = await review(bench)
    assert (report.failure, report.results) == (None, None)
    assert len(report.problems) > 1
    assert all(problem.line for problem in report.problems)


async def test_a_megabyte_is_read_off_the_loop(bench: Bench):
    bench.script(writes("[" * 300_000))
    report = await review(bench)
    assert report.problems


async def test_an_edit_outside_is_told_also_in_the_operators_checkout(bench: Bench):
    steps = ("{ write = 'src/new.py', text = '' }", f"{{ write = '{REPOSITORY}/README.md', text = 'mine' }}")
    bench.script(writes(answer(), *steps))
    report = await review(bench)
    assert (report.failure, report.results) == (FailureClass.PERMISSION, None)
    assert [str(one) for one in report.touched] == ["worktree: added src/new.py"]
    assert report.around == (f"checkout: files in {REPOSITORY} changed: 'README.md'",)


# --- what is refused before anything is made


@pytest.mark.parametrize(
    ("specialist", "changes"),
    [
        (critic(fresh_context="false"), {}),
        (critic(fresh_context="perhaps"), {}),
        (msgspec.structs.replace(critic(), model="gpt-5.5", effort="low"), {"partition": Partition("claude-sonnet-5")}),
    ],
)
async def test_what_could_give_no_result_that_counts_is_not_begun(bench: Bench, specialist, changes):
    report = await review(bench, specialist=specialist, **changes)
    assert (report.failure, report.ran, report.results) == (FailureClass.ENVIRONMENT, 0, None)
    assert bench.sessions.tasks == []
    assert await bench.review_jobs.lying() == ()
    assert await bench.workspace.occupied() == ()


async def test_a_contract_that_cannot_be_shown_is_rejected_and_nothing_is_made(bench: Bench):
    task = the_task(bench, nonce="0")
    with pytest.raises(Rejected, match="nonce"):
        await Reviewer(bench.world, task).run()
    assert await bench.review_jobs.lying() == ()


async def test_a_world_that_does_not_answer_is_the_environment(bench: Bench):
    report = Reviewer(bench.world, the_task(bench)).failed(UnavailableError("the disk is full"))
    assert (report.failure, report.detail, report.results) == (FailureClass.ENVIRONMENT, "the disk is full", None)


# --- crashes


class Died(Exception):
    """The daemon is dead."""


class Dying:
    """Hands on to a port until the daemon dies, before or after one of the calls that are made to all ports."""

    def __init__(self, port: Any, calls: list[str], dies_at: int) -> None:
        self._port = port
        self._calls = calls
        self._dies_at = dies_at

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._port, name)
        if name in {"paths", "capabilities"}:
            return method

        async def called(*args: Any, **kwargs: Any) -> Any:
            self._point(f"before {name}")
            result = await method(*args, **kwargs)
            self._point(f"after {name}")
            return result

        return called

    def _point(self, where: str) -> None:
        self._calls.append(where)
        if len(self._calls) == self._dies_at:
            raise Died(where)


def dying(world: World, calls: list[str], dies_at: int) -> World:
    ports: dict[str, Any] = {
        name: Dying(getattr(world, name), calls, dies_at) for name in ("review_jobs", "workspace", "blobs")
    }
    return replace(world, **ports)


async def points_of_a_whole_run(bench: Bench, task: JobTask) -> int:
    calls: list[str] = []
    await Reviewer(dying(bench.world, calls, dies_at=0), task).run()
    return len(calls)


async def test_a_crash_anywhere_costs_no_answer_and_no_second_session(bench: Bench):
    bench.script(writes(answer()))
    points = await points_of_a_whole_run(bench, the_task(bench))
    assert points > 15
    for number in range(1, points + 1):
        task = the_task(bench, key=f"crash/{number}", token=f"{number:032x}")
        bench.sessions.tasks.clear()
        with pytest.raises(Died):
            await Reviewer(dying(bench.world, [], dies_at=number), task).run()

        report = await Reviewer(bench.world, task).run()

        assert opinion(report) == json.loads(OPINION)
        assert (report.touched, report.around) == ((), ())
        assert bench.machine.began(task.key) is not None
        assert await Reviewer(bench.world, task).run() == report


async def test_a_crash_after_a_worker_strayed_does_not_hide_it(bench: Bench):
    bench.script(writes(answer(), "{ write = 'src/new.py', text = '' }"))
    points = await points_of_a_whole_run(bench, the_task(bench))
    for number in range(1, points + 1):
        task = the_task(bench, key=f"crash/{number}", token=f"{number:032x}")
        with pytest.raises(Died):
            await Reviewer(dying(bench.world, [], dies_at=number), task).run()
        report = await Reviewer(bench.world, task).run()
        assert report.failure is FailureClass.PERMISSION, number


async def interrupted(bench: Bench, task: JobTask, die: Callable[[], Awaitable[None]]) -> JobReport:
    async with anyio.create_task_group() as daemon:
        daemon.start_soon(Reviewer(bench.world, task).run)
        await anyio.wait_all_tasks_blocked()
        await die()
        daemon.cancel_scope.cancel()
    bench.machine.restart()
    return await Reviewer(bench.world, task).run()


@pytest.mark.parametrize("dies", [True, False])
async def test_a_session_that_was_cut_short_is_lost_and_its_half_no_answer(bench: Bench, dies: bool):
    bench.script(f"{KNOWS}\ndo = [{{ write = '{{{{output}}}}', text = '{answer()}' }}, {{ hang = true }}]")

    async def die() -> None:
        await anyio.lowlevel.checkpoint()
        if dies:
            bench.machine.crash()

    report = await interrupted(bench, the_task(bench), die)

    assert (report.failure, report.results) == (FailureClass.LOST, None)
    assert report.output is not None
    assert len(bench.sessions.tasks) == 2


async def test_what_nobody_wants_any_more_is_removed_whole(bench: Bench):
    bench.script(writes(answer()))
    reviewer = Reviewer(bench.world, the_task(bench))
    await reviewer.run()
    await reviewer.withdraw()
    assert await bench.review_jobs.lying() == ()
    assert await bench.workspace.occupied() == ()
