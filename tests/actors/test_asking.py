"""Asking: an attempt stops where a person is to be asked, and goes on with exactly what was approved."""

from typing import Any

import anyio
import msgspec
import pytest

from harnd.domain.goal.commands import AttemptReport, GoalCommand, ReportAttempt, UseApproval
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.template import AgentStage, ApproveStage, CommandStage, Stage
from harnd.domain.goal.work import Attempt, Standing
from harnd.ports.workspace import Place
from protocol import bounds
from protocol.ids import SpecialistName, WorkId
from protocol.values import ApprovalState, AttemptOutcome, FailureClass, Risk
from tests.kit.bench import REPOSITORY, Bench
from tests.kit.given import (
    MINUTE,
    a_plan,
    a_template,
    answered,
    approve,
    deny,
    draft,
    give,
    resolve,
    retry_work,
    tick,
)
from tests.kit.stores import BILLING

A = WorkId("p1.a")
MADE = "do = [{ append = 'src/a/log', text = 'made ' }]\nanswer = 'Two files.'"
WORKTREE = "/worktrees/billing/p1.a.1/work"
LOOK = ApproveStage("look", "{{ outputs.made }} Publish {{ work.key }}?", Risk.HIGH)


def agent(name: str = "make") -> AgentStage:
    return AgentStage(name, SpecialistName("maker"), "Make it.", output="made" if name == "make" else None)


def command(name: str) -> CommandStage:
    return CommandStage(name, (name,), MINUTE)


async def trying(bench: Bench, *stages: Stage, **limits: Any) -> None:
    """Have a goal whose only item has its first attempt running; each agent adds a word to a file."""
    adds = "when = 'stage {0}.'\ndo = [{{ append = 'src/a/log', text = '{0} ' }}]\nanswer = 'Done.'"
    bench.script(f"when = 'stage make.'\n{MADE}", adds.format("polish"))
    recipe = msgspec.structs.replace(a_template(), stages=stages)
    plan = a_plan(draft("a"))
    await bench.lived(tick(), answered(plan), approve(plan), tick(), intent=bench.intent(recipe, **limits))


async def reported(bench: Bench) -> AttemptReport:
    """Carry the attempt out and return its report, which nobody has stored."""
    (runner,) = await bench.owed()
    ended = await runner.run()
    assert isinstance(ended, ReportAttempt)
    return ended.report


async def decided(bench: Bench, *commands: GoalCommand) -> Goal:
    """Store what is asked, without carrying anything out."""
    journal = await bench.journal()
    for each in commands:
        await journal.submit(each)
    return await bench.stored()


async def approved(bench: Bench) -> Goal:
    """Ask, have it approved, and let the attempt go on."""
    goal = await bench.carried_out()
    return await decided(bench, give(goal, len(goal.approvals)), tick())


def states(goal: Goal) -> list[tuple[ApprovalState, bool]]:
    return [(each.state, each.consumed) for each in goal.approvals]


def last(goal: Goal) -> Attempt:
    return goal.work[A].attempts[-1]


USED = (ApprovalState.APPROVED, True)

# --- asking


async def test_it_stops_before_what_comes_next_and_asks_about_what_lies_there(bench):
    await trying(bench, agent(), LOOK, command("tidy"))

    report = await reported(bench)

    assert report.asks is not None
    assert (report.asks.question, report.asks.risk) == ("Two files. Publish a?", Risk.HIGH)
    assert report.asks.changed == ("src/a/log",)
    assert (report.stage, report.usage.calls, report.commit) == ("look", 1, None)
    assert bench.runner.tasks == []
    made = bench.workspace.repository(REPOSITORY)
    assert len(made.commits) == 1


async def test_it_is_parked_and_keeps_its_worktree(bench):
    await trying(bench, agent(), LOOK)

    goal = await bench.carried_out()

    assert (goal.work[A].standing, last(goal).outcome) == (Standing.AWAITING_APPROVAL, None)
    assert bench.workspace.files(WORKTREE)["src/a/log"] == b"made "


async def test_names_that_are_no_text_are_written_so_that_they_can_be_stored(bench):
    bench.deeds["touch"] = lambda: bench.workspace.files(WORKTREE).update({"src/a/\udcff": b"x"})
    await trying(bench, agent(), command("touch"), LOOK)

    report = await reported(bench)

    assert report.asks is not None
    assert report.asks.changed == ("src/a/log", "src/a/\\xff")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("{% if work.paths == 1 %}May it?{% endif %}", "stage look: there is nothing to ask: the question is empty"),
        (
            "x" * (bounds.QUESTION_CHARS + 1),
            f"stage look: the question has {bounds.QUESTION_CHARS + 1} characters; at most 4000 are asked",
        ),
        ("{{ outputs.nothing }}", "stage look: `outputs.nothing` is not known; `outputs` has `made`"),
    ],
    ids=["empty", "too long", "unknown name"],
)
async def test_what_cannot_be_asked_is_a_fault_of_the_template(bench, question, said):
    await trying(bench, agent(), ApproveStage("look", question))

    report = await reported(bench)

    assert (report.asks, report.failure, report.detail) == (None, FailureClass.SCHEMA, said)


