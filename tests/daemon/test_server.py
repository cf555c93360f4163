"""The server answers: in turn, side by side, to whom it may, and until it is stopped."""

import os
import socket
import sys

import anyio
import pytest
from structlog.testing import capture_logs

from harnd.daemon.principal import Principal, identify
from harnd.daemon.server import identify_here
from harnd.domain.rejected import Rejected
from harnd.ports.errors import ConflictError, CorruptError, FencedError, KeyReusedError, UnavailableError
from protocol.bounds import AGENT_CONNECTIONS, CONNECTIONS, FRAME_BYTES, REQUESTS_IN_FLIGHT
from protocol.errors import Refusal
from tests.daemon.speaking import AGENT, HELLO, OPERATOR, Desk, as_agent, office, request, work_log

CANCEL = {"goal": "billing", "reason": "done", "key": "k-1"}


async def test_a_client_is_welcomed_and_answered(tmp_path):
    async with office(tmp_path) as here:
        client = await here.connect()
        assert await client.ask("initialize", 0, min_version=1, max_version=7, client="test") == {
            "jsonrpc": "2.0",
            "id": 0,
            "result": {
                "version": 1,
                "daemon_version": "0.1.0",
                "store_schema": 1,
                "capabilities": [],
                "instance": "5f0c2a",
            },
        }
        assert await client.ask("goal.list", "a") == {"jsonrpc": "2.0", "id": "a", "result": {"goals": []}}


async def test_what_is_sent_along_with_initialize_is_answered_after_it(tmp_path):
    async with office(tmp_path) as here:
        client = await here.connect()
        await client.send(HELLO + request("goal.list", 1))
        assert [(await client.next())["id"], (await client.next())["id"]] == [0, 1]


async def test_a_client_that_closes_its_sending_side_gets_its_answers(tmp_path):
    async with office(tmp_path) as here:
        client = await here.connect()
        await client.send(HELLO + request("goal.list", 1) + request("ps.list", 2))
        await client.stream.send_eof()
        assert sorted(message["id"] for message in await client.rest()) == [0, 1, 2]


async def test_answers_come_as_they_become_ready(tmp_path):
    desk = Desk(gates={"goal.list": anyio.Event()})
    async with office(tmp_path, desk=desk) as here:
        client = await here.client()
        await client.send(request("goal.list", 1) + request("ps.list", 2))
        assert (await client.next())["id"] == 2
        desk.gates["goal.list"].set()
        assert (await client.next())["id"] == 1


async def test_a_request_before_initialize_is_out_of_turn_and_a_second_initialize_too(tmp_path):
    async with office(tmp_path) as here:
        client = await here.connect()
        await client.send(request("goal.list", 1))
        assert await client.code() == "message.out_of_turn"
        await client.send(HELLO)
        assert (await client.next())["id"] == 0
        await client.send(HELLO)
        assert await client.code() == "message.out_of_turn"
        assert here.desk.asked == []


async def test_a_notification_reaches_nobody(tmp_path):
    async with office(tmp_path) as here:
        client = await here.client()
        await client.send(b'{"jsonrpc":"2.0","method":"goal.cancel","params":{"goal":"a","reason":"x","key":"k"}}\n')
        await client.ask("goal.list")
        assert here.desk.asked == ["operator: goal.list"]


async def test_e15_no_version_in_common_names_the_running_daemon(tmp_path):
    async with office(tmp_path) as here:
        client = await here.connect()
        error = (await client.ask("initialize", 0, min_version=2, max_version=3, client="harnctl 2.0"))["error"]
        assert error["message"] == (
            "harnd 0.1.0 (/opt/harnd/bin/harnd, pid 4242) speaks protocol 1, harnctl 2.0 speaks 2 to 3"
        )
        assert error["data"] == {
            "code": "version.mismatch",
            "message": error["message"],
            "fix": "stop process 4242 and start the harnd that was installed with this client",
            "details": {
                "min_version": 1,
                "max_version": 1,
                "daemon_version": "0.1.0",
                "executable": "/opt/harnd/bin/harnd",
                "pid": 4242,
            },
        }
        await client.send(HELLO)
        assert "result" in await client.next()


