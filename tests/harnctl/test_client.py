"""The client asks over a real socket, whatever is at the other end of it (cases E03, E11, E13, E15)."""

import json
import os
import socket
from contextlib import aclosing, closing
from itertools import islice
from pathlib import Path
from typing import cast

import anyio
import pytest

from harnctl.client import Client, Lost, ProtocolError, Refused, Unreachable, VersionMismatch, new_key
from harnctl.client.aio import AsyncClient
from harnctl.client.door import CREDENTIALS, check_peer
from harnctl.client.following import PATIENCE, Cursor
from harnctl.client.place import find_socket, find_state
from protocol.bounds import FRAME_BYTES
from protocol.decoding import write
from protocol.errors import Exit, Refusal
from protocol.ids import IDEMPOTENCY_KEY, GoalId, matches
from protocol.notices import EventNotice, LaggedNotice
from protocol.requests import ApprovePlan, ListGoals, ShowGoal, SubscribeEvents
from protocol.values import Instant
from protocol.views import EventView
from tests.kit.scripted_daemon import HANG_UP, Impostor, golden

GOAL = GoalId("billing-export")


def event(seq):
    return EventNotice(
        EventView(seq=seq, goal=GOAL, version=seq, at=Instant(1_790_000_000_000_000), tag="plan.applied/1", body={})
    )


@pytest.fixture
def client(place):
    with Client(place / "harnd.sock", greeting_s=5, answer_s=5) as made:
        yield made


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request):
    return request.param


def answering(*pieces):
    """An impostor that reads one line and answers with pieces of bytes."""

    def serve(connection: socket.socket) -> None:
        connection.recv(65536)
        for piece in pieces:
            connection.sendall(piece)

    return serve


def silently(connection):
    """Listen until the peer hangs up."""
    while connection.recv(65536):
        pass


def test_a_question_is_answered_by_its_own_type(client, daemon):
    assert client.ask(ShowGoal(GOAL)) == golden("goal.show")
    assert client.welcome == golden("initialize")


def test_several_questions_go_over_one_connection(client, daemon):
    client.ask(ListGoals())
    client.ask(ShowGoal(GOAL))
    assert (daemon.greeted, daemon.asked) == (1, [ListGoals(), ShowGoal(GOAL)])


def test_a_refusal_is_raised_with_everything_that_was_said(client, daemon):
    daemon.answers("goal.show", Refusal("goal.unknown", "no goal", fix="harnctl goal list", details={"near": ["a"]}))
    with pytest.raises(Refused) as raised:
        client.ask(ShowGoal(GOAL))
    error = raised.value
    assert (error.code, error.message, error.fix, error.details, error.exit) == (
        "goal.unknown",
        "no goal",
        "harnctl goal list",
        {"near": ["a"]},
        Exit.NOT_FOUND,
    )


def test_a_change_that_lost_its_answer_is_sent_again_under_the_same_key(client, daemon):
    daemon.answers("plan.approve", HANG_UP, golden("plan.approve"))
    request = ApprovePlan(key=new_key(), goal=GOAL, plan=1, digest=golden("plan.show").digest)
    assert client.ask(request) == golden("plan.approve")
    assert daemon.asked == [request, request]
    assert daemon.greeted == 2


def test_an_answer_lost_twice_is_an_error(client, daemon):
    daemon.answers("goal.list", HANG_UP, HANG_UP)
    with pytest.raises(Lost):
        client.ask(ListGoals())
    assert daemon.asked == [ListGoals(), ListGoals()]


def test_keys_are_legal_and_never_the_same():
    assert matches(IDEMPOTENCY_KEY, new_key())
    assert new_key() != new_key()


# --- what is not a daemon


def test_no_socket_is_unreachable_and_says_how_to_start(client):
    with pytest.raises(Unreachable, match=r"no daemon answers at .*harnd\.sock") as raised:
        client.ask(ListGoals())
    assert raised.value.fix.endswith("harnd")


def test_a_socket_that_nobody_listens_at_is_unreachable(client, place):
    with closing(socket.socket(socket.AF_UNIX)) as left_over:
        left_over.bind(str(place / "harnd.sock"))
        with pytest.raises(Unreachable):
            client.ask(ListGoals())


def test_a_directory_that_others_can_write_is_not_entered(client, place, daemon):
    place.chmod(0o777)
    with pytest.raises(Unreachable, match="can be written by others"):
        client.ask(ListGoals())


