"""What only the asynchronous client can do: be shared by tasks, be cancelled, and be closed by somebody else."""

import threading

import anyio
import pytest
from anyio import get_running_tasks, to_thread

from harnctl.client import AsyncClient, Unreachable, new_key
from protocol.decoding import write
from protocol.framing import write_frame
from protocol.ids import GoalId
from protocol.requests import ApprovePlan, ListGoals, ShowGoal
from tests.harnctl.test_client_events import event
from tests.kit.scripted_daemon import HANG_UP, Impostor, after_greeting, golden, silently

GOAL = GoalId("billing-export")
SUBSCRIBED = write_frame({"jsonrpc": "2.0", "id": 2, "result": write(golden("events.subscribe"))})
EVENT = write_frame({"jsonrpc": "2.0", "method": "event", "params": write(event(1))})


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request):
    return request.param


class Watched:
    """A daemon that says some things and then tells when its client has heard them, and when it has hung up."""

    def __init__(self, place, *says):
        self.heard, self.gone = threading.Event(), threading.Event()
        self._says = says
        self._impostor = Impostor(place / "harnd.sock", self._serve)

    def __enter__(self):
        self._impostor.__enter__()
        return self

    def __exit__(self, *exc):
        self._impostor.__exit__(*exc)

    def _serve(self, connection):
        after_greeting(lambda told: told.sendall(b"".join(self._says)))(connection)
        self.heard.set()
        silently(connection)
        self.gone.set()

    async def has(self, what: threading.Event) -> bool:
        return await to_thread.run_sync(what.wait, 10)


async def test_tasks_take_turns_on_one_client(place, daemon):
    async with AsyncClient(place / "harnd.sock") as client, anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(client.ask, ListGoals())
    assert daemon.asked == [ListGoals()] * 5
    assert daemon.greeted == 1


async def test_a_patient_question_lets_others_have_their_turn(place, daemon):
    daemon.answers("plan.approve", HANG_UP)
    request = ApprovePlan(key=new_key(), goal=GOAL, plan=1, digest=golden("plan.show").digest)

    async with AsyncClient(place / "harnd.sock") as client, anyio.create_task_group() as tasks:

        async def be_patient():
            with pytest.raises(Unreachable):
                await client.ask(request, patience_s=1.0)

        tasks.start_soon(be_patient)
        while daemon.asked.count(request) < 3:
            assert await client.ask(ShowGoal(GOAL)) == golden("goal.show")


async def test_a_question_that_is_cancelled_hangs_up_at_once_and_the_next_one_is_answered(place):
    with Watched(place) as daemon:
        async with AsyncClient(place / "harnd.sock") as client:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(client.ask, ListGoals())
                assert await daemon.has(daemon.heard)
                tasks.cancel_scope.cancel()
            assert repr(client).endswith("not connected>")
            assert await daemon.has(daemon.gone)
            assert await client.welcome() == golden("initialize")


async def test_cancelling_a_follower_hangs_up_and_leaves_no_task(place):
    before = get_running_tasks()
    with Watched(place, SUBSCRIBED, EVENT) as daemon:
        seen = []
        events = AsyncClient(place / "harnd.sock").events()

        async def follow():
            async for happened in events:
                seen.append(happened.seq)
                followed.set()

        followed = anyio.Event()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(follow)
            await followed.wait()
            tasks.cancel_scope.cancel()
        assert await daemon.has(daemon.gone)
        assert seen == [1]
        assert [happened async for happened in events] == []
    assert {task.id for task in get_running_tasks()} == {task.id for task in before}


async def test_closing_events_in_another_task_ends_the_loop_over_them(place):
    with Watched(place, SUBSCRIBED) as daemon:
        events = AsyncClient(place / "harnd.sock").events()

        async def follow():
            assert [happened async for happened in events] == []

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(follow)
            assert await daemon.has(daemon.heard)
            await events.aclose()
        assert await daemon.has(daemon.gone)


async def test_closing_events_while_the_daemon_is_waited_for_ends_the_loop_over_them(place, daemon):
    daemon.told.append([event(1), HANG_UP])
    daemon.answers("events.subscribe", golden("events.subscribe"), HANG_UP)
    gone = anyio.Event()
    events = AsyncClient(place / "harnd.sock").events(presence=lambda _there: gone.set(), patience_s=3600)

    async def follow():
        assert [happened.seq async for happened in events] == [1]

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(follow)
        await gone.wait()
        await events.aclose()


async def test_a_loop_that_is_left_early_has_hung_up_when_the_block_ends(place):
    with Watched(place, SUBSCRIBED, EVENT, EVENT) as daemon:
        async with AsyncClient(place / "harnd.sock").events() as events:
            async for happened in events:
                assert happened.seq == 1
                break
        assert await daemon.has(daemon.gone)
