"""The sentinel codec: blocks with the nonce and the whole key, all of them or none."""

import pytest

from harnd.domain.reading import Note
from harnd.domain.review.contract import Codec, ResultKind
from harnd.domain.review.marks import block_end, block_start
from harnd.domain.review.output import Assessed, Judged, PairError, Reported, Reviewed, Verdict, WorkerError
from tests.kit.reviews import NONCE, OTHER_NONCE, a_job, a_pair, a_result, block, codes, honest, lines, read, reviewed

ONE, TWO = a_pair(), a_pair(criterion="short")
JOB, _ = a_job(criteria={"clear": "Is it clear?", "short": "Is it short?"})
SINGLE, _ = a_job()
REPORT, _ = a_job(ResultKind.REPORT)
ASSESSMENT, _ = a_job(ResultKind.ASSESSMENT)
GOOD = f"{block(ONE, 'It is clear.', 'PASS')}\n{block(TWO, '- major: too long', 'FAIL')}\n"


def body(text: str, word: str = "PASS") -> str:
    return block(ONE, text, word)


def raw(*inside: str) -> str:
    return "\n".join((block_start(NONCE, ONE), *inside, block_end(NONCE, ONE)))


def test_every_pair_has_its_result():
    assert reviewed(JOB, GOOD) == Reviewed(
        (Judged(ONE, Verdict.PASS, "It is clear."), Judged(TWO, Verdict.FAIL, "- major: too long"))
    )


def test_results_stand_in_the_order_in_which_they_were_asked_for():
    swapped = f"{block(TWO, 'b', 'WARN')}\n{block(ONE, 'a', 'PASS')}"
    assert [result.pair for result in reviewed(JOB, swapped).results] == [ONE, TWO]


@pytest.mark.parametrize(
    "text",
    [
        f"I have looked at it.\n\n{GOOD}\nThat is all. ## Result: maybe\n",
        f"```markdown\n{GOOD}```\n",
        f"\ufeff{GOOD}",
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("=== REVIEW", "  === REVIEW").replace("PASS\n", "PASS  \n"),
        GOOD.rstrip(),
    ],
)
def test_text_outside_the_blocks_is_ignored(text: str):
    assert [result.pair for result in reviewed(JOB, text).results] == [ONE, TWO]


def test_a_report_and_an_assessment_have_words_of_their_own():
    assert reviewed(REPORT, body("All there is.", "REPORT")).results == (Reported(ONE, "All there is."),)
    found = reviewed(ASSESSMENT, body('{"note": "n",\n "score": 2}', "ASSESSMENT")).results
    assert found == (Assessed(ONE, b'{"note":"n","score":2}'),)


# --- blocks


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PASS", [(0, "block.none")]),
        ("I'm sorry, but I can't help with that.", [(0, "refusal")]),
        ('{"nonce": "' + NONCE + '"}', [(0, "block.none")]),
        (block(ONE, "a", "PASS"), [(0, "pair.missing")]),
        (f"{GOOD}{block(ONE, 'a', 'FAIL')}", [(11, "pair.duplicate")]),
        (f"{GOOD}{block(a_pair('b.md'), 'a', 'FAIL')}", [(11, "pair.unexpected")]),
        (f"{GOOD}{block(a_pair('a.md', 'Clear'), 'a', 'FAIL')}", [(11, "pair.unexpected")]),
        (GOOD.rpartition("===")[0].rpartition("\n")[0], [(6, "block.unterminated")]),
        (block_start(NONCE, ONE) + "\n" + GOOD, [(2, "block.nested"), (2, "pair.duplicate")]),
        (GOOD + block_end(NONCE, ONE), [(11, "block.stray_end")]),
        (GOOD.replace(block_end(NONCE, ONE), block_end(NONCE, TWO)), [(5, "block.mismatch")]),
        (f"=== REVIEW START {NONCE} ===\n{GOOD}", [(1, "block.malformed")]),
        (f"=== REVIEW START {NONCE} :: a.md :: clear\n{GOOD}", [(1, "block.malformed")]),
        (f"=== REVIEW START :: a.md :: clear ===\n{GOOD}", [(1, "block.malformed")]),
        (f"=== PAIR REVIEW START: a.md :: clear ===\n{GOOD}", [(1, "block.malformed")]),
        (GOOD.replace("too long", f"x\n=== REVIEW END {NONCE}"), [(8, "block.malformed")]),
    ],
)
def test_what_is_wrong_with_blocks_is_said_with_its_line(text: str, expected: list[tuple[int, str]]):
    assert lines(JOB, text) == expected


