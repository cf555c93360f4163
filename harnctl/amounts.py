"""Amounts: what a person types for how much more a budget gets, on the command line and in the TUI."""

import re
from collections.abc import Iterable
from typing import Final

from protocol.bounds import SEQUENCE
from protocol.values import SECOND, Unit
from protocol.views import BudgetRow

GROWING: Final = (  # in the order they are offered
    *(Unit.ATTEMPTS, Unit.AGENT_CALLS, Unit.TICKS, Unit.ACTIVE_RUNTIME_US),
    *(Unit.TOKENS, Unit.MICRO_DOLLARS),  # where a goal limits them
)
LETTERS: Final = 12  # of one amount
_TYPED: Final = {Unit.ACTIVE_RUNTIME_US: r"[0-9]+[smhd]?", Unit.MICRO_DOLLARS: r"[0-9]+(\.[0-9]{0,6})?"}
_SECONDS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


def offered(rows: Iterable[BudgetRow]) -> tuple[Unit, ...]:
    """Return what can grow of a goal with this ledger: tokens and money only when they are limited."""
    limited = {row.unit for row in rows}
    return tuple(unit for unit in GROWING if unit not in (Unit.TOKENS, Unit.MICRO_DOLLARS) or unit in limited)


def is_time(unit: Unit) -> bool:
    """Tell whether a unit is an amount of time."""
    return unit is Unit.ACTIVE_RUNTIME_US


def example(unit: Unit) -> str:
    """Return something that can be typed."""
    if unit is Unit.MICRO_DOLLARS:
        return "dollars, such as 12.50"
    return "2h, 90m or 1d" if is_time(unit) else "a number from 1"


def read(unit: Unit, text: str) -> int | None:
    """Return an amount in the unit of the ledger; None when the text is none."""
    if unit is Unit.MICRO_DOLLARS:
        return _dollars(text)
    if not is_time(unit):
        return _positive(text)
    if not (found := re.fullmatch(r"([0-9]+)([smhd])", text)):
        return None
    number = _positive(found[1])
    return None if number is None else _within(number * _SECONDS[found[2]] * SECOND)


def may_type(unit: Unit, text: str) -> bool:
    """Tell whether a text can become an amount."""
    grammar = _TYPED.get(unit, r"[0-9]+")
    return len(text) <= LETTERS and re.fullmatch(grammar, text) is not None


def _dollars(text: str) -> int | None:
    if not (found := re.fullmatch(r"([0-9]{1,9})(?:\.([0-9]{1,6}))?", text)):
        return None
    return _within(int(found[1]) * 1_000_000 + int((found[2] or "").ljust(6, "0")))


def _positive(text: str) -> int | None:
    return _within(int(text)) if re.fullmatch(r"[0-9]+", text) else None


def _within(number: int) -> int | None:
    return number if 1 <= number <= SEQUENCE else None
