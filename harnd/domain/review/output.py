"""Outputs: what a worker's file says, in the one form that both codecs come to.

A file is read whole or refused whole.  `Malformed` and `WorkerError` are neither for nor against a subject, and nobody
makes a verdict of them.
"""

from enum import StrEnum
from typing import TypeAlias

import msgspec

from harnd.domain.problem import Problem
from harnd.domain.reading import Note
from harnd.domain.review.contract import Pair


class Verdict(StrEnum):
    """How a subject stands to a criterion."""

    PASS = "PASS"  # noqa: S105 - a verdict
    WARN = "WARN"
    FAIL = "FAIL"


class Judged(msgspec.Struct, frozen=True, tag="verdict"):
    """A verdict, with the text that gives its reasons."""

    pair: Pair
    verdict: Verdict
    body: str


class Reported(msgspec.Struct, frozen=True, tag="report"):
    """A text that judges nothing."""

    pair: Pair
    body: str


class Assessed(msgspec.Struct, frozen=True, tag="assessment"):
    """A structured object that follows the schema of the job."""

    pair: Pair
    value: bytes  # canonical JSON


PairResult: TypeAlias = Judged | Reported | Assessed


class PairError(msgspec.Struct, frozen=True):
    """Why a worker could not review a pair, in its own words."""

    pair: Pair
    body: str


class Reviewed(msgspec.Struct, frozen=True, tag="reviewed"):
    """Every requested pair has a result; they stand in the order in which they were asked for."""

    results: tuple[PairResult, ...]
    self_report: str | None = None  # the model id a worker claims; never identity
    notes: tuple[Note, ...] = ()


class WorkerError(msgspec.Struct, frozen=True, tag="worker_error"):
    """The file is well-formed, and for these pairs the worker reported an error.  Nothing else of it counts."""

    errors: tuple[PairError, ...]
    self_report: str | None = None
    notes: tuple[Note, ...] = ()

    def __str__(self) -> str:
        """Write it as one line."""
        return f"the worker reported an error for {', '.join(str(error.pair) for error in self.errors)}"


class Malformed(msgspec.Struct, frozen=True, tag="malformed"):
    """The file is refused, for everything that is wrong with it: each with a stable code and a line, if it has one."""

    problems: tuple[Problem, ...]


Output: TypeAlias = Reviewed | WorkerError | Malformed
