"""Proof: what harnd itself established about a commit, per criterion.

A proof is made of commands that harnd ran on a clean checkout.  It makes work reviewable and decides nothing.  What
could not be established is `unknown`, with the reason; what failed and then passed is `flaky`, which is never taken for
passed by anybody but a person; zero criteria are not satisfied.
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from harnd.domain.digest import digest_of
from harnd.domain.goal.intent import Criterion
from harnd.domain.goal.template import ProofCommand
from protocol.ids import CommitId, CriterionId, Digest, TreeId
from protocol.values import Micros, Verdict

RunFound: TypeAlias = Literal["passed", "failed", "unknown"]
Found: TypeAlias = Literal["passed", "failed", "unknown", "flaky", "unsound"]
"""`flaky` did not pass at first and passed when it was run again; `unsound` passes without the work as well."""

_WITHOUT_THE_WORK = "passes without the work"


class Run(msgspec.Struct, frozen=True, omit_defaults=True):
    """One run of a proof command, as it ended."""

    found: RunFound
    ran: Micros
    exit_code: int | None = None
    output: Digest | None = None  # the blob of what it printed, bounded
    detail: str = ""  # why it is not known, or what else is to be said


class Evidence(msgspec.Struct, frozen=True, omit_defaults=True):
    """One proof command and what its runs come to; what they printed is of the run that says most."""

    name: str
    found: Found
    ran: Micros  # of all runs on the commit itself
    exit_code: int | None = None
    output: Digest | None = None  # the blob of what it printed, bounded
    detail: str = ""  # why it is not known, or not believed
    runs: tuple[Run, ...] = ()  # every run, in order, when there was more than one
    before: tuple[Run, ...] = ()  # every run on the commit that the item started from, where it had to fail


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
        return self.satisfied_but_for(())

    def satisfied_but_for(self, acknowledged: Sequence[str]) -> bool:
        """Tell whether every criterion is satisfied, or only flaky and acknowledged by a person, and there is one."""
        believed = {*self.flaky()} & {*acknowledged}
        return bool(self.criteria) and all(
            entry.verdict is Verdict.SATISFIED or entry.criterion in believed for entry in self.criteria
        )

    def flaky(self) -> tuple[CriterionId, ...]:
        """Return the criteria that would be satisfied if all that failed and then passed had passed."""
        found = {entry.name: entry.found for entry in self.evidence}
        return tuple(
            entry.criterion
            for entry in self.criteria
            if "flaky" in (said := {found.get(name) for name in entry.evidence}) and said <= {"passed", "flaky"}
        )

    def failures(self) -> tuple[Evidence, ...]:
        """Return the evidence that did not pass."""
        return tuple(entry for entry in self.evidence if entry.found != "passed")


def proves(command: ProofCommand, criterion: CriterionId) -> bool:
    """Tell whether a proof command speaks about a criterion."""
    return not command.proves or criterion in command.proves


def evidence_of(name: str, runs: Sequence[Run], before: Sequence[Run] = ()) -> Evidence:
    """Say what the runs of a command come to, and those on the commit where it had to fail, if it had to.

    Whatever speaks against the work comes first: a failure, then that the command proves nothing, then what is not
    known; only then is what happened at first and not again a matter for a person.
    """
    found, detail = _weighed(_summed(runs), _summed(before) if before else "failed", runs=runs, before=before)
    telling = next((run for run in reversed(runs) if run.found != "passed"), runs[-1])
    return Evidence(
        name,
        found,
        Micros(sum(run.ran for run in runs)),
        exit_code=telling.exit_code,
        output=telling.output,
        detail=detail,
        runs=tuple(runs) if len(runs) > 1 else (),
        before=tuple(before),
    )


def _weighed(after: Found, at_first: Found, *, runs: Sequence[Run], before: Sequence[Run]) -> tuple[Found, str]:
    match after, at_first:
        case "failed", _:
            return after, ""
        case _, "passed":
            return "unsound", _WITHOUT_THE_WORK
        case "unknown", _:
            return after, _unknown(runs)
        case _, "unknown":
            return "unknown", f"whether it fails without the work is not known: {_unknown(before)}"
        case _, "flaky":
            return "flaky", f"it failed and then passed without the work, in {len(before)} runs"
        case "flaky", _:
            return after, f"it passed in run {len(runs)}, and not before"
        case _:
            return after, ""


def _summed(runs: Sequence[Run]) -> Found:
    """Sum up runs, of which only the last can have passed."""
    found = [run.found for run in runs]
    if found[-1] == "passed":
        return "passed" if len(found) == 1 else "flaky"
    return "failed" if "failed" in found else "unknown"


def _unknown(runs: Sequence[Run]) -> str:
    return next((run.detail for run in reversed(runs) if run.found == "unknown"), "")


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
    if "failed" in results or "unsound" in results:
        verdict = Verdict.UNSATISFIED
    elif results and all(result == "passed" for result in results):
        verdict = Verdict.SATISFIED
    else:
        verdict = Verdict.UNKNOWN
    return CriterionProof(criterion=criterion.id, verdict=verdict, evidence=speaking)