async def test_an_operator_may_change_something(tmp_path):
    async with office(tmp_path) as here:
        client = await here.client()
        assert (await client.ask("goal.cancel", **CANCEL))["result"]["said"] == ["the goal is cancelled"]


async def test_an_agent_may_read_and_change_nothing(tmp_path):
    async with office(tmp_path, who=as_agent) as here:
        client = await here.client()
        refused = (await client.ask("goal.cancel", **CANCEL))["error"]["data"]
        assert refused["code"] == "principal.agent"
        assert refused["message"].endswith("a test says so")
        assert "result" in await client.ask("goal.list")
        assert here.desk.asked == ["agent: goal.list"]


KNOCK = """
import socket, sys
with socket.socket(socket.AF_UNIX) as client:
    client.connect(sys.argv[1])
    client.sendall(sys.stdin.buffer.read())
    client.shutdown(socket.SHUT_WR)
    while data := client.recv(65536):
        sys.stdout.buffer.write(data)
"""


async def test_a_process_that_descends_from_the_daemon_may_change_nothing(tmp_path):
    async with office(tmp_path, who=identify_here) as here:
        said = HELLO + request("goal.list", 1) + request("goal.cancel", 2, **CANCEL)
        answers = (await anyio.run_process([sys.executable, "-c", KNOCK, str(here.path)], input=said)).stdout
        assert b"principal.agent" in answers
        assert here.desk.asked == ["agent: goal.list"]


async def test_another_user_is_told_so_and_let_go(tmp_path):
    def foreign(peer: socket.socket) -> Principal:
        return identify(peer, uid=os.getuid() + 1, daemon_pid=os.getpid())

    async with office(tmp_path, who=foreign) as here:
        client = await here.connect()
        assert [message["error"]["data"]["code"] for message in await client.rest()] == ["principal.foreign"]


async def test_a_peer_that_cannot_be_told_is_let_go_and_the_next_one_is_served(tmp_path):
    errors = [OSError("no descriptors")]

    def who(_: socket.socket) -> Principal:
        if errors:
            raise errors.pop()
        return OPERATOR

    async with office(tmp_path, who=who) as here:
        with capture_logs() as logs:
            assert await (await here.connect()).rest() == []
            await here.client()
        assert [entry["event"] for entry in logs] == ["connection.failed"]