def test_output_of_another_task_over_the_same_pairs_is_refused():
    other = honest(SINGLE, [a_result(SINGLE, ONE)], nonce=OTHER_NONCE)
    assert lines(SINGLE, other) == [(1, "nonce.foreign"), (5, "nonce.foreign"), (0, "pair.missing")]
    assert lines(SINGLE, other.decode() + body("a")) == [(1, "nonce.foreign"), (5, "nonce.foreign")]
    assert reviewed(SINGLE, body(f"As there:\n{other.decode()}", "FAIL").replace("## Result: PASS\n", "", 1)).results


# --- results


@pytest.mark.parametrize(
    ("inside", "code"),
    [
        (["It is fine."], "result.missing"),
        (["It is fine.", "PASS"], "result.missing"),
        (["It is fine.", "    ## Result: PASS"], "result.missing"),
        (["It is fine.", "> ## Result: PASS"], "result.missing"),
        (["It is fine.", "## Result: OK"], "result.alias"),
        (["It is fine.", "## Result: pass"], "result.alias"),
        (["It is fine.", "## Result:"], "result.alias"),
        (["It is fine.", "# Result: PASS"], "result.alias"),
        (["It is fine.", "##Result: PASS"], "result.alias"),
        (["It is fine.", "## Result: PASS."], "result.alias"),
        (["It is fine.", "  ## Result: PASS"], "result.alias"),
        (["It is fine.", "## **Result**: PASS"], "result.alias"),
        (["It is fine.", "Verdict: PASS"], "result.alias"),
        (["Verdict: PASS", "## Result: PASS"], "result.alias"),
        (["**Verdict:** fail", "## Result: PASS"], "result.alias"),
        (["OUTCOME = ok", "## Result: PASS"], "result.alias"),
        (["Revised result: FAIL", "## Result: PASS"], "result.alias"),
        (["Flagging as WARN.", "## Result: PASS"], "result.alias"),
        (["It is fine.", "## Result: PASS", "By the way."], "result.not_last"),
        (["It is fine.", "## Result: PASS", "## Result: PASS"], "result.several"),
        (["It is fine.", "## Result: PASS", "But then.", "## Result: FAIL"], "result.several"),
        (["It is fine.", "## Result: ERROR", "## Result: PASS"], "result.several"),
        (["It is fine.", "## Result: REPORT"], "result.word"),
        (["It is fine.", "## Result: ASSESSMENT"], "result.word"),
        (["## Result: PASS"], "body.empty"),
        (["", " \t", "## Result: PASS"], "body.empty"),
        (["<|im_end|>", "## Result: FAIL"], "body.empty"),
        (["a\x1b[31m", "## Result: PASS"], "control_char"),
        (["a\0b", "## Result: PASS"], "control_char"),
        (["a\rb", "## Result: PASS"], "control_char"),
        (["a\x85b", "## Result: PASS"], "control_char"),
        (["x" * 100_001, "## Result: PASS"], "body.too_long"),
    ],
)
def test_a_block_has_one_result_and_reasons(inside: list[str], code: str):
    assert code in codes(SINGLE, raw(*inside))


def test_a_verdict_in_a_report_is_refused():
    assert codes(REPORT, body("All.", "PASS")) == ["result.word"]
    assert codes(REPORT, raw("Verdict: PASS", "## Result: REPORT")) == ["result.alias"]


@pytest.mark.parametrize(
    "text",
    [
        *("none", "Approved", "Summary", "ok", "UNKNOWN", "PASS", "FAIL"),
        "The result: the function returns None.",
        "result = compute()",
        "## Results of the run\n\nAll green.",
        "## Outcome\n\nWe approve.",
        "Result: it passes, mostly, and I would say PASS.",
        "- major: line 3 says `## Result: ERROR`",
        "> ## Result: ERROR",
        "    ## Result: ERROR",
        "```\n## Result: ERROR\nVerdict: PASS\n```",
        "~~~text\n## Result: ERROR\n```\n~~~~",
        "````\n```\n## Result: ERROR\n````",
        "```\nnever closed",
        "```python never closed either",
        f"{block_start(OTHER_NONCE, ONE)}\nof another task",
        "--- START REVIEW",
        "\u2028## Result: PASS",
    ],
)
def test_prose_and_quotations_kill_nothing(text: str):
    assert reviewed(SINGLE, body(text, "FAIL")).results == (Judged(ONE, Verdict.FAIL, text.lstrip("\n")),)


