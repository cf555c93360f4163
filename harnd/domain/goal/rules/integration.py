"""What becomes of an integration: proved on the integrated tree, then moved; or parked, naming what is in the way."""

from typing import TypeAlias, assert_never

from harnd.domain.goal import commands as c
from harnd.domain.goal import events as e
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.proof import Proof
from harnd.domain.goal.work import Integration, Standing, Work
from protocol.values import FailureClass

IntegrationReport: TypeAlias = c.ReportProved | c.ReportParked | c.ReportMoved


def decide_integration(goal: Goal, command: IntegrationReport) -> list[e.GoalEvent]:
    """Apply the rules to a report about an integration; a late one changes nothing."""
    item = goal.work.get(command.work)
    integration = _owed(goal, item, command)
    if item is None or integration is None:
        return []
    match command:
        case c.ReportProved():
            return _proved(goal, item, command) if integration.commit is None else []
        case c.ReportParked(failure=failure, detail=detail, paths=paths):
            # What clashes needs another attempt; for any other reason the work can come in later as it was accepted.
            return [_parked(goal, item, failure=failure, detail=detail, accepted=not paths, paths=paths)]
        case c.ReportMoved(work=work, number=number):
            if integration.commit is None or integration.tree is None:
                return []
            return [e.WorkIntegrated(work=work, number=number, commit=integration.commit, tree=integration.tree)]
        case _:
            assert_never(command)


def _owed(goal: Goal, item: Work | None, command: IntegrationReport) -> Integration | None:
    if goal.ending is not None or item is None or item.standing is not Standing.INTEGRATING:
        return None
    return item.integration if item.integration and item.integration.number == command.number else None


def _proved(goal: Goal, item: Work, command: c.ReportProved) -> list[e.GoalEvent]:
    proof = command.proof
    if not proof.satisfied_but_for(item.acknowledged):
        if proof.satisfied_but_for(proof.flaky()):  # a person has not seen it, and nothing else speaks against the work
            names = ", ".join(name for name in proof.flaky() if name not in item.acknowledged)
            detail = f"the proof is flaky on the integrated tree, which nobody has acknowledged: {names}"
            return [_parked(goal, item, failure=FailureClass.DECISION, detail=detail, accepted=True, proof=proof)]
        names = ", ".join(f"{entry.name} {entry.found}" for entry in proof.failures())
        detail = f"the proof does not hold on the integrated tree: {names}"
        return [_parked(goal, item, failure=FailureClass.PROOF, detail=detail, accepted=False, proof=proof)]
    work, number = command.work, command.number
    return [e.IntegrationProved(work=work, number=number, commit=command.commit, tree=command.tree, proof=proof)]


def _parked(
    goal: Goal,
    item: Work,
    *,
    failure: FailureClass,
    detail: str,
    accepted: bool,
    paths: tuple[str, ...] = (),
    proof: Proof | None = None,
) -> e.IntegrationParked:
    again = item.may_try_again(failure, goal.template_of(item).max_attempts)
    return e.IntegrationParked(
        work=item.id,
        number=item.integrations[-1].number,
        failure=failure,
        detail=detail,
        blocked=not again,
        accepted=accepted and not again,
        paths=paths,
        proof=proof,
    )
