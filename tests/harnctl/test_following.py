"""How long somebody waits for a daemon, told by a clock that the test holds."""

import math

import pytest

from harnctl.client import Barred, Late, Lost, Presence, ProtocolError, Refused, Unreachable
from harnctl.client.following import Cursor
from harnctl.client.patience import PAUSES, Patience, passes
from protocol.notices import EventNotice
from tests.kit.scripted_daemon import golden

GONE = Unreachable("nobody")
EVENT = EventNotice(golden("events.list").events[0])


@pytest.mark.parametrize(
    ("error", "whether"),
    [
        (Unreachable("nobody"), True),
        (Lost("broke"), True),
        (Late("slow"), True),
        (Barred("not yours"), False),
        (Refused("daemon.busy", "full"), True),
        (Refused("store.unavailable", "disk full"), True),
        (Refused("plan.stale", "another"), False),
        (Refused("some.rule", "no"), False),
        (ProtocolError("frame.nul", "a NUL"), False),
    ],
)
def test_an_error_passes_when_time_can_mend_it(error, whether):
    assert passes(error) is whether


def test_pauses_grow_and_the_last_one_ends_with_the_patience():
    patience, now, pauses = Patience(6.0, now=100.0), 100.0, list[float]()
    while (pause := patience.pause(GONE, now=now)) is not None:
        pauses.append(pause)
        now += pause
    assert (tuple(pauses[:6]), now) == (PAUSES, 106.0)
    assert pauses[6:] == [PAUSES[-1], pytest.approx(0.15)]


def test_the_first_lost_answer_is_asked_for_again_at_once_and_without_patience():
    patience = Patience(0.0, now=0.0)
    assert (patience.pause(Lost("broke"), now=0.0), patience.pause(Lost("broke"), now=0.0)) == (0.0, None)


def waits(cursor, *, begin, now):
    """Until when a follower waits for a daemon that goes away at `begin` and, while it is asked, stays away."""
    cursor.begin(begin)
    while (pause := cursor.pause(GONE, now)) is not None:
        now += pause
    return now


def test_a_daemon_that_was_never_there_is_not_waited_for():
    assert Cursor(after=0, goal=None).pause(GONE, 0.0) is None


def test_a_daemon_is_waited_for_from_when_it_went_away():
    assert waits(Cursor(after=0, goal=None, patience_s=30), begin=0.0, now=5_000.0) == 5_030.0


def test_a_daemon_that_answers_and_goes_away_is_not_asked_for_ever():
    cursor = Cursor(after=0, goal=None, patience_s=30)
    cursor.begin(0.0)
    now = 0.0
    while (pause := cursor.pause(GONE, now)) is not None:
        now += pause
        cursor.begin(now)
    assert now == 30.0


def test_an_event_or_a_stay_as_long_as_the_patience_begins_anew():
    cursor = Cursor(after=0, goal=None, patience_s=30)
    assert waits(cursor, begin=0.0, now=1.0) == 31.0
    assert waits(cursor, begin=31.0, now=60.9) == 60.9  # gone again too soon, and no patience is left
    assert waits(cursor, begin=61.0, now=91.0) == 121.0
    cursor.take(EVENT)
    assert waits(cursor, begin=121.0, now=122.0) == 152.0


@pytest.mark.parametrize("patience_s", [300, math.inf])
def test_a_daemon_that_stayed_for_half_a_minute_is_waited_for_from_the_shortest_pause_on(patience_s):
    cursor = Cursor(after=0, goal=None, patience_s=patience_s)
    cursor.begin(0.0)
    now = 0.0
    for expected in (*PAUSES, PAUSES[-1]):
        assert cursor.pause(GONE, now) == expected
        now += expected
    cursor.begin(100.0)
    assert cursor.pause(GONE, 129.9) == PAUSES[-1]  # gone again too soon
    cursor.begin(200.0)
    assert cursor.pause(GONE, 230.0) == PAUSES[0]


def test_each_absence_is_told_once():
    told: list[Presence] = []
    cursor = Cursor(after=0, goal=None, presence=told.append)
    cursor.begin(0.0)
    for _ in range(3):
        cursor.pause(GONE, 1.0)
    cursor.begin(2.0)
    cursor.begin(3.0)
    assert told == [Presence.GONE, Presence.BACK]
