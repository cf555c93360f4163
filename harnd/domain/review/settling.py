"""Settling: from what a file says of single pairs to the results of a job, all of them or none.

Both codecs end here, so that they cannot come to differ in what they accept.
"""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from harnd.domain.checking import shown
from harnd.domain.description import quoted
from harnd.domain.digest import canonical
from harnd.domain.problem import Problem
from harnd.domain.reading import JsonObject, Note
from harnd.domain.review.body import body_of, body_problems
from harnd.domain.review.contract import Contract, Pair, Word
from harnd.domain.review.output import (
    Assessed,
    Judged,
    Malformed,
    Output,
    PairError,
    PairResult,
    Reported,
    Reviewed,
    Verdict,
    WorkerError,
)


class Said(NamedTuple):
    """What a file says of one pair."""

    pair: Pair
    word: Word
    lines: list[str]  # of its body; none where there is an object
    value: JsonObject | None
    place: str  # where it says so, in words of the codec
    line: int  # of the beginning
    body_line: int  # where the body begins; 0 when its lines are no lines of the file


def settle(
    contract: Contract,
    said: list[Said],
    problems: list[Problem],
    *,
    named: list[tuple[Pair, int]],
    self_report: str | None,
    notes: tuple[Note, ...],
) -> Output:
    """Make the output of everything that was read; `named` are the pairs that were found at all, with their lines."""
    found = [*problems, *_coverage(contract, named), *(each for one in said for each in _problems(contract, one))]
    if found:
        return Malformed(tuple(shown(sorted(found, key=lambda problem: problem.line or 1 << 30))))
    by_pair = {one.pair: one for one in said}
    in_order = [by_pair[pair] for pair in contract.pairs]
    errors = tuple(PairError(one.pair, body_of(one.lines)) for one in in_order if one.word is Word.ERROR)
    if errors:
        return WorkerError(errors, self_report, notes)
    return Reviewed(tuple(_result(one) for one in in_order), self_report, notes)


def _coverage(contract: Contract, named: list[tuple[Pair, int]]) -> Iterator[Problem]:
    first: dict[Pair, int] = {}
    for pair, line in named:
        if pair not in contract.pairs:
            yield Problem("pair.unexpected", quoted(str(pair)), "was not asked for", line=line)
        elif pair in first:
            since = f", first in line {first[pair]}" if first[pair] else ""
            yield Problem("pair.duplicate", str(pair), f"is there twice{since}", line=line)
        first.setdefault(pair, line)
    for pair in contract.pairs:
        if pair not in first:
            yield Problem("pair.missing", str(pair), "was asked for and is not there")


def _problems(contract: Contract, said: Said) -> Iterator[Problem]:
    if said.word is Word.PASS and not contract.may_pass(said.pair):
        message = "files of it were omitted, so that PASS is not open to it"
        yield Problem("result.pass_withheld", said.place, message, line=said.line)
    for problem in body_problems(said.lines, place=said.place, line=said.body_line) if said.value is None else ():
        yield problem if said.body_line else msgspec.structs.replace(problem, line=said.line)


def _result(said: Said) -> PairResult:
    if said.value is not None:
        return Assessed(said.pair, canonical(said.value))
    if said.word is Word.REPORT:
        return Reported(said.pair, body_of(said.lines))
    return Judged(said.pair, Verdict(said.word.value), body_of(said.lines))
