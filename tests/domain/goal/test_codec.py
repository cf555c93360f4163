"""Stored events: each as one JSON object under a hand-written tag; what a release wrote is read for ever.

`golden/<tag>.json` holds every event as it was first written, with all its parts and (`.least`) with none that may be
missing; other words before `.json` name further forms.  A golden file is never changed: a new meaning gets a new
version of the tag, and a file of its own.
"""

import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest

from harnd.domain.digest import canonical, digest_of
from harnd.domain.goal import events as e
from harnd.domain.goal.codec import UnreadableEventError, decode, encode, fold
from harnd.domain.goal.commands import GoalCommand
from harnd.domain.goal.decide import decide
from harnd.domain.goal.evolve import evolve
from harnd.domain.goal.goal import Goal
from protocol.values import Instant
from tests.kit.given import (
    T0,
    a_plan,
    an_intent,
    answered,
    applied,
    babbled,
    create,
    draft,
    failed,
    in_review,
    live,
    moved,
    proved,
    reopen,
    succeeded,
    tick,
    working,
)

GOLDEN = Path(__file__).parent / "golden"
FILES = sorted(path.name for path in GOLDEN.glob("*.json"))
EVENTS: dict[str, type[e.Event]] = {str(kind.__struct_config__.tag): kind for kind in get_args(e.GoalEvent)}


def golden(name: str) -> Any:
    return json.loads((GOLDEN / name).read_text(encoding="utf-8"))


def file_of(tag: str) -> str:
    return f"{tag.replace('/', '.')}.json"


# --- golden events


def test_every_event_has_its_golden_files():
    assert {file_of(tag) for tag in EVENTS} <= set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_a_golden_event_is_read_and_written_as_it_was(name):
    stored = golden(name)
    event = decode(canonical(stored))
    tag, body = encode(event)
    assert (tag, json.loads(body)) == (stored["type"], stored)
    assert file_of(tag) == re.sub(r"\.[a-z]+(?=\.json$)", "", name)


@pytest.mark.parametrize("tag", sorted(EVENTS))
def test_a_golden_event_has_all_its_parts(tag):
    assert set(golden(file_of(tag))) == {"type", *EVENTS[tag].__struct_fields__}


def test_tags_are_dotted_words_with_a_version_and_belong_to_one_event():
    assert [tag for tag in EVENTS if not re.fullmatch(r"[a-z_]+\.[a-z_]+/[1-9][0-9]*", tag)] == []
    assert len(EVENTS) == len(get_args(e.GoalEvent))


def test_the_digest_of_a_frozen_intent_does_not_move():
    created = golden("goal.created.1.json")
    assert digest_of(created["intent"]) == created["digest"]
    event = decode(canonical(created))
    assert isinstance(event, e.GoalCreated)
    assert event.intent.digest() == event.digest


# --- what is not there


def test_what_may_be_missing_is_absent_and_never_null():
    stored = encode(e.AttemptEnded(**vars_of(failed_attempt())))[1]
    assert b"null" not in stored
    assert set(json.loads(stored)) == {
        "type",
        "work",
        "attempt",
        "outcome",
        "charged",
        "ran",
        "usage",
        "failure",
        "detail",
    }


def failed_attempt() -> e.AttemptEnded:
    (event,) = decide(working(), failed("p1.a"))
    assert isinstance(event, e.AttemptEnded)
    return event


def vars_of(event: e.Event) -> dict[str, Any]:
    return {name: getattr(event, name) for name in event.__struct_fields__}


# --- what is refused


@pytest.mark.parametrize(
    "body",
    [
        b'{"type":"goal.ticked/2"}',
        b'{"type":"goal.rolled_back/1"}',
        b'{"type":"GoalTicked"}',
        b"{}",
        b"[]",
        b"null",
        b"",
        b"\0" * 40,
        b'{"type":"goal.ticked/1"',
        b'{"type":"goal.cancelled/1","by":"ada"}',
        b'{"type":"goal.cancelled/1","by":"ada","reason":7}',
        b'{"type":"attempt.superseded/1","work":"p1.a","attempt":1,"outcome":"splendid"}',
        b'{"type":"goal.cancelled/1","by":"\xff","reason":"x"}',
    ],
    ids=[
        "later version",
        "unknown tag",
        "name of a class",
        "no tag",
        "list",
        "null",
        "nothing",
        "zero bytes",
        "torn",
        "missing part",
        "wrong type",
        "unknown word",
        "not UTF-8",
    ],
)
def test_what_cannot_be_understood_is_never_passed_over(body):
    with pytest.raises(UnreadableEventError):
        decode(body)
    with pytest.raises(UnreadableEventError):
        fold([(T0, encode(e.GoalCreated(an_intent(), an_intent().digest(), "ada"))[1]), (T0, body)])


# --- folding


def history() -> tuple[Goal, list[tuple[Instant, bytes]]]:
    """A goal that has lived, and what was stored of it."""
    goal: Goal | None = None
    stored: list[tuple[Instant, bytes]] = []
    plan = a_plan(draft("a"), draft("b", "a"))
    life: list[GoalCommand] = [create(an_intent()), tick(), babbled(), tick(), answered(plan, call=2)]
    for second, command in enumerate(life):
        for event in decide(goal, command):
            goal = evolve(goal, event, Instant(T0 + second))
            stored.append((Instant(T0 + second), encode(event)[1]))
    assert goal is not None
    return goal, stored


def test_the_fold_of_what_was_stored_is_the_live_state():
    goal, stored = history()
    assert fold(stored) == goal


@pytest.mark.parametrize("cut", [1, 3, 8])
def test_a_fold_goes_on_from_where_another_ended(cut):
    goal, stored = history()
    assert fold(stored[cut:], fold(stored[:cut])) == goal


def test_the_fold_of_nothing_is_no_goal():
    assert fold([]) is None


@pytest.mark.parametrize(
    "goal",
    [applied(), working(), live(in_review(), reopen("p1.a"))],
    ids=["applied", "working", "reopened"],
)
def test_events_of_every_kind_come_back_as_they_were(goal):
    for command in (tick(), succeeded("p1.a"), failed("p1.a"), proved("p1.a"), moved("p1.a")):
        for event in decide(goal, command):
            assert decode(encode(event)[1]) == event
