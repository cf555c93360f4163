"""What attempt events make of a goal."""

from typing import Final, TypeAlias, assert_never

import msgspec

from harnd.domain.goal import events as e
from harnd.domain.goal.evolve_item import changed_item, stored_item
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.ledger import Ledger
from harnd.domain.goal.parking import Parked
from harnd.domain.goal.work import Attempt, Standing
from protocol.values import AttemptOutcome, Instant, ParkCause, Unit

replace = msgspec.structs.replace

AttemptEvent: TypeAlias = (
    e.AttemptStarted | e.AttemptObserved | e.AttemptParked | e.AttemptResumed | e.AttemptEnded | e.AttemptSuperseded
)

_PARKED: Final = {
    ParkCause.APPROVAL: Standing.AWAITING_APPROVAL,
    ParkCause.FAILURE: Standing.BLOCKED,
    ParkCause.PAUSE: Standing.PARKED,  # it goes on as soon as the goal does
}


def evolve_attempt(goal: Goal, event: AttemptEvent, at: Instant) -> Goal:
    """Apply one attempt event."""
    match event:
        case e.AttemptStarted():
            return _started(goal, event, at)
        case e.AttemptObserved():
            return _observed(goal, event)
        case e.AttemptParked():
            return _parked(goal, event, at)
        case e.AttemptResumed():
            return _resumed(goal, event, at)
        case e.AttemptEnded():
            return _ended(goal, event, at)
        case e.AttemptSuperseded():
            return goal
        case _:
            assert_never(event)


def _started(goal: Goal, event: e.AttemptStarted, at: Instant) -> Goal:
    attempt = Attempt(
        number=event.attempt,
        base=event.base,
        generation=event.generation,
        calls=event.calls,
        set_aside=event.set_aside,
        started_at=at,
    )
    item = goal.work[event.work]
    changed = changed_item(goal, event.work, at, attempts=(*item.attempts, attempt), standing=Standing.RUNNING)
    ledger = changed.ledger.reserve(Unit.ATTEMPTS, 1).reserve(Unit.AGENT_CALLS, event.calls)
    return replace(changed, ledger=ledger.set_aside(event.set_aside))


def _observed(goal: Goal, event: e.AttemptObserved) -> Goal:
    item = goal.work[event.work]
    attempt = replace(item.attempts[-1], surroundings=event.surroundings)
    return stored_item(goal, replace(item, attempts=(*item.attempts[:-1], attempt)))


def _parked(goal: Goal, event: e.AttemptParked, at: Instant) -> Goal:
    item = goal.work[event.work]
    before = item.attempts[-1]
    attempt = replace(
        before,
        parked=Parked(event.cause, since=at, stage=event.stage, failure=event.failure, detail=event.detail),
        output=event.output,
        usage=event.usage,
        remade=(*before.remade, *event.again),
        reports=(*before.reports, *event.reports),
    )
    failed = event.cause is ParkCause.FAILURE
    return changed_item(
        goal,
        item.id,
        at,
        attempts=(*item.attempts[:-1], attempt),
        standing=_PARKED[event.cause],
        blocked=event.failure if failed else None,
        blocked_detail=event.detail if failed else "",
    )


def _resumed(goal: Goal, event: e.AttemptResumed, at: Instant) -> Goal:
    item = goal.work[event.work]
    before = item.attempts[-1]
    paused = before.parked is not None and before.parked.cause is ParkCause.PAUSE
    attempt = replace(
        before,
        parked=None,
        output=None,
        surroundings=None,  # meanwhile the operator worked there: they are looked at anew
        pauses=before.pauses + paused,
        resumed_at=at,
        rested=before.rested_until(at),
    )
    attempts = (*item.attempts[:-1], attempt)
    return changed_item(
        goal, item.id, at, attempts=attempts, standing=Standing.RUNNING, blocked=None, blocked_detail=""
    )


def _ended(goal: Goal, event: e.AttemptEnded, at: Instant) -> Goal:
    item = goal.work[event.work]
    before = item.attempts[-1]
    attempt = replace(
        before,
        ended_at=at,
        rested=before.rested_until(at),
        outcome=event.outcome,
        failure=event.failure,
        charged=event.charged,
        detail=event.detail,
        output=event.output,
        commit=event.commit,
        tree=event.tree,
        changed=event.changed,
        undeclared=event.undeclared,
        changed_in_all=event.changed_in_all,
        proof=event.proof,
        protected=event.protected,
        parked=None,
        reports=(*before.reports, *event.reports),
        usage=event.usage,
    )
    item = replace(item, attempts=(*item.attempts[:-1], attempt))
    answers = event.usage.calls if event.charged else 0  # what nobody pays for spends no budget at all
    changed = stored_item(goal, replace(item, answers=item.answers + answers))
    changed = changed_item(changed, event.work, at, **_after(event))
    return replace(changed, ledger=_settled(changed, attempt, event))


def _after(event: e.AttemptEnded) -> dict[str, object]:
    if event.outcome is AttemptOutcome.SUCCEEDED:
        return {"standing": Standing.IN_REVIEW, "blocked": None, "blocked_detail": ""}
    if not event.blocked:
        return {"standing": Standing.OPEN}
    return {"standing": Standing.BLOCKED, "blocked": event.failure, "blocked_detail": event.detail}


def _settled(goal: Goal, attempt: Attempt, event: e.AttemptEnded) -> Ledger:
    spent = event.usage.calls if event.charged else 0
    ledger = goal.ledger.settle(Unit.ATTEMPTS, reserved=1, spent=1 if event.charged else 0)
    ledger = ledger.settle(Unit.AGENT_CALLS, reserved=attempt.calls, spent=spent)
    return ledger.metered(attempt.set_aside, attempt.metered)
