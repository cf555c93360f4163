"""Words: ages, times and amounts as a person says them.  An unknown amount is said to be unknown, never nought."""

from datetime import datetime
from typing import Final

from protocol.values import SECOND, Instant, MicroDollars

MINUTE: Final = 60
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
UNKNOWN: Final = "unknown"
CENT: Final = 10_000  # micro-dollars


def duration(span: int) -> str:
    """Say how long `span` microseconds are, in one or two units: `42s`, `5m`, `3h 20m`, `2d 4h`."""
    seconds = max(span, 0) // SECOND
    if seconds < MINUTE:
        return f"{seconds}s"
    if seconds < HOUR:
        return f"{seconds // MINUTE}m"
    if seconds < DAY:
        return _two(seconds // HOUR, "h", seconds % HOUR // MINUTE, "m")
    return _two(seconds // DAY, "d", seconds % DAY // HOUR, "h")


def age(since: Instant, now: Instant) -> str:
    """Say how long ago something was; what lies ahead by a clock step is `0s` old."""
    return duration(now - since)


def when(instant: Instant, now: Instant) -> str:
    """Say a moment by the clock on the wall, and how far off it is."""
    there = _local(instant)
    clock = there.strftime("%H:%M" if there.date() == _local(now).date() else "%Y-%m-%d %H:%M")
    return f"{clock} (in {duration(instant - now)})" if instant > now else f"{clock} ({age(instant, now)} ago)"


def moment(instant: Instant, now: Instant) -> str:
    """Say a moment by the clock on the wall, to the second when it was today."""
    there = _local(instant)
    return there.strftime("%H:%M:%S" if there.date() == _local(now).date() else "%Y-%m-%d %H:%M")


def count(number: int, noun: str) -> str:
    """Say a number of things: `1 plan`, `2 plans`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def money(amount: MicroDollars | None) -> str:
    """Say an amount of money to the cent, rounded up: spending is never shown as less than it is."""
    if amount is None:
        return UNKNOWN
    cents = -(-abs(amount) // CENT)
    return f"{'-' if amount < 0 else ''}${cents // 100}.{cents % 100:02d}"


def plain(word: str) -> str:
    """Say a word of a closed vocabulary: `awaiting_attention` as `awaiting attention`."""
    return word.replace("_", " ")


def _two(large: int, large_unit: str, small: int, small_unit: str) -> str:
    return f"{large}{large_unit} {small}{small_unit}" if small else f"{large}{large_unit}"


def _local(instant: Instant) -> datetime:
    return datetime.fromtimestamp(instant / SECOND).astimezone()
