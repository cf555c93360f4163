"""Amounts: what a person types for how much more a budget gets, on the command line and in the TUI."""

import re
from typing import Final

from protocol.bounds import SEQUENCE
from protocol.values import SECOND, Unit

GROWING: Final = (Unit.ATTEMPTS, Unit.AGENT_CALLS, Unit.TICKS, Unit.ACTIVE_RUNTIME_US)  # in the order they are offered
LETTERS: Final = 12  # of one amount
_SECONDS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


def is_time(unit: Unit) -> bool:
    """Tell whether a unit is an amount of time."""
    return unit is Unit.ACTIVE_RUNTIME_US


def example(unit: Unit) -> str:
    """Return something that can be typed."""
    return "2h, 90m or 1d" if is_time(unit) else "a number from 1"


def read(unit: Unit, text: str) -> int | None:
    """Return an amount in the unit of the ledger; None when the text is none."""
    if not is_time(unit):
        return _positive(text)
    if not (found := re.fullmatch(r"([0-9]+)([smhd])", text)):
        return None
    number = _positive(found[1])
    return None if number is None else _within(number * _SECONDS[found[2]] * SECOND)


def may_type(unit: Unit, text: str) -> bool:
    """Tell whether a text can become an amount."""
    grammar = r"[0-9]+[smhd]?" if is_time(unit) else r"[0-9]+"
    return len(text) <= LETTERS and re.fullmatch(grammar, text) is not None


def _positive(text: str) -> int | None:
    return _within(int(text)) if re.fullmatch(r"[0-9]+", text) else None


def _within(number: int) -> int | None:
    return number if 1 <= number <= SEQUENCE else None
