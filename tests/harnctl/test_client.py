"""One contract for both clients, over a real socket, whatever is at the other end of it (cases E03, E13, E15)."""

import socket
import threading

import pytest

from harnctl.client import (
    Barred,
    Late,
    Lost,
    ProtocolError,
    Refused,
    Unreachable,
    VersionMismatch,
    new_key,
)
from protocol.decoding import write
from protocol.errors import Exit, Refusal
from protocol.framing import write_frame
from protocol.ids import IDEMPOTENCY_KEY, GoalId, matches
from protocol.requests import ApprovePlan, ListGoals, ShowGoal
from tests.harnctl.test_client_events import event
from tests.kit.clients import KINDS, client_of_kind
from tests.kit.scripted_daemon import HANG_UP, Impostor, ScriptedDaemon, after_greeting, golden, silently, welcome

GOAL = GoalId("billing-export")
STOPPING = Refusal("daemon.stopping", "the daemon is stopping")
FOR_A_MOMENT = 0.1


def approval():
    return ApprovePlan(key=new_key(), goal=GOAL, plan=1, digest=golden("plan.show").digest)


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def client(kind, place):
    with client_of_kind(kind, place / "harnd.sock") as made:
        yield made


@pytest.fixture
def hasty(kind, place):
    """A client that gives up soon."""
    with client_of_kind(kind, place / "harnd.sock", greeting_s=FOR_A_MOMENT, answer_s=FOR_A_MOMENT) as made:
        yield made


# --- questions


def test_a_question_is_answered_by_its_own_type(client, daemon):
    assert client.ask(ShowGoal(GOAL)) == golden("goal.show")
    assert client.welcome() == golden("initialize")


def test_several_questions_go_over_one_connection(client, daemon):
    client.ask(ListGoals())
    client.ask(ShowGoal(GOAL))
    assert (daemon.greeted, daemon.asked) == (1, [ListGoals(), ShowGoal(GOAL)])


def test_a_refusal_is_raised_with_everything_that_was_said_and_the_connection_stays(client, daemon):
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
    client.ask(ListGoals())
    assert daemon.greeted == 1


def test_after_hanging_up_the_next_question_connects_again(client, daemon):
    client.ask(ListGoals())
    client.close()
    client.ask(ListGoals())
    assert daemon.greeted == 2


def test_an_answer_of_another_shape_is_a_protocol_error(client, daemon):
    daemon.answers("goal.show", golden("goal.list"))
    with pytest.raises(ProtocolError, match=r"goal\.show"):
        client.ask(ShowGoal(GOAL))


def test_an_answer_may_come_in_pieces_of_any_size(client, place):
    def serve(connection):
        connection.recv(65536)
        for byte in welcome():
            connection.sendall(bytes([byte]))

    with Impostor(place / "harnd.sock", serve):
        assert client.welcome() == golden("initialize")


def test_keys_are_legal_and_never_the_same():
    assert matches(IDEMPOTENCY_KEY, new_key())
    assert new_key() != new_key()


# --- answers that are lost


def test_a_change_that_lost_its_answer_is_sent_again_under_the_same_key(client, daemon):
    daemon.answers("plan.approve", HANG_UP, golden("plan.approve"))
    request = approval()
    assert client.ask(request) == golden("plan.approve")
    assert daemon.asked == [request, request]
    assert daemon.greeted == 2


def test_an_answer_lost_twice_is_an_error_without_patience(client, daemon):
    daemon.answers("goal.list", HANG_UP, HANG_UP)
    with pytest.raises(Lost):
        client.ask(ListGoals())
    assert daemon.asked == [ListGoals(), ListGoals()]


def test_with_patience_a_change_is_asked_again_under_its_key_until_it_is_answered(client, daemon):
    daemon.answers("plan.approve", HANG_UP, HANG_UP, STOPPING, HANG_UP, golden("plan.approve"))
    request = approval()
    assert client.ask(request, patience_s=20) == golden("plan.approve")
    assert daemon.asked == [request] * 5


def test_with_patience_a_daemon_that_is_on_its_way_is_waited_for(client, place):
    late = ScriptedDaemon(place / "harnd.sock")
    starting = threading.Thread(target=late.__enter__)  # before, while or after the client looks: all the same
    starting.start()
    assert client.ask(ListGoals(), patience_s=20) == golden("goal.list")
    starting.join()
    late.__exit__()


def test_a_change_that_patience_did_not_help_may_have_been_made_and_says_so(client, daemon):
    daemon.answers("plan.approve", HANG_UP)
    with pytest.raises(Lost, match="whether the change was made is not known"):
        client.ask(approval(), patience_s=FOR_A_MOMENT)


def test_a_change_whose_daemon_died_over_it_is_not_said_to_be_unasked(client, place):
    with Impostor(place / "harnd.sock", after_greeting(lambda _: (place / "harnd.sock").rename(place / "gone"))) as it:
        with pytest.raises(Lost, match="there is no socket; whether the change was made is not known"):
            client.ask(approval())
        (place / "gone").rename(it.path)


def test_a_question_that_was_not_answered_leaves_nothing_in_doubt(client, daemon):
    daemon.answers("goal.list", HANG_UP)
    with pytest.raises(Lost) as raised:
        client.ask(ListGoals(), patience_s=FOR_A_MOMENT)
    assert "not known" not in raised.value.message


def test_a_refusal_is_an_answer_and_needs_no_patience(client, daemon):
    daemon.answers("plan.approve", Refusal("plan.stale", "another digest"))
    with pytest.raises(Refused, match="another digest"):
        client.ask(approval(), patience_s=60)
    assert len(daemon.asked) == 1


