"""Whatever a worker writes: it is read whole or refused, and nothing is raised.

Twenty thousand outputs are made of honest ones, of prompts, of refusals and of noise, by cutting, repeating, splicing
and spoiling; each number makes the same outputs everywhere.  `--outputs N` asks for more of them.
"""

import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator

import msgspec
import pytest

from harnd.domain.review.contract import Codec, Contract, ResultKind
from harnd.domain.review.correction import Correction
from harnd.domain.review.marks import block_end, block_start
from harnd.domain.review.output import Malformed, Output, Reviewed, WorkerError
from protocol import bounds
from tests.kit.reviews import NONCE, OTHER_NONCE, a_job, a_pair, a_result, honest, read, rendered

CHUNKS = 8
ENOUGH = 2_000
KINDS = [(kind, codec) for kind in ResultKind for codec in Codec]
WORDS: list[bytes] = [
    *(b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\0", b"\x1b[31m", b"\xed\xa0\xbd", b"\r", b"\r\n", b"\xe2\x80\xa8"),
    *(
        b"\n",
        b"\n\n",
        b" ",
        b"    ",
        b"\t",
        b"```\n",
        b"```json\n",
        b"~~~\n",
        b"\\",
        b'"',
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
    ),
    *(
        b"NaN",
        b"-Infinity",
        b"1e999",
        b"9007199254740992",
        b"-0.0",
        b"null",
        b"true",
        b"\\ud83d",
        b"\\u0000",
        b"9" * 5_000,
    ),
    *(b"## Result: PASS\n", b"\n## Result: FAIL\n", b"## Result: ERROR\n", b"## Result: REPORT\n", b"## result: ok\n"),
    *(b"Verdict: PASS\n", b"self-reported-model: x\n", b"<|im_end|>", b"[" * 200, b'{"a":' * 200, b"=== REVIEW START "),
    *(b'"nonce": ', b'"results": [', b'"result": "PASS"', b'"body": "', b'"approved": "false"', b'"$schema": "x"'),
    *(f"{block_start(NONCE, a_pair())}\n".encode(), f"\n{block_end(NONCE, a_pair())}\n".encode()),
    *(f"{block_start(OTHER_NONCE, a_pair())}\n".encode(), NONCE.encode(), OTHER_NONCE.encode()),
]


def jobs() -> Iterator[tuple[Contract, list[bytes]]]:
    """Make jobs of every kind, each with outputs to start from."""
    for kind, codec in KINDS:
        job, texts = a_job(kind, codec, criteria={"clear": "Is it clear?", "short": "Is it short?"})
        results = [a_result(job, pair, "Because of\n```\n## Result: PASS\n```", "FAIL") for pair in job.pairs]
        yield (
            job,
            [
                *(honest(job, results, model=model) for model in ("", "m-1")),
                failed(job, honest(job, results)),
                honest(job, results, nonce=OTHER_NONCE),
                rendered(job, texts).text.encode(),
                json.dumps(job.schema or {"type": "object", "properties": {}}).encode(),
                b"I'm sorry, but I can't help with that.",
                b"It looks fine to me. PASS",
                b"",
            ],
        )


def failed(job: Contract, output: bytes) -> bytes:
    """Have the worker report an error for the first pair."""
    if job.codec is Codec.SENTINEL:
        return re.sub(rb"## Result: [A-Z]+\n(=== REVIEW END)", rb"## Result: ERROR\n\1", output, count=1)
    answer = json.loads(output)
    answer["results"][0].pop("assessment", None)
    answer["results"][0] |= {"result": "ERROR", "body": "There is nothing to read."}
    return json.dumps(answer, indent=1).encode()


def spoiled(dice: random.Random, outputs: list[bytes]) -> bytes:
    # Mostly the honest ones: what is nearly right finds more than noise does.
    text = dice.choice(outputs if dice.random() < 0.3 else outputs[:3])
    for _ in range(dice.choice((0, 1, 1, 1, 2, 3, 8))):
        text = dice.choice(WAYS)(dice, text, dice.choice(outputs))
    return text


def _cut(dice: random.Random, text: bytes, _: bytes) -> bytes:
    return text[: dice.randint(0, len(text))]


def _without(dice: random.Random, text: bytes, _: bytes) -> bytes:
    start, end = sorted(dice.randint(0, len(text)) for _ in range(2))
    return text[:start] + text[min(end, start + 40) :]


def _with_word(dice: random.Random, text: bytes, _: bytes) -> bytes:
    at = dice.randint(0, len(text))
    return text[:at] + dice.choice(WORDS) + text[at:]


def _with_byte(dice: random.Random, text: bytes, _: bytes) -> bytes:
    at = dice.randint(0, len(text))
    return text[:at] + bytes([dice.randrange(256)]) + text[at + 1 :]


def _spliced(dice: random.Random, text: bytes, other: bytes) -> bytes:
    return text[: dice.randint(0, len(text))] + other[dice.randint(0, len(other)) :]


def _lines_moved(dice: random.Random, text: bytes, _: bytes) -> bytes:
    lines = text.split(b"\n")
    line = lines.pop(dice.randrange(len(lines)))
    for _again in range(dice.randint(0, 2)):
        lines.insert(dice.randint(0, len(lines)), line)
    return b"\n".join(lines)


def _noise(dice: random.Random, _: bytes, other: bytes) -> bytes:
    return b"".join(dice.choice([*WORDS, other]) for _ in range(dice.randint(0, 12)))


def _wrapped(dice: random.Random, text: bytes, _: bytes) -> bytes:
    return dice.choice((b"```json\n%s\n```", b"```\n%s\n```\n", b"Here it is: %s", b"%s\nDone.", b"\n\n%s")) % text


WAYS: list[Callable[[random.Random, bytes, bytes], bytes]] = [
    *(_cut, _without, _with_word, _with_word, _with_byte, _spliced, _lines_moved, _lines_moved, _noise, _wrapped)
]


def check(job: Contract, content: bytes, output: Output) -> None:
    """Hold what is true of every output."""
    assert isinstance(output, Reviewed | WorkerError | Malformed)
    assert msgspec.json.decode(msgspec.json.encode(output), type=type(output)) == output
    if isinstance(output, Malformed):
        assert 0 < len(output.problems) <= bounds.PROBLEMS_SHOWN + 1
        for problem in output.problems:
            assert re.fullmatch(r"[a-z0-9_]+(\.[a-z0-9_]+)?", problem.code)
            assert 0 <= problem.line <= content.count(b"\n") + 1
            assert "\n" not in problem.message
            assert len(problem.message) < 1_000
        return
    assert NONCE.encode() in content
    if isinstance(output, Reviewed):
        assert tuple(result.pair for result in output.results) == job.pairs
    else:
        assert {error.pair for error in output.errors} <= set(job.pairs)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_output_is_read_or_refused(chunk: int, request: pytest.FixtureRequest):
    dice = random.Random(chunk)
    some = list(jobs())
    seen: Counter[str] = Counter()
    for number in range(int(request.config.getoption("--outputs") or 0) // CHUNKS):
        job, outputs = dice.choice(some)
        content = spoiled(dice, outputs)
        output = read(job, content)
        try:
            check(job, content, output)
        except AssertionError as error:
            error.add_note(f"chunk {chunk}, output {number} of a {job.kind} by {job.codec}: {content!r}")
            raise
        seen.update([type(output).__name__, *_codes(output)])
    if seen.total() > ENOUGH:  # the generator still reaches what there is to reach
        assert min(seen["Reviewed"], seen["WorkerError"], seen["Malformed"]) > 0, seen
        assert len(seen) > 30, seen


def _codes(output: Output) -> list[str]:
    return [problem.code for problem in output.problems] if isinstance(output, Malformed) else []


def test_every_refused_output_can_be_corrected():
    dice = random.Random("corrections")
    for _ in range(300):
        kind, codec = dice.choice(KINDS)
        job, texts = a_job(kind, codec)
        outputs = [honest(job, [a_result(job, a_pair())]), rendered(job, texts).text.encode()]
        content = spoiled(dice, [*outputs, *outputs])
        output = read(job, content)
        if isinstance(output, Malformed) and OTHER_NONCE.encode() not in content:
            prompt = rendered(job, texts, nonce=OTHER_NONCE, correction=Correction(content, output.problems))
            assert isinstance(read(job, prompt.text, nonce=OTHER_NONCE), Malformed)


MIB = bounds.ANSWER_BYTES - 200
START, END = f"{block_start(NONCE, a_pair())}\n", f"\n{block_end(NONCE, a_pair())}"


WORST = {
    "fences that nothing closes": START + "```a\n" * (MIB // 5) + END,
    "two kinds of fences": START + "~~~\n```\n" * (MIB // 8) + END,
    "results": START + "## Result: PASS\n" * (MIB // 16) + END,
    "blanks": START + " " * MIB + END,
    "stars": START + "*" * MIB + END,
    "a deep heading": START + "#" * MIB + "result:" + END,
    "backslashes": START + "\\" * MIB + "## Result: PASS" + END,
    "escapes": START + "\x1b\n" * (MIB // 2) + END,
    "starts": START * (MIB // len(START)),
    "ends": END * (MIB // len(END)),
    "equals": "=" * MIB,
    "half starts": "=== REVIEW START " * (MIB // 17),
    "self-reports": "self-reported-model:\n" * (MIB // 21),
    "braces": "{" * MIB,
    "objects": '{"a":' * (MIB // 5),
    "quotation marks": '"' + '\\"' * (MIB // 2),
    "a long list": '{"nonce": "' + NONCE + '", "results": [' + "1," * (MIB // 2) + "1]}",
    "a long wrong list": '{"nonce": "' + NONCE + '", "n": [' + '{"a": NaN},' * (MIB // 11) + "1]}",
    "many keys": '{"nonce": "' + NONCE + '",' + ",".join(f'"{number}": 1' for number in range(MIB // 14)) + "}",
    "newlines": '{"a": 1' + "\n" * MIB,
    "a long fence": "```json\n" + "`" * MIB,
    "fences": "```\n" * (MIB // 4),
    "half tokens": "<|" * (MIB // 2),
    "tokens": "[/INST]" * (MIB // 7),
    "nothing to see": "\u200b" * (MIB // 3),
}


@pytest.mark.parametrize("codec", list(Codec))
@pytest.mark.parametrize("name", WORST)
def test_the_worst_megabytes_take_no_longer_than_others(codec: Codec, name: str):
    job, _ = a_job(ResultKind.ASSESSMENT if codec is Codec.JSON else ResultKind.VERDICT, codec)
    began = time.perf_counter()
    assert isinstance(read(job, WORST[name]), Malformed)
    assert time.perf_counter() - began < 20  # under load; on a quiet machine two seconds at most
