"""Failures: each class has one row that says who pays, whether it is tried again, and who is asked.

The table is data; the ordinary retry rule reads it and nothing else.  An uncharged failure never spends a charged
budget; what bounds it instead is in its row.
"""

from types import MappingProxyType
from typing import Final

import msgspec

from protocol import bounds
from protocol.values import Asked, FailureClass


class FailureRow(msgspec.Struct, frozen=True, kw_only=True):
    """What follows from a failure of one class."""

    happened: str  # what a failure of this class is, as a clause
    charged: bool
    retried: bool  # by the ordinary rule, as long as its bound allows
    asked: Asked
    advice: str  # what a person can do about it, as the end of a sentence
    resolvable: bool = False  # nothing is wrong with the work: it can go on where it stopped once the cause is gone
    unattended: bool = False  # `automation.retry_blocked` may try it again, after a pause
    uncharged_bound: int | None = None  # how often in a row (upstream) or in all (lost) nobody pays


_ROWS: dict[FailureClass, FailureRow] = {
    FailureClass.ENVIRONMENT: FailureRow(
        happened="something could not be started or reached: a program, a `prepare` stage, git, a full disk",
        charged=False,
        retried=False,
        asked=Asked.PERSON,
        resolvable=True,
        unattended=True,
        advice="repair what is missing on this machine, then retry",
    ),
    FailureClass.UPSTREAM: FailureRow(
        happened="the agent said that its provider is unreachable (exit code 75 and no answer)",
        charged=False,
        retried=True,
        asked=Asked.PERSON,
        resolvable=True,
        unattended=True,
        advice="see whether the provider is up, then retry",
        uncharged_bound=bounds.UNCHARGED_UPSTREAM_IN_A_ROW,
    ),
    FailureClass.QUOTA: FailureRow(
        happened="a quota is used up; `command` cannot tell, `scripted` can",
        charged=False,
        retried=False,
        asked=Asked.PERSON,
        resolvable=True,
        unattended=True,
        advice="wait for the quota to come back, then retry",
    ),
    FailureClass.AUTH: FailureRow(
        happened="the agent is not logged in; `command` cannot tell, `scripted` can",
        charged=False,
        retried=False,
        asked=Asked.PERSON,
        resolvable=True,
        advice="log the agent in again, then retry",
    ),
    FailureClass.SCHEMA: FailureRow(
        happened="an answer has the wrong form, or a template's text cannot be filled in",
        charged=True,
        retried=True,
        asked=Asked.PLANNER,
        unattended=True,
        advice="retry with guidance, or use another model in a new goal",
    ),
    FailureClass.REFUSAL: FailureRow(
        happened="the agent refused",
        charged=True,
        retried=False,
        asked=Asked.PLANNER,
        advice="read the refusal, then retry with guidance",
    ),
    # The same request would be cut at the same place: only less can be asked for.
    FailureClass.TRUNCATED: FailureRow(
        happened="the answer was cut at the model's limit",
        charged=True,
        retried=False,
        asked=Asked.PLANNER,
        advice="ask for less, then retry",
    ),
    FailureClass.EMPTY: FailureRow(
        happened="no answer came, or nothing was changed",
        charged=True,
        retried=True,
        asked=Asked.PLANNER,
        unattended=True,
        advice="retry with guidance",
    ),
    FailureClass.TIMEOUT: FailureRow(
        happened="it ran out of its time",
        charged=True,
        retried=True,
        asked=Asked.PLANNER,
        unattended=True,
        advice="retry, or allow more time in a new goal",
    ),
    FailureClass.STALLED: FailureRow(
        happened="it fell silent for too long; a program that prints nothing wants `quiet`",
        charged=True,
        retried=True,
        asked=Asked.PLANNER,
        unattended=True,
        advice="see why the agent fell silent, then retry",
    ),
    FailureClass.PROOF: FailureRow(
        happened="a proof or a `command` stage failed, or hooks refused the commit",
        charged=True,
        retried=True,
        asked=Asked.PLANNER,
        unattended=True,
        advice="read the failed proof, then retry with guidance",
    ),
    FailureClass.REVIEW: FailureRow(
        happened="a reviewer objects; there are no reviewers of work yet",
        charged=True,
        retried=False,
        asked=Asked.PERSON,
        advice="read the findings, then retry",
    ),
    FailureClass.DECISION: FailureRow(
        happened="an approval was denied or not given in time, accepted work clashes with what came in before, or "
        "somebody moved `harn/GOAL`",
        charged=False,
        retried=False,
        asked=Asked.PERSON,
        resolvable=True,
        advice="settle what stands against it, then retry",
    ),
    FailureClass.PERMISSION: FailureRow(
        happened="files that are the item's changed in the operator's checkout while it ran",
        charged=True,
        retried=False,
        asked=Asked.PERSON,
        advice="look at what was changed out of bounds, then retry or cancel",
    ),
    FailureClass.LOST: FailureRow(
        happened="the daemon died or was stopped meanwhile",
        charged=False,
        retried=True,
        asked=Asked.PERSON,
        unattended=True,
        advice="see why the daemon keeps dying, then retry",
        uncharged_bound=bounds.UNCHARGED_LOST,
    ),
}

ROWS: Final = MappingProxyType(_ROWS)


def told(failure: FailureClass | None, detail: str, *, resolvable: bool = False) -> str:
    """Say what failed and what a person can do about it, as the end of a sentence: `(quota): …; wait for …`."""
    cause = failure.value if failure else "unknown"
    can_do = advice(failure, resolvable=resolvable)
    return f"({cause}): {detail}; {can_do}" if detail else f"({cause}); {can_do}"


def advice(failure: FailureClass | None, *, resolvable: bool = False) -> str:
    """Say what a person can do about a failure, as the end of a sentence."""
    said = ROWS[failure].advice if failure else "retry it"
    return said.replace(", then retry", ", then resolve it") if resolvable else said


def charged(failure: FailureClass | None) -> bool:
    """Tell whether an attempt that ended so spends a charged budget; success always does."""
    return failure is None or ROWS[failure].charged


def tried_again(failure: FailureClass, *, charged_before: int, allowed: int, uncharged_before: int) -> bool:
    """Apply the ordinary rule.

    `charged_before` attempts of `allowed` are spent, this one included; `uncharged_before` failures of this class's
    bound have happened, this one included.
    """
    row = ROWS[failure]
    if not row.retried or charged_before >= allowed:
        return False
    return row.uncharged_bound is None or uncharged_before < row.uncharged_bound
