"""Group A: what models answered instead of a review in other systems of this kind, each told again here.

`inputs/a` holds the output of one reviewer of a plan per case, made from the clean approval `OK` or from a revision by
the one defect of the case.  Nothing that is unreadable, refused, cut short or empty counts for a plan or against it;
every refusal has a code and a place.  Siblings of each case follow it: in blocks, around them, and next to them.
"""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from harnd.domain.reading import Note
from harnd.domain.review.contract import Codec, ResultKind
from harnd.domain.review.output import Assessed, Malformed, Output
from harnd.domain.review.panel import Opinion, Outcome, PlanVerdict, Vote, aggregate, opinion_schema, read_opinion
from protocol.ids import SpecialistName
from tests.kit.reviews import NONCE, a_job, a_pair, block, read, reviewed

INPUTS = Path(__file__).parent / "inputs" / "a"
NAMES = sorted(path.stem for path in INPUTS.glob("A*.txt"))
REVIEWER = SpecialistName("critic")
PLAN = {"subjects": {"plan-3": "{}"}, "criteria": {"plan-contract": "It is a plan."}, "schema": opinion_schema()}
JOB, _ = a_job(ResultKind.ASSESSMENT, Codec.JSON, **PLAN)  # type: ignore[arg-type]
BLOCKS, _ = a_job(ResultKind.ASSESSMENT, Codec.SENTINEL, **PLAN)  # type: ignore[arg-type]
PAIR = a_pair("plan-3", "plan-contract")


def told(name: str) -> bytes:
    return (INPUTS / f"{name}.txt").read_bytes()


def opinion(content: bytes | str) -> Opinion:
    """Read what the reviewer said, the first time."""
    (result,) = reviewed(JOB, content).results
    assert isinstance(result, Assessed)
    found = read_opinion(result.value)
    assert isinstance(found, Opinion)
    return found


def refused(content: bytes | str) -> list[tuple[str, str]]:
    """Read what nobody may take for a review; where and under which codes it is refused."""
    output = read(JOB, content)
    assert isinstance(output, Malformed), output
    assert outcome(output) is Outcome.FAILED
    return [(problem.code, problem.place) for problem in output.problems]


def outcome(output: Output) -> Outcome:
    """Say what a panel of this one reviewer comes to."""
    found = read_opinion(output.results[0].value) if _is_read(output) else None  # type: ignore[union-attr]
    return aggregate([REVIEWER], [Vote(REVIEWER, found if isinstance(found, Opinion) else None)])


def _is_read(output: Output) -> bool:
    return not isinstance(output, Malformed) and hasattr(output, "results")


def changed(name: str, **changes: Any) -> str:
    answer = json.loads(told(name))
    answer["results"][0]["assessment"] |= changes
    return json.dumps(answer)


def in_block(name: str) -> str:
    """Write the object of a case into a block, as text and with its defect."""
    text = told(name).decode()
    inner = text[text.index('"assessment": ') + len('"assessment": ') : text.rindex("}]}")]
    return block(PAIR, inner, "ASSESSMENT")


# --- what is common to all


def test_there_are_as_many_inputs_as_cases():
    listed = [f"A{number:02}" for number in range(1, 32, 2)]
    assert listed == sorted([*NAMES, "A19"])  # which is made on the spot: ten megabytes


def test_the_clean_answer_is_read():
    assert opinion(told("OK")) == Opinion(PlanVerdict.APPROVE, "No problem found; read 2 files.", ())


@pytest.mark.parametrize("name", sorted({*NAMES} - {"A01"}))
def test_nothing_but_an_approval_approves(name: str):
    assert outcome(read(JOB, told(name))) is not Outcome.APPROVED
    assert outcome(read(BLOCKS, told(name))) is Outcome.FAILED  # and none of them is a block


# --- one by one


def test_a01_an_answer_in_a_fence_is_read_the_first_time():
    assert opinion(told("A01")).verdict is PlanVerdict.APPROVE
    assert refused(told("A01") + b"Done.\n") == [("syntax", "")]
    assert refused(b"Here it is:\n" + told("A01")) == [("syntax", "")]
    assert refused(b"```\n" + told("A01") + b"```") == [("syntax", "")]
    assert refused(told("A01") * 2)[0][0] in ("syntax", "trailing_text")


def test_a03_back_ticks_in_a_text_are_no_fence():
    said = "Use `print` sparingly; the doc block starts with ``` and never ends."
    assert opinion(told("A03")).findings[0].summary == said
    assert opinion(b"```json\n%s\n```" % told("A03")).findings[0].summary == said
    assert len(reviewed(BLOCKS, in_block("A03")).results) == 1


def test_a05_an_answer_that_was_cut_off_is_no_answer():
    assert refused(told("A05")) == [("unfinished", "")]
    whole = told("OK").rstrip()
    for end in range(len(whole)):  # wherever it is cut
        assert refused(whole[:end])[0][0] in ("empty", "no_object", "unfinished", "syntax")
    cut = block(PAIR, '{"verdict": "approve"', "ASSESSMENT")
    assert isinstance(read(BLOCKS, cut), Malformed)
    assert isinstance(read(BLOCKS, in_block("A03")[:-10]), Malformed)


def test_a07_what_is_no_number_is_refused_where_it_stands():
    assert refused(told("A07")) == [("nonfinite", "results[0].assessment.line")]
    assert refused(told("A07").replace(b"Infinity", b"1")) == [("nonfinite", "results[0].assessment.confidence")]
    assert refused(told("A07").replace(b"Infinity", b"1e999"))[0][0] == "nonfinite"
    assert isinstance(read(BLOCKS, in_block("A07")), Malformed)


