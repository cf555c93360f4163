"""Amounts of money: `12.50 USD`, or dollars as a number; exact, to the millionth of a dollar."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from harnd.domain.description import describe
from harnd.domain.dialect import Json, Mistake, Schema, Walk, mistake
from harnd.domain.measures import dollars
from protocol.values import MicroDollars

_WRITTEN: Final = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?) ?USD")
_DOLLAR: Final = 1_000_000


def micro_dollars(value: object) -> MicroDollars | None:
    """Read an amount; None when it is none, or finer than a millionth of a dollar."""
    match value:
        case bool():
            return None
        case int():
            return MicroDollars(value * _DOLLAR)
        case float():
            return _exact(Decimal(repr(value)))  # the digits that were written, not the nearest binary fraction
        case str() if written := _WRITTEN.fullmatch(value):
            return _exact(Decimal(written[1]))
        case _:
            return None


def money(_walk: Walk, ends: Json, value: object, _schema: Schema) -> Iterator[Mistake]:
    """Hold an amount between two ends, in micro-dollars: a keyword of the files' dialect."""
    least, most = ends
    found = micro_dollars(value)
    if found is None:
        said = "dollars, exact to the millionth, such as 12.5 or '12.50 USD'"
        yield mistake("type", f"expected {said}, found {describe(value)}")
    elif not least <= found <= most:
        yield mistake("range", f"expected {dollars(least)} to {dollars(most)}, found {describe(value)}")


def _exact(amount: Decimal) -> MicroDollars | None:
    if not amount.is_finite() or amount.adjusted() > 12:  # noqa: PLR2004 - far beyond every bound, and slow to compute
        return None
    micro = amount * _DOLLAR
    return MicroDollars(int(micro)) if micro == micro.to_integral_value() else None
