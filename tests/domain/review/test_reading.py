"""What bytes there are, before anybody asks what they say: both codecs refuse the same."""

import pytest
from msgspec.structs import replace

from harnd.domain.review.contract import Codec, ResultKind
from harnd.domain.review.coverage import Covered, Extent
from harnd.domain.review.output import Malformed
from protocol import bounds
from tests.kit.reviews import a_job, a_pair, a_result, codes, honest, lines, read, rendered, reviewed


@pytest.fixture(params=list(Codec))
def codec(request):
    return request.param


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", [(0, "empty")]),
        (b"\n\n \t", [(0, "empty")]),
        (b"\xef\xbb\xbf\n", [(0, "empty")]),
        ("<\uff5cDEMO\uff5ctool_calls>\n<|im_end|>".encode(), [(0, "empty")]),
        (b"\0\0\0", [(0, "empty")]),
        (b"fine\nso \xff", [(2, "not_utf8")]),
        (b"\xff\xfeP\0A\0S\0S\0", [(1, "not_utf8")]),
        (b"a \xed\xa0\xbd", [(1, "not_utf8")]),
        (b"x" * (bounds.ANSWER_BYTES + 1), [(0, "too_large")]),
        (b"\xff" * (bounds.ANSWER_BYTES + 1), [(0, "too_large")]),
    ],
)
def test_what_is_no_text_to_read_is_refused(codec: Codec, content: bytes, expected: list[tuple[int, str]]):
    job, _ = a_job(codec=codec)
    assert lines(job, content) == expected


def test_the_largest_output_is_read_whole(codec: Codec):
    job, _ = a_job(codec=codec)
    text = honest(job, [a_result(job, a_pair(), "x" * bounds.REVIEW_BODY_CHARS)])
    padded = text + b" " * (bounds.ANSWER_BYTES - len(text))
    assert reviewed(job, padded).results
    assert codes(job, padded + b" ") == ["too_large"]


@pytest.mark.parametrize("kind", list(ResultKind))
def test_a_prompt_given_back_is_no_answer(codec: Codec, kind: ResultKind):
    job, texts = a_job(kind, codec)
    prompt = rendered(job, texts).text
    assert isinstance(read(job, prompt), Malformed)
    assert isinstance(read(job, "\n".join(line.removeprefix("    ") for line in prompt.split("\n"))), Malformed)


def test_an_omission_means_no_pass(codec: Codec):
    job, texts = a_job(codec=codec, subjects={"a": "A.", "b": "B."})
    covered = (Covered("x.png", Extent.OMITTED, "is binary"), Covered("y.py", Extent.FULL))
    first, second = (replace(subject, coverage=covered) for subject in job.subjects)
    one = replace(job, subjects=(first, job.subjects[1]))
    passed = honest(job, [a_result(job, pair) for pair in job.pairs])
    warned = honest(job, [a_result(job, job.pairs[0], verdict="WARN"), a_result(job, job.pairs[1])])
    assert codes(one, passed) == ["result.pass_withheld"]
    assert len(reviewed(one, warned).results) == 2
    assert "PASS is not open to `a :: clear`." in rendered(one, texts).text

    neither = replace(job, subjects=(first, second))
    assert set(codes(neither, passed)) <= {"enum", "result.pass_withheld"}
    assert "`PASS`" not in rendered(neither, texts).text
