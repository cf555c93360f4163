"""Requests are checked whole, and every refusal names its place."""

import json

import pytest

from protocol import bounds, requests
from protocol.conversation import RemoteProtocolError
from protocol.decoding import read_reply, read_request, write
from protocol.errors import Refusal
from protocol.ids import Digest, GoalId, IdempotencyKey
from protocol.replies import Subscribed

DIGEST = "0" * 64


def refused(method: str, params: object) -> Refusal:
    with pytest.raises(Refusal) as caught:
        read_request(method, params)
    return caught.value


def problems(method: str, params: object) -> list[tuple[str, str]]:
    found = refused(method, params).details["problems"]
    assert isinstance(found, list)
    return [(problem["code"], problem["place"]) for problem in found]


def test_a_request_is_read():
    params = {"goal": "billing", "plan": 2, "digest": DIGEST, "key": "k-1"}
    read = requests.ApprovePlan(goal=GoalId("billing"), plan=2, digest=Digest(DIGEST), key=IdempotencyKey("k-1"))
    assert read_request("plan.approve", params) == read


def test_files_travel_as_base64_and_arrive_as_bytes():
    asked = requests.CreateGoal(
        files={"goal.toml": b"\xff\0"}, main="goal.toml", directory="/src", key=IdempotencyKey("k")
    )
    assert write(asked)["files"] == {"goal.toml": "/wA="}
    assert read_request("goal.create", write(asked)) == asked


def test_everything_wrong_is_said_at_once():
    params = {"goal": "No", "plan": "2", "colour": "red", "key": ""}
    assert problems("plan.approve", params) == [
        ("request.unknown_field", "colour"),
        ("request.missing_field", "digest"),
        ("request.bad_field", "goal"),
        ("request.bad_field", "key"),
        ("request.bad_field", "plan"),
    ]


def test_a_refusal_says_what_is_wanted_and_what_was_given():
    refusal = refused("plan.show", {"goal": "billing", "plan": 0})
    assert str(refusal) == "request.bad_field: plan.show: plan: a number from 1 is wanted, not 0"


def test_a_long_value_is_not_sent_back_whole():
    assert len(refused("goal.show", {"goal": "x" * 100_000}).message) < 250


@pytest.mark.parametrize(
    ("method", "params", "place"),
    [
        pytest.param("goal.show", {"goal": "a\n"}, "goal", id="a newline behind an id"),
        pytest.param("goal.show", {"goal": "a" * 64}, "goal", id="an id of 64"),
        pytest.param("goal.show", {"goal": "a-"}, "goal", id="an id that ends in a hyphen"),
        pytest.param("goal.show", {"goal": None}, "goal", id="null for an id"),
        pytest.param("work.show", {"goal": "a", "work": "parser"}, "work", id="a key where an id is wanted"),
        pytest.param("why.show", {"target": "a/parser"}, "target", id="a target with a key"),
        pytest.param("plan.show", {"goal": "a", "plan": 1.0}, "plan", id="a float for a number"),
        pytest.param("plan.show", {"goal": "a", "plan": True}, "plan", id="true for a number"),
        pytest.param("events.list", {"after": -1}, "after", id="a cursor before the beginning"),
        pytest.param("events.list", {"limit": 1_001}, "limit", id="a page too large"),
        pytest.param("goal.cancel", {"goal": "a", "reason": "", "key": "k"}, "reason", id="no reason"),
        pytest.param("goal.cancel", {"goal": "a", "reason": "a\0b", "key": "k"}, "reason", id="NUL in a reason"),
        pytest.param("goal.cancel", {"goal": "a", "reason": "x" * 2_001, "key": "k"}, "reason", id="reason too long"),
    ],
)
def test_a_bad_field_is_refused_at_its_place(method, params, place):
    assert problems(method, params) == [("request.bad_field", place)]


@pytest.mark.parametrize(
    "disposition", ["", "deferred", "deferred:", "deferred: ", "deferred:  \t", "wontfix", "fixed\n", "fixed: yes"]
)
def test_a_finding_is_fixed_or_deferred_with_a_reason(disposition):
    params = {"goal": "a", "work": "p1.x", "digest": DIGEST, "key": "k", "dispositions": {"f1": disposition}}
    assert problems("work.accept", params) == [("request.bad_field", "dispositions[...]")]


def test_a_reopening_has_findings_and_not_too_many():
    params = {"goal": "a", "work": "p1.x", "key": "k"}
    assert problems("work.reopen", params | {"findings": []}) == [("request.bad_field", "findings")]
    assert problems("work.reopen", params | {"findings": ["x"] * (bounds.REOPEN_FINDINGS + 1)}) == [
        ("request.bad_field", "findings")
    ]


@pytest.mark.parametrize("params", [[], ["billing"], None, "billing", 1], ids=json.dumps)
def test_parameters_are_named(params):
    assert refused("goal.show", params).code == "request.not_object"


def test_an_unknown_method_is_refused():
    assert refused("goal.explode", {}).code == "request.unknown_method"


def test_a_reply_with_a_field_that_nobody_knows_is_refused():
    with pytest.raises(RemoteProtocolError, match=r"events\.subscribe"):
        read_reply("events.subscribe", {"after": 1, "before": 2}, Subscribed)
