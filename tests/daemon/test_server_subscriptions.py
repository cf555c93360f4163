"""Subscribers see every event once and in order; one that does not read costs nothing and learns where to resume."""

import anyio
import pytest

from harnd.ports.errors import UnavailableError
from protocol.bounds import EVENTS_PER_PAGE, FRAME_BYTES, SUBSCRIBER_QUEUE
from protocol.errors import Refusal
from tests.daemon.speaking import Client, Desk, Office, as_agent, event, office


async def seen(client: Client, count: int) -> list[int]:
    return [(await client.next())["params"]["event"]["seq"] for _ in range(count)]


async def subscriber(here: Office, **params: object) -> Client:
    client = await here.client()
    answer = await client.ask("events.subscribe", 1, **{"after": 0, **params})
    assert answer["result"] == {"after": params.get("after", 0)}
    return client


async def test_what_is_there_comes_first_and_what_is_committed_follows(tmp_path):
    async with office(tmp_path, desk=Desk(events=[event(seq) for seq in range(1, 4)])) as here:
        client = await subscriber(here, after=1)
        assert await seen(client, 2) == [2, 3]
        here.commit(event(4), event(5))
        assert await seen(client, 2) == [4, 5]


async def test_more_than_a_page_comes_without_a_gap(tmp_path):
    count = 3 * EVENTS_PER_PAGE.default + 1
    async with office(tmp_path, desk=Desk(events=[event(seq) for seq in range(1, count + 1)])) as here:
        client = await subscriber(here)
        assert await seen(client, count) == list(range(1, count + 1))


async def test_what_is_committed_while_a_page_is_read_is_not_lost(tmp_path):
    desk = Desk(events=[event(1)])
    async with office(tmp_path, desk=desk) as here:
        client = await subscriber(here)
        assert await seen(client, 1) == [1]
        await anyio.wait_all_tasks_blocked()
        desk.gates["events.list"] = anyio.Event()
        here.commit(event(2))
        await desk.at_gate.wait()
        here.commit(event(3))
        desk.gates["events.list"].set()
        assert await seen(client, 2) == [2, 3]


async def test_the_store_is_asked_only_when_something_was_committed(tmp_path):
    async with office(tmp_path) as here:
        client = await subscriber(here)
        await anyio.wait_all_tasks_blocked()
        assert here.desk.asked.count("operator: events.list") == 2  # may the client, and what is there
        here.commit(event(1))
        assert await seen(client, 1) == [1]
        for _ in range(10):
            await client.ask("goal.list")
        assert here.desk.asked.count("operator: events.list") == 4  # the event, and that it was the last


async def test_events_of_one_goal(tmp_path):
    others = [event(seq, goal="docs") for seq in range(1, 500)]
    async with office(tmp_path, desk=Desk(events=[*others, event(500)])) as here:
        client = await subscriber(here, goal="billing")
        assert await seen(client, 1) == [500]
        here.commit(event(501, goal="docs"), event(502))
        assert await seen(client, 1) == [502]


async def test_two_subscribers_see_the_same(tmp_path):
    async with office(tmp_path) as here:
        one, two = await subscriber(here), await subscriber(here)
        here.commit(event(1), event(2))
        assert await seen(one, 2) == await seen(two, 2) == [1, 2]


async def test_an_agent_may_watch(tmp_path):
    async with office(tmp_path, desk=Desk(events=[event(1)]), who=as_agent) as here:
        assert await seen(await subscriber(here), 1) == [1]


async def test_a_connection_has_one_subscription(tmp_path):
    async with office(tmp_path, desk=Desk(events=[event(1)])) as here:
        client = await subscriber(here, after=1)
        assert (await client.ask("events.subscribe", 2, after=0))["error"]["data"]["code"] == "events.subscribed"
        here.commit(event(2))
        assert await seen(client, 1) == [2]


