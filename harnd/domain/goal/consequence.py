"""Consequences: the row of the failure table that applies to what is held up, and how much of its bound is used.

A row says what follows from a class in general; here it is what follows for one item or plan: who can be asked in
this goal, and whether there is anything to go on with.
"""

from collections.abc import Iterator

import msgspec

from harnd.domain.goal import failure as failures
from harnd.domain.goal.failure import FailureRow
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.plan import Plan
from harnd.domain.goal.rules.resolving import resolvable
from harnd.domain.goal.wanted import left_to_planner
from harnd.domain.goal.work import Standing, Work
from protocol import subjects
from protocol.values import Asked, FailureClass


class Consequence(msgspec.Struct, frozen=True, kw_only=True):
    """What follows from the failure that holds one thing up."""

    subject: str  # such as `p1.parser` or `plan/2`
    failure: FailureClass
    row: FailureRow
    asked: Asked
    resolvable: bool = False  # it goes on where it stopped, once a person says that the cause is gone
    unattended: bool = False  # `automation.retry_blocked` may try it again
    used: int | None = None  # of the tries that the ordinary rule makes; None where it makes none
    bound: int | None = None


def consequences(goal: Goal) -> tuple[Consequence, ...]:
    """Return what follows from every failure that holds a goal up: of its plan first, then of its work."""
    return tuple(_all(goal)) if goal.ending is None else ()


def consequence_of(goal: Goal, item: Work) -> Consequence | None:
    """Return what follows from the failure that blocks an item, or the one that it waits for."""
    found = {each.subject: each for each in consequences(goal)}
    return found.get(item.id) or found.get(goal.held_by(item) or "")


def _all(goal: Goal) -> Iterator[Consequence]:
    if goal.plan is not None and goal.plan.asks and goal.plan.failure is not None:
        yield _of_plan(goal, goal.plan, goal.plan.failure)
    for item in goal.active():
        if item.standing is Standing.BLOCKED and item.blocked is not None:
            yield _of_work(goal, item, item.blocked)


def _of_plan(goal: Goal, plan: Plan, failure: FailureClass) -> Consequence:
    row = failures.ROWS[failure]
    found = Consequence(subject=subjects.plan(plan.number), failure=failure, row=row, asked=Asked.PERSON)
    if not row.retried:
        return found
    if row.uncharged_bound is None:
        return _bounded(found, plan.charged_calls(), goal.intent.planner.schema_attempts)
    in_a_row = failure is FailureClass.UPSTREAM
    used = plan.uncharged_in_a_row(failure) if in_a_row else plan.uncharged_in_all(failure)
    return _bounded(found, used, row.uncharged_bound)


def _of_work(goal: Goal, item: Work, failure: FailureClass) -> Consequence:
    row = failures.ROWS[failure]
    found = Consequence(
        subject=item.id,
        failure=failure,
        row=row,
        asked=Asked.PLANNER if left_to_planner(goal, item) else Asked.PERSON,
        resolvable=resolvable(item),
        unattended=row.unattended,
    )
    if not row.retried:
        return found
    if row.uncharged_bound is None:
        return _bounded(found, item.charged_attempts(), goal.template_of(item).max_attempts + item.granted)
    return _bounded(found, _uncharged(item, failure), row.uncharged_bound)


def _uncharged(item: Work, failure: FailureClass) -> int:
    """Count the attempts that the bound counts; one that is parked by this failure is the last of them."""
    if item.parked is None or item.parked.failure is not failure:
        return item.uncharged(failure)
    return msgspec.structs.replace(item, attempts=item.attempts[:-1]).uncharged(failure) + 1


def _bounded(found: Consequence, used: int, bound: int) -> Consequence:
    return msgspec.structs.replace(found, used=used, bound=bound)
