"""The tick: one bounded step of a goal, taken when something changed.

A step makes every move that is legal now and none that depends on an answer: apply a plan unasked, try blocked work
again unasked, ask for a plan, call the planner and its reviewers, accept proved work unasked, bring accepted work in,
let parked attempts go on, start new ones.  A tick that moves nothing is no event and costs nothing; nor does what only
time ends.
"""

from collections.abc import Callable
from typing import Final

from harnd.domain.goal import events as e
from harnd.domain.goal.evolve import evolve
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.hindrance import call_hindrance, hindrance, resume_hindrance, seat_hindrance
from harnd.domain.goal.rules.approvals import expire_approvals
from harnd.domain.goal.rules.reviewing import expire_jobs
from harnd.domain.goal.rules.unattended import accept_unasked, apply_unasked, retry_unasked
from harnd.domain.goal.seats import uncalled
from harnd.domain.goal.wanted import wanted_trigger
from harnd.domain.goal.work import Standing, Work
from protocol.values import Instant, PlanStatus, Unit


def tick(goal: Goal, now: Instant) -> list[e.GoalEvent]:
    """Return the events of one step, headed by `goal.ticked`; only what expires, without it; or nothing."""
    _, moves = stepped(goal, now)
    alone = len(moves) == len(_expired(goal, now))  # which is what a step begins with, and all that is for nothing
    return moves if alone else [e.GoalTicked(), *moves]


def stepped(goal: Goal, now: Instant) -> tuple[Goal, list[e.GoalEvent]]:
    """Return the goal after every move that is legal now, and the moves; the step itself is not yet paid for.

    A goal that is paused moves by nothing but what still runs, what a person decides and what expires.
    """
    moves = _expired(goal, now)  # first, and also where no step may be taken: nothing starts with it
    for event in moves:
        goal = evolve(goal, event, now)
    if goal.ending is not None or goal.paused is not None or goal.left(Unit.TICKS) < 1:
        return goal, moves
    for move in _MOVES:
        made = move(goal, now)
        for event in made:
            goal = evolve(goal, event, now)
        moves.extend(made)
        if any(isinstance(event, e.PlanCompleted) for event in made):
            break  # a mission that is met needs nothing of what else was possible
    return goal, moves


def _expired(goal: Goal, now: Instant) -> list[e.GoalEvent]:
    return [*expire_approvals(goal, now), *expire_jobs(goal, now)]


def _request_plan(goal: Goal, now: Instant) -> list[e.GoalEvent]:
    trigger = wanted_trigger(goal)
    if trigger is None or call_hindrance(goal, now) is not None:
        return []
    return [e.PlanRequested(plan=len(goal.plans) + 1, trigger=trigger, graph=goal.graph_digest())]


def _call_planner(goal: Goal, now: Instant) -> list[e.GoalEvent]:
    plan = goal.plan
    if plan is None or plan.status is not PlanStatus.REQUESTED or plan.open_call is not None:
        return []
    if call_hindrance(goal, now) is not None:
        return []
    call, set_aside = len(plan.calls) + 1, goal.ledger.expected(1)
    return [e.PlannerCalled(plan=plan.number, call=call, set_aside=set_aside)]


def _call_reviewers(goal: Goal, now: Instant) -> list[e.GoalEvent]:
    called: list[e.GoalEvent] = []
    for seat in uncalled(goal):
        if goal.plan is None or goal.plan.round is None or seat_hindrance(goal, seat, now) is not None:
            continue
        event = e.ReviewJobCalled(
            plan=goal.plan.number,
            round=goal.plan.round.number,
            reviewer=seat.reviewer,
            attempt=len(seat.attempts) + 1,
            set_aside=goal.ledger.expected(1),
        )
        goal = evolve(goal, event, now)
        called.append(event)
    return called


def _integrate(goal: Goal, _now: Instant) -> list[e.GoalEvent]:
    if not goal.queue:
        return []
    item = goal.work[goal.queue[0]]  # in the order of acceptance, one at a time
    if item.standing is not Standing.ACCEPTED:
        return []
    return [e.IntegrationStarted(work=item.id, number=len(item.integrations) + 1, onto=goal.head)]


def _resume(goal: Goal, now: Instant) -> list[e.GoalEvent]:
    resumed: list[e.GoalEvent] = []
    for item in goal.in_standing(Standing.PARKED):
        if item.parked is None or resume_hindrance(goal, item, now) is not None:
            continue
        event = e.AttemptResumed(work=item.id, attempt=len(item.attempts), by=item.parked.cleared_by)
        goal = evolve(goal, event, now)
        resumed.append(event)
    return resumed


def _start_attempts(goal: Goal, now: Instant) -> list[e.GoalEvent]:
    started: list[e.GoalEvent] = []
    for item in goal.ready():
        if (event := _start(goal, item, now)) is not None:
            goal = evolve(goal, event, now)
            started.append(event)
    return started


def _start(goal: Goal, item: Work, now: Instant) -> e.AttemptStarted | None:
    if hindrance(goal, item, now) is not None:
        return None
    calls = len(goal.template_of(item).agent_stages())
    return e.AttemptStarted(
        work=item.id,
        attempt=len(item.attempts) + 1,
        base=goal.head,
        generation=goal.generation,
        calls=calls,
        set_aside=goal.ledger.expected(calls),
    )


_MOVES: Final[tuple[Callable[[Goal, Instant], list[e.GoalEvent]], ...]] = (
    apply_unasked,
    retry_unasked,
    _request_plan,
    _call_planner,
    _call_reviewers,
    accept_unasked,
    _integrate,
    _resume,
    _start_attempts,
)
