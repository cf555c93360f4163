"""Durations: how a person writes them."""

import pytest

from harnd.domain.files.durations import seconds, written


@pytest.mark.parametrize(
    ("value", "expected"),
    [(90, 90), ("90s", 90), ("10m", 600), ("2h", 7_200), ("1d", 86_400), ("0s", 0), (-1, -1)],
)
def test_a_number_is_seconds_and_a_unit_is_a_unit(value: object, expected: int):
    assert seconds(value) == expected


@pytest.mark.parametrize(
    "value", [True, 1.5, "", "10", "m", "1h30m", "-1s", "1 h", "1H", "\uff110s", "9999999999s", None, []]
)
def test_anything_else_is_none(value: object):
    assert seconds(value) is None


@pytest.mark.parametrize(
    ("total", "expected"), [(1, "1s"), (90, "90s"), (600, "10m"), (5_400, "90m"), (86_400, "1d"), (0, "0s")]
)
def test_the_largest_unit_that_keeps_it_whole_is_written(total: int, expected: str):
    assert written(total) == expected
