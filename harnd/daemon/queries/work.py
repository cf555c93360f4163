"""Work: a row each, or one item in full with what was tried and what was established per criterion."""

from collections.abc import Iterator
from typing import Final

from harnd.daemon.queries.about import Sources
from harnd.domain.goal import proof
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.intent import Criterion
from harnd.domain.goal.lookup import item_named
from harnd.domain.goal.reasons.item import reason_of
from harnd.domain.goal.rules.resolving import approved, resolvable
from harnd.domain.goal.work import Attempt, Standing, Work
from harnd.domain.measures import span
from protocol.ids import CriterionId, Digest
from protocol.requests import ListWork, ShowWork
from protocol.values import AttemptOutcome, Instant, Verdict
from protocol.views import AttemptView, CriterionVerdict, DoubtView, Evidence, FindingView, WorkList, WorkRow, WorkView

UNFORETOLD: Final = "whether it would clash with what is on the goal's branch by now: git did not tell"


async def listed(sources: Sources, request: ListWork) -> WorkList:
    """List every work item of a goal, in the order of their plans."""
    goal = await sources.goals.load(request.goal)
    now = sources.now()
    return WorkList(goal=request.goal, work=tuple(row(goal, item, now) for item in goal.work.values()))


async def shown(sources: Sources, request: ShowWork) -> WorkView:
    """Show one item in full."""
    goal = await sources.goals.load(request.goal)
    item = item_named(goal, request.work)
    established = item.last.proof if item.last else None
    clashes = await sources.foreteller.clashes(goal, item)
    integrated = item.integration.commit if item.integration and item.standing is Standing.INTEGRATED else None
    return WorkView(
        goal=request.goal,
        work=item.id,
        title=item.title,
        objective=item.objective,
        state=goal.state_of(item),
        reason=reason_of(goal, item, sources.now()).condition,
        template=item.template,
        paths=item.paths,
        dependencies=item.dependencies,
        criteria=tuple(_verdict(criterion, established) for criterion in item.acceptance),
        attempts=tuple(_attempt(attempt) for attempt in item.attempts),
        open_findings=tuple(FindingView(id=finding.id, text=finding.text) for finding in item.findings),
        proof_digest=_proof_digest(item, established),
        integrated_commit=integrated,
        unknowns=(*_unknowns(item), *([UNFORETOLD] if clashes is None else [])),
        repository=goal.intent.repository,
        doubts=tuple(_doubts(item)),
        acknowledged=item.acknowledged,
        would_clash=clashes or (),
        resolvable=resolvable(item) or approved(goal, item),
    )


def row(goal: Goal, item: Work, now: Instant) -> WorkRow:
    """Write an item for a list."""
    return WorkRow(
        work=item.id,
        title=item.title,
        state=goal.state_of(item),
        reason=reason_of(goal, item, now).condition,
        template=item.template,
        dependencies=item.dependencies,
        attempts=len(item.attempts),
        root=any(milestone.root == item.id for milestone in goal.milestones),
    )


def _proof_digest(item: Work, established: proof.Proof | None) -> Digest | None:
    if item.accepted_proof is not None:
        return item.accepted_proof
    return established.digest() if established and item.standing is Standing.IN_REVIEW else None


def _doubts(item: Work) -> Iterator[DoubtView]:
    if item.standing is not Standing.IN_REVIEW or item.last is None:
        return
    established = item.last.proof
    for criterion in established.flaky() if established else ():
        yield DoubtView(name=criterion, said=f"flaky: {'; '.join(_flaky(established, criterion))}")
    for path in item.last.protected:
        yield DoubtView(name=path, said="changed, although the template protects it")


def _flaky(established: proof.Proof | None, criterion: CriterionId) -> Iterator[str]:
    speaking = {
        name
        for entry in (established.criteria if established else ())
        if entry.criterion == criterion
        for name in entry.evidence
    }
    for entry in established.evidence if established else ():
        if entry.name in speaking and entry.found == "flaky":
            yield f"{entry.name}: {entry.detail}"


