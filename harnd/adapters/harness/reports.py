"""Reports: what an agent says while it runs, in words that every harness shares."""

from enum import StrEnum

import msgspec

from protocol.values import MicroDollars


class Stop(StrEnum):
    """Why an agent gave its final answer."""

    FINISHED = "finished"
    TRUNCATED = "truncated"  # the model's output was cut at its cap
    REFUSED = "refused"
    OUT_OF_QUOTA = "out_of_quota"  # the provider gives nothing more for now
    NOT_LOGGED_IN = "not_logged_in"
    UNREACHABLE = "unreachable"  # the provider failed


class Answered(msgspec.Struct, frozen=True):
    """The final answer, and what it took; None is not reported."""

    text: str
    stop: Stop = Stop.FINISHED
    tokens: int | None = None
    cost: MicroDollars | None = None


class Progressed(msgspec.Struct, frozen=True):
    """A sign of life that changes nothing."""


Report = Answered | Progressed


class Speech(StrEnum):
    """How an agent answers on its standard output."""

    LINES = "lines"  # a report a line, one of which is the answer
    WHOLE = "whole"  # all of it is the answer
