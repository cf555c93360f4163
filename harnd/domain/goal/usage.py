"""Usage: what calls reported to have used.  What was not reported is unknown, and never zero."""

from collections.abc import Iterable

import msgspec

from protocol.values import MicroDollars


class Usage(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an attempt's sessions used; None is not reported."""

    calls: int = 0
    tokens: int | None = None
    cost: MicroDollars | None = None


def total(usages: Iterable[Usage]) -> Usage:
    """Sum what was used; unknown plus something is unknown, and nothing at all is nothing."""
    each = tuple(usages)
    cost = _sum(usage.cost for usage in each)
    return Usage(
        calls=sum(usage.calls for usage in each),
        tokens=_sum(usage.tokens for usage in each),
        cost=None if cost is None else MicroDollars(cost),
    )


def _sum(amounts: Iterable[int | None]) -> int | None:
    known = tuple(amounts)
    return None if None in known else sum(amount for amount in known if amount is not None)