def test_a_daemon_that_dies_in_mid_answer_is_lost_and_not_a_stranger(client, place):
    seen = []

    def half(connection):
        seen.append(1)
        connection.sendall(b'{"jsonrpc":"2.0","id":2,"res')

    with Impostor(place / "harnd.sock", after_greeting(half)), pytest.raises(Lost, match="in the middle of a line"):
        client.ask(ListGoals())
    assert len(seen) == 2


def test_a_daemon_that_never_answers_is_given_up_on_and_not_asked_twice(hasty, place):
    with Impostor(place / "harnd.sock", after_greeting(silently)):
        with pytest.raises(Late, match="does not answer in time"):
            hasty.ask(ListGoals())
        with pytest.raises(Late, match="whether the change was made is not known"):
            hasty.ask(approval())


def test_an_answer_that_comes_too_late_is_not_taken_for_the_next(hasty, place):
    heard = []

    def answer(connection):
        heard.append(connection)
        if len(heard) == 1:
            silently(connection)
        connection.sendall(write_frame({"jsonrpc": "2.0", "id": 2, "result": write(golden("goal.show"))}))

    with Impostor(place / "harnd.sock", after_greeting(answer)):
        with pytest.raises(Late):
            hasty.ask(ListGoals())
        assert hasty.ask(ShowGoal(GOAL)) == golden("goal.show")


# --- what is not a daemon


def test_no_socket_is_unreachable_and_says_how_to_start(client):
    with pytest.raises(Unreachable, match=r"no daemon answers at .*harnd\.sock: there is no socket") as raised:
        client.ask(ListGoals())
    assert raised.value.fix.endswith("harnd")


def test_what_waiting_does_not_change_is_not_waited_for(client, place, daemon):
    place.chmod(0o777)
    with pytest.raises(Barred, match="can be written by others"):
        client.ask(ListGoals(), patience_s=60)
    assert daemon.greeted == 0


def test_a_peer_that_says_nothing_is_given_up_on(hasty, place):
    with Impostor(place / "harnd.sock", silently), pytest.raises(Late, match="does not answer in time"):
        hasty.ask(ListGoals())


def test_a_daemon_that_was_stopped_and_whose_queue_is_full_takes_in_nobody(client, place):
    with socket.socket(socket.AF_UNIX) as stopped, socket.socket(socket.AF_UNIX) as first:
        stopped.bind(str(place / "harnd.sock"))
        stopped.listen(0)
        first.connect(str(place / "harnd.sock"))
        with pytest.raises(Late, match="takes in nobody"):
            client.ask(ListGoals())


def test_a_peer_that_closes_in_mid_greeting_is_lost(client, place):
    def serve(connection):
        connection.recv(65536)

    with Impostor(place / "harnd.sock", serve), pytest.raises(Lost):
        client.ask(ListGoals())


def refusal_of_nothing(refusal):
    """What is said to a client whose line was not read."""
    return write_frame({"jsonrpc": "2.0", "id": None, "error": refusal.error()})


def test_a_client_that_is_turned_away_learns_why(client, place):
    def serve(connection):
        connection.sendall(refusal_of_nothing(Refusal("daemon.busy", "too many are here")))
        connection.recv(65536)

    with Impostor(place / "harnd.sock", serve), pytest.raises(Refused) as raised:
        client.ask(ListGoals())
    assert (raised.value.code, raised.value.message) == ("daemon.busy", "too many are here")
    assert raised.value.exit == Exit.TRY_LATER


def test_what_a_daemon_said_before_it_hung_up_is_read_although_nothing_can_be_sent(client, place):
    welcomed, hung_up = threading.Event(), threading.Event()

    def serve(connection):
        if hung_up.is_set():
            return  # a second connection learns nothing
        connection.recv(65536)
        connection.sendall(welcome())
        welcomed.wait(10)
        connection.sendall(refusal_of_nothing(STOPPING))
        connection.close()
        hung_up.set()

    with Impostor(place / "harnd.sock", serve):
        client.welcome()
        welcomed.set()
        assert hung_up.wait(10)
        with pytest.raises(Refused, match="the daemon is stopping"):
            client.ask(ListGoals())


def test_a_peer_that_answers_with_notices_without_end_is_hung_up_on(client, place):
    def flood(connection):
        frame = write_frame({"jsonrpc": "2.0", "method": "event", "params": write(event(1))})
        while True:
            connection.sendall(frame)

    with (
        Impostor(place / "harnd.sock", after_greeting(flood)),
        pytest.raises(ProtocolError, match="instead of a reply"),
    ):
        client.ask(ListGoals())


def test_a_daemon_of_another_version_is_named_with_path_and_version(client, daemon, place):
    details = {"daemon_version": "9.0.0", "executable": "/opt/old/bin/harnd", "pid": 4242}
    said = "harnd 9.0.0 (/opt/old/bin/harnd, pid 4242) speaks protocol 8 to 9, harnctl speaks 1 to 1"
    daemon.answers("initialize", Refusal("version.mismatch", said, fix="stop process 4242", details=details))
    with pytest.raises(VersionMismatch, match=r"9\.0\.0 \(/opt/old/bin/harnd") as raised:
        client.ask(ListGoals(), patience_s=60)
    assert raised.value.fix == "stop process 4242"
    assert raised.value.details.items() >= {**details, "socket": str(place / "harnd.sock")}.items()
