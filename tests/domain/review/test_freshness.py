"""Freshness: evidence holds under the digests it was made under, and moves on from where it stood."""

import msgspec
import pytest

from harnd.domain.digest import digest_of
from harnd.domain.review.contract import CriterionKey, SubjectId
from harnd.domain.review.freshness import (
    Baseline,
    Digests,
    Key,
    Mark,
    Staleness,
    advanced,
    baseline_of,
    mark_of,
    retired,
    staleness,
)
from harnd.domain.review.partition import HARNESS_DEFAULT, Partition
from tests.kit.given import refusal

KEY = Key(SubjectId("plan"), CriterionKey("plan-contract/critic"), HARNESS_DEFAULT)
OTHER = msgspec.structs.replace(KEY, partition=Partition("gpt-5.5"))
DIGESTS = Digests(digest_of("subject"), digest_of("criterion"), digest_of("scaffold"))


def found(key: Key = KEY, *, after: tuple[Baseline, ...] = (), job: str = "one") -> tuple[Baseline, ...]:
    return advanced(after, key, expected=mark_of(after, key), digests=DIGESTS, job=job)


def changed(**fields: str) -> Digests:
    return msgspec.structs.replace(DIGESTS, **{name: digest_of(value) for name, value in fields.items()})


def test_what_was_found_under_these_digests_is_fresh():
    assert staleness(baseline_of(found(), KEY), DIGESTS) is None


@pytest.mark.parametrize(
    ("now", "reason"),
    [
        (changed(criterion="x", subject="x", scaffold="x"), Staleness.CRITERION_CHANGED),
        (changed(subject="x", scaffold="x"), Staleness.SUBJECT_CHANGED),
        (changed(scaffold="x"), Staleness.SCAFFOLD_CHANGED),
    ],
)
def test_the_first_reason_is_named(now, reason):
    assert staleness(baseline_of(found(), KEY), now) is reason


def test_of_what_nothing_was_found_there_is_no_baseline():
    assert staleness(baseline_of((), KEY), DIGESTS) is Staleness.MISSING_BASELINE


def test_evidence_of_one_partition_is_none_of_another():
    assert staleness(baseline_of(found(), OTHER), DIGESTS) is Staleness.MISSING_BASELINE
    assert [one.key for one in found(OTHER, after=found())] == [KEY, OTHER]


def test_evidence_moves_on_only_from_where_it_was_expected():
    first = found()
    second = found(after=first, job="two")
    assert [(one.mark, one.job) for one in second] == [(Mark(2), "two")]
    with refusal("review.conflict"):
        advanced(second, KEY, expected=Mark(1), digests=DIGESTS, job="late")
    with refusal("review.conflict"):
        advanced((), KEY, expected=Mark(1), digests=DIGESTS, job="from nowhere")


def test_what_was_retired_and_found_again_is_another_generation():
    """The same revision is reached twice, and whoever expected the first one is refused."""
    first = found()
    gone = retired(first, KEY)
    assert staleness(baseline_of(gone, KEY), DIGESTS) is Staleness.MISSING_BASELINE
    again = found(after=gone)
    assert mark_of(again, KEY) == Mark(1, 1)
    with refusal("review.conflict"):
        advanced(again, KEY, expected=mark_of(first, KEY), digests=DIGESTS, job="late")
    assert retired(gone, KEY) == gone
    assert retired((), KEY) == ()


@pytest.mark.parametrize(
    "broken",
    [(*found(), *found()), (Baseline(KEY, Mark(0, 1), DIGESTS, "one"),), (Baseline(KEY, Mark(1), None, ""),)],
    ids=["two of one key", "no revision", "no digests"],
)
def test_a_broken_baseline_is_a_bug_and_never_stale(broken):
    with pytest.raises(AssertionError, match="is broken"):
        baseline_of(broken, KEY)
