"""Corrections: the same contract, all that was wrong, and a nonce of their own."""

from harnd.domain.problem import Problem
from harnd.domain.review.contract import Codec
from harnd.domain.review.correction import Correction
from harnd.domain.review.output import Malformed
from protocol import bounds
from tests.kit.reviews import (
    NONCE,
    OTHER_NONCE,
    a_job,
    a_pair,
    a_result,
    block,
    codes,
    honest,
    read,
    rendered,
    reviewed,
)

JOB, TEXTS = a_job()
REJECTED = block(a_pair(), "Fine.\n## Result: OK", "PASS").encode()


def corrected(rejected: bytes = REJECTED, *problems: Problem) -> str:
    found = read(JOB, rejected)
    told = problems or (found.problems if isinstance(found, Malformed) else ())
    return rendered(JOB, TEXTS, nonce=OTHER_NONCE, correction=Correction(rejected, told)).text


def test_a_correction_is_a_complete_prompt():
    text = corrected()
    before, _, after = text.partition("## Correction")
    whole = rendered(JOB, TEXTS, nonce=OTHER_NONCE).text
    assert whole.startswith(before)
    assert whole.endswith(after[after.index("## Answer") :])


def test_it_shows_what_was_refused_as_data_and_why():
    text = corrected()
    assert f"<<< REJECTED BEGIN {OTHER_NONCE} >>>\n\\=== REVIEW START {NONCE} :: a.md :: clear ===\nFine." in text
    assert "- line 3: a.md :: clear: states a result as '## Result: OK'" in text
    assert "[result.alias]" in text


def test_its_nonce_is_another_one():
    assert codes(JOB, REJECTED, nonce=OTHER_NONCE)[0] == "nonce.foreign"
    again = honest(JOB, [a_result(JOB, a_pair())], nonce=OTHER_NONCE)
    assert reviewed(JOB, again, nonce=OTHER_NONCE).results
    assert isinstance(read(JOB, corrected(), nonce=OTHER_NONCE), Malformed)


def test_any_bytes_can_be_shown():
    assert "a\ufffdb\ufffd\n" in corrected(b"a\xffb\0", Problem("not_utf8", "", "is not UTF-8"))
    assert corrected(b"", Problem("empty", "", "there is nothing"))


def test_only_the_beginning_of_a_long_one_is_shown_and_that_is_said():
    most = bounds.REJECTED_OUTPUT_CHARS
    assert "of which the beginning is shown" not in corrected("\U0001f600".encode() * most, Problem("x", "", "y"))
    text = corrected(b"x" * 10_000_000, Problem("too_large", "", "has 10 MiB"))
    assert "It has 10,000,000 bytes, of which the beginning is shown." in text
    assert len(text) < most + 10_000


def test_a_job_that_could_be_asked_can_be_asked_again():
    room = bounds.REVIEW_PROMPT_BYTES - 10_000
    job, texts = a_job(subjects={"a": "x" * room})
    correction = Correction(b"y" * bounds.REJECTED_OUTPUT_CHARS, (Problem("x", "", "y"),))
    assert len(rendered(job, texts, correction=correction).text) > bounds.REVIEW_PROMPT_BYTES


def test_a_problem_is_one_line_whatever_was_found():
    text = corrected(b"x", Problem("pair.unexpected", "a\nb", "was\nnot asked for", line=7))
    assert "- line 7: a b: was not asked for [pair.unexpected]" in text


def test_a_correction_of_json_has_the_schema_again():
    job, texts = a_job(codec=Codec.JSON)
    text = rendered(job, texts, nonce=OTHER_NONCE, correction=Correction(b"{", (Problem("unfinished", "", "x"),))).text
    assert f'"const": "{OTHER_NONCE}"' in text
