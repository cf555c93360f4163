"""Measures: times in one or two units, sizes rounded up, and numbers of things."""

import pytest

from harnd.domain.measures import count, plain, size, span


@pytest.mark.parametrize(
    ("micros", "said"),
    [
        (-1, "0s"),
        (0, "0s"),
        (59_999_999, "59s"),
        (60_000_000, "1m"),
        (3_599_999_999, "59m"),
        (3_600_000_000, "1h"),
        (12_000_000_000, "3h 20m"),
        (86_400_000_000, "1d"),
        (187_200_000_000, "2d 4h"),
    ],
)
def test_times_are_said_in_one_or_two_units(micros, said):
    assert span(micros) == said


def test_a_word_of_a_vocabulary_is_said_without_its_underscores():
    assert plain("in_review") == "in review"


def test_sizes_and_counts():
    assert [size(octets) for octets in (0, 1, 1024, 10 * 2**20 - 1, 10 * 2**20)] == [
        "0 KiB",
        "1 KiB",
        "1 KiB",
        "10240 KiB",
        "10 MiB",
    ]
    assert [count(number, "finding") for number in (0, 1, 2)] == ["no findings", "1 finding", "2 findings"]
    assert count(2, "entry") == "2 entries"
