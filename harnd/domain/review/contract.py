"""Contracts: everything a review worker is asked, as data.

The unit is a pair, one subject judged by one criterion.  A job is of one result kind, and its pairs share either their
subject or their criterion.  What a worker reads are texts as they were when the job was made, named by their digest;
the texts themselves lie with whoever keeps them.  Nothing here is shown to a worker but through `prompt.render`.

A contract knows no nonce and no place to write to: those belong to one attempt at it.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Final, NewType

import msgspec

from harnd.domain.review.coverage import Covered, withholds_pass
from harnd.domain.shapes import Schema
from protocol.ids import Digest

SubjectId = NewType("SubjectId", str)  # what is reviewed, such as a path or `plan-3`; one printable line
CriterionKey = NewType("CriterionKey", str)  # what it is reviewed by; one printable line
Nonce = NewType("Nonce", str)  # 128 random bits of one attempt, in hex
JobToken = NewType("JobToken", str)  # as many others, which name the directory of one attempt

NONCE: Final = r"[0-9a-f]{32}"
JOB_TOKEN: Final = NONCE
SEPARATOR: Final = " :: "  # between subject and criterion of a pair


class ResultKind(StrEnum):
    """What a job's results are."""

    VERDICT = "verdict"  # PASS, WARN or FAIL, with findings
    REPORT = "report"  # a text that judges nothing
    ASSESSMENT = "assessment"  # a structured object that follows the job's schema


class Grouping(StrEnum):
    """What the pairs of a job have in common."""

    SUBJECT = "subject"
    CRITERION = "criterion"


class Codec(StrEnum):
    """How a worker writes its results down."""

    SENTINEL = "sentinel"  # markdown, in blocks between lines that carry the nonce
    JSON = "json"


class Delivery(StrEnum):
    """Who writes the one output file."""

    WORKER = "worker"
    HARNESS = "harness"  # a model without tools: its whole answer becomes the file


OUTPUT_NAMES: Final = {Codec.SENTINEL: "output.md", Codec.JSON: "output.json"}  # of the one output file


class Word(StrEnum):
    """The word a pair's result is given by."""

    PASS = "PASS"  # noqa: S105 - a verdict
    WARN = "WARN"
    FAIL = "FAIL"
    REPORT = "REPORT"
    ASSESSMENT = "ASSESSMENT"
    ERROR = "ERROR"  # the worker could not review: neither pass nor fail


_WORDS: Final = {
    ResultKind.VERDICT: (Word.PASS, Word.WARN, Word.FAIL),
    ResultKind.REPORT: (Word.REPORT,),
    ResultKind.ASSESSMENT: (Word.ASSESSMENT,),
}


class Pair(msgspec.Struct, frozen=True, order=True):
    """One subject judged by one criterion."""

    subject: SubjectId
    criterion: CriterionKey

    def __str__(self) -> str:
        """Write it as it stands in the lines of an output."""
        return f"{self.subject}{SEPARATOR}{self.criterion}"


class Captured(msgspec.Struct, frozen=True):
    """A text as it was when the job was made."""

    name: str  # such as its path
    digest: Digest  # of its UTF-8 bytes


class Declared(msgspec.Struct, frozen=True, omit_defaults=True):
    """A file that is named and not embedded."""

    path: str
    digest: Digest | None = None  # of its content, where it was taken


class Subject(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is reviewed; when it is a change, `coverage` lists every file of it."""

    id: SubjectId
    inputs: tuple[Captured, ...]
    coverage: tuple[Covered, ...] = ()

    def can_pass(self) -> bool:
        """Tell whether enough of it is shown for a PASS."""
        return not withholds_pass(self.coverage)


class Criterion(msgspec.Struct, frozen=True):
    """What a subject is judged by."""

    key: CriterionKey
    text: Captured


class Contract(msgspec.Struct, frozen=True, omit_defaults=True):
    """One review job, as its worker is to see it."""

    kind: ResultKind
    grouping: Grouping
    codec: Codec
    subjects: tuple[Subject, ...]
    criteria: tuple[Criterion, ...]
    pairs: tuple[Pair, ...]
    instructions: str = ""  # the specialist's
    context: tuple[Captured, ...] = ()  # embedded beside the subjects, such as files they refer to
    scope: tuple[Declared, ...] = ()  # what may be read beyond the prompt
    governance: tuple[Declared, ...] = ()  # what the worker's own environment loads of the repository
    schema: Schema | None = None  # of an assessment
    delivery: Delivery = Delivery.WORKER

    def words(self) -> tuple[Word, ...]:
        """Return the words a result of this job may be, ERROR apart; PASS only if some subject can pass."""
        some_can = any(subject.can_pass() for subject in self.subjects)
        return tuple(word for word in _WORDS[self.kind] if word is not Word.PASS or some_can)

    def may_pass(self, pair: Pair) -> bool:
        """Tell whether a PASS of this pair counts; an omitted file of its subject forbids it."""
        return all(subject.can_pass() for subject in self.subjects if subject.id == pair.subject)

    def captured(self) -> Iterator[Captured]:
        """Return every text that is embedded, in the order of the prompt; shared ones again."""
        for subject in self.subjects:
            yield from subject.inputs
        for criterion in self.criteria:
            yield criterion.text
        yield from self.context
