"""The JSON codec: one object with the nonce, read as strictly as a planner's answer."""

import json
from typing import Any

import pytest

from harnd.domain.reading import Note
from harnd.domain.review.contract import Codec, ResultKind
from harnd.domain.review.output import Assessed, Judged, PairError, Reported, Reviewed, Verdict, WorkerError
from tests.kit.reviews import NONCE, OTHER_NONCE, a_job, a_pair, a_result, codes, honest, lines, read, reviewed

ONE, TWO = a_pair(), a_pair(criterion="short")
JOB, _ = a_job(codec=Codec.JSON, criteria={"clear": "Is it clear?", "short": "Is it short?"})
SINGLE, _ = a_job(codec=Codec.JSON)
REPORT, _ = a_job(ResultKind.REPORT, Codec.JSON)
ASSESSMENT, _ = a_job(ResultKind.ASSESSMENT, Codec.JSON)


def entry(**changes: Any) -> dict[str, Any]:
    plain = {"subject": "a.md", "criterion": "clear", "result": "PASS", "body": "It is clear."} | changes
    return {name: value for name, value in plain.items() if value is not None}


def answer(*entries: dict[str, Any], **changes: Any) -> str:
    return json.dumps({"nonce": NONCE, "results": list(entries) or [entry()]} | changes, indent=1)


def test_every_pair_has_its_result_in_the_order_in_which_it_was_asked_for():
    text = answer(entry(criterion="short", result="FAIL", body="- major: no"), entry(), self_reported_model="m-1")
    assert reviewed(JOB, text) == Reviewed(
        (Judged(ONE, Verdict.PASS, "It is clear."), Judged(TWO, Verdict.FAIL, "- major: no")), self_report="m-1"
    )


def test_a_report_and_an_assessment_have_words_of_their_own():
    assert reviewed(REPORT, answer(entry(result="REPORT"))).results == (Reported(ONE, "It is clear."),)
    value = entry(result="ASSESSMENT", body=None, assessment={"score": 2})
    assert reviewed(ASSESSMENT, answer(value)).results == (Assessed(ONE, b'{"score":2}'),)


@pytest.mark.parametrize("around", ["{}", "\n\n{}\n", "\ufeff{}", "```json\n{}\n```\n", "~~~\n{}\n~~~", "```\n{}```"])
def test_one_fence_around_the_whole_is_taken_away(around: str):
    assert reviewed(SINGLE, around.replace("{}", answer())).results


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I looked at the change and it seems fine to me.", [(0, "no_object")]),
        ("I'm sorry, but I can't help with that.", [(0, "refusal")]),
        (f"Here it is:\n{answer()}", [(1, "syntax")]),
        (f"```json\n{answer()}\n```\nDone.", [(1, "syntax")]),
        (f"```json\n```json\n{answer()}\n```\n```", [(2, "syntax")]),
        (answer()[:40], [(2, "unfinished")]),
        (answer() + "{}", [(11, "several_values")]),
        (answer() + "\nDone.", [(12, "trailing_text")]),
        ("{}", [(0, "nonce.missing")]),
        (answer(nonce=OTHER_NONCE, results=1), [(2, "nonce.foreign")]),
        (answer(nonce=NONCE.upper()), [(2, "nonce.foreign")]),
        (answer(nonce=1), [(2, "nonce.foreign")]),
        (answer(results=[]), [(3, "too_short")]),
        (answer(entry(), entry()), [(3, "too_long")]),
        (answer(approved="false"), [(11, "unknown_key")]),
        (answer(entry(approved="false")), [(9, "unknown_key")]),
        (answer(entry(result="pass")), [(7, "enum")]),
        (answer(entry(result=["PASS"])), [(7, "type")]),
        (answer(entry(result="REPORT")), [(7, "enum")]),
        (answer(entry(body="")), [(8, "too_short")]),
        (answer(entry(body=None)), [(4, "missing")]),
        (answer(entry(subject="b.md", criterion="Clear")), [(5, "enum"), (6, "enum")]),
        (answer(entry(subject="a\0.md")), [(5, "enum")]),
        (answer(self_reported_model=""), [(11, "too_short")]),
        (answer(self_reported_model="a\nb"), [(11, "pattern")]),
        (f'{{"nonce": "{NONCE}",\n"nonce": "{NONCE}"}}', [(1, "duplicate_key")]),
        (f'{{"nonce": "{NONCE}",\n"n": NaN}}', [(2, "nonfinite")]),
        (f'{{"nonce": "{NONCE}",\n"n": "a\x1bb"}}', [(2, "control_char")]),
        ('{"$schema": "x", "type": "object", "properties": {}}', [(0, "schema_echo")]),
    ],
)
def test_anything_else_is_refused_with_its_line(text: str, expected: list[tuple[int, str]]):
    assert lines(SINGLE, text) == expected


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("Verdict: FAIL", "result.alias"),
        ("It is fine.\n## Result: PASS", "result.alias"),
        ("<|im_end|>", "body.empty"),
        ("a\x1bb", "control_char"),
        ("a\rb", "control_char"),
        ("x" * 100_001, "too_long"),
    ],
)
def test_a_body_gives_reasons_and_no_other_result(body: str, code: str):
    assert lines(SINGLE, answer(entry(body=body))) == [(8 if code == "too_long" else 4, code)]


@pytest.mark.parametrize(
    "body", ["```\n## Result: ERROR\n```", "    Verdict: FAIL", "see `## Result: ERROR`", "a\n\tb"]
)
def test_prose_and_quotations_kill_nothing(body: str):
    assert reviewed(SINGLE, answer(entry(body=body))).results == (Judged(ONE, Verdict.PASS, body),)


def test_lines_end_as_they_do_everywhere():
    assert reviewed(SINGLE, answer(entry(body="a\r\n\\Verdict: FAIL\r\n"))).results == (
        Judged(ONE, Verdict.PASS, "a\nVerdict: FAIL"),
    )


def test_the_same_pair_twice_and_another_not_at_all():
    assert lines(JOB, answer(entry(), entry())) == [(10, "pair.duplicate"), (0, "pair.missing")]


def test_an_error_is_neither_for_nor_against():
    text = answer(entry(), entry(criterion="short", result="ERROR", body="Verdict: PASS, but I cannot read it."))
    assert read(JOB, text) == WorkerError((PairError(TWO, "Verdict: PASS, but I cannot read it."),))
    assert isinstance(read(ASSESSMENT, answer(entry(result="ERROR"))), WorkerError)


def test_an_assessment_is_held_against_its_schema():
    wrong = entry(result="ASSESSMENT", body=None, assessment={"score": "high", "notes": []})
    assert lines(ASSESSMENT, answer(wrong)) == [(9, "type"), (10, "unknown_key")]
    assert codes(ASSESSMENT, answer(entry(result="ASSESSMENT"))) == ["unknown_key", "missing"]


def test_what_cannot_be_stored_is_replaced_and_noted():
    text = answer(entry(body="broken X icon")).replace("X", "\\ud83d")
    assert reviewed(SINGLE, text) == Reviewed(
        (Judged(ONE, Verdict.PASS, "broken \ufffd icon"),), notes=(Note("surrogate", "results[0].body"),)
    )


def test_output_of_another_task_over_the_same_pairs_is_refused():
    other = honest(SINGLE, [a_result(SINGLE, ONE)], nonce=OTHER_NONCE)
    assert codes(SINGLE, other) == ["nonce.foreign"]
