"""Coverage: how much of each changed file a reviewer is shown.

Every file of a change is listed, whether it is shown or not.  What was omitted cannot have been reviewed, so that a
subject with an omission cannot pass; nothing is ever cut in silence.
"""

from collections.abc import Collection, Iterator
from enum import StrEnum

import msgspec

from harnd.domain.problem import Problem


class Extent(StrEnum):
    """How much of a file is shown."""

    FULL = "full"
    PARTIAL = "partial"
    OMITTED = "omitted"


class Covered(msgspec.Struct, frozen=True, omit_defaults=True):
    """One changed file; `reason` says why it is not shown whole."""

    path: str
    extent: Extent
    reason: str = ""


def withholds_pass(coverage: Collection[Covered]) -> bool:
    """Tell whether something was omitted; a subject that is no change has no coverage and omits nothing."""
    return any(covered.extent is Extent.OMITTED for covered in coverage)


def coverage_problems(coverage: Collection[Covered], changed: Collection[str]) -> list[Problem]:
    """Say how a manifest differs from the files that did change: each is listed once, and nothing else is."""
    listed = {covered.path for covered in coverage}
    missing = (
        Problem("coverage.missing", path, "was changed and is not listed") for path in sorted(set(changed) - listed)
    )
    foreign = (
        Problem("coverage.foreign", path, "is listed and was not changed") for path in sorted(listed - set(changed))
    )
    return [*missing, *foreign, *manifest_problems(coverage)]


def manifest_problems(coverage: Collection[Covered]) -> Iterator[Problem]:
    """Say what is wrong with a manifest by itself."""
    seen: set[str] = set()
    for covered in coverage:
        if covered.path in seen:
            yield Problem("coverage.duplicate", covered.path, "is listed twice")
        seen.add(covered.path)
        if covered.extent is not Extent.FULL and not covered.reason.strip():
            yield Problem("coverage.reason", covered.path, f"is {covered.extent}, expected a reason")
