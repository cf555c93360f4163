"""The sentinel codec: markdown, one block for each pair, between lines that carry the nonce and the whole key.

Only lines with the nonce of this attempt delimit; they do so wherever they stand, in a code fence too, so that no
unfinished fence can swallow a block.  Text outside the blocks is ignored, but for one `self-reported-model:` line
before the first and for blocks of another attempt, which are refused.  Nothing is unwrapped.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from harnd.domain.checking import flaws, place
from harnd.domain.description import one_of, quoted
from harnd.domain.problem import Problem
from harnd.domain.reading import Around, JsonObject, Note, Unreadable, is_refusal, read_object
from harnd.domain.review.body import ResultLine, result_lines
from harnd.domain.review.contract import SEPARATOR, Contract, CriterionKey, Nonce, Pair, ResultKind, SubjectId, Word
from harnd.domain.review.json_lines import locate, problem_of
from harnd.domain.review.marks import RESULT, SELF_REPORT
from harnd.domain.review.output import Malformed, Output
from harnd.domain.review.settling import Said, settle
from protocol import bounds

_DELIMITER: Final = re.compile(r"=== REVIEW (START|END) ([0-9a-f]+) :: (.+ :: .+) ===")
_LIKE_ONE: Final = re.compile(r"={2,}\s*(?:PAIR\s+)?REVIEW\s+(?:START|END)\b")


class _Block(NamedTuple):
    pair: Pair
    line: int  # of its first line, the delimiter
    lines: list[str]


class _Blocks:
    """One pass over the lines of a file."""

    def __init__(self, nonce: Nonce) -> None:
        self.blocks: list[_Block] = []
        self.named: list[tuple[Pair, int]] = []
        self.problems: list[Problem] = []
        self.reports: list[tuple[int, str]] = []
        self._nonce = nonce
        self._open: _Block | None = None

    def take(self, lines: list[str]) -> None:
        for number, line in enumerate(lines, 1):
            stripped = line.strip()
            delimiter = _DELIMITER.fullmatch(stripped)
            if delimiter and delimiter[2] == self._nonce:
                self._delimit(delimiter[1], delimiter[3], number)
            elif self._open is not None:
                self._inside(self._open, line, stripped, number)
            else:
                self._outside(stripped, foreign=delimiter is not None, number=number)
        if self._open is not None:
            self._wrong("block.unterminated", self._open.pair, "is not ended", self._open.line)

    def _delimit(self, which: str, key: str, number: int) -> None:
        subject, _, criterion = key.partition(SEPARATOR)
        pair = Pair(SubjectId(subject), CriterionKey(criterion))
        if which == "START":
            if self._open is not None:
                self._wrong("block.nested", pair, f"starts inside the block of line {self._open.line}", number)
            self._open = _Block(pair, number, [])
            self.named.append((pair, number))
        elif self._open is None:
            self._wrong("block.stray_end", pair, "ends and was not started", number)
        else:
            if self._open.pair == pair:
                self.blocks.append(self._open)
            else:
                self._wrong("block.mismatch", pair, f"ends where line {self._open.line} started another pair", number)
            self._open = None

    def _inside(self, block: _Block, line: str, stripped: str, number: int) -> None:
        if self._nonce in line and _LIKE_ONE.match(stripped):
            self._malformed(stripped, number)
        block.lines.append(line)

    def _outside(self, stripped: str, *, foreign: bool, number: int) -> None:
        if foreign:
            message = "carries another nonce: it belongs to another task"
            self.problems.append(Problem("nonce.foreign", "", message, line=number))
        elif _LIKE_ONE.match(stripped):
            self._malformed(stripped, number)
        elif stripped.startswith(SELF_REPORT) and not self.named:
            self.reports.append((number, stripped.removeprefix(SELF_REPORT).strip()))

    def _malformed(self, stripped: str, number: int) -> None:
        message = f"is no line that delimits a block: {quoted(stripped)}"
        self.problems.append(Problem("block.malformed", "", message, line=number))

    def _wrong(self, code: str, pair: Pair, message: str, number: int) -> None:
        self.problems.append(Problem(code, quoted(str(pair)), message, line=number))


def read_blocks(contract: Contract, nonce: Nonce, text: str) -> Output:
    """Read a file that is text."""
    found = _Blocks(nonce)
    found.take([line.removesuffix("\r") for line in text.removeprefix("\ufeff").split("\n")])
    if not found.named and not found.problems:
        return Malformed((_nothing(text),))
    reader = _Reader(contract)
    said = [one for block in found.blocks if block.pair in contract.pairs for one in reader.read(block)]
    report, wrong = _self_report(found.reports)
    problems = [*found.problems, *wrong, *reader.problems]
    notes = tuple(reader.notes)
    return settle(contract, said, problems, named=found.named, self_report=report, notes=notes)


def _nothing(text: str) -> Problem:
    if is_refusal(text):
        return Problem("refusal", "", "the answer is a refusal in words")
    return Problem("block.none", "", "there is no block with the nonce of this task")


def _self_report(reports: list[tuple[int, str]]) -> tuple[str | None, list[Problem]]:
    problems = [Problem("self_report.twice", "", "the model is reported twice", line=line) for line, _ in reports[1:]]
    for line, model in reports:
        if not (0 < len(model) <= bounds.MODEL_ID_CHARS and model.isprintable()):
            expected = f"expected a model id of at most {bounds.MODEL_ID_CHARS} characters"
            problems.append(Problem("self_report.form", "", f"{expected}, found {quoted(model)}", line=line))
    return (reports[0][1] if reports and not problems else None), problems


class _Reader:
    """Reads single blocks, and keeps what is wrong with them."""

    def __init__(self, contract: Contract) -> None:
        self.problems: list[Problem] = []
        self.notes: list[Note] = []
        self._contract = contract

    def read(self, block: _Block) -> Iterator[Said]:
        results = result_lines(block.lines)
        last = max((index for index, line in enumerate(block.lines) if line.strip()), default=-1)
        wrong = list(_result_problems(self._contract, block, results, last))
        self.problems += wrong
        if wrong:
            return
        word = results[0].word
        lines = block.lines[: results[0].at]
        if word is None:
            return
        value = None
        if self._contract.kind is ResultKind.ASSESSMENT and word is not Word.ERROR:
            value = self._object(block, lines)
            if value is None:
                return
        yield Said(block.pair, word, lines, value, str(block.pair), block.line, block.line + 1)

    def _object(self, block: _Block, lines: list[str]) -> JsonObject | None:
        above = "\n" * block.line  # so that what is wrong in it is found where it stands in the file
        text = above + "\n".join(lines)
        read = read_object(text, around=Around.NOTHING)
        if isinstance(read, Unreadable):
            self.problems.append(problem_of(read, text, within=str(block.pair), line=block.line))
            return None
        lines_of = locate(text)
        for path, code, message in flaws(read.value, self._contract.schema or {}):
            where = f"{block.pair}: {place(path)}" if path else str(block.pair)
            self.problems.append(Problem(code, where, message, line=lines_of.of(path) or block.line))
        self.notes += read.notes
        return read.value


def _result_problems(contract: Contract, block: _Block, results: list[ResultLine], last: int) -> Iterator[Problem]:
    where = str(block.pair)
    words = [word.value for word in (*contract.words(), Word.ERROR)]
    exact = [result for result in results if result.word is not None]
    if not results:
        message = f"has no result line; expected `{RESULT}` and {one_of(words)}"
        yield Problem("result.missing", where, message, line=block.line + len(block.lines) + 1)
    for result in results:
        line = block.line + 1 + result.at
        if result.word is None:
            message = f"states a result as {quoted(result.text)}; expected `{RESULT}` and {one_of(words)}"
            yield Problem("result.alias", where, message, line=line)
        elif result.word not in words and not (result.word is Word.PASS and contract.kind is ResultKind.VERDICT):
            message = f"{result.word} is no result of a {contract.kind}, expected {one_of(words)}"
            yield Problem("result.word", where, message, line=line)
    for again in exact[1:]:
        yield Problem("result.several", where, "has another result line", line=block.line + 1 + again.at)
    if exact and results[-1].at != last:
        message = "is followed by text; the result line is the last of its block"
        yield Problem("result.not_last", where, message, line=block.line + 1 + exact[-1].at)
