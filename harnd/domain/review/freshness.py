"""Freshness: whether what was once found of a subject by a criterion still holds, and who may say the next thing.

A baseline is the newest finished evidence of one key: subject, criterion and partition.  It is fresh as long as the
digests it was made under are the digests of today; otherwise the first reason that applies is named.

Whoever begins a review notes where the baseline stood, and moves it on only if it stands there still.  A revision
counts what was found under a key, and a generation how often the key began anew, so that what was taken away and came
back to the same revision is not taken for what was there before.
"""

from collections.abc import Iterable
from enum import StrEnum

import msgspec

from harnd.domain.rejected import Rejected
from harnd.domain.review.contract import CriterionKey, SubjectId
from harnd.domain.review.partition import Partition
from protocol.ids import Digest


class Staleness(StrEnum):
    """Why there is no fresh evidence."""

    MISSING_BASELINE = "missing-baseline"
    CRITERION_CHANGED = "criterion-changed"
    SUBJECT_CHANGED = "subject-changed"
    SCAFFOLD_CHANGED = "scaffold-changed"


class Key(msgspec.Struct, frozen=True):
    """What evidence is about, and whose it is."""

    subject: SubjectId
    criterion: CriterionKey
    partition: Partition


class Digests(msgspec.Struct, frozen=True):
    """What evidence was made under."""

    subject: Digest
    criterion: Digest
    scaffold: Digest


class Mark(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a baseline stands; revision 0 is none."""

    revision: int = 0
    generation: int = 0


class Baseline(msgspec.Struct, frozen=True):
    """The newest finished evidence of a key, or that there is none any more."""

    key: Key
    mark: Mark
    digests: Digests | None  # None once it was retired
    job: str  # names where the evidence lies


def baseline_of(baselines: Iterable[Baseline], key: Key) -> Baseline | None:
    """Return the baseline of a key; a broken one is a bug, and never "stale"."""
    found = [baseline for baseline in baselines if baseline.key == key]
    if len(found) > 1 or any((one.mark.revision < 1) != (one.digests is None) for one in found):
        raise AssertionError(f"the evidence of {key} is broken: {found}")
    return found[0] if found else None


def staleness(baseline: Baseline | None, now: Digests) -> Staleness | None:
    """Say why evidence does not hold under these digests, for the first reason that applies; None when it is fresh."""
    if baseline is None or baseline.digests is None:
        return Staleness.MISSING_BASELINE
    if baseline.digests.criterion != now.criterion:
        return Staleness.CRITERION_CHANGED
    if baseline.digests.subject != now.subject:
        return Staleness.SUBJECT_CHANGED
    return Staleness.SCAFFOLD_CHANGED if baseline.digests.scaffold != now.scaffold else None


def mark_of(baselines: Iterable[Baseline], key: Key) -> Mark:
    """Return where a key stands."""
    standing = baseline_of(baselines, key)
    return Mark() if standing is None else standing.mark


def advanced(
    baselines: tuple[Baseline, ...], key: Key, *, expected: Mark, digests: Digests, job: str
) -> tuple[Baseline, ...]:
    """Move a key on to new evidence, if it stands where it was expected to.

    Raises `Rejected` (`review.conflict`) when it does not: something else was found in the meantime.
    """
    found = mark_of(baselines, key)
    if found != expected:
        raise Rejected("review.conflict", f"{key.criterion} stands at {_said(found)}, not at {_said(expected)}")
    return _replaced(baselines, Baseline(key, Mark(expected.revision + 1, expected.generation), digests, job))


def retired(baselines: tuple[Baseline, ...], key: Key) -> tuple[Baseline, ...]:
    """Take the evidence of a key away; what is found next begins a generation of its own."""
    standing = baseline_of(baselines, key)
    if standing is None or standing.digests is None:
        return baselines
    return _replaced(baselines, Baseline(key, Mark(0, standing.mark.generation + 1), None, ""))


def _replaced(baselines: tuple[Baseline, ...], moved: Baseline) -> tuple[Baseline, ...]:
    return (*(baseline for baseline in baselines if baseline.key != moved.key), moved)


def _said(mark: Mark) -> str:
    return f"revision {mark.revision} of generation {mark.generation}"
