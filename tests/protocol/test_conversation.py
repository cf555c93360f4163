"""Which message is legal when: every cell of the table, at both ends."""

import json

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from protocol.bounds import SEQUENCE
from protocol.conversation import (
    NEXT,
    SENDER,
    Answered,
    Asked,
    Conversation,
    Failed,
    Ignored,
    Kind,
    LocalProtocolError,
    Noticed,
    RemoteProtocolError,
    Role,
    State,
)
from protocol.errors import Refusal

ERROR = Refusal("goal.unknown", "there is no such goal").error()


def line(**members) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **members}).encode()


def pair(state: State) -> tuple[Conversation, Conversation]:
    """A client and a daemon that have come as far as `state`."""
    client, daemon = Conversation(Role.CLIENT), Conversation(Role.DAEMON)
    if state is State.NEW:
        return client, daemon
    daemon.receive(client.request("hello", "initialize", {})[:-1])
    if state is State.INITIALIZING:
        return client, daemon
    client.receive(daemon.reply("hello", {})[:-1])
    if state is State.CLOSED:
        client.close()
        daemon.close()
    return client, daemon


def send(kind: Kind, client: Conversation, daemon: Conversation) -> tuple[bytes, Conversation]:
    """Write a message of a kind, and who would read it; what must go before is said first."""
    match kind:
        case Kind.INITIALIZE:
            return client.request(1, "initialize", {}), daemon
        case Kind.REQUEST:
            return client.request(1, "goal.list", {}), daemon
        case Kind.NOTIFICATION:
            return line(method="goal.cancel", params={}), daemon
        case Kind.WELCOME:
            return daemon.reply("hello", {}), client
        case Kind.TURN_DOWN:
            return daemon.error("hello", ERROR), client
        case Kind.REPLY:
            daemon.receive(client.request(1, "goal.list", {})[:-1])
            return daemon.reply(1, {}), client
        case Kind.ERROR:
            return daemon.error(None, ERROR), client
        case Kind.NOTICE:
            return daemon.notice("event", {}), client


LEGAL = [(state, kind) for state, kinds in NEXT.items() for kind in kinds]
# Without `hello` in flight these two cannot even be tried: they are replies to it.
ILLEGAL = [
    (state, kind)
    for state in State
    for kind in Kind
    if kind not in NEXT[state] and kind not in {Kind.WELCOME, Kind.TURN_DOWN, Kind.NOTIFICATION}
]


@pytest.mark.parametrize(("state", "kind"), LEGAL)
def test_a_legal_message_moves_both_ends_to_the_same_state(state, kind):
    client, daemon = pair(state)
    frame, reader = send(kind, client, daemon)
    reader.receive(frame.rstrip(b"\n"))
    assert (client.state, daemon.state) == (NEXT[state][kind], NEXT[state][kind])


@pytest.mark.parametrize(("state", "kind"), ILLEGAL)
def test_an_illegal_message_is_not_sent(state, kind):
    client, daemon = pair(state)
    with pytest.raises(LocalProtocolError):
        send(kind, client, daemon)
    assert (client.state, daemon.state) == (state, state)


@pytest.mark.parametrize(
    ("state", "method"),
    [
        (State.NEW, "goal.list"),
        (State.INITIALIZING, "goal.list"),
        (State.INITIALIZING, "initialize"),
        (State.INITIALIZED, "initialize"),
        (State.CLOSED, "goal.list"),
    ],
)
def test_a_request_out_of_turn_is_refused_under_its_id(state, method):
    _, daemon = pair(state)
    with pytest.raises(RemoteProtocolError) as caught:
        daemon.receive(line(id=7, method=method, params={}))
    assert (caught.value.code, caught.value.id) == ("message.out_of_turn", 7)
    assert daemon.state is state
    assert 7 not in daemon.in_flight


def test_the_table_names_every_state_and_kind():
    assert set(NEXT) == set(State)
    assert set(SENDER) == set(Kind)
    assert {kind for kinds in NEXT.values() for kind in kinds} == set(Kind)


@pytest.mark.parametrize("id_", [0, -1, SEQUENCE, "", "a", "0"], ids=repr)
def test_an_id_is_a_whole_number_or_a_string(id_):
    _, daemon = pair(State.INITIALIZED)
    assert daemon.receive(line(id=id_, method="goal.list")) == Asked(id_, "goal.list", {})


@pytest.mark.parametrize("id_", [None, 1.0, 1.5, True, [], {}, SEQUENCE + 1, "x" * 129])
def test_any_other_id_is_refused_under_no_id(id_):
    _, daemon = pair(State.INITIALIZED)
    with pytest.raises(RemoteProtocolError) as caught:
        daemon.receive(line(id=id_, method="goal.list"))
    assert (caught.value.code, caught.value.id) == ("message.bad_id", None)


def test_an_id_in_flight_is_refused_under_no_id_and_free_again_once_answered():
    _, daemon = pair(State.INITIALIZED)
    daemon.receive(line(id=1, method="goal.list"))
    with pytest.raises(RemoteProtocolError) as caught:
        daemon.receive(line(id=1, method="ps.list"))
    assert (caught.value.code, caught.value.id) == ("message.id_in_flight", None)
    daemon.reply(1, {})
    assert daemon.receive(line(id=1, method="ps.list")) == Asked(1, "ps.list", {})


