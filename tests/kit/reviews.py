"""Review jobs as tests speak of them, and a worker that does what its prompt says."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from harnd.domain.digest import digest_of_bytes
from harnd.domain.review.body import escaped_body
from harnd.domain.review.contract import (
    Captured,
    Codec,
    Contract,
    Criterion,
    CriterionKey,
    Grouping,
    Nonce,
    Pair,
    ResultKind,
    Subject,
    SubjectId,
    Word,
)
from harnd.domain.review.marks import block_end, block_start, unescaped
from harnd.domain.review.output import Assessed, Judged, Malformed, Output, PairResult, Reported, Reviewed, Verdict
from harnd.domain.review.prompt import Prompt, render
from harnd.domain.review.reading import read_output
from protocol.ids import Digest

NONCE = Nonce("0123456789abcdef" * 2)
OTHER_NONCE = Nonce("fedcba9876543210" * 2)
OUTPUT = "/job/output.md"
SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {"score": {"type": "integer"}, "note": {"type": "string"}},
    "required": ["score"],
    "additionalProperties": False,
}


class Texts(dict[Digest, str]):
    """Texts by their digest."""

    def add(self, name: str, text: str) -> Captured:
        digest = digest_of_bytes(text.encode())
        self[digest] = text
        return Captured(name, digest)


def a_pair(subject: str = "a.md", criterion: str = "clear") -> Pair:
    return Pair(SubjectId(subject), CriterionKey(criterion))


def a_job(
    kind: ResultKind = ResultKind.VERDICT,
    codec: Codec = Codec.SENTINEL,
    *,
    subjects: Mapping[str, str] | None = None,
    criteria: Mapping[str, str] | None = None,
    **more: Any,
) -> tuple[Contract, Texts]:
    """Make a job over every pair of these subjects and criteria, and the texts it names."""
    texts = Texts()
    subjects = subjects or {"a.md": "A text."}
    criteria = criteria or {"clear": "Is it clear?"}
    those = tuple(Subject(SubjectId(name), (texts.add(name, text),)) for name, text in subjects.items())
    by = tuple(Criterion(CriterionKey(name), texts.add(f"{name}.md", text)) for name, text in criteria.items())
    fields: dict[str, Any] = {
        "kind": kind,
        "codec": codec,
        "grouping": Grouping.SUBJECT if len(those) == 1 else Grouping.CRITERION,
        "subjects": those,
        "criteria": by,
        "pairs": tuple(Pair(subject.id, criterion.key) for subject in those for criterion in by),
        "schema": SCHEMA if kind is ResultKind.ASSESSMENT else None,
    }
    return Contract(**(fields | more)), texts


def rendered(contract: Contract, texts: Texts, *, nonce: Nonce = NONCE, output: str = OUTPUT, **more: Any) -> Prompt:
    return render(contract, texts, nonce=nonce, output=output, **more)


def embedded(prompt: Prompt) -> list[str]:
    """Read the inputs back out of a prompt, as they were captured."""
    found: list[str] = []
    rest = prompt.text
    while f"<<< INPUT {len(found) + 1} BEGIN {prompt.nonce} >>>\n" in rest:
        label = f"INPUT {len(found) + 1}"
        _, _, rest = rest.partition(f"<<< {label} BEGIN {prompt.nonce} >>>\n")
        text, _, rest = rest.partition(f"\n<<< {label} END {prompt.nonce} >>>\n")
        found.append(unescaped(text))
    return found


# --- what workers write


def a_result(contract: Contract, pair: Pair, body: str = "It is clear.", verdict: str = "PASS") -> PairResult:
    match contract.kind:
        case ResultKind.VERDICT:
            return Judged(pair, Verdict(verdict), body)
        case ResultKind.REPORT:
            return Reported(pair, body)
        case ResultKind.ASSESSMENT:
            return Assessed(pair, json.dumps({"score": 1}, separators=(",", ":")).encode())


def honest(contract: Contract, results: Iterable[PairResult], *, nonce: Nonce = NONCE, model: str = "") -> bytes:
    """Write an output as the prompt asks for it."""
    write = _markdown if contract.codec is Codec.SENTINEL else _json
    return write(list(results), nonce, model).encode()


def _markdown(results: list[PairResult], nonce: Nonce, model: str) -> str:
    head = [f"self-reported-model: {model}"] if model else []
    return "\n".join([*head, *(block(result.pair, *_said(result), nonce=nonce) for result in results)]) + "\n"


def block(pair: Pair, body: str, word: str, *, nonce: Nonce = NONCE) -> str:
    return f"{block_start(nonce, pair)}\n{body}\n\n## Result: {word}\n{block_end(nonce, pair)}"


def _said(result: PairResult) -> tuple[str, str]:
    match result:
        case Judged(verdict=verdict, body=body):
            return escaped_body(body), verdict
        case Reported(body=body):
            return escaped_body(body), Word.REPORT
        case Assessed(value=value):
            return value.decode(), Word.ASSESSMENT


def _json(results: list[PairResult], nonce: Nonce, model: str) -> str:
    head = {"self_reported_model": model} if model else {}
    return json.dumps({"nonce": nonce, **head, "results": [_entry(result) for result in results]}, indent=1)


def _entry(result: PairResult) -> dict[str, object]:
    text, word = _said(result)
    said = {"assessment": json.loads(text)} if isinstance(result, Assessed) else {"body": text}
    return {"subject": result.pair.subject, "criterion": result.pair.criterion, "result": word, **said}


# --- what is read of it


def read(contract: Contract, content: bytes | str, *, nonce: Nonce = NONCE) -> Output:
    return read_output(
        contract, nonce, content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    )


def reviewed(contract: Contract, content: bytes | str, *, nonce: Nonce = NONCE) -> Reviewed:
    found = read(contract, content, nonce=nonce)
    assert isinstance(found, Reviewed), found
    return found


def codes(contract: Contract, content: bytes | str, *, nonce: Nonce = NONCE) -> list[str]:
    """Return the codes of everything that is wrong with an output, which must be refused."""
    found = read(contract, content, nonce=nonce)
    assert isinstance(found, Malformed), found
    return [problem.code for problem in found.problems]


def lines(contract: Contract, content: bytes | str, *, nonce: Nonce = NONCE) -> list[tuple[int, str]]:
    found = read(contract, content, nonce=nonce)
    assert isinstance(found, Malformed), found
    return [(problem.line, problem.code) for problem in found.problems]