# --- criteria


def _verdict(criterion: Criterion, established: proof.Proof | None) -> CriterionVerdict:
    found = next((one for one in established.criteria if one.criterion == criterion.id), None) if established else None
    ran = {entry.name: entry for entry in established.evidence} if established else {}
    return CriterionVerdict(
        id=criterion.id,
        text=criterion.text,
        verdict=found.verdict if found else Verdict.UNKNOWN,
        evidence=tuple(_evidence(ran[name]) for name in found.evidence if name in ran) if found else (),
    )


def _evidence(entry: proof.Evidence) -> Evidence:
    return Evidence(source=f"proof {entry.name}", said=_said(entry), digest=entry.output)


def _said(entry: proof.Evidence) -> str:
    match entry.found:
        case "passed":
            return f"passed in {span(entry.ran)}{_before(entry)}"
        case "failed":
            times = f", {len(entry.runs)} times over" if entry.runs else ""
            return f"failed with exit code {entry.exit_code} in {span(entry.ran)}{times}"
        case "flaky":
            return f"flaky: {entry.detail}"
        case "unsound":
            return f"proves nothing: it {entry.detail}"
        case "unknown":
            return f"not known: {entry.detail}"


def _before(entry: proof.Evidence) -> str:
    if not entry.before:
        return ""
    first = entry.before[0]
    said = f": {first.detail}" if first.detail else f" with exit code {first.exit_code}"
    return f"; without the work it failed{said}"


# --- attempts


def _attempt(attempt: Attempt) -> AttemptView:
    return AttemptView(
        number=attempt.number,
        outcome=AttemptOutcome.PARKED if attempt.parked is not None else attempt.outcome,
        failure=attempt.failure if attempt.parked is None else attempt.parked.failure,
        charged=None if attempt.open else attempt.charged,
        started=attempt.started_at,
        ended=attempt.ended_at,
        commit=attempt.commit,
        changed=attempt.changed,
        detail="; ".join(_details(attempt)),
        base=attempt.base,
        undeclared=attempt.undeclared,
        changed_in_all=attempt.changed_in_all,
        protected=attempt.protected,
    )


def _details(attempt: Attempt) -> Iterator[str]:
    if attempt.detail:
        yield attempt.detail
    if attempt.parked is not None and attempt.parked.detail:
        yield attempt.parked.detail
    yield from (f"around the attempt: {report}" for report in attempt.reports)


def _unknowns(item: Work) -> Iterator[str]:
    """Name what a person might take for known: what the newest proofs could not tell, and what was never reported."""
    integrated = item.integration.proof if item.integration else None
    yield from _unestablished(item, item.last.proof if item.last else None)
    yield from _untold(integrated, where=" on the integrated tree") if integrated else ()
    for attempt in item.attempts:
        if attempt.open or not attempt.calls:
            continue
        missing = [name for name in ("tokens", "cost") if getattr(attempt.usage, name) is None]
        if missing:
            yield f"attempt {attempt.number} did not report its {' and '.join(missing)}"


def _unestablished(item: Work, established: proof.Proof | None) -> Iterator[str]:
    """Name the criteria about which nothing is known, each with the reason, and then what could not say."""
    if established is None:
        if item.last is not None and not item.last.open:
            named = ", ".join(criterion.id for criterion in item.acceptance)
            yield f"{named}: attempt {item.last.number} ended before anything was proved"
        return
    for entry in established.criteria:
        if not entry.evidence:
            yield f"{entry.criterion}: no proof of the template {item.template} speaks about it"
    yield from _untold(established, where="")


def _untold(established: proof.Proof, *, where: str) -> Iterator[str]:
    for found in established.evidence:
        if found.found in ("unknown", "flaky"):
            yield f"proof {found.name}{where}: {found.detail}"
