"""The form of an answer: the part of a prompt that says how results are written down, for either codec.

What is shown here is what the codecs read.  Nothing in it can be taken for a result itself: a worker that gives its
prompt back has not answered.
"""

import json
from typing import Final

from harnd.domain.review.answer_schema import answer_schema
from harnd.domain.review.contract import Codec, Contract, Delivery, Nonce, ResultKind, Word
from harnd.domain.review.marks import SELF_REPORT, block_end, block_start


def answer_form(contract: Contract, nonce: Nonce, output: str) -> str:
    """Say how the results of this job are written."""
    form = _blocks(contract, nonce) if contract.codec is Codec.SENTINEL else _object(contract, nonce)
    return f"## Answer\n\n{form}\n\n{_END[contract.delivery].format(output=output)}"


_END: Final = {
    Delivery.WORKER: "Write nothing but `{output}`, and end when it is written.",
    Delivery.HARNESS: "Answer with the content of `{output}` and nothing else.",
}


# --- blocks of markdown


def _blocks(contract: Contract, nonce: Nonce) -> str:
    pairs = [f"    {block_start(nonce, pair)}\n    …\n    {block_end(nonce, pair)}" for pair in contract.pairs]
    lines = "\n".join(pairs)
    tail = _schema(contract) if contract.kind is ResultKind.ASSESSMENT else _QUOTING
    return "\n\n".join([_BLOCKS, lines, _BETWEEN[contract.kind], _results(contract), tail, _OUTSIDE])


_BLOCKS: Final = """\
The file holds one block for each requested pair. A block begins and ends with these two lines, exactly as they stand
here, without the indentation:"""

_BETWEEN: Final = {
    ResultKind.VERDICT: """\
Between them stands, in markdown:

1. A summary in a few sentences.
2. Your findings, each as `- SEVERITY: what is wrong, and where`; none when there are none.
3. As the last line, alone, the result: `## Result: WORD`.""",
    ResultKind.REPORT: """\
Between them stands, in markdown:

1. Your report. It gives no verdict.
2. As the last line, alone, the result: `## Result: WORD`.""",
    ResultKind.ASSESSMENT: """\
Between them stands:

1. Exactly one JSON object that satisfies the schema below, without a code fence.
2. As the last line, alone, the result: `## Result: WORD`.""",
}

_QUOTING: Final = """\
There is exactly one result line in a block. To quote a line that states a result, indent it by four blanks, put it into
a closed code fence, or put one backslash before it. A line `=== REVIEW …` can only be quoted with a backslash.
That backslash is taken away again when the file is read."""

_OUTSIDE: Final = f"""\
Before the first block there may be one line `{SELF_REPORT} ID`, with the model id that your environment
states. Other text outside the blocks is ignored. Put neither the file nor a block into a code fence."""


# --- one JSON object


def _object(contract: Contract, nonce: Nonce) -> str:
    schema = _shown(answer_schema(contract, nonce))
    body = [] if contract.kind is ResultKind.ASSESSMENT else [f"{_IN_BODY[contract.kind]} {_QUOTING_IN_BODY}"]
    return "\n\n".join([_ONE_OBJECT, schema, _results(contract), *body, _MODEL])


_ONE_OBJECT: Final = """\
The file holds exactly one JSON object and nothing else. It satisfies this JSON Schema, and its `results` have one entry
for each requested pair, whose `result` is a WORD:"""

_IN_BODY: Final = {
    ResultKind.VERDICT: """\
`body` is markdown: a summary, and your findings, each as `- SEVERITY: what is wrong, and where`.""",
    ResultKind.REPORT: """\
`body` is your report, in markdown. It gives no verdict.""",
}

_QUOTING_IN_BODY: Final = """\
It states no result of its own. To quote
a line that does, indent it by four blanks, put it into a closed code fence, or put one backslash before it, which is
taken away again when the file is read."""

_MODEL: Final = f"""\
`self_reported_model` is this file's `{SELF_REPORT}`: leave it out unless your environment states the model's id."""


# --- what both have


_MEANING: Final = {
    Word.PASS: "the criterion is met.",
    Word.WARN: "it is met, with something that a person should see.",
    Word.FAIL: "it is not met, and there is at least one finding.",
    Word.REPORT: "the report is complete.",
    Word.ASSESSMENT: "the object is complete.",
    Word.ERROR: """\
you could not review this pair, for a reason that you give instead of all else. That is neither for nor against
  the subject, and the task ends without a result.""",
}


def _results(contract: Contract) -> str:
    words = (*contract.words(), Word.ERROR)
    lines = "\n".join(f"- `{word}`: {_MEANING[word]}" for word in words)
    held = [f"`{pair}`" for pair in contract.pairs if Word.PASS in words and not contract.may_pass(pair)]
    without = f"\n\nPASS is not open to {', '.join(held)}." if held else ""
    return f"WORD is one of these, spelt so:\n\n{lines}{without}"


def _schema(contract: Contract) -> str:
    return f"The schema of an assessment:\n\n{_shown(contract.schema)}"


def _shown(schema: object) -> str:
    # No line of it can close the fence: in JSON a line begins with a blank, a bracket or a quotation mark.
    return f"```json\n{json.dumps(schema, indent=1, ensure_ascii=False)}\n```"
