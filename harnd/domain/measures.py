"""Measures: numbers of things, times and sizes as a person says them."""

from typing import Final

from protocol.values import SECOND

MINUTE: Final = 60
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
MIB: Final = 1024 * 1024


def plain(word: str) -> str:
    """Say a word of a closed vocabulary: `in_review` as `in review`."""
    return word.replace("_", " ")


def count(number: int, noun: str) -> str:
    """Count things: `no entries`, `1 entry`, `2 entries`."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number or 'no'} {noun if number == 1 else plural}"


def span(micros: int) -> str:
    """Say how long something takes or took: `42s`, `5m`, `3h 20m`, `2d 4h`."""
    seconds = max(micros, 0) // SECOND
    if seconds < MINUTE:
        return f"{seconds}s"
    if seconds < HOUR:
        return f"{seconds // MINUTE}m"
    large, small, units = (HOUR, MINUTE, "hm") if seconds < DAY else (DAY, HOUR, "dh")
    rest = seconds % large // small
    return f"{seconds // large}{units[0]}" + (f" {rest}{units[1]}" if rest else "")


def size(octets: int) -> str:
    """Say how large something is: `36 KiB`, `12 MiB`."""
    return f"{octets // MIB} MiB" if octets >= 10 * MIB else f"{-(-octets // 1024)} KiB"


def dollars(micros: int) -> str:
    """Say an amount of money exactly, to the cent at least: `$12.50`, `$0.000125`."""
    cents, rest = divmod(abs(micros), 10_000)
    exact = f"{rest:04d}".rstrip("0") if rest else ""
    return f"{'-' if micros < 0 else ''}${cents // 100:,}.{cents % 100:02d}{exact}"
