"""The status line: written anew when something has happened, and said only when it reads differently."""

from typing import cast

import anyio
import anyio.lowlevel
import pytest

from harnd.daemon import status_line
from harnd.daemon.status_line import StatusLine, standing
from harnd.ports.errors import UnavailableError
from harnd.ports.store import EventStore
from tests.kit import given as g
from tests.kit.shelf import shelf

NOTHING = "no goal is under way; no things wait for a person"


class Down:
    """A store that does not answer."""

    async def goals(self):
        raise UnavailableError("busy")


async def test_goals_are_counted_by_where_they_stand_and_what_waits_is_counted_too():
    async with shelf() as house:
        assert await standing(house.world.store) == NOTHING
        await house.live(g.create(g.an_intent(goal="billing")), g.tick(), g.answered(g.a_plan()), goal="billing")
        assert await standing(house.world.store) == "1 goal: 1 awaiting attention; 1 thing waits for a person"


async def test_a_store_that_does_not_answer_is_said():
    assert await standing(cast("EventStore", Down())) == "the store does not answer; see `harnctl doctor`"


@pytest.mark.parametrize("ended", [False, True])
async def test_what_reads_the_same_is_not_said_again_and_after_the_end_nothing_is(monkeypatch, ended):
    monkeypatch.setattr(status_line, "PAUSE_S", 0)
    said: list[str] = []
    remarks = ["", "", "mended; ", "mended; "]
    async with shelf() as house:
        line = StatusLine(house.world.store, said.append, lambda: remarks.pop(0))
        assert await line.text() == NOTHING
        if ended:
            line.end()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(line.run)
            while remarks:
                line.moved()
                await anyio.lowlevel.checkpoint()
            await anyio.wait_all_tasks_blocked()
            tasks.cancel_scope.cancel()
    assert said == ([] if ended else [f"mended; {NOTHING}"])
