"""Usage: what calls reported to have used.  What was not reported is unknown, and never zero."""

from collections.abc import Iterable

import msgspec

from protocol.values import MicroDollars, Unit


class Usage(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an attempt's sessions used; None is not reported.

    Where only some of several calls reported, the whole is unknown, and what these did report stands beside it.
    """

    calls: int = 0
    tokens: int | None = None
    cost: MicroDollars | None = None
    some_tokens: int = 0  # of the calls that did report, where not all did
    some_cost: MicroDollars = MicroDollars(0)
    said_tokens: int = 0  # how many did
    said_cost: int = 0

    def told(self, unit: Unit) -> "Told":
        """Return what was reported of tokens or money, and by how many of the calls."""
        whole, some, said = (
            (self.tokens, self.some_tokens, self.said_tokens)
            if unit is Unit.TOKENS
            else (self.cost, self.some_cost, self.said_cost)
        )
        if whole is not None:
            return Told(whole, self.calls, 0)
        # What is unknown although every counted call spoke was used by one that does not count: a run made again.
        return Told(some, said, max(self.calls - said, 1 if said else 0))


class Told(msgspec.Struct, frozen=True):
    """What is known of one unit: the amount that `calls` calls reported, and how many reported nothing."""

    amount: int
    calls: int
    silent: int


METERED = (Unit.TOKENS, Unit.MICRO_DOLLARS)


def total(usages: Iterable[Usage]) -> Usage:
    """Sum what was used; unknown plus something is unknown, and nothing at all is nothing."""
    each = tuple(usages)
    cost = _sum(usage.cost for usage in each)
    return Usage(
        calls=sum(usage.calls for usage in each),
        tokens=_sum(usage.tokens for usage in each),
        cost=None if cost is None else MicroDollars(cost),
    )


def combined(usages: Iterable[Usage]) -> Usage:
    """Sum what was used like `total`, and keep what some of the calls reported where not all of them did."""
    each = tuple(usages)
    whole, (tokens, cost) = total(each), (_together(each, unit) for unit in METERED)
    return msgspec.structs.replace(
        whole,
        some_tokens=0 if whole.tokens is not None else tokens.amount,
        said_tokens=0 if whole.tokens is not None else tokens.calls,
        some_cost=MicroDollars(0 if whole.cost is not None else cost.amount),
        said_cost=0 if whole.cost is not None else cost.calls,
    )


def _together(usages: Iterable[Usage], unit: Unit) -> Told:
    each = [usage.told(unit) for usage in usages]
    return Told(sum(one.amount for one in each), sum(one.calls for one in each), sum(one.silent for one in each))


def _sum(amounts: Iterable[int | None]) -> int | None:
    known = tuple(amounts)
    return None if None in known else sum(amount for amount in known if amount is not None)
