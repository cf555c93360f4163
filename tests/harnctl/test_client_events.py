"""Events, the same for both clients: in order, without a gap or a repeat, across lags and restarts (case E11)."""

import threading
from itertools import islice

import pytest

from harnctl.client import Lost, Presence, Refused, Unreachable
from protocol.decoding import write
from protocol.errors import Refusal
from protocol.framing import write_frame
from protocol.ids import GoalId
from protocol.notices import EventNotice, LaggedNotice
from protocol.requests import ShowPlan, SubscribeEvents
from protocol.values import Instant
from protocol.views import EventView
from tests.kit.clients import KINDS, client_of_kind
from tests.kit.scripted_daemon import HANG_UP, Impostor, after_greeting, golden, silently

GOAL = GoalId("billing-export")
STOPPING = Refusal("daemon.stopping", "the daemon is stopping")
FOR_A_MOMENT = 0.1


def event(seq):
    return EventNotice(
        EventView(seq=seq, goal=GOAL, version=seq, at=Instant(1_790_000_000_000_000), tag="plan.applied/1", body={})
    )


@pytest.fixture(params=KINDS)
def client(request, place):
    with client_of_kind(request.param, place / "harnd.sock") as made:
        yield made


def test_events_come_in_order_and_resume_by_cursor_after_a_lag(client, daemon):
    daemon.told.extend([[event(41), event(42), LaggedNotice(42)], [event(43)]])
    with client.events(40, goal=GOAL) as events:
        assert [happened.seq for happened in islice(events, 3)] == [41, 42, 43]
        assert events.after == 43
    assert daemon.asked == [SubscribeEvents(after=40, goal=GOAL), SubscribeEvents(after=42, goal=GOAL)]


def test_events_go_on_over_a_new_connection_after_the_old_one_broke(client, daemon):
    daemon.told.extend([[event(1), HANG_UP], [event(2)]])
    told: list[Presence] = []
    with client.events(presence=told.append) as events:
        assert [happened.seq for happened in islice(events, 2)] == [1, 2]
    assert daemon.asked == [SubscribeEvents(after=0), SubscribeEvents(after=1)]
    assert (daemon.greeted, told) == (2, [Presence.GONE, Presence.BACK])


def test_a_follower_waits_while_the_daemon_is_stopping(client, daemon):
    daemon.told.extend([[event(1), HANG_UP], [event(2)]])
    subscribed = golden("events.subscribe")
    daemon.answers("events.subscribe", subscribed, STOPPING, STOPPING, subscribed)
    with client.events() as events:
        assert [happened.seq for happened in islice(events, 2)] == [1, 2]


def test_a_daemon_that_was_never_there_is_not_waited_for(client):
    with pytest.raises(Unreachable), client.events(patience_s=60) as events:
        next(events)


def test_a_daemon_that_does_not_come_back_is_not_waited_for_longer_than_was_said(client, daemon):
    daemon.told.append([event(1), HANG_UP])
    daemon.answers("events.subscribe", golden("events.subscribe"), HANG_UP)
    told: list[Presence] = []
    with client.events(presence=told.append, patience_s=FOR_A_MOMENT) as events:
        assert next(events).seq == 1
        with pytest.raises(Lost):
            next(events)
        assert list(events) == []
    assert told == [Presence.GONE]


def test_a_subscription_that_is_refused_is_over(client, daemon):
    daemon.answers("events.subscribe", Refusal("goal.unknown", "no such goal"))
    events = client.events(goal=GOAL)
    with pytest.raises(Refused, match="no such goal"):
        next(events)
    assert list(events) == []


def test_closing_events_hangs_up_and_they_are_over(client, place):
    gone = threading.Event()

    def serve(connection):
        after_greeting(lambda told: told.sendall(subscribed + write_frame(notice)))(connection)
        silently(connection)
        gone.set()

    subscribed = write_frame({"jsonrpc": "2.0", "id": 2, "result": write(golden("events.subscribe"))})
    notice = {"jsonrpc": "2.0", "method": "event", "params": write(event(1))}
    with Impostor(place / "harnd.sock", serve):
        with client.events() as events:
            assert next(events).seq == 1
        assert gone.wait(10)
        assert list(events) == []


def test_events_need_no_connection_until_somebody_wants_one(client, daemon):
    with client.events():
        pass
    assert daemon.greeted == 0


def test_a_client_asks_while_it_follows(client, daemon):
    """What is asked while an event is looked at goes over a connection of its own."""
    daemon.told.append([event(1), event(2)])
    with client.events() as events:
        assert next(events).seq == 1
        assert client.ask(ShowPlan(GOAL, 1)) == golden("plan.show")
        assert next(events).seq == 2
    assert daemon.greeted == 2
