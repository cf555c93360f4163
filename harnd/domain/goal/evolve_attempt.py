"""What attempt events make of a goal."""

from typing import TypeAlias, assert_never

import msgspec

from harnd.domain.goal import events as e
from harnd.domain.goal.evolve_item import changed_item, stored_item
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.ledger import Ledger
from harnd.domain.goal.work import Attempt, Standing
from protocol.values import AttemptOutcome, Instant, Unit

replace = msgspec.structs.replace

AttemptEvent: TypeAlias = e.AttemptStarted | e.AttemptObserved | e.AttemptEnded | e.AttemptSuperseded


def evolve_attempt(goal: Goal, event: AttemptEvent, at: Instant) -> Goal:
    """Apply one attempt event."""
    match event:
        case e.AttemptStarted():
            return _started(goal, event, at)
        case e.AttemptObserved():
            return _observed(goal, event)
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


def _ended(goal: Goal, event: e.AttemptEnded, at: Instant) -> Goal:
    item = goal.work[event.work]
    attempt = replace(
        item.attempts[-1],
        ended_at=at,
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
        reports=event.reports,
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
