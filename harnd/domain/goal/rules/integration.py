"""What becomes of an integration: proved on the integrated tree, then moved; or parked, naming what is in the way."""

from typing import TypeAlias, assert_never

from harnd.domain.goal import commands as c
from harnd.domain.goal import events as e
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.work import Integration, Standing
from protocol.values import FailureClass

IntegrationReport: TypeAlias = c.ReportProved | c.ReportParked | c.ReportMoved


def decide_integration(goal: Goal, command: IntegrationReport) -> list[e.GoalEvent]:
    """Apply the rules to a report about an integration; a late one changes nothing."""
    integration = _owed(goal, command)
    if integration is None:
        return []
    match command:
        case c.ReportProved():
            return _proved(command) if integration.commit is None else []
        case c.ReportParked(work=work, number=number, failure=failure, detail=detail, paths=paths):
            return [e.IntegrationParked(work=work, number=number, failure=failure, detail=detail, paths=paths)]
        case c.ReportMoved(work=work, number=number):
            if integration.commit is None or integration.tree is None:
                return []
            return [e.WorkIntegrated(work=work, number=number, commit=integration.commit, tree=integration.tree)]
        case _:
            assert_never(command)


def _owed(goal: Goal, command: IntegrationReport) -> Integration | None:
    item = goal.work.get(command.work)
    if goal.ending is not None or item is None or item.standing is not Standing.INTEGRATING:
        return None
    return item.integration if item.integration and item.integration.number == command.number else None


def _proved(command: c.ReportProved) -> list[e.GoalEvent]:
    if command.proof.satisfied:
        return [
            e.IntegrationProved(
                work=command.work,
                number=command.number,
                commit=command.commit,
                tree=command.tree,
                proof=command.proof,
            )
        ]
    names = ", ".join(f"{entry.name} {entry.found}" for entry in command.proof.failures())
    return [
        e.IntegrationParked(
            work=command.work,
            number=command.number,
            failure=FailureClass.PROOF,
            detail=f"the proof does not hold on the integrated tree: {names}",
            proof=command.proof,
        )
    ]
