"""Failures: each class has one row that says who pays, whether it is tried again, and who is asked.

The table is data; the ordinary retry rule reads it and nothing else.  An uncharged failure never spends a charged
budget; what bounds it instead is in its row.
"""

from enum import StrEnum
from types import MappingProxyType
from typing import Final

import msgspec

from protocol import bounds
from protocol.values import FailureClass


class Asked(StrEnum):
    """Who is asked when the ordinary retries of a work item are used up, or there are none."""

    PERSON = "person"
    PLANNER = "planner"  # for another way, where there is one; a person can always be quicker


class FailureRow(msgspec.Struct, frozen=True, kw_only=True):
    """What follows from a failure of one class."""

    charged: bool
    retried: bool  # by the ordinary rule, as long as its bound allows
    asked: Asked
    advice: str  # what a person can do about it, as the end of a sentence
    resolvable: bool = False  # nothing is wrong with the work: it can go on where it stopped once the cause is gone
    unattended: bool = False  # `automation.retry_blocked` may try it again, after a pause
    uncharged_bound: int | None = None  # how often in a row (upstream) or in all (lost) nobody pays


_ROWS: dict[FailureClass, FailureRow] = {
    FailureClass.ENVIRONMENT: FailureRow(
        charged=False,
        retried=False,
        asked=Asked.PERSON,
        resolvable=True,
        unattended=True,
        advice="repair what is missing on this machine, then retry",
    ),
    FailureClass.UPSTREAM: FailureRow(
        charged=False,
        retried=True,
        asked=Asked.PERSON,
        resolvable=True,
        unattended=True,
        advice="see whether the provider is up, then retry",
        uncharged_bound=bounds.UNCHARGED_UPSTREAM_IN_A_ROW,
    ),
    FailureClass.QUOTA: FailureRow(
        charged=False,
        retried=False,
        asked=Asked.PERSON,
        resolvable=True,
        unattended=True,
        advice="wait for the quota to come back, then retry",
    ),
    FailureClass.AUTH: FailureRow(
        charged=False,
        retried=False,
        asked=Asked.PERSON,
        resolvable=True,
        advice="log the agent in again, then retry",
    ),
    FailureClass.SCHEMA: FailureRow(
        charged=True,
        retried=True,
        asked=Asked.PLANNER,
        unattended=True,
        advice="retry with guidance, or use another model in a new goal",
    ),
    FailureClass.REFUSAL: FailureRow(
        charged=True,
        retried=False,
        asked=Asked.PLANNER,
        advice="read the refusal, then retry with guidance",
    ),
    # The same request would be cut at the same place: only less can be asked for.
    FailureClass.TRUNCATED: FailureRow(
        charged=True,
        retried=False,
        asked=Asked.PLANNER,
        advice="ask for less, then retry",
    ),
    FailureClass.EMPTY: FailureRow(
        charged=True,
        retried=True,
        asked=Asked.PLANNER,
        unattended=True,
        advice="retry with guidance",
    ),
    FailureClass.TIMEOUT: FailureRow(
        charged=True,
        retried=True,
        asked=Asked.PLANNER,
        unattended=True,
        advice="retry, or allow more time in a new goal",
    ),
    FailureClass.STALLED: FailureRow(
        charged=True,
        retried=True,
        asked=Asked.PLANNER,
        unattended=True,
        advice="see why the agent fell silent, then retry",
    ),
    FailureClass.PROOF: FailureRow(
        charged=True,
        retried=True,
        asked=Asked.PLANNER,
        unattended=True,
        advice="read the failed proof, then retry with guidance",
    ),
    FailureClass.REVIEW: FailureRow(
        charged=True,
        retried=False,
        asked=Asked.PERSON,
        advice="read the findings, then retry",
    ),
    FailureClass.DECISION: FailureRow(
        charged=False,
        retried=False,
        asked=Asked.PERSON,
        resolvable=True,
        advice="decide what is asked, then retry",
    ),
    FailureClass.PERMISSION: FailureRow(
        charged=True,
        retried=False,
        asked=Asked.PERSON,
        advice="look at what was changed out of bounds, then retry or cancel",
    ),
    FailureClass.LOST: FailureRow(
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
    advice = ROWS[failure].advice if failure else "retry it"
    if resolvable:
        advice = advice.replace(", then retry", ", then resolve it")
    return f"({cause}): {detail}; {advice}" if detail else f"({cause}); {advice}"


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
