"""The reviewers of plans at work: from a candidate over its panel to a receipt and what a person is shown."""

import json
from typing import Any

import anyio.lowlevel
import pytest

from harnd.actors.effects import Runner, runner_for
from harnd.daemon import review_jobs
from harnd.domain.goal import commands as c
from harnd.domain.goal.due import KeepReceipt, Review, due
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.plan import Plan
from harnd.domain.goal.receipt import receipt
from harnd.domain.review.contract import JobToken
from harnd.ports.errors import CorruptError, UnavailableError
from harnd.ports.review_jobs import JobDirectory
from protocol.ids import Digest
from protocol.values import FailureClass, Instant, PlanStatus, ReviewOutcome
from tests.kit.bench import Bench
from tests.kit.given import tick
from tests.kit.planner_rules import proposes
from tests.kit.reviews import OTHER_NONCE

APPROVES = {"verdict": "approve", "rationale": "It holds.", "findings": []}
OBJECTS = {
    "verdict": "revise",
    "rationale": "It is too wide.",
    "findings": [{"code": "scope.wide", "severity": "blocking", "summary": "Too much.", "recommendation": "Less."}],
}


def speaks(opinion: dict[str, Any], *when: str, path: str = "{{output}}", unless: str = "") -> str:
    entry = {"subject": "plan-1", "criterion": "plan-contract", "result": "ASSESSMENT", "assessment": opinion}
    text = json.dumps({"nonce": "{{nonce}}", "results": [entry]})
    return f"""
[[rule]]
when = {json.dumps(["You are a review worker", *when])}
{f"unless = {json.dumps(unless)}" if unless else ""}
matches = ['nonce of this task is `(?P<nonce>[0-9a-f]+)`', 'exactly one file, `(?P<output>[^`]+)`']
do = [{{ write = "{path}", text = '{text}' }}]
answer = "Written."
tokens = 10
"""


class Engine:
    """A goal under review, with everything that is owed carried out one after the other."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    async def say(self, command: c.GoalCommand) -> Goal:
        await (await self.bench.journal()).submit(command)
        return await self.bench.stored()

    async def owed(self) -> list[Runner]:
        goal = await self.bench.stored()
        return [runner_for(self.bench.world, goal, effect, self.say) for effect in due(goal, self.bench.clock.now())]

    async def tick(self) -> None:
        await self.say(tick(Instant(self.bench.clock.now())))

    async def until(self, status: PlanStatus) -> Plan:
        """Go on until the plan has come to a status."""
        for _ in range(20):
            plan = (await self.bench.stored()).plan
            if plan is not None and plan.status is status:
                return plan
            owed = await self.owed()
            for runner in owed:
                await self.say(await runner.run())
            if not owed:
                await self.tick()
        raise AssertionError(f"it does not come to {status}")


@pytest.fixture
async def engine(bench: Bench) -> Engine:
    return Engine(bench)


async def enrolled(bench: Bench, *rules: str, reviewers: tuple[str, ...] = ("critic",), rounds: int = 0) -> None:
    bench.scripts["script.toml"] = "\n".join(rules)
    await bench.lived(tick(), intent=bench.intent(reviewers=reviewers, rounds=rounds))


async def reviewing(bench: Bench, engine: Engine) -> Review:
    """Carry the planner's call out, and return the one review that is owed."""
    await engine.until(PlanStatus.REVIEWING)
    while not (owed := due(await bench.stored(), bench.clock.now())):
        await engine.tick()
    (effect,) = owed
    assert isinstance(effect, Review)
    return effect


async def test_what_its_reviewers_approve_is_proposed_with_a_receipt(bench: Bench, engine: Engine):
    await enrolled(bench, speaks(APPROVES), proposes("You are the planner"), reviewers=("critic", "guard"))

    plan = await engine.until(PlanStatus.PROPOSED)

    assert plan.review is not None
    assert (plan.review.outcome, len(plan.rounds)) == (ReviewOutcome.PASSED, 1)
    assert plan.review.receipt is not None
    kept = await bench.blobs.get(plan.review.receipt)
    assert kept == receipt(await bench.stored(), plan, plan.review)
    assert [seat.attempts[0].tokens for seat in plan.rounds[0].seats] == [10, 10]


async def test_nothing_is_left_of_a_review_that_is_over(bench: Bench, engine: Engine):
    await enrolled(bench, speaks(APPROVES), proposes("You are the planner"))
    await engine.until(PlanStatus.PROPOSED)
    assert await bench.review_jobs.lying() == ()
    assert await bench.workspace.occupied() == ()


async def test_a_lease_is_said_before_anything_is_made_and_carried_on_after_a_crash(bench: Bench, engine: Engine):
    await enrolled(bench, speaks(APPROVES), proposes("You are the planner"))
    effect = await reviewing(bench, engine)
    said: list[c.GoalCommand] = []

    async def dies(command: c.GoalCommand) -> Goal:
        said.append(command)
        assert await bench.review_jobs.lying() == ()
        await engine.say(command)
        raise UnavailableError("the daemon died")

    with pytest.raises(UnavailableError):
        await runner_for(bench.world, await bench.stored(), effect, dies).run()
    (leased,) = said
    assert isinstance(leased, c.ReportLeased)

    plan = await engine.until(PlanStatus.PROPOSED)

    (attempt,) = plan.rounds[0].seats[0].attempts
    assert attempt.lease is not None
    assert (attempt.lease.token, attempt.lease.nonce) == (leased.token, leased.nonce)
    reviews = [task for task in bench.sessions.tasks if task.prompt_path]
    assert [leased.token in task.prompt for task in reviews] == [True]