@pytest.mark.parametrize(
    ("error", "code", "rpc"),
    [
        (Refusal("goal.unknown", "no"), "goal.unknown", -32002),
        (Rejected("plan.stale", "no"), "plan.stale", -32003),
        (Rejected("plan.later_rule", "no"), "plan.later_rule", -32001),
        (KeyReusedError(), "key.reused", -32003),
        (ConflictError(), "goal.moved", -32005),
        (FencedError(), "goal.moved", -32005),
        (UnavailableError("disk full"), "store.unavailable", -32005),
        (CorruptError("event 7"), "store.corrupt", -32004),
        (ZeroDivisionError("secret"), "internal", -32603),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
async def test_an_error_becomes_a_refusal_and_the_connection_goes_on(tmp_path, error, code, rpc):
    async with office(tmp_path, desk=Desk(errors={"ps.list": error})) as here:
        client = await here.client()
        with capture_logs() as logs:
            answer = (await client.ask("ps.list"))["error"]
        assert (answer["data"]["code"], answer["code"]) == (code, rpc)
        assert "secret" not in str(answer)
        assert [entry["event"] for entry in logs] == {
            "internal": ["request.failed"],
            "store.corrupt": ["store.corrupt"],
        }.get(code, [])
        assert "result" in await client.ask("goal.list")


async def test_a_bug_is_logged_under_the_id_that_the_client_gets(tmp_path):
    bug = ZeroDivisionError("secret")
    async with office(tmp_path, desk=Desk(errors={"ps.list": bug})) as here:
        client = await here.client()
        with capture_logs() as logs:
            details = (await client.ask("ps.list"))["error"]["data"]["details"]
        assert [(entry["bug"], entry["exc_info"]) for entry in logs] == [(details["bug"], bug)]


async def test_details_that_are_no_json_are_a_bug_and_no_silence(tmp_path):
    error = Refusal("goal.invalid", "no", details={"where": object()})
    async with office(tmp_path, desk=Desk(errors={"ps.list": error})) as here:
        client = await here.client()
        assert (await client.ask("ps.list"))["error"]["data"]["code"] == "internal"


async def test_an_answer_that_fits_no_frame_is_refused(tmp_path):
    desk = Desk(replies={"work.log": work_log(FRAME_BYTES)})
    async with office(tmp_path, desk=desk) as here:
        client = await here.client()
        answer = await client.ask("work.log", 1, goal="a", work="p1.x")
        assert answer["error"]["data"]["code"] == "reply.too_long"
        assert "result" in await client.ask("goal.list", 1)


async def test_large_answers_are_written_one_after_the_other(tmp_path):
    async with office(tmp_path, desk=Desk(replies={"work.log": work_log(FRAME_BYTES // 2)})) as here:
        client = await here.client()
        await client.send(*(request("work.log", number, goal="billing", work="p1.x") for number in range(3)))
        await anyio.wait_all_tasks_blocked()
        assert {(await client.next())["id"] for _ in range(3)} == {0, 1, 2}


async def test_requests_beyond_the_bound_are_not_read_until_one_is_answered(tmp_path):
    desk = Desk(gates={"goal.list": anyio.Event()})
    async with office(tmp_path, desk=desk) as here:
        client, other = await here.client(), await here.client()
        await client.send(*(request("goal.list", number) for number in range(REQUESTS_IN_FLIGHT + 5)))
        await other.ask("ps.list")
        await anyio.wait_all_tasks_blocked()
        assert desk.asked.count("operator: goal.list") == REQUESTS_IN_FLIGHT
        desk.gates["goal.list"].set()
        answered = {(await client.next())["id"] for _ in range(REQUESTS_IN_FLIGHT + 5)}
        assert answered == set(range(REQUESTS_IN_FLIGHT + 5))


async def test_one_connection_too_many_is_told_so(tmp_path):
    async with office(tmp_path) as here:
        clients = [await here.client() for _ in range(CONNECTIONS)]
        refused = await here.connect()
        assert await refused.code() == "daemon.busy"
        with pytest.raises(anyio.EndOfStream):
            await refused.next()
        await clients[0].stream.aclose()
        await anyio.wait_all_tasks_blocked()
        await here.client()


async def test_agents_cannot_lock_the_operator_out(tmp_path):
    principals = [AGENT] * AGENT_CONNECTIONS + [AGENT, OPERATOR]
    async with office(tmp_path, who=lambda _: principals.pop(0)) as here:
        for _ in range(AGENT_CONNECTIONS):
            await here.client()
        assert await (await here.connect()).code() == "daemon.busy"
        await here.client()


async def test_stopping_lets_running_requests_finish(tmp_path):
    desk = Desk(gates={"goal.list": anyio.Event()})
    async with office(tmp_path, desk=desk) as here:
        client, idle = await here.client(), await here.client()
        await client.send(request("goal.list", 1))
        await desk.at_gate.wait()
        here.server.stop()
        assert await idle.rest() == []
        with pytest.raises(OSError, match="refused"):
            await here.connect()
        desk.gates["goal.list"].set()
        assert [message["id"] for message in await client.rest()] == [1]


async def test_stopping_ends_what_does_not_finish_in_time(tmp_path):
    desk = Desk(gates={"goal.list": anyio.Event()})
    async with office(tmp_path, desk=desk, drain_s=0.01) as here:
        client = await here.client()
        await client.send(request("goal.list", 1))
        await desk.at_gate.wait()
        here.server.stop()
        assert await client.rest() == []
        assert desk.finished == []


async def test_a_server_that_was_stopped_before_it_served_serves_nobody(tmp_path):
    async with office(tmp_path) as here:
        here.server.stop()
        await anyio.wait_all_tasks_blocked()
        with pytest.raises(OSError, match="refused"):
            await here.connect()
