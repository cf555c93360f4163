"""Partitions: which reviewers count as one, by what the harness knows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnd.domain.rejected import Rejected
from harnd.domain.review.partition import HARNESS_DEFAULT, read_register, shipped_register
from harnd.domain.review.provenance import Provenance, Runner, SelfReport
from protocol.ids import HarnessName

REGISTER = read_register(
    '["opus"]\naliases = ["opus-4.8", "vendor/opus"]\nby_effort = false\n["codex"]\naliases = []\nby_effort = true\n'
)


def runner(model: str | None = None, effort: str | None = None) -> Runner:
    return Runner(HarnessName("command"), model, effort)


@pytest.mark.parametrize(
    ("model", "effort", "partition"),
    [
        (None, None, "harness-default"),
        (None, "high", "harness-default"),
        ("opus", None, "opus"),
        ("OPUS-4.8 ", "high", "opus"),
        ("vendor/opus", "low", "opus"),
        ("codex", None, "codex"),
        ("codex", "high", "codex@high"),
        ("new-1", None, "new-1"),
        ("new-1", "high", "new-1@high"),
        ("harness-default", None, "model-559149ec68efb05f"),
        ("a b", "c d", "model-c8687a08aa5d6ed2@model-b561f19fc16eaaac"),
    ],
)
def test_a_partition_is_derived_from_what_is_known(model: str | None, effort: str | None, partition: str):
    assert REGISTER.partition_of(runner(model, effort)) == partition


@given(st.text(), st.none() | st.text())
def test_no_id_takes_the_place_of_another(model: str, effort: str | None):
    found = REGISTER.partition_of(runner(model, effort))
    assert found != HARNESS_DEFAULT
    assert found.isprintable()
    assert ("@" in found) == (effort is not None and found != "opus")


def test_what_is_known_at_the_end_must_match_and_what_is_unknown_contradicts_nothing():
    assert REGISTER.contradicts(HARNESS_DEFAULT, runner()) is None
    opus = REGISTER.partition_of(runner("opus"))
    assert REGISTER.contradicts(opus, runner("opus-4.8", "high")) is None
    assert REGISTER.contradicts(opus, runner()) is None
    problem = REGISTER.contradicts(opus, runner("codex"))
    assert problem is not None
    assert problem.code == "partition.mismatch"


def test_a_claim_is_kept_beside_what_is_known():
    assert Provenance(runner(), SelfReport("opus")).runner.model is None


def test_the_shipped_register_is_one():
    assert shipped_register().partition_of(runner("Claude-Opus-4-8")) == "claude-opus-4.8"


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("[", ["register.syntax"]),
        ("a = 1", ["type"]),
        ("[a]\naliases = []", ["missing"]),
        ('[a]\naliases = ["B"]\nby_effort = 1', ["pattern", "type"]),
        ('["a b"]\naliases = []\nby_effort = true', ["pattern"]),
        ("[harness-default]\naliases = []\nby_effort = true", ["invalid"]),
        (
            '[a]\naliases = ["c"]\nby_effort = true\n[b]\naliases = ["c", "a"]\nby_effort = true',
            ["register.shared"] * 2,
        ),
    ],
)
def test_a_wrong_register_is_refused_whole(text: str, codes: list[str]):
    with pytest.raises(Rejected) as refusal:
        read_register(text)
    assert [problem.code for problem in refusal.value.problems] == codes
