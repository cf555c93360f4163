"""Proof: what harnd itself established about a commit, per criterion.

A proof is made of commands that harnd ran on a clean checkout.  It makes work reviewable and decides nothing.  What
could not be established is `unknown`, with the reason; zero criteria are not satisfied.
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from harnd.domain.digest import digest_of
from harnd.domain.goal.intent import Criterion
from harnd.domain.goal.template import ProofCommand
from protocol.ids import CommitId, CriterionId, Digest, TreeId
from protocol.values import Micros, Verdict

Found: TypeAlias = Literal["passed", "failed", "unknown"]


class Evidence(msgspec.Struct, frozen=True, omit_defaults=True):
    """One proof command, as it ended."""

    name: str
    found: Found
    ran: Micros
    exit_code: int | None = None
    output: Digest | None = None  # the blob of what it printed, bounded
    detail: str = ""  # why it is not known


class CriterionProof(msgspec.Struct, frozen=True):
    """What is known of one criterion, and which evidence says so."""

    criterion: CriterionId
    verdict: Verdict
    evidence: tuple[str, ...]


class Proof(msgspec.Struct, frozen=True, omit_defaults=True):
    """The packet: a commit, its evidence, and the verdict per criterion."""

    commit: CommitId
    tree: TreeId
    criteria: tuple[CriterionProof, ...]
    evidence: tuple[Evidence, ...]

    def digest(self) -> Digest:
        """Identify the packet; accepting work names this digest."""
        return digest_of(self)

    @property
    def satisfied(self) -> bool:
        """Tell whether every criterion is satisfied, and there is one."""
        return bool(self.criteria) and all(entry.verdict is Verdict.SATISFIED for entry in self.criteria)

    def failures(self) -> tuple[Evidence, ...]:
        """Return the evidence that did not pass."""
        return tuple(entry for entry in self.evidence if entry.found != "passed")


def proves(command: ProofCommand, criterion: CriterionId) -> bool:
    """Tell whether a proof command speaks about a criterion."""
    return not command.proves or criterion in command.proves


def judge(
    criteria: Sequence[Criterion],
    commands: Sequence[ProofCommand],
    evidence: Sequence[Evidence],
    *,
    commit: CommitId,
    tree: TreeId,
) -> Proof:
    """Map what the commands found to the criteria they speak about."""
    found = {entry.name: entry for entry in evidence}
    verdicts = tuple(_judge_one(criterion, commands, found) for criterion in criteria)
    return Proof(commit=commit, tree=tree, criteria=verdicts, evidence=tuple(evidence))


def _judge_one(criterion: Criterion, commands: Sequence[ProofCommand], found: dict[str, Evidence]) -> CriterionProof:
    speaking = tuple(command.name for command in commands if proves(command, criterion.id))
    results = [found[name].found if name in found else "unknown" for name in speaking]
    if "failed" in results:
        verdict = Verdict.UNSATISFIED
    elif results and all(result == "passed" for result in results):
        verdict = Verdict.SATISFIED
    else:
        verdict = Verdict.UNKNOWN
    return CriterionProof(criterion=criterion.id, verdict=verdict, evidence=speaking)
