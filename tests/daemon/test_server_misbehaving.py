"""Clients that misbehave are told so, and are nobody else's trouble."""

import socket

import anyio
import pytest
from structlog.testing import capture_logs

from protocol.bounds import FRAME_BYTES, REQUESTS_IN_FLIGHT
from tests.daemon.speaking import HELLO, Desk, office, raw, request, work_log

LARGE = work_log(FRAME_BYTES // 2)
SHOW_LARGE = request("work.log", 9, goal="billing", work="p1.x")

BAD_LINES = [
    pytest.param(b"hello\n", "frame.not_json", id="no JSON"),
    pytest.param(b'{"a":"\xff"}\n', "frame.not_utf8", id="invalid UTF-8"),
    pytest.param(b"{}\0\n", "frame.nul", id="NUL"),
    pytest.param(b'{"a":"\\udc00"}\n', "frame.not_text", id="lone surrogate"),
    pytest.param(b'{"a":' + b"[" * 1_000_000 + b"\n", "frame.too_deep", id="deep nesting"),
    pytest.param(b"{} {}\n", "frame.not_json", id="two objects on a line"),
    pytest.param(b"[" + HELLO[:-1] + b"]\n", "message.batch", id="batch"),
    pytest.param(b'{"id":1,"id":2}\n', "message.duplicate_key", id="duplicate keys"),
    pytest.param(b'{"jsonrpc":"2.0","id":null,"method":"goal.list"}\n', "message.bad_id", id="id null"),
    pytest.param(b'{"jsonrpc":"2.0","id":1.5,"method":"goal.list"}\n', "message.bad_id", id="id fraction"),
    pytest.param(b'{"jsonrpc":"2.0","id":1,"result":{}}\n', "message.malformed", id="a reply"),
    pytest.param(request("goal.explode"), "request.unknown_method", id="unknown method"),
    pytest.param(request("goal.list", colour="red"), "request.unknown_field", id="unknown field"),
    pytest.param(request("goal.show"), "request.missing_field", id="missing field"),
    pytest.param(request("goal.show", goal=7), "request.bad_field", id="wrong type"),
]


@pytest.mark.parametrize(("line", "code"), BAD_LINES)
async def test_a_bad_line_is_answered_and_the_next_one_is_read(tmp_path, line, code):
    async with office(tmp_path) as here:
        client = await here.client()
        await client.send(line)
        assert await client.code() == code
        assert "result" in await client.ask("goal.list")


async def test_a_client_that_sends_byte_by_byte_is_understood(tmp_path):
    async with office(tmp_path) as here:
        client = await here.connect()
        for byte in HELLO + request("goal.list", 1):
            await client.send(bytes([byte]))
        assert [(await client.next())["id"], (await client.next())["id"]] == [0, 1]


async def test_half_a_line_is_answered_when_the_client_stops(tmp_path):
    async with office(tmp_path) as here:
        client = await here.client()
        await client.send(request("goal.list", 1)[:-10])
        await client.stream.send_eof()
        assert [message["error"]["data"]["code"] for message in await client.rest()] == ["frame.truncated"]


async def test_e13_one_byte_more_than_4_mib_is_answered_and_ends_the_connection(tmp_path):
    async with office(tmp_path) as here:
        client = await here.client()
        await client.send(b"x" * FRAME_BYTES)
        assert [message["error"]["data"]["code"] for message in await client.rest()] == ["frame.too_long"]
        await here.client()


async def test_a_request_of_exactly_4_mib_is_read(tmp_path):
    async with office(tmp_path) as here:
        client = await here.client()
        frame = request("goal.show", 1, goal="")
        await client.send(frame[:-4] + b"x" * (FRAME_BYTES - len(frame)) + frame[-4:])
        assert await client.code() == "request.bad_field"


async def test_an_id_in_flight_is_refused_and_the_first_request_is_answered(tmp_path):
    desk = Desk(gates={"goal.list": anyio.Event()})
    async with office(tmp_path, desk=desk) as here:
        client = await here.client()
        await client.send(request("goal.list", 1) + request("ps.list", 1))
        error = await client.next()
        assert (error["id"], error["error"]["data"]["code"]) == (None, "message.id_in_flight")
        desk.gates["goal.list"].set()
        assert await client.next() == {"jsonrpc": "2.0", "id": 1, "result": {"goals": []}}


def fill(client: socket.socket) -> None:
    """Send requests until the kernel takes no more."""
    client.setblocking(False)
    for number in range(100, 1_000_000):
        client.send(request("ps.list", number))


async def test_a_client_that_floods_without_reading_holds_up_nobody_else(tmp_path):
    async with office(tmp_path, desk=Desk(replies={"work.log": LARGE})) as here:
        with raw(here.path) as flood:
            flood.sendall(HELLO + SHOW_LARGE.replace(b'"id": 9', b'"id": 8') + SHOW_LARGE)
            with pytest.raises(BlockingIOError):
                fill(flood)
            other = await here.client()
            assert "result" in await other.ask("goal.list")
            await anyio.wait_all_tasks_blocked()
            assert len(here.desk.asked) <= REQUESTS_IN_FLIGHT + 1


async def test_a_client_that_leaves_in_the_middle_of_an_answer_is_forgotten(tmp_path):
    async with office(tmp_path, desk=Desk(replies={"work.log": LARGE})) as here:
        with capture_logs() as logs, raw(here.path) as leaver:
            leaver.sendall(HELLO + SHOW_LARGE)
            await anyio.wait_all_tasks_blocked()
            assert leaver.recv(1_000).startswith(b'{"jsonrpc":"2.0","id":0')
        other = await here.client()
        assert "result" in await other.ask("goal.list")
        await anyio.wait_all_tasks_blocked()
        assert repr(here.server) == "<Server connections=1 stopped=False>"
        assert logs == []


async def test_a_change_that_was_read_is_finished_although_the_client_has_left(tmp_path):
    desk = Desk(gates={"goal.cancel": anyio.Event()})
    async with office(tmp_path, desk=desk) as here:
        with raw(here.path) as leaver:
            leaver.sendall(HELLO + request("goal.cancel", 1, goal="billing", reason="done", key="k"))
            await desk.at_gate.wait()
        await anyio.wait_all_tasks_blocked()
        desk.gates["goal.cancel"].set()
        await anyio.wait_all_tasks_blocked()
        assert desk.finished == ["goal.cancel"]


async def test_a_client_that_connects_and_leaves_costs_nothing(tmp_path):
    async with office(tmp_path) as here:
        with capture_logs() as logs:
            for _ in range(100):
                raw(here.path).close()
            assert "result" in await (await here.client()).ask("goal.list")
        assert logs == []