@pytest.mark.parametrize(
    "line",
    ["## Result: ERROR", "Verdict: PASS", block_end(NONCE, ONE), block_start(NONCE, TWO), "self-reported-model: x"],
)
def test_a_backslash_quotes_any_line_and_is_taken_away(line: str):
    assert reviewed(SINGLE, body(f"It says\n\\{line}\n\\\\{line}", "WARN")).results == (
        Judged(ONE, Verdict.WARN, f"It says\n{line}\n\\{line}"),
    )


def test_a_fence_never_hides_the_end_of_a_block():
    fence = "```\n" + block_end(NONCE, ONE) + "\n```\n## Result: PASS\n"
    assert "block.unterminated" not in codes(SINGLE, block_start(NONCE, ONE) + "\n" + fence)
    assert codes(SINGLE, raw("```", "## Result: PASS", "```")) == ["result.missing"]


# --- errors that a worker reports


def test_an_error_is_neither_for_nor_against():
    text = f"{block(ONE, 'Fine.', 'PASS')}\n{block(TWO, 'The input is not readable.', 'ERROR')}"
    assert read(JOB, text) == WorkerError((PairError(TWO, "The input is not readable."),))
    for job in (REPORT, ASSESSMENT):
        assert isinstance(read(job, body("I have no tool for it.", "ERROR")), WorkerError)


def test_an_error_without_a_reason_is_no_answer():
    assert codes(SINGLE, raw("## Result: ERROR")) == ["body.empty"]


# --- what a worker says of itself


def test_one_line_before_the_blocks_reports_the_model():
    assert reviewed(JOB, f"Hello.\nself-reported-model:  m-1 \n{GOOD}").self_report == "m-1"
    assert reviewed(JOB, f"{GOOD}self-reported-model: m-1\n").self_report is None
    assert reviewed(SINGLE, body("self-reported-model: m-1")).self_report is None


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("self-reported-model:", ["self_report.form"]),
        ("self-reported-model: " + "m" * 201, ["self_report.form"]),
        ("self-reported-model: a\tb", ["self_report.form"]),
        ("self-reported-model: a\nself-reported-model: a", ["self_report.twice"]),
    ],
)
def test_a_malformed_self_report_refuses_the_file(head: str, expected: list[str]):
    assert codes(JOB, f"{head}\n{GOOD}") == expected


# --- objects in blocks


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"score": 1', [(3, "unfinished")]),
        ('```json\n{"score": 1}\n```', [(2, "syntax")]),
        ('Here it is: {"score": 1}', [(2, "syntax")]),
        ('{"score": 1} {}', [(2, "several_values")]),
        ('{"score": 1,\n "score": 2}', [(2, "duplicate_key")]),
        ('{\n"note": "",\n"score": NaN}', [(4, "nonfinite")]),
        ('{\n"score": "1",\n"notes": 1}', [(3, "type"), (4, "unknown_key")]),
        ("{}", [(1, "missing")]),
        ("", [(1, "empty")]),
        ('{"type": "object", "properties": {}}', [(1, "schema_echo")]),
        ('{"score": 9007199254740992}', [(2, "integer_range")]),
    ],
)
def test_an_object_is_read_strictly_and_never_unwrapped(text: str, expected: list[tuple[int, str]]):
    assert lines(ASSESSMENT, body(text, "ASSESSMENT")) == expected


def test_what_cannot_be_stored_is_replaced_and_noted():
    found = reviewed(ASSESSMENT, body('{"score": 1, "note": "\\ud83d \\u0000"}', "ASSESSMENT"))
    assert found.results == (Assessed(ONE, '{"note":"\ufffd \ufffd","score":1}'.encode()),)
    assert found.notes == (Note("nul", "note"), Note("surrogate", "note"))


def test_everything_is_said_at_once_in_the_order_of_the_lines():
    text = f"self-reported-model:\n{raw('a')}\n{block(a_pair('c'), 'b', 'PASS')}"
    assert lines(JOB, text) == [
        (1, "self_report.form"),
        (4, "result.missing"),
        (5, "pair.unexpected"),
        (0, "pair.missing"),
    ]


def test_the_sentinel_codec_reads_no_json_and_the_json_codec_no_blocks():
    other, _ = a_job(codec=Codec.JSON)
    assert codes(SINGLE, honest(other, [a_result(other, ONE)])) == ["block.none"]
    assert codes(other, honest(SINGLE, [a_result(SINGLE, ONE)])) == ["no_object"]
