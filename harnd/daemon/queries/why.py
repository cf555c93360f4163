"""Why: which condition holds a goal or a work item, what would change it, and what harnd does next by itself.

A goal that was given up is told from its row, because the reason may be that its events cannot be read.
"""

from msgspec.structs import replace

from harnd.daemon.loading import unknown_goal
from harnd.daemon.queries.about import Sources
from harnd.daemon.queries.foretelling import told
from harnd.daemon.queries.progress import Step, under_way
from harnd.domain.goal import failure as failures
from harnd.domain.goal.consequence import Consequence, consequence_of, consequences
from harnd.domain.goal.deadlines import deadlines
from harnd.domain.goal.due import due
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.inbox import asks
from harnd.domain.goal.lookup import item_named
from harnd.domain.goal.position import Position, position
from harnd.domain.goal.reasons.item import reason_of
from harnd.domain.goal.reasons.reason import Reason
from harnd.domain.goal.work import Standing, Work
from harnd.domain.verbs import verb
from harnd.ports.store import GoalRow
from protocol.ids import GoalId, WorkId
from protocol.requests import ShowWhy
from protocol.values import Instant, NextAction, Phase
from protocol.views import FailureView, WhyView


async def shown(sources: Sources, request: ShowWhy) -> WhyView:
    """Show what holds a goal or one of its work items."""
    name, _, work = request.target.partition("/")
    row = await sources.world.store.row(GoalId(name))
    if row is None:
        raise unknown_goal(GoalId(name))
    if row.parked is not None:
        return _view(request.target, _given_up(row, row.parked))
    goal = await sources.goals.load(GoalId(name))
    now = sources.now()
    steps = under_way(goal, now, await sources.world.processes.live())
    acting = GoalId(name) in sources.roster.live()
    reason = _of_work(goal, WorkId(work), steps, now) if work else _of_goal(goal, steps, now)
    held_up_by = _of_item(goal, WorkId(work)) if work else consequences(goal)
    reason = await _foretold(sources, goal, reason, _reviewed(goal, WorkId(work), now))
    if not acting and _wants_somebody(goal, now):
        reason = _abandoned(reason)
    return _view(request.target, reason, held_up_by)


def _view(target: str, reason: Reason, held_up_by: tuple[Consequence, ...] = ()) -> WhyView:
    return WhyView(
        target=target,
        condition=reason.condition,
        since=reason.since,
        would_change=reason.would_change,
        next_automatic=reason.next_automatic,
        next_automatic_at=reason.next_automatic_at,
        verbs=reason.verbs,
        failures=tuple(map(_failure, held_up_by)),
    )


def _of_item(goal: Goal, work: WorkId) -> tuple[Consequence, ...]:
    found = consequence_of(goal, item_named(goal, work))
    return (found,) if found is not None else ()


def _failure(found: Consequence) -> FailureView:
    row = found.row
    return FailureView(
        subject=found.subject,
        failure=found.failure,
        happened=row.happened,
        charged=row.charged,
        retried=row.retried,
        used=found.used,
        bound=found.bound,
        asked=found.asked,
        resolvable=found.resolvable,
        unattended=found.unattended,
        advice=failures.advice(found.failure, resolvable=found.resolvable),
    )


def _given_up(row: GoalRow, parked: str) -> Reason:
    return Reason(
        condition=f"harnd gave up on {row.goal}, because it failed again and again: {parked}",
        since=row.since,
        would_change="a decision about it that goes through, or a new start of harnd",
        next_automatic="harnd tries it once more when it is started the next time",
        verbs=(verb("doctor"), verb("events", "--goal", row.goal)),
    )


def _reviewed(goal: Goal, work: WorkId, now: Instant) -> tuple[Work, ...]:
    """Return the work in review that the reason is about: the item asked for, or what holds the goal."""
    if work:
        return (item_named(goal, work),)
    deciding = position(goal, now).next_action is NextAction.DECIDE_WORK
    return goal.in_standing(Standing.IN_REVIEW) if deciding else ()


async def _foretold(sources: Sources, goal: Goal, reason: Reason, items: tuple[Work, ...]) -> Reason:
    for item in items:
        if paths := await sources.foreteller.clashes(goal, item):
            whose = "" if len(items) == 1 else f"{item.id}: "
            reason = replace(reason, condition=f"{reason.condition}; {whose}{told(goal, paths)}")
    return reason


# --- a goal


def _of_goal(goal: Goal, steps: tuple[Step, ...], now: Instant) -> Reason:
    where = position(goal, now)
    reason = Reason(
        condition=where.reason,
        since=_since(goal, where, now),
        would_change=where.would_change,
        next_automatic=_next_automatic(goal, where, now),
        next_automatic_at=where.wake_at,
        verbs=where.verbs,
    )
    match where.phase:
        case Phase.RUNNING:
            return _observed(reason, steps, now)
        case Phase.PAUSED if steps:
            seen = _observed(reason, steps, now)
            return replace(seen, condition=f"{where.reason}; {seen.condition}", since=reason.since)
        case _:
            return reason


def _since(goal: Goal, where: Position, now: Instant) -> Instant:
    """Return since when a person is waited for, or when anything last happened."""
    waiting = asks(goal, now) if where.phase in (Phase.AWAITING_ATTENTION, Phase.BLOCKED) else ()
    return waiting[0].since if waiting else goal.since


def _next_automatic(goal: Goal, where: Position, now: Instant) -> str | None:
    expiring = [each.number for each in goal.pending_approvals() if each.expires_at == where.wake_at]
    match where.phase:
        case _ if expiring:
            return f"approval {expiring[0]} expires"
        case Phase.READY:
            return where.reason
        case Phase.WAITING:
            return "harnd tries again"
        case Phase.RUNNING | Phase.AWAITING_ATTENTION if where.wake_at in deadlines(goal, now):
            return "harnd tries again what failed"
        case Phase.RUNNING | Phase.PAUSED if where.wake_at is not None:
            return "what runs is ended, because the active runtime is used up then"
        case _:
            return None


# --- a work item


def _of_work(goal: Goal, work: WorkId, steps: tuple[Step, ...], now: Instant) -> Reason:
    item = item_named(goal, work)
    reason = reason_of(goal, item, now)
    return _observed(reason, tuple(step for step in steps if step.work == work), now)


# --- what is seen


def _observed(reason: Reason, steps: tuple[Step, ...], now: Instant) -> Reason:
    """Tell what is seen of what runs, and the first limit that would end it."""
    if not steps:
        return reason
    seen = replace(
        reason,
        condition="; ".join(step.told(now) for step in steps),
        since=min(step.since for step in steps),
    )
    limits = [limit for step in steps if (limit := step.limit()) is not None]
    if not limits:
        return seen
    at, what = min(limits)
    if seen.next_automatic_at is not None and seen.next_automatic_at <= at:
        return seen
    return replace(seen, next_automatic=what, next_automatic_at=at)


def _wants_somebody(goal: Goal, now: Instant) -> bool:
    return bool(due(goal, now)) or position(goal, now).phase is Phase.READY


def _abandoned(reason: Reason) -> Reason:
    return replace(
        reason,
        condition=f"nobody acts for the goal at the moment, although there is something to do: {reason.condition}",
        would_change="a supervisor that takes it up: when the store answers again, or when harnd is started again",
        next_automatic=None,
        next_automatic_at=None,
        verbs=(verb("doctor"), *reason.verbs),
    )
