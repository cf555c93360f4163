"""The tick: one bounded step of a goal, taken when something changed.

A step makes every move that is legal now and none that depends on an answer: ask for a plan, call the planner, bring
accepted work in, start attempts.  A tick that moves nothing is no event and costs nothing.
"""

from collections.abc import Callable
from typing import Final

from harnd.domain.goal import events as e
from harnd.domain.goal.backoff import attempt_not_before, call_not_before
from harnd.domain.goal.evolve import evolve
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.overlap import overlap
from harnd.domain.goal.template import AgentStage, ParallelStage, Template
from harnd.domain.goal.work import Standing, Work
from protocol.values import Instant, PlanStatus, Trigger, Unit


def tick(goal: Goal, now: Instant) -> list[e.GoalEvent]:
    """Return the events of one step, headed by `goal.ticked`, or nothing."""
    if goal.ending is not None or goal.left(Unit.TICKS) < 1:
        return []
    after, moves = goal, list[e.GoalEvent]()
    for move in _MOVES:
        made = move(after, now)
        for event in made:
            after = evolve(after, event, now)
        moves.extend(made)
    return [e.GoalTicked(), *moves] if moves else []


def wanted_trigger(goal: Goal) -> Trigger | None:
    """Return why a plan is needed now, whatever the budgets say."""
    if goal.plan is not None and not _settled(goal):
        return None
    if goal.milestone is None:
        return Trigger.INITIAL
    return Trigger.MILESTONE if goal.milestone_met() else None


def _settled(goal: Goal) -> bool:
    plan = goal.plan
    return plan is None or plan.answered or plan.status in (PlanStatus.APPLIED, PlanStatus.REJECTED)


def _request_plan(goal: Goal, now: Instant) -> list[e.GoalEvent]:
    trigger = wanted_trigger(goal)
    if trigger is None or goal.left(Unit.PLANNER_CALLS) < 1 or not may_call(goal, now):
        return []
    return [e.PlanRequested(plan=len(goal.plans) + 1, trigger=trigger, graph=goal.graph_digest())]


def _call_planner(goal: Goal, now: Instant) -> list[e.GoalEvent]:
    plan = goal.plan
    if plan is None or plan.status is not PlanStatus.REQUESTED or plan.open_call is not None:
        return []
    not_before = call_not_before(plan)
    if not may_call(goal, now) or (not_before is not None and now < not_before):
        return []
    return [e.PlannerCalled(plan=plan.number, call=len(plan.calls) + 1)]


def may_call(goal: Goal, now: Instant) -> bool:
    """Tell whether the budgets allow one more agent call to begin."""
    return goal.left(Unit.AGENT_CALLS) >= 1 and goal.runtime_left(now) > 0


def _integrate(goal: Goal, _now: Instant) -> list[e.GoalEvent]:
    if not goal.queue:
        return []
    item = goal.work[goal.queue[0]]  # in the order of acceptance, one at a time
    if item.standing is not Standing.ACCEPTED:
        return []
    return [e.IntegrationStarted(work=item.id, number=len(item.integrations) + 1, onto=goal.head)]


def _start_attempts(goal: Goal, now: Instant) -> list[e.GoalEvent]:
    started: list[e.GoalEvent] = []
    for item in goal.ready():
        if (event := _start(goal, item, now)) is not None:
            goal = evolve(goal, event, now)
            started.append(event)
    return started


def _start(goal: Goal, item: Work, now: Instant) -> e.AttemptStarted | None:
    running = goal.in_standing(Standing.RUNNING)
    if len(running) >= goal.intent.limits.parallel_work or any(overlap(item.paths, other.paths) for other in running):
        return None
    template = goal.template_of(item)
    if not _agents_free(goal, running, template) or not affordable(goal, item, now):
        return None
    not_before = attempt_not_before(item)
    if not_before is not None and now < not_before:
        return None
    return e.AttemptStarted(
        work=item.id,
        attempt=len(item.attempts) + 1,
        base=goal.head,
        generation=goal.generation,
        calls=len(template.agent_stages()),
    )


def affordable(goal: Goal, item: Work, now: Instant) -> bool:
    """Tell whether the budgets allow one more attempt at an item."""
    calls = len(goal.template_of(item).agent_stages())
    return (
        goal.left(Unit.ATTEMPTS) >= 1
        and goal.left(Unit.AGENT_CALLS) >= calls
        and item.answers + calls <= goal.intent.limits.answers_per_work
        and goal.runtime_left(now) > 0
    )


def _agents_free(goal: Goal, running: tuple[Work, ...], template: Template) -> bool:
    most = goal.intent.limits.agent_concurrency
    planning = 1 if goal.plan is not None and goal.plan.open_call is not None else 0
    busy = planning + sum(min(most, width(goal.template_of(item))) for item in running)
    return busy + min(most, width(template)) <= most


def width(template: Template) -> int:
    """Return how many agents a template has at work at once, at most."""
    widths = [
        sum(isinstance(inner, AgentStage) for inner in stage.stages)
        if isinstance(stage, ParallelStage)
        else int(isinstance(stage, AgentStage))
        for stage in template.stages
    ]
    return max(widths, default=0)


_MOVES: Final[tuple[Callable[[Goal, Instant], list[e.GoalEvent]], ...]] = (
    _request_plan,
    _call_planner,
    _integrate,
    _start_attempts,
)
