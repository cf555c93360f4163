"""Panels: every reviewer counts once, nobody is outvoted, and whoever is missing helps nobody."""

import json
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnd.domain.review.contract import Codec, ResultKind
from harnd.domain.review.output import Assessed
from harnd.domain.review.panel import (
    Finding,
    Opinion,
    Outcome,
    PlanVerdict,
    Severity,
    Vote,
    aggregate,
    opinion_schema,
    read_opinion,
)
from protocol.ids import SpecialistName
from tests.kit.reviews import a_job, a_pair, block, codes, lines, rendered, reviewed

A, B, C = (SpecialistName(name) for name in "abc")
FINDING = {"code": "scope.too-wide", "severity": "blocking", "summary": "Too wide.", "recommendation": "Split it."}


def an_opinion(verdict: str = "approve", *severities: str) -> Opinion:
    findings = tuple(Finding("code", Severity(severity), "Is.", "Do.") for severity in severities)
    return Opinion(PlanVerdict(verdict), "Because.", findings)


APPROVE, ADVISED = an_opinion(), an_opinion("approve", "advisory")
REVISE, BLOCKED = an_opinion("revise", "blocking"), an_opinion("approve", "advisory", "blocking")
ATTENTION = an_opinion("attention")
OPINIONS = (APPROVE, ADVISED, REVISE, BLOCKED, ATTENTION, None)
OUTCOMES = [
    ((APPROVE, APPROVE), Outcome.APPROVED),
    ((APPROVE, ADVISED), Outcome.APPROVED),
    ((APPROVE, REVISE), Outcome.REVISE),
    ((APPROVE, BLOCKED), Outcome.REVISE),
    ((REVISE, REVISE), Outcome.REVISE),
    ((REVISE, ATTENTION), Outcome.ATTENTION),
    ((APPROVE, ATTENTION), Outcome.ATTENTION),
    ((APPROVE, None), Outcome.FAILED),
    ((REVISE, None), Outcome.FAILED),
    ((ATTENTION, None), Outcome.FAILED),
    ((None, None), Outcome.FAILED),
]


@pytest.mark.parametrize(("opinions", "outcome"), OUTCOMES)
def test_what_two_have_come_to(opinions: tuple[Opinion | None, ...], outcome: Outcome):
    assert aggregate([A, B], [Vote(A, opinions[0]), Vote(B, opinions[1])]) is outcome


def test_nobody_passes_nothing():
    assert aggregate([], []) is Outcome.FAILED
    assert aggregate([A], []) is Outcome.FAILED
    assert aggregate([A, B], [Vote(A, APPROVE)]) is Outcome.FAILED
    assert aggregate([], [Vote(A, APPROVE)]) is Outcome.FAILED


def test_one_reviewer_is_one_vote():
    assert aggregate([A, B], [Vote(A, APPROVE), Vote(A, APPROVE)]) is Outcome.FAILED
    assert aggregate([A], [Vote(A, APPROVE), Vote(A, APPROVE)]) is Outcome.APPROVED
    assert aggregate([A], [Vote(A, APPROVE), Vote(A, REVISE)]) is Outcome.FAILED
    assert aggregate([A], [Vote(A, APPROVE), Vote(A, None)]) is Outcome.FAILED


def test_a_vote_of_somebody_else_makes_a_round_invalid():
    assert aggregate([A], [Vote(A, APPROVE), Vote(B, APPROVE)]) is Outcome.FAILED


@given(st.data(), st.lists(st.sampled_from(OPINIONS), min_size=1, max_size=5))
def test_neither_order_nor_repetition_moves_it(data: st.DataObject, opinions: list[Opinion | None]):
    panel = [SpecialistName(f"r{index}") for index in range(len(opinions))]
    votes = [Vote(name, opinion) for name, opinion in zip(panel, opinions, strict=True)]
    shuffled = data.draw(st.permutations(votes + data.draw(st.lists(st.sampled_from(votes)))))
    assert aggregate(data.draw(st.permutations(panel)), shuffled) is aggregate(panel, votes)


