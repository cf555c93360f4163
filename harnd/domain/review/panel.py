"""Panels: what one reviewer of a plan says, and what a panel of them has said together.

The schema is the one that is shown, with the bounds of the stored record in it.  A panel's outcome is a function of the
set of its votes: neither their order nor their repetition moves it, nobody is outvoted, and whoever is missing helps
nobody.  Passing makes a plan proposable and decides nothing.
"""

from collections.abc import Collection, Iterable
from enum import StrEnum
from typing import Final

import msgspec

from harnd.domain.checking import check
from harnd.domain.problem import Problem
from harnd.domain.reading import Around, Unreadable, read_object
from harnd.domain.shapes import Schema, a_list, a_text, a_word, an_object
from protocol import bounds
from protocol.ids import SpecialistName


class PlanVerdict(StrEnum):
    """What a reviewer would have done with a plan."""

    APPROVE = "approve"
    REVISE = "revise"
    ATTENTION = "attention"  # a person must look at it


class Severity(StrEnum):
    """Whether a finding stands in the way."""

    BLOCKING = "blocking"
    ADVISORY = "advisory"


class Outcome(StrEnum):
    """What a panel has come to."""

    APPROVED = "approved"
    REVISE = "revise"
    ATTENTION = "attention"
    FAILED = "failed"  # somebody is missing: it is no verdict in either direction


class Finding(msgspec.Struct, frozen=True):
    """One objection."""

    code: str
    severity: Severity
    summary: str
    recommendation: str


class Opinion(msgspec.Struct, frozen=True):
    """What one reviewer said."""

    verdict: PlanVerdict
    rationale: str
    findings: tuple[Finding, ...]


class Vote(msgspec.Struct, frozen=True):
    """One reviewer's part in a round; None when there is no valid opinion, whatever the reason."""

    reviewer: SpecialistName
    opinion: Opinion | None


FINDING_CODE: Final = rf"[a-z][a-z0-9._-]{{0,{bounds.FINDING_CODE_CHARS - 1}}}"


def opinion_schema() -> Schema:
    """Build the schema of one reviewer's assessment."""
    finding = an_object(
        code={"type": "string", "pattern": f"^{FINDING_CODE}$", "description": "a short code such as `scope.too-wide`"},
        severity=a_word(*Severity),
        summary=a_text(bounds.FINDING_CHARS),
        recommendation=a_text(bounds.FINDING_CHARS),
    )
    whole = an_object(
        verdict=a_word(*PlanVerdict),
        rationale=a_text(bounds.RATIONALE_CHARS),
        findings=a_list(finding, least=0, most=bounds.FINDINGS),
    )
    blocking = {
        "type": "object",
        "properties": {"severity": {"const": Severity.BLOCKING.value}},
        "required": ["severity"],
        "description": "at least one blocking finding with `revise`",
    }
    revise = {"properties": {"verdict": {"const": PlanVerdict.REVISE.value}}, "required": ["verdict"]}
    return whole | {"if": revise, "then": {"properties": {"findings": {"contains": blocking}}}}


def read_opinion(value: bytes) -> Opinion | tuple[Problem, ...]:
    """Read an assessment that followed the schema; a stored one is checked again whenever it is read."""
    read = read_object(value.decode("utf-8", "replace"), around=Around.NOTHING)
    if isinstance(read, Unreadable):
        return (Problem(read.code, read.place, read.message),)
    problems = check(read.value, opinion_schema())
    return tuple(problems) if problems else msgspec.convert(read.value, Opinion)


def aggregate(panel: Collection[SpecialistName], votes: Iterable[Vote]) -> Outcome:
    """Say what a panel has come to.

    Every reviewer has one vote, however often it was recorded; one who said two different things has said nothing that
    counts, and a vote of somebody else makes the round invalid.
    """
    opinions: dict[SpecialistName, set[Opinion | None]] = {}
    for vote in votes:
        opinions.setdefault(vote.reviewer, set()).add(vote.opinion)
    if not panel or set(opinions) != set(panel) or any(len(each) != 1 for each in opinions.values()):
        return Outcome.FAILED
    said = [opinion for each in opinions.values() for opinion in each if opinion is not None]
    if len(said) != len(opinions):
        return Outcome.FAILED
    if any(opinion.verdict is PlanVerdict.ATTENTION for opinion in said):
        return Outcome.ATTENTION
    if any(opinion.verdict is PlanVerdict.REVISE or blocks(opinion) for opinion in said):
        return Outcome.REVISE
    return Outcome.APPROVED


def blocks(opinion: Opinion) -> bool:
    """Tell whether a finding stands in the way; beside an approval it does as well."""
    return any(finding.severity is Severity.BLOCKING for finding in opinion.findings)