def test_the_number_1_and_the_string_1_are_two_ids():
    _, daemon = pair(State.INITIALIZED)
    daemon.receive(line(id=1, method="goal.list"))
    assert daemon.receive(line(id="1", method="ps.list")) == Asked("1", "ps.list", {})


@pytest.mark.parametrize("state", [State.NEW, State.INITIALIZING, State.INITIALIZED])
def test_a_notification_is_ignored(state):
    _, daemon = pair(state)
    assert daemon.receive(line(method="goal.cancel", params={"goal": "billing"})) == Ignored("goal.cancel")
    assert daemon.state is state


@pytest.mark.parametrize(
    "message",
    [
        pytest.param({"jsonrpc": "1.0", "id": 3, "method": "goal.list"}, id="another JSON-RPC"),
        pytest.param({"id": 3, "method": "goal.list"}, id="no JSON-RPC"),
        pytest.param({"jsonrpc": "2.0", "id": 3, "method": 1}, id="method is no string"),
        pytest.param({"jsonrpc": "2.0", "id": 3, "method": "goal.list", "result": {}}, id="request with a result"),
        pytest.param({"jsonrpc": "2.0", "id": 3, "method": "goal.list", "extra": 1}, id="unknown member"),
    ],
)
def test_a_request_out_of_shape_is_refused_under_its_id(message):
    _, daemon = pair(State.INITIALIZED)
    with pytest.raises(RemoteProtocolError) as caught:
        daemon.receive(json.dumps(message).encode())
    assert (caught.value.code, caught.value.id) == ("message.malformed", 3)


def test_a_daemon_takes_no_replies():
    _, daemon = pair(State.INITIALIZED)
    with pytest.raises(RemoteProtocolError, match="a request has a method"):
        daemon.receive(line(id=1, result={}))


@pytest.mark.parametrize(
    "message",
    [
        pytest.param({"id": 1, "method": "goal.list"}, id="a request"),
        pytest.param({"id": 9, "result": {}}, id="a reply to nothing"),
        pytest.param({"id": 1, "result": {}, "error": ERROR}, id="both result and error"),
        pytest.param({"id": 1}, id="neither"),
        pytest.param({"id": 1, "result": []}, id="a result that is no object"),
        pytest.param({"id": 1, "error": {"code": 1}}, id="an error without message and data"),
    ],
)
def test_a_client_refuses_what_a_daemon_never_says(message):
    client, _ = pair(State.INITIALIZED)
    client.request(1, "goal.list", {})
    with pytest.raises(RemoteProtocolError) as caught:
        client.receive(line(**message))
    assert caught.value.code == "message.malformed"
    assert dict(client.in_flight) == {1: "goal.list"}


def test_a_reply_comes_with_the_method_it_answers():
    client, daemon = pair(State.INITIALIZED)
    daemon.receive(client.request(5, "goal.list", {})[:-1])
    assert client.receive(daemon.reply(5, {"goals": []})[:-1]) == Answered(5, "goal.list", {"goals": []})


def test_an_error_reply_carries_code_message_and_data():
    client, daemon = pair(State.INITIALIZED)
    daemon.receive(client.request(5, "goal.show", {"goal": "x"})[:-1])
    assert client.receive(daemon.error(5, ERROR)[:-1]) == Failed(
        5,
        -32002,
        "there is no such goal",
        {"code": "goal.unknown", "message": "there is no such goal", "fix": "", "details": {}},
    )


def test_a_notice_comes_through():
    client, daemon = pair(State.INITIALIZED)
    assert client.receive(daemon.notice("lagged", {"resume_after": 3})[:-1]) == Noticed("lagged", {"resume_after": 3})


def test_a_reply_is_written_once():
    _, daemon = pair(State.INITIALIZED)
    daemon.receive(line(id=1, method="goal.list"))
    daemon.reply(1, {})
    with pytest.raises(LocalProtocolError):
        daemon.reply(1, {})


class Talk(RuleBasedStateMachine):
    """A client and a daemon say whatever they may, in any order: they never disagree about where they are."""

    def __init__(self) -> None:
        super().__init__()
        self.client, self.daemon = Conversation(Role.CLIENT), Conversation(Role.DAEMON)
        self.free = 0

    @precondition(lambda self: self.client.state in {State.NEW, State.INITIALIZED})
    @rule()
    def ask(self):
        method = "initialize" if self.client.state is State.NEW else "goal.list"
        self.daemon.receive(self.client.request(self.free, method, {})[:-1])
        self.free += 1

    @precondition(lambda self: self.daemon.in_flight)
    @rule(data=st.data())
    def answer(self, data):
        id_ = data.draw(st.sampled_from(sorted(self.daemon.in_flight)))
        frame = data.draw(st.sampled_from([self.daemon.reply, self.daemon.error]))(id_, dict(ERROR))
        self.client.receive(frame[:-1])

    @rule(noise=st.sampled_from([b"", b"[]", b"{}", b'{"jsonrpc":"2.0","id":null,"method":"x"}']))
    def disturb(self, noise):
        with pytest.raises(RemoteProtocolError) as caught:
            self.daemon.receive(noise)
        refusal = Refusal(caught.value.code, caught.value.message)
        self.client.receive(self.daemon.error(caught.value.id, refusal.error())[:-1])

    @invariant()
    def both_ends_agree(self):
        assert self.client.state is self.daemon.state
        assert dict(self.client.in_flight) == dict(self.daemon.in_flight)


TestTalk = Talk.TestCase
TestTalk.settings = settings(max_examples=50, stateful_step_count=20)
