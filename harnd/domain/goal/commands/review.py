"""Reports of what is done for the review of a plan."""

import msgspec

from harnd.domain.goal.commands.command import Command
from harnd.domain.problem import Problem
from harnd.domain.review.contract import Nonce
from harnd.domain.review.panel import Opinion
from protocol.ids import Digest, SpecialistName
from protocol.values import FailureClass, Instant, MicroDollars, Micros


class ReportLeased(Command, frozen=True):
    """The prompt of an attempt is written, and is dispatched next; the first lease of an attempt stands."""

    plan: int
    round: int
    reviewer: SpecialistName
    attempt: int
    token: str
    nonce: Nonce
    prompt: Digest
    expires_at: Instant


class ReviewReport(msgspec.Struct, frozen=True):
    """How an attempt of a reviewer ended: with an opinion, with problems of its output, or with a failure."""

    ran: Micros
    opinion: Opinion | None = None
    problems: tuple[Problem, ...] = ()
    failure: FailureClass | None = None
    detail: str = ""
    output: Digest | None = None
    tokens: int | None = None
    cost: MicroDollars | None = None
    model: str | None = None  # by the word of the harness, and so is the effort
    effort: str | None = None
    self_reported_model: str | None = None
    touched: tuple[str, ...] = ()


class ReportReview(Command, frozen=True):
    """An attempt of a reviewer ended."""

    plan: int
    round: int
    reviewer: SpecialistName
    attempt: int
    report: ReviewReport


class ReportReceipt(Command, frozen=True):
    """The receipt of a plan's review is kept; `damaged` says what is wrong with one that lay there already."""

    plan: int
    review: int
    receipt: Digest
    damaged: str = ""
