"""Due: what is owed to the world, computed from the state and never remembered.

An effect has a key, and a key completes at most once.  Whatever runs without being owed is stopped.  A restart
computes the same list again: there is no recovery mode.
"""

from collections.abc import Iterator
from typing import TypeAlias

import msgspec

from harnd.domain.goal.goal import Goal
from harnd.domain.goal.keys import attempt_key, call_key, effect_key, receipt_key, review_key
from harnd.domain.goal.receipt import owed_receipt
from harnd.domain.goal.work import Standing, Work
from protocol.ids import CommitId, EffectKey, SpecialistName, WorkId
from protocol.values import Instant, Micros


class CallPlanner(msgspec.Struct, frozen=True):
    """Ask the planner."""

    key: EffectKey
    plan: int
    call: int
    runtime_left: Micros


class Review(msgspec.Struct, frozen=True):
    """Have one reviewer read a candidate."""

    key: EffectKey
    plan: int
    round: int
    reviewer: SpecialistName
    attempt: int
    runtime_left: Micros


class KeepReceipt(msgspec.Struct, frozen=True):
    """Keep the receipt of a review that is over."""

    key: EffectKey
    plan: int
    review: int


class RunAttempt(msgspec.Struct, frozen=True):
    """Carry a work item's template out, to a commit and its proof."""

    key: EffectKey
    work: WorkId
    attempt: int
    runtime_left: Micros


class Integrate(msgspec.Struct, frozen=True):
    """Bring accepted work together with the goal's branch and prove the result."""

    key: EffectKey
    work: WorkId
    number: int


class MoveBranch(msgspec.Struct, frozen=True):
    """Move the goal's branch to a proved commit."""

    key: EffectKey
    work: WorkId
    number: int
    expected: CommitId
    to: CommitId


Effect: TypeAlias = CallPlanner | Review | KeepReceipt | RunAttempt | Integrate | MoveBranch


def due(goal: Goal, now: Instant) -> tuple[Effect, ...]:
    """Return what is owed, in a fixed order; nothing is owed to a goal that has ended."""
    if goal.ending is not None:
        return ()
    effects: list[Effect] = []
    left = goal.runtime_left(now)
    if goal.plan is not None and (call := goal.plan.open_call) is not None:
        key = call_key(goal.intent, goal.plan.number, call.number)
        effects.append(CallPlanner(key=key, plan=goal.plan.number, call=call.number, runtime_left=left))
    effects += _review(goal, left)
    for item in goal.work.values():
        if (attempt := item.running) is not None:
            key = attempt_key(goal.intent, item.id, attempt.number)
            effects.append(RunAttempt(key=key, work=item.id, attempt=attempt.number, runtime_left=left))
        elif item.standing is Standing.INTEGRATING:
            effects.append(_integration(goal, item))
    return tuple(effects)


def _review(goal: Goal, left: Micros) -> Iterator[Review | KeepReceipt]:
    for each, seat, attempt in goal.open_jobs():
        if goal.plan is None:
            return
        plan, name, number = goal.plan.number, seat.reviewer, attempt.number
        key = review_key(goal.intent, plan, each.number, name, number)
        yield Review(key=key, plan=plan, round=each.number, reviewer=name, attempt=number, runtime_left=left)
    owed = owed_receipt(goal)
    if owed is not None and owed.review is not None:
        key = receipt_key(goal.intent, owed.number, owed.review.number)
        yield KeepReceipt(key=key, plan=owed.number, review=owed.review.number)


def within(timeout: Micros, *, until: Instant, now: Instant) -> Micros:
    """Return how long something may run that must have ended by `until`; at least a moment, since 0 is no limit."""
    return Micros(max(1, min(timeout, until - now)))


def _integration(goal: Goal, item: Work) -> Integrate | MoveBranch:
    integration = item.integrations[-1]
    number = integration.number
    if integration.commit is None:
        key = effect_key(goal.intent, "work", item.id, "integration", number)
        return Integrate(key=key, work=item.id, number=number)
    key = effect_key(goal.intent, "work", item.id, "integration", number, "move")
    return MoveBranch(key=key, work=item.id, number=number, expected=integration.onto, to=integration.commit)
