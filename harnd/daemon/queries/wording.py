"""Wording: commands as a person types them, and times as a person says them."""

import shlex
from typing import Final

from protocol.values import SECOND

MINUTE: Final = 60
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
MIB: Final = 1024 * 1024


def command(*words: object) -> str:
    """Write a command of the client whole, quoted for a shell."""
    return shlex.join(("harnctl", *(str(word) for word in words)))


def typed(verbs: tuple[str, ...]) -> tuple[str, ...]:
    """Write the verbs of a position whole; they are made of ids only, which need no quotes."""
    return tuple(f"harnctl {verb}" for verb in verbs)


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


def count(number: int, noun: str) -> str:
    """Say a number of things: `1 finding`, `2 findings`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
