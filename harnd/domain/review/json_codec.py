"""The JSON codec: one object that carries the nonce, with one entry for each pair.

One code fence that encloses the whole answer is taken away; no sentence may introduce the object.  JSON is read as
strictly as a planner's answer, under the same codes.
"""

from typing import cast

import msgspec

from harnd.domain.checking import Path, flaws, place, shown
from harnd.domain.problem import Problem
from harnd.domain.reading import Around, JsonObject, Unreadable, is_refusal, read_object
from harnd.domain.review.answer_schema import answer_schema
from harnd.domain.review.body import result_lines
from harnd.domain.review.contract import Contract, CriterionKey, Nonce, Pair, SubjectId, Word
from harnd.domain.review.json_lines import locate, problem_of
from harnd.domain.review.output import Malformed, Output
from harnd.domain.review.settling import Said, settle


def read_json(contract: Contract, nonce: Nonce, text: str) -> Output:
    """Read a file that is text."""
    read = read_object(text, around=Around.FENCE)
    if isinstance(read, Unreadable):
        return Malformed((_why(read, text),))
    lines = locate(text)
    if (foreign := _nonce_problem(read.value, nonce)) is not None:
        return Malformed((msgspec.structs.replace(foreign, line=lines.of(("nonce",))),))
    found = flaws(read.value, answer_schema(contract, nonce))
    if found:
        return Malformed(
            tuple(shown([Problem(code, place(path), message, line=lines.of(path)) for path, code, message in found]))
        )
    entries = cast("list[JsonObject]", read.value["results"])
    said = [_said(entry, index, lines.of(("results", index))) for index, entry in enumerate(entries)]
    problems = [problem for one in said for problem in _stated(one)]
    named = [(one.pair, one.line) for one in said]
    report = cast("str | None", read.value.get("self_reported_model"))
    return settle(contract, said, problems, named=named, self_report=report, notes=read.notes)


def _why(unreadable: Unreadable, text: str) -> Problem:
    if unreadable.code == "no_object" and is_refusal(text):
        return Problem("refusal", "", "the answer is a refusal in words")
    return problem_of(unreadable, text)


def _nonce_problem(value: JsonObject, nonce: Nonce) -> Problem | None:
    """Look at the nonce first: of another task's answer nothing else is worth saying."""
    found = value.get("nonce")
    if found == nonce:
        return None
    if found is None:
        return Problem("nonce.missing", "nonce", "is missing, expected the nonce of this task")
    return Problem("nonce.foreign", "nonce", "is another one: the answer belongs to another task")


def _said(entry: JsonObject, index: int, line: int) -> Said:
    pair = Pair(SubjectId(str(entry["subject"])), CriterionKey(str(entry["criterion"])))
    body = entry.get("body")
    lines = body.replace("\r\n", "\n").split("\n") if isinstance(body, str) else []
    value = entry.get("assessment")
    where: Path = ("results", index)
    return Said(
        pair, Word(str(entry["result"])), lines, value if isinstance(value, dict) else None, place(where), line, 0
    )


def _stated(said: Said) -> list[Problem]:
    """Refuse a body that states a result beside the one that is given."""
    if said.word is Word.ERROR:
        return []
    message = "states a result in its text; expected it in `result` alone"
    return [
        Problem("result.alias", f"{said.place}.body", message, line=said.line) for _ in result_lines(said.lines)[:1]
    ]
