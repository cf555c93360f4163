"""Enrolment: what cannot be frozen is refused under a code of its own."""

import threading

import pytest

from harnd.daemon import enrolment as module
from harnd.daemon.enrolment import Enrolment
from harnd.domain.problem import Problem
from protocol.errors import Refusal
from protocol.ids import IdempotencyKey
from protocol.requests import CreateGoal
from tests.kit.bench import REPOSITORY, bench
from tests.kit.goal_files import GOAL, HARNESSES, goal_files


def asked(goal: str = GOAL) -> CreateGoal:
    return CreateGoal(key=IdempotencyKey("k"), files=goal_files(goal=goal), main="goal.toml", directory="/goals")


async def test_the_home_of_nobody_is_no_directory():
    async with bench() as world:
        enrolment = Enrolment(world.workspace, world.store, world.sessions, HARNESSES)
        with pytest.raises(Refusal) as refused:
            await enrolment.intent(asked('repository = "~nobody-here/x"\n' + GOAL))
    assert refused.value.code == "workspace.no_directory"
    assert "'~nobody-here/x'" in refused.value.message


async def test_files_are_read_beside_the_event_loop(monkeypatch):
    threads: list[threading.Thread] = []

    def read(*_files: object, **_more: object) -> list[Problem]:
        threads.append(threading.current_thread())
        return [Problem("missing", "goal", "is missing")]

    monkeypatch.setattr(module, "read_goal", read)
    async with bench() as world:
        with pytest.raises(Refusal, match=r"goal\.invalid"):
            await Enrolment(world.workspace, world.store, world.sessions, HARNESSES).intent(asked())
    assert threads != [threading.current_thread()]
    assert len(threads) == 1


async def test_a_name_that_a_dead_goal_left_refs_of_is_refused_with_what_removes_them():
    async with bench() as world:
        enrolment = Enrolment(world.workspace, world.store, world.sessions, HARNESSES)
        request = asked(f'repository = "{REPOSITORY}"\n{GOAL}')
        intent = await enrolment.intent(request)
        await world.workspace.open_branch(intent.repository, intent.goal, intent.base_commit)
        with pytest.raises(Refusal) as refused:
            await enrolment.intent(request)
    assert refused.value.code == "goal.branch_exists"
    assert refused.value.fix is not None
    assert refused.value.fix.endswith(
        f"git -C {intent.repository} for-each-ref --format='delete %(refname)' refs/harnd/goals/{intent.goal} "
        f"refs/heads/harn/{intent.goal} | git -C {intent.repository} update-ref --stdin"
    )