def test_a09_a_word_is_spelt_as_it_was_asked_for():
    assert refused(told("A09")) == [("enum", "results[0].assessment.verdict")]
    for word in ("Approve", "APPROVE", "approved", " approve", "lgtm", ""):
        assert refused(changed("OK", verdict=word)) == [("enum", "results[0].assessment.verdict")]


def test_a11_nothing_stands_beside_a_verdict_that_could_contradict_it():
    assert refused(told("A11")) == [("unknown_key", "results[0].assessment.approved")]
    assert refused(changed("OK", verdict=True)) == [("type", "results[0].assessment.verdict")]
    answer = json.loads(told("OK")) | {"verdict": "revise"}
    assert refused(json.dumps(answer)) == [("unknown_key", "verdict")]
    twice = told("OK").decode().replace('"rationale"', '"verdict": "revise", "rationale"')
    assert refused(twice) == [("duplicate_key", "results[0].assessment.verdict")]


def test_a13_half_a_character_is_replaced_and_noted():
    assert opinion(told("A13")).findings[0].summary == "broken \ufffd icon"
    place = "results[0].assessment.findings[0].summary"
    assert reviewed(JOB, told("A13")).notes == (Note("surrogate", place),)
    assert json.loads(reviewed(JOB, told("A13")).results[0].value)  # type: ignore[union-attr]
    raw = told("A13").replace(b"\\ud83d", b"\xed\xa0\xbd")
    assert refused(raw) == [("not_utf8", "")]
    assert reviewed(BLOCKS, in_block("A13")).notes == (Note("surrogate", "findings[0].summary"),)


def test_a15_a_nul_is_shown_in_a_text_and_refused_in_a_code():
    assert refused(told("A15")) == [("pattern", "results[0].assessment.findings[0].code")]
    in_text = told("A15").replace(b"mis\\u0000spelt", b"misspelt")
    assert opinion(in_text).findings[0].summary == "K\ufffdrsou is misspelt"
    assert refused(in_text.replace(b"\\u0000", b"\0"))[0][0] == "control_char"
    named = told("OK").replace(b"plan-3", b"plan\\u0000-3")
    assert refused(named) == [("enum", "results[0].subject")]


def test_a17_raw_control_characters_in_a_text_are_refused():
    assert refused(told("A17")) == [("control_char", "")]
    assert refused(changed("OK", rationale="a\x1b[31mred")) == [("pattern", "results[0].assessment.rationale")]
    assert opinion(changed("OK", rationale="first line\n\tsecond line")).rationale == "first line\n\tsecond line"


def test_a19_a_runaway_answer_is_not_read():
    runaway = changed("OK", rationale="x" * 10_000_000).encode()
    began = time.perf_counter()
    assert refused(runaway) == [("too_large", "")]
    assert time.perf_counter() - began < 5
    assert refused(b"\n" * 10_000_000) == [("too_large", "")]
    assert refused(changed("OK", rationale="x" * 2_001)) == [("too_long", "results[0].assessment.rationale")]


def test_a21_a_schema_that_is_given_back_is_known_for_one():
    assert refused(told("A21")) == [("schema_echo", "")]
    assert refused(json.dumps({"schema": json.loads(told("A21"))})) == [("schema_echo", "")]
    assert refused(b"```json\n%s\n```" % told("A21")) == [("schema_echo", "")]
    output = read(BLOCKS, block(PAIR, told("A21").decode(), "ASSESSMENT"))
    assert isinstance(output, Malformed)
    assert output.problems[0].code == "schema_echo"


def test_a23_what_stands_in_a_text_is_never_mended():
    said = 'parts = re.findall(r"[^,]+", s) must exclude commas, } included, ] too'
    assert opinion(told("A23")).findings[0].summary == said
    assert refused(told("A23").replace(b"}]}", b"},]}", 1))[0][0] == "syntax"
    assert len(reviewed(BLOCKS, in_block("A23")).results) == 1


def test_a25_an_empty_file_is_no_answer():
    assert refused(told("A25")) == [("empty", "")]
    assert refused(b"\xef\xbb\xbf") == [("empty", "")]
    assert isinstance(read(BLOCKS, b""), Malformed)


def test_a27_prose_and_an_empty_object_are_two_reasons():
    assert refused(told("A27")) == [("no_object", "")]
    assert refused("{}") == [("nonce.missing", "nonce")]
    assert refused(f'{{"nonce": "{NONCE}"}}') == [("missing", "results")]
    assert refused(f'{{"nonce": "{NONCE}", "results": [{{}}]}}')[0][0] == "missing"
    assert ("missing", "results[0].assessment.verdict") in refused(_empty_assessment())


def _empty_assessment() -> str:
    answer = json.loads(told("OK"))
    answer["results"][0]["assessment"] = {}
    return json.dumps(answer)


def test_a29_white_space_is_no_answer():
    assert refused(told("A29")) == [("empty", "")]
    assert refused("\u200b\u2060\ufeff\u00a0") == [("empty", "")]
    assert isinstance(read(BLOCKS, told("A29")), Malformed)


def test_a31_a_control_token_is_no_answer_and_no_finding_is_no_revision():
    assert refused(told("A31")) == [("empty", "")]
    assert refused("<|im_end|>\n</s>") == [("empty", "")]
    findings = "results[0].assessment.findings"
    assert refused(changed("OK", verdict="revise")) == [("missing", findings)]
    assert refused(changed("A03", findings=[])) == [("missing", findings)]
    judged, _ = a_job()
    token = read(judged, block(a_pair(), "<|im_end|>", "FAIL"))
    assert isinstance(token, Malformed)
    assert [problem.code for problem in token.problems] == ["body.empty"]
