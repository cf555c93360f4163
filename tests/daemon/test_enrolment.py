"""Enrolment: what cannot be frozen is refused under a code of its own."""

import pytest

from harnd.daemon.enrolment import Enrolment
from protocol.errors import Refusal
from protocol.ids import IdempotencyKey
from protocol.requests import CreateGoal
from tests.kit.bench import bench
from tests.kit.goal_files import GOAL, HARNESSES, goal_files


def asked(goal: str = GOAL) -> CreateGoal:
    return CreateGoal(key=IdempotencyKey("k"), files=goal_files(goal=goal), main="goal.toml", directory="/goals")


async def test_the_home_of_nobody_is_no_directory():
    async with bench() as world:
        enrolment = Enrolment(world.workspace, world.store, HARNESSES)
        with pytest.raises(Refusal) as refused:
            await enrolment.intent(asked('repository = "~nobody-here/x"\n' + GOAL))
    assert refused.value.code == "workspace.no_directory"
    assert "'~nobody-here/x'" in refused.value.message
