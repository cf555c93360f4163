"""Ages, amounts and screens are said the way a person says them."""

import io
import time

import pytest

from harnctl.render import words
from harnctl.render.marks import MARKS, marked
from harnctl.render.screen import Screen
from protocol.values import AttemptOutcome, Instant, MicroDollars, Phase, PlanStatus, Verdict, WorkState


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-5, "0s"),
        (59.999999, "59s"),
        (60, "1m"),
        (3_599, "59m"),
        (3_600, "1h"),
        (3_660, "1h 1m"),
        (86_399, "23h 59m"),
        (86_400, "1d"),
        (183_600, "2d 3h"),
    ],
)
def test_a_duration_is_said_in_at_most_two_units(seconds, said):
    assert words.duration(int(seconds * 1_000_000)) == said


def test_an_unknown_cost_is_unknown_and_a_small_one_is_a_cent():
    assert [words.money(m) for m in (None, MicroDollars(0), MicroDollars(1), MicroDollars(12_340_000))] == [
        "unknown",
        "$0.00",
        "$0.01",
        "$12.34",
    ]


def test_a_moment_of_today_is_said_to_the_second_and_another_with_its_date(monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    now = Instant(1_784_900_000_000_000)
    assert words.moment(now, now) == "13:33:20"
    assert words.moment(now, Instant(now + 86_400_000_000)) == "2026-07-24 13:33"


@pytest.mark.parametrize("vocabulary", [Phase, PlanStatus, WorkState, AttemptOutcome, Verdict])
def test_every_state_has_a_mark_and_is_told_apart_by_its_word(vocabulary):
    shown = [marked(state).text for state in vocabulary]
    assert len(set(shown)) == len(vocabulary)
    assert all(state in MARKS for state in vocabulary)


@pytest.mark.parametrize(
    ("environ", "colour"),
    [({}, True), ({"NO_COLOR": ""}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
)
def test_a_terminal_has_colour_unless_the_person_says_no(environ, colour):
    assert Screen.of(Terminal(), environ).colour is colour


def test_a_pipe_has_no_colour_and_no_width():
    assert Screen.of(io.StringIO(), {}) == Screen(columns=1_000, colour=False, unicode=False)