async def test_a_refused_output_is_corrected_by_a_fresh_attempt_with_another_nonce(bench: Bench, engine: Engine):
    wrong = speaks({"verdict": "approve"}, unless="# Correction")
    await enrolled(bench, wrong, speaks(APPROVES, "# Correction"), proposes("You are the planner"))

    plan = await engine.until(PlanStatus.PROPOSED)

    first, second = plan.rounds[0].seats[0].attempts
    assert first.problems
    assert first.output is not None
    assert second.opinion is not None
    assert first.lease is not None
    assert second.lease is not None
    assert first.lease.nonce != second.lease.nonce


async def test_blocking_findings_lie_before_a_person_when_no_round_is_left(bench: Bench, engine: Engine):
    await enrolled(bench, speaks(OBJECTS), proposes("You are the planner"))
    plan = await engine.until(PlanStatus.ATTENTION)
    assert plan.review is not None
    assert plan.review.outcome is ReviewOutcome.REVISION_EXHAUSTED


async def test_a_reviewer_that_strays_has_no_vote(bench: Bench, engine: Engine):
    await enrolled(bench, speaks(APPROVES, path="review.json"), proposes("You are the planner"))
    plan = await engine.until(PlanStatus.ATTENTION)
    (attempt,) = plan.rounds[0].seats[0].attempts
    assert (attempt.failure, attempt.opinion) == (FailureClass.PERMISSION, None)
    assert attempt.touched == ("worktree: added review.json",)


async def test_what_it_was_to_be_shown_is_not_changed_behind_its_lease(bench: Bench, engine: Engine):
    await enrolled(bench, speaks(APPROVES), proposes("You are the planner"))
    effect = await reviewing(bench, engine)
    await engine.say(
        c.ReportLeased(
            plan=1,
            round=1,
            reviewer=effect.reviewer,
            attempt=1,
            token="ab" * 16,
            nonce=OTHER_NONCE,
            prompt=Digest("0" * 64),
            expires_at=Instant(bench.clock.now() + 3_600_000_000),
        )
    )
    (runner,) = await engine.owed()
    reported = await runner.run()
    assert isinstance(reported, c.ReportReview)
    assert reported.report.failure is FailureClass.LOST
    assert [task for task in bench.sessions.tasks if task.prompt_path] == []


async def test_a_review_that_nobody_wants_any_more_leaves_nothing(bench: Bench, engine: Engine):
    await enrolled(bench, speaks(APPROVES), proposes("You are the planner"))
    await reviewing(bench, engine)
    (runner,) = await engine.owed()
    await runner.run()
    await runner.withdraw()
    assert await bench.review_jobs.lying() == ()
    assert await bench.workspace.occupied() == ()


async def test_a_world_that_does_not_answer_is_the_environment(bench: Bench, engine: Engine):
    await enrolled(bench, speaks(APPROVES), proposes("You are the planner"))
    await reviewing(bench, engine)
    (runner,) = await engine.owed()
    reported = runner.failed(UnavailableError("the disk is full"))
    assert isinstance(reported, c.ReportReview)
    assert (reported.report.failure, reported.report.detail) == (FailureClass.ENVIRONMENT, "the disk is full")


async def test_a_receipt_that_is_damaged_is_not_mended_and_nothing_passes_with_it(bench: Bench, engine: Engine):
    await enrolled(bench, speaks(APPROVES), proposes("You are the planner"))
    await reviewing(bench, engine)
    (reviewer,) = await engine.owed()
    goal = await engine.say(await reviewer.run())
    (effect,) = due(goal, bench.clock.now())
    assert isinstance(effect, KeepReceipt)
    assert goal.plan is not None
    assert goal.plan.review is not None
    (keeper,) = await engine.owed()
    reported = await keeper.run()
    assert isinstance(reported, c.ReportReceipt)
    bench.blobs.kept[reported.receipt] = b"{}"
    await anyio.lowlevel.checkpoint()
    with pytest.raises(CorruptError):
        await bench.blobs.get(reported.receipt)

    again = await keeper.run()

    assert isinstance(again, c.ReportReceipt)
    assert again.damaged
    plan = (await engine.say(again)).plan
    assert plan is not None
    assert plan.status is PlanStatus.ATTENTION


# --- what a daemon that died leaves


async def test_the_next_daemon_removes_the_directories_that_no_open_attempt_has(bench: Bench, engine: Engine):
    await enrolled(bench, speaks(APPROVES), proposes("You are the planner"))
    await reviewing(bench, engine)
    (runner,) = await engine.owed()
    report = await runner.run()
    (mine,) = await bench.review_jobs.lying()
    await bench.review_jobs.prepare(JobDirectory(JobToken("ab" * 16), "output.json"), "# A task of nobody")

    assert await review_jobs.discard_unowned(bench.world) == 1
    assert await bench.review_jobs.lying() == (mine,)

    await engine.say(report)
    assert await review_jobs.discard_unowned(bench.world) == 1
    assert await bench.review_jobs.lying() == ()


async def test_as_long_as_a_goal_cannot_be_read_every_directory_stays(bench: Bench, engine: Engine):
    await enrolled(bench, speaks(APPROVES), proposes("You are the planner"))
    await bench.review_jobs.prepare(JobDirectory(JobToken("ab" * 16), "output.json"), "# A task of nobody")
    await bench.poison()
    assert await review_jobs.discard_unowned(engine.bench.world) == 0
    assert len(await bench.review_jobs.lying()) == 1