def test_taking_a_vote_away_never_helps():
    better = (Outcome.FAILED, Outcome.ATTENTION, Outcome.REVISE, Outcome.APPROVED)
    for opinions in product(OPINIONS, repeat=3):
        votes = [Vote(name, opinion) for name, opinion in zip((A, B, C), opinions, strict=True)]
        whole = aggregate([A, B, C], votes)
        for left_out in range(3):
            without = [Vote(v.reviewer, None) if index == left_out else v for index, v in enumerate(votes)]
            assert better.index(aggregate([A, B, C], without)) <= better.index(whole)
            assert aggregate([A, B, C], votes[:left_out] + votes[left_out + 1 :]) is Outcome.FAILED


# --- what a reviewer writes


def said(**changes: Any) -> dict[str, Any]:
    return {"verdict": "approve", "rationale": "It holds.", "findings": []} | changes


def test_an_opinion_is_read_whole():
    assert read_opinion(json.dumps(said(verdict="revise", findings=[FINDING])).encode()) == Opinion(
        PlanVerdict.REVISE, "It holds.", (Finding("scope.too-wide", Severity.BLOCKING, "Too wide.", "Split it."),)
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (said(verdict="revise"), [("missing", "findings")]),
        (said(verdict="revise", findings=[FINDING | {"severity": "advisory"}]), [("missing", "findings")]),
        (said(verdict="APPROVE"), [("enum", "verdict")]),
        (said(approved="false"), [("unknown_key", "approved")]),
        (said(rationale="x" * 2_001), [("too_long", "rationale")]),
        (said(rationale=" "), [("too_short", "rationale")]),
        (said(rationale="a\x1bb"), [("pattern", "rationale")]),
        (said(findings=[FINDING] * 51), [("too_long", "findings")]),
        (said(findings=[FINDING | {"summary": "x" * 1_001}]), [("too_long", "findings[0].summary")]),
        (said(findings=[FINDING | {"recommendation": "x" * 1_001}]), [("too_long", "findings[0].recommendation")]),
        (said(findings=[FINDING | {"code": "a" * 101}]), [("pattern", "findings[0].code")]),
        (said(findings=[FINDING | {"code": "Scope"}]), [("pattern", "findings[0].code")]),
        (said(findings=[FINDING | {"severity": "major"}]), [("enum", "findings[0].severity")]),
        ({}, [("missing", "verdict"), ("missing", "rationale"), ("missing", "findings")]),
        ([], [("not_an_object", "")]),
    ],
)
def test_the_schema_has_the_bounds_of_the_record(value: Any, expected: list[tuple[str, str]]):
    found = read_opinion(json.dumps(value).encode())
    assert isinstance(found, tuple)
    assert [(problem.code, problem.place) for problem in found] == expected


def test_the_largest_opinion_is_one():
    finding = FINDING | {"code": "a" * 100, "summary": "x" * 1_000, "recommendation": "\u00e9" * 1_000}
    value = json.dumps(said(verdict="revise", rationale="x" * 2_000, findings=[finding] * 50)).encode()
    assert isinstance(read_opinion(value), Opinion)


@pytest.mark.parametrize("value", [b"", b"\xff", b"[" * 5_000, b"null", b'{"verdict": NaN}'])
def test_a_stored_opinion_is_checked_and_nothing_is_raised(value: bytes):
    assert isinstance(read_opinion(value), tuple)


@pytest.mark.parametrize("codec", list(Codec))
def test_a_panel_is_a_job_like_any_other(codec: Codec):
    job, texts = a_job(ResultKind.ASSESSMENT, codec, schema=opinion_schema())
    assert "[a-z][a-z0-9._-]{0,99}" in rendered(job, texts).text
    assert '"maxItems": 50' in rendered(job, texts).text


def test_a_reviewers_output_comes_to_an_opinion():
    job, _ = a_job(ResultKind.ASSESSMENT, schema=opinion_schema())
    text = block(a_pair(), json.dumps(said(findings=[FINDING]), indent=1), "ASSESSMENT")
    (result,) = reviewed(job, text).results
    assert isinstance(result, Assessed)
    assert read_opinion(result.value) == Opinion(
        PlanVerdict.APPROVE, "It holds.", (Finding("scope.too-wide", Severity.BLOCKING, "Too wide.", "Split it."),)
    )
    revise = block(a_pair(), json.dumps(said(verdict="revise"), indent=1), "ASSESSMENT")
    assert codes(job, revise) == ["missing"]
    assert lines(job, revise) == [(5, "missing")]