async def test_after_unsubscribing_nothing_comes_and_one_may_subscribe_again(tmp_path):
    async with office(tmp_path, desk=Desk(events=[event(1)])) as here:
        client = await subscriber(here)
        assert await seen(client, 1) == [1]
        assert (await client.ask("events.unsubscribe", 2))["result"] == {"resume_after": 1}
        here.commit(event(2))
        await anyio.wait_all_tasks_blocked()
        assert (await client.ask("events.unsubscribe", 3))["result"] == {"resume_after": None}
        assert (await client.ask("events.subscribe", 4, after=1))["result"] == {"after": 1}
        assert await seen(client, 1) == [2]


async def test_a_subscription_to_an_unknown_goal_is_refused(tmp_path):
    desk = Desk(errors={"events.list": Refusal("goal.unknown", "there is no such goal")})
    async with office(tmp_path, desk=desk) as here:
        client = await here.client()
        answer = await client.ask("events.subscribe", 1, after=0, goal="nothing")
        assert answer["error"]["data"]["code"] == "goal.unknown"
        del desk.errors["events.list"]
        assert "result" in await client.ask("events.subscribe", 2, after=0)


async def test_when_the_store_fails_the_client_learns_where_to_resume(tmp_path):
    desk = Desk(events=[event(1)])
    async with office(tmp_path, desk=desk) as here:
        client = await subscriber(here)
        assert await seen(client, 1) == [1]
        desk.errors["events.list"] = UnavailableError("disk full")
        here.server.announce(1)
        assert await client.next() == {"jsonrpc": "2.0", "method": "lagged", "params": {"resume_after": 1}}
        del desk.errors["events.list"]
        here.commit(event(2))
        assert (await client.ask("events.subscribe", 2, after=1))["result"] == {"after": 1}
        assert await seen(client, 1) == [2]


async def test_an_event_that_fits_no_frame_does_not_end_the_connection(tmp_path):
    async with office(tmp_path, desk=Desk(events=[event(1), event(2, weight=FRAME_BYTES)])) as here:
        client = await subscriber(here)
        assert await seen(client, 1) == [1]
        assert (await client.next())["method"] == "lagged"
        assert "result" in await client.ask("goal.list", 2)


async def test_e11_a_subscriber_that_stops_reading_is_dropped_and_resumes_by_cursor(tmp_path):
    async with office(tmp_path) as here:
        other, stopped = await here.client(), await subscriber(here)
        for first in range(1, 200_000, 500):
            here.commit(*(event(seq) for seq in range(first, first + 500)))
            assert "result" in await other.ask("goal.list")  # nobody else is held up
        assert here.desk.given <= 1_000  # all that was ever fetched for the one that stopped
        last = await lagged_after(stopped)
        assert 0 < last < 1_000
        assert (await stopped.ask("events.subscribe", 2, after=last))["result"] == {"after": last}
        assert await seen(stopped, 500) == list(range(last + 1, last + 501))


async def lagged_after(client: Client) -> int:
    """Read events, which are without a gap, up to the notice that there will be no more; return its cursor."""
    last = 0
    while (message := await client.next())["method"] == "event":
        assert message["params"]["event"]["seq"] == last + 1
        last += 1
    assert message == {"jsonrpc": "2.0", "method": "lagged", "params": {"resume_after": last}}
    return last


@pytest.mark.parametrize(("more", "lags"), [(SUBSCRIBER_QUEUE, False), (SUBSCRIBER_QUEUE + 1, True)])
async def test_e11_the_bound_is_a_thousand_events_while_a_page_is_taken(tmp_path, more, lags):
    desk = Desk(events=[event(1)])
    async with office(tmp_path, desk=desk) as here:
        client = await subscriber(here)
        assert await seen(client, 1) == [1]
        await anyio.wait_all_tasks_blocked()
        desk.gates["events.list"] = anyio.Event()
        here.commit(event(2))
        await desk.at_gate.wait()
        here.commit(*(event(seq) for seq in range(3, 3 + more)))
        desk.gates["events.list"].set()
        assert (await client.next())["method"] == ("lagged" if lags else "event")