def test_a_directory_of_another_user_is_not_entered(client, daemon, monkeypatch):
    mine = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: mine + 1)
    with pytest.raises(Unreachable, match="not to you"):
        client.ask(ListGoals())


def test_a_process_of_another_user_is_not_spoken_to():
    class Foreign:
        def getsockopt(self, *_):
            return CREDENTIALS.pack(4242, os.getuid() + 1, 0)

    with pytest.raises(Unreachable, match="not your daemon"):
        check_peer(cast("socket.socket", Foreign()), Path("/run/harnd.sock"))


def test_a_path_too_long_for_a_socket_is_said_to_be(place):
    with pytest.raises(Unreachable, match="longer than 107 bytes"):
        Client(place / ("deep/" * 30) / "harnd.sock").ask(ListGoals())


@pytest.mark.parametrize(
    ("pieces", "code"),
    [
        ([b"x" * FRAME_BYTES, b"x"], "frame.too_long"),  # what announces 4 GiB is not read past the cap
        ([b'{"jsonrpc":"2.0","id"'], "frame.truncated"),
        ([b"\xff\xfe\n"], "frame.not_utf8"),
        ([b"HTTP/1.1 400 Bad Request\r\n"], "frame.not_json"),
        ([b"[]\n"], "message.batch"),
        ([b'{"jsonrpc":"2.0","id":7,"result":{}}\n'], "message.malformed"),
        ([b'{"jsonrpc":"2.0","method":"event","params":{}}\n'], "message.out_of_turn"),
        ([b'{"jsonrpc":"2.0","id":1,"result":{"hello":1}}\n'], "message.malformed"),
        ([b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n'], "message.malformed"),
    ],
)
def test_what_does_not_speak_the_protocol_is_named_by_its_process(client, place, pieces, code):
    with Impostor(place / "harnd.sock", answering(*pieces)), pytest.raises(VersionMismatch) as raised:
        client.ask(ListGoals())
    assert raised.value.details["said"] == code
    assert (raised.value.details["pid"], raised.value.exit) == (os.getpid(), Exit.CONFIGURATION)


def test_a_daemon_of_another_version_is_named_with_path_and_version(client, daemon, place):
    details = {"daemon_version": "9.0.0", "executable": "/opt/old/bin/harnd", "pid": 4242}
    said = "harnd 9.0.0 (/opt/old/bin/harnd, pid 4242) speaks protocol 8 to 9, harnctl speaks 1 to 1"
    daemon.answers("initialize", Refusal("version.mismatch", said, fix="stop process 4242", details=details))
    with pytest.raises(VersionMismatch, match=r"9\.0\.0 \(/opt/old/bin/harnd") as raised:
        client.ask(ListGoals())
    assert raised.value.fix == "stop process 4242"
    assert raised.value.details.items() >= {**details, "socket": str(place / "harnd.sock")}.items()


def test_an_answer_may_come_in_pieces_of_any_size(client, place):
    def serve(connection):
        connection.recv(65536)
        welcome = json.dumps({"jsonrpc": "2.0", "id": 1, "result": write(golden("initialize"))}).encode()
        for byte in welcome + b"\n":
            connection.sendall(bytes([byte]))

    with Impostor(place / "harnd.sock", serve):
        assert client.welcome == golden("initialize")


def test_a_daemon_that_is_busy_is_busy_and_not_of_another_version(client, daemon):
    daemon.answers("initialize", Refusal("daemon.busy", "too many connections"))
    with pytest.raises(Refused, match="too many connections") as raised:
        client.ask(ListGoals())
    assert raised.value.exit == Exit.TRY_LATER


def test_an_answer_of_another_shape_is_a_protocol_error(client, daemon):
    daemon.answers("goal.show", golden("goal.list"))
    with pytest.raises(ProtocolError, match=r"goal\.show"):
        client.ask(ShowGoal(GOAL))


def test_a_peer_that_closes_in_mid_greeting_is_lost(client, place):
    with Impostor(place / "harnd.sock", answering()), pytest.raises(Lost):
        client.ask(ListGoals())


def test_a_peer_that_says_nothing_is_given_up_on(place):
    with Impostor(place / "harnd.sock", silently), pytest.raises(Unreachable, match="does not answer in time"):
        Client(place / "harnd.sock", greeting_s=0.05).ask(ListGoals())


# --- events


def test_events_come_in_order_and_resume_by_cursor_after_a_lag(client, daemon):
    daemon.told.extend([[event(41), event(42), LaggedNotice(42)], [event(43)]])
    with closing(client.events(40, goal=GOAL)) as events:
        assert [happened.seq for happened in islice(events, 3)] == [41, 42, 43]
    assert daemon.asked == [SubscribeEvents(after=40, goal=GOAL), SubscribeEvents(after=42, goal=GOAL)]


def test_events_go_on_over_a_new_connection_after_the_old_one_broke(client, daemon):
    daemon.told.extend([[event(1), HANG_UP], [event(2)]])
    with closing(client.events(0)) as events:
        assert [happened.seq for happened in islice(events, 2)] == [1, 2]
    assert daemon.asked == [SubscribeEvents(after=0), SubscribeEvents(after=1)]
    assert daemon.greeted == 2


def test_a_daemon_that_was_never_there_is_not_waited_for(client):
    with pytest.raises(Unreachable):
        next(client.events(0))


def test_a_daemon_that_answers_and_goes_away_is_not_asked_for_ever():
    cursor = Cursor(after=0, goal=None)
    cursor.begin()
    pauses = []
    while (pause := cursor.pause()) is not None:
        cursor.begin()
        pauses.append(pause)
    assert tuple(pauses) == PATIENCE


# --- the asynchronous client


async def test_the_asynchronous_client_asks_the_same(place, daemon):
    async with AsyncClient(place / "harnd.sock") as client:
        assert await client.ask(ShowGoal(GOAL)) == golden("goal.show")
        daemon.answers("goal.show", Refusal("goal.unknown", "no goal"))
        with pytest.raises(Refused):
            await client.ask(ShowGoal(GOAL))
        assert await client.ask(ListGoals()) == golden("goal.list")
    assert daemon.greeted == 1


async def test_the_asynchronous_client_sends_a_change_again_under_its_key(place, daemon):
    daemon.answers("plan.approve", HANG_UP, golden("plan.approve"))
    request = ApprovePlan(key=new_key(), goal=GOAL, plan=1, digest=golden("plan.show").digest)
    async with AsyncClient(place / "harnd.sock") as client:
        assert await client.ask(request) == golden("plan.approve")
    assert daemon.asked == [request, request]


async def test_tasks_take_turns_on_one_asynchronous_client(place, daemon):
    async with AsyncClient(place / "harnd.sock") as client, anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(client.ask, ListGoals())
    assert daemon.asked == [ListGoals()] * 5


async def test_asynchronous_events_resume_after_a_lag_and_a_break(place, daemon):
    daemon.told.extend([[event(1), LaggedNotice(1)], [event(2), HANG_UP], [event(3)]])
    seen = []
    async with AsyncClient(place / "harnd.sock") as client, aclosing(client.events(0)) as events:
        async for happened in events:
            seen.append(happened.seq)
            if happened.seq == 3:
                break
    assert seen == [1, 2, 3]
    assert [request.after for request in daemon.asked] == [0, 1, 2]


async def test_the_asynchronous_client_names_what_is_not_a_daemon(place):
    with Impostor(place / "harnd.sock", answering(b"x" * FRAME_BYTES, b"x")), pytest.raises(VersionMismatch):
        await AsyncClient(place / "harnd.sock").ask(ListGoals())
    with pytest.raises(Unreachable):
        await AsyncClient(place / "harnd.sock").ask(ListGoals())


async def test_a_silent_peer_is_given_up_on_asynchronously(place):
    with Impostor(place / "harnd.sock", silently), pytest.raises(Unreachable, match="does not answer in time"):
        await AsyncClient(place / "harnd.sock", greeting_s=0.05).ask(ListGoals())


# --- places


def test_what_was_said_goes_before_the_environment_and_that_before_the_rule(tmp_path):
    rule, said = (
        {"HOME": str(tmp_path)},
        {"HOME": str(tmp_path), "HARND_STATE": "/srv/s", "HARND_SOCKET": "/srv/a.sock"},
    )
    assert find_state(rule) == tmp_path / ".local/state/harnd"
    assert find_state(said) == Path("/srv/s")
    assert find_state(said, Path("/srv/t")) == Path("/srv/t")
    assert find_socket(said) == Path("/srv/a.sock")
    assert find_socket(said, socket=Path("/srv/b.sock")) == Path("/srv/b.sock")


def test_two_state_directories_have_two_sockets(tmp_path):
    environ = {"HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)}
    default, other = find_socket(environ), find_socket({**environ, "HARND_STATE": "/srv/other"})
    assert default == tmp_path / "harnd/harnd.sock"
    assert other.parent == default.parent
    assert other != default
