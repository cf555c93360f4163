"""Durations: seconds as a whole number, or a number with a unit such as `90s`, `10m`, `2h`, `1d`."""

import re
from collections.abc import Iterator
from typing import Final

from harnd.domain.description import describe
from harnd.domain.dialect import Json, Mistake, Schema, Walk, mistake
from protocol.values import SECOND, Micros

_WRITTEN: Final = re.compile(r"([0-9]{1,9})([smhd])")
_UNITS: Final = {"d": 24 * 3_600, "h": 3_600, "m": 60, "s": 1}


def seconds(value: object) -> int | None:
    """Read a duration; None when it is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    match = _WRITTEN.fullmatch(value) if isinstance(value, str) else None
    return int(match[1]) * _UNITS[match[2]] if match else None


def micros(value: object, default_s: int) -> Micros:
    """Read a duration that was checked, or take the default when there is none."""
    found = seconds(value)
    return Micros((default_s if found is None else found) * SECOND)


def written(total: int) -> str:
    """Write seconds in the largest unit that keeps them whole."""
    unit = next(unit for unit, size in _UNITS.items() if unit == "s" or (total >= size and total % size == 0))
    return f"{total // _UNITS[unit]}{unit}"


def duration(_walk: Walk, ends: Json, value: object, _schema: Schema) -> Iterator[Mistake]:
    """Hold a duration between two ends, in seconds: a keyword of the files' dialect."""
    least, most = ends
    found = seconds(value)
    if found is None:
        yield mistake("type", f"expected seconds or a text such as '90s', '10m' or '2h', found {describe(value)}")
    elif not least <= found <= most:
        yield mistake("range", f"expected {written(least)} to {written(most)}, found {describe(value)}")
