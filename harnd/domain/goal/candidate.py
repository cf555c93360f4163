"""Candidates: the one closed object a planner returns, in one of three branches.

A candidate is immutable; what is approved is its digest.  `normalised_digest` leaves out what a planner can reword
without changing the plan, so that an unchanged plan is recognised.
"""

from typing import TypeAlias

import msgspec

from harnd.domain.digest import digest_of
from protocol.ids import CriterionId, Digest, TemplateName, WorkId, WorkKey


class MilestoneDraft(msgspec.Struct, frozen=True):
    """The step that a plan proposes."""

    sequence: int
    title: str
    objective: str
    acceptance: tuple[str, ...]


class WorkDraft(msgspec.Struct, frozen=True):
    """One work item that a plan proposes; dependencies are work ids, or keys of earlier drafts."""

    key: WorkKey
    title: str
    objective: str
    acceptance: tuple[str, ...]
    dependencies: tuple[str, ...]
    template: TemplateName
    paths: tuple[str, ...]


class Claim(msgspec.Struct, frozen=True):
    """What a planner says shows that a criterion of the mission is met.  It is recorded as claimed."""

    criterion: CriterionId
    work: tuple[WorkId, ...]
    note: str


class Apply(msgspec.Struct, frozen=True, tag="apply", tag_field="decision"):
    """Do this milestone with this work."""

    rationale: str
    milestone: MilestoneDraft
    work: tuple[WorkDraft, ...]


class Complete(msgspec.Struct, frozen=True, tag="complete", tag_field="decision"):
    """The mission is met."""

    rationale: str
    evidence: tuple[Claim, ...]


class Attention(msgspec.Struct, frozen=True, tag="attention", tag_field="decision"):
    """A person must answer a question first."""

    rationale: str
    question: str


Candidate: TypeAlias = Apply | Complete | Attention
Proposal: TypeAlias = Apply | Complete  # what a person can approve


def normalised_digest(candidate: Candidate) -> Digest:
    """Digest a candidate without rationale and titles."""
    body: list[object]
    match candidate:
        case Apply(milestone=milestone, work=work):
            body = [milestone.objective, list(milestone.acceptance), [_essence(draft) for draft in work]]
        case Complete(evidence=evidence):
            body = [[claim.criterion, list(claim.work)] for claim in evidence]
        case Attention(question=question):
            body = [question]
    return digest_of([type(candidate).__name__, body])


def _essence(draft: WorkDraft) -> dict[str, object]:
    builtins: dict[str, object] = msgspec.to_builtins(draft)
    return {name: value for name, value in builtins.items() if name != "title"}