async def test_without_anything_made_yet_it_asks_all_the_same(bench):
    await trying(bench, ApproveStage("look", "May it begin?"), agent())

    report = await reported(bench)

    assert report.asks is not None
    assert (report.asks.changed, report.asks.risk) == ((), Risk.MEDIUM)
    assert bench.sessions.tasks == []


# --- going on


async def test_what_was_approved_goes_on_where_it_stopped(bench):
    await trying(bench, agent(), LOOK, agent("polish"))
    await approved(bench)

    goal = await bench.carried_out()

    assert (last(goal).number, last(goal).outcome, last(goal).usage.calls) == (1, AttemptOutcome.SUCCEEDED, 2)
    assert bench.workspace.repository(REPOSITORY).commits[last(goal).commit].files["src/a/log"] == b"made polish "
    assert states(goal) == [USED]


async def test_each_stage_asks_for_itself(bench):
    await trying(bench, agent(), LOOK, agent("polish"), ApproveStage("release", "Release it?"))
    await approved(bench)
    await approved(bench)

    goal = await bench.carried_out()

    assert (states(goal), last(goal).outcome) == ([USED, USED], AttemptOutcome.SUCCEEDED)
    assert [each.stage for each in goal.approvals] == ["look", "release"]
    assert goal.approvals[0].tree != goal.approvals[1].tree


async def test_what_changed_after_the_answer_is_not_what_was_approved_and_is_asked_anew(bench):
    await trying(bench, agent(), LOOK, command("tidy"))
    await approved(bench)
    bench.workspace.files(WORKTREE)["src/a/log"] = b"something else"

    goal = await bench.carried_out()

    assert states(goal) == [(ApprovalState.CANCELLED, False), (ApprovalState.PENDING, False)]
    assert goal.approvals[0].reason == "what was approved has changed since"
    assert bench.runner.tasks == []
    await decided(bench, give(goal, 2), tick())
    assert states(await bench.carried_out())[1] == USED


async def test_what_nobody_answered_is_asked_anew_once_it_is_resolved(bench):
    await trying(bench, agent(), LOOK)
    goal = await bench.carried_out()
    await decided(bench, tick(goal.approvals[0].expires_at), resolve("p1.a"), tick(goal.approvals[0].expires_at))

    goal = await bench.carried_out()

    assert states(goal) == [(ApprovalState.EXPIRED, False), (ApprovalState.PENDING, False)]
    assert goal.approvals[1].digest == goal.approvals[0].digest
    assert len({task.key for task in bench.sessions.tasks}) == 1


async def test_what_was_denied_is_told_to_the_next_attempt(bench):
    await trying(bench, agent(), LOOK)
    goal = await bench.carried_out()
    await decided(bench, deny(goal, reason="Not before the audit."), retry_work("p1.a"), tick())

    await bench.carried_out()

    said = "The operator denied what stage look asked (Two files. Publish a?): Not before the audit."
    assert said in bench.sessions.tasks[-1].prompt
    assert "Not before the audit." not in bench.sessions.tasks[0].prompt


async def test_a_worktree_that_was_cleared_away_meanwhile_is_a_loss_and_its_approval_goes_with_it(bench):
    await trying(bench, agent(), LOOK)
    await approved(bench)
    await bench.workspace.discard(Place(REPOSITORY, BILLING, A, 1))

    goal = await bench.carried_out()

    assert (last(goal).outcome, last(goal).charged) == (AttemptOutcome.LOST, False)
    assert states(goal) == [(ApprovalState.CANCELLED, False)]


# --- cut short


async def cut_short(bench: Bench) -> None:
    """Let the daemon die while something runs that never ends."""
    (runner,) = await bench.owed()
    async with anyio.create_task_group() as daemon:
        daemon.start_soon(runner.run)
        await anyio.wait_all_tasks_blocked()
        bench.machine.crash()
        daemon.cancel_scope.cancel()
    bench.machine.restart()


async def test_a_daemon_that_dies_after_the_check_does_not_ask_again_about_what_came_later(bench):
    await trying(bench, agent(), LOOK, agent("polish"), command("tidy"))
    await approved(bench)
    await reported(bench)
    assert bench.workspace.files(WORKTREE)["src/a/log"] == b"made polish "

    goal = await bench.carried_out()

    assert (states(goal), last(goal).outcome) == ([USED], AttemptOutcome.SUCCEEDED)
    assert [type(said) for said in bench.said].count(UseApproval) == 1


async def test_a_daemon_that_dies_before_the_check_makes_it_later(bench):
    await trying(bench, agent(), LOOK)
    goal = await approved(bench)
    assert states(goal) == [(ApprovalState.APPROVED, False)]
    assert last(goal).resumed_at is not None

    assert states(await bench.carried_out()) == [USED]


async def test_a_loss_after_the_check_is_no_reason_to_ask_the_same_attempt_again(bench):
    await trying(bench, agent(), LOOK, agent("polish"))
    bench.script(f"when = 'stage make.'\n{MADE}", "when = 'stage polish.'\ndo = [{ hang = true }]")
    await approved(bench)
    await cut_short(bench)

    goal = await bench.carried_out()

    assert (last(goal).outcome, states(goal)) == (AttemptOutcome.LOST, [USED])
