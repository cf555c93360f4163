"""The reason of one work item, by where it stands; what is stopped is told by `stopped`.

Why an item does not start is decided by `hindrance` and worded here; of a chain of waiting items both ends are told.
What holds a whole goal is `position`; what is seen of running processes only the shell can add.
"""

from typing import assert_never

import msgspec

from harnd.domain.goal.goal import Ending, Goal
from harnd.domain.goal.hindrance import NoAgent, NoSlot, Overlaps, Pauses, Resting, Waits, hindrance
from harnd.domain.goal.obstacles import crowd_told, shortage_told
from harnd.domain.goal.reasons import stopped
from harnd.domain.goal.reasons.reason import NOTHING_GROWS, Reason, about, attempts_first, out_of_budget
from harnd.domain.goal.rules.after_end import refused_reopening
from harnd.domain.goal.rules.tick import stepped
from harnd.domain.goal.shortage import Answered, Spent
from harnd.domain.goal.work import Standing, Work
from harnd.domain.measures import span
from harnd.domain.verbs import verb
from protocol.ids import WorkId, goal_branch
from protocol.values import Instant, Unit


def reason_of(goal: Goal, item: Work, now: Instant) -> Reason:
    """Return what holds an item."""
    passed_by = _passed_by(goal, item)
    if passed_by and item.standing not in (Standing.INTEGRATED, Standing.CANCELLED):
        condition = f"{item.id} was left as it was when {passed_by}"
        return Reason(condition=condition, since=item.since, would_change="nothing")
    match item.standing:
        case Standing.OPEN:
            return _open(goal, item, now)
        case Standing.RUNNING:
            return _running(goal, item, now)
        case Standing.AWAITING_APPROVAL:
            return stopped.awaiting_approval(goal, item)
        case Standing.PARKED:
            return stopped.parked(goal, item, now)
        case Standing.IN_REVIEW:
            return stopped.in_review(goal, item)
        case Standing.BLOCKED:
            return stopped.blocked(goal, item, now)
        case Standing.ACCEPTED:
            return _queued(goal, item)
        case Standing.INTEGRATING:
            return _integrating(goal, item)
        case Standing.INTEGRATED:
            return _integrated(goal, item)
        case Standing.CANCELLED:
            return _cancelled(goal, item)


def _passed_by(goal: Goal, item: Work) -> str:
    """Say what made decisions about an item impossible; empty while they are possible."""
    match goal.ending:
        case Ending.SUCCEEDED:
            return "the goal succeeded"
        case Ending.CANCELLED:
            return "the goal was cancelled"
        case None:
            return "" if item in goal.active() else "a later plan was applied"


# --- not started


def _open(goal: Goal, item: Work, now: Instant) -> Reason:
    # What the same step starts before it may be what holds it up; what waits for others is moved by no step.
    after = goal if goal.unmet(item) else stepped(goal, now)[0]
    started = after.work[item.id].standing is Standing.RUNNING
    held = None if started else hindrance(after, item, now)
    match held:
        case None:
            return Reason(
                condition=f"{item.id} is ready",
                since=item.since,
                would_change="the next tick",
                next_automatic=f"{item.id} is started at once",
            )
        case Waits(dependencies=dependencies):
            return _waiting(goal, item, dependencies, now)
        case Resting(by=by):
            return Reason(
                condition=f"{item.id} is ready, and {by} paused the goal",
                since=item.since,
                would_change="resuming the goal",
                verbs=(verb("goal", "resume", goal.intent.goal),),
            )
        case Spent():
            condition = f"{item.id} is ready, and the budget allows no further attempt: {shortage_told(goal, held)}"
            return out_of_budget(goal, condition, held, since=item.since)
        case Answered():
            return Reason(
                condition=f"{item.id} is ready, and the budget allows no further attempt: {shortage_told(goal, held)}",
                since=item.since,
                would_change=NOTHING_GROWS,
                verbs=(*about(goal, item, "show"), verb("goal", "cancel", goal.intent.goal)),
            )
        case Pauses(until=until):
            return Reason(
                condition=f"the provider failed {item.id}, and harnd pauses before it tries again",
                since=item.since,
                would_change="the end of the pause",
                next_automatic=f"{item.id} is tried again",
                next_automatic_at=until,
            )
        case Overlaps() | NoSlot() | NoAgent():
            holders = ", ".join(held.holders)
            return Reason(
                condition=f"{item.id} is ready, {crowd_told(item, held)}",
                since=item.since,
                would_change=f"the end of {holders or 'what runs'}",
                next_automatic=f"{item.id} is started as soon as there is room",
            )
        case _:
            assert_never(held)


def _waiting(goal: Goal, item: Work, dependencies: tuple[WorkId, ...], now: Instant) -> Reason:
    chain = _chain(goal, item)
    last = reason_of(goal, goal.work[chain[-1]], now)
    return msgspec.structs.replace(
        last,
        condition=f"{item.id} waits for {', '.join(dependencies)}{_linked(chain)}; {last.condition}",
        since=item.since,
    )


def _linked(chain: list[WorkId]) -> str:
    first, between, last = chain[0], len(chain) - 2, chain[-1]
    over = f", over {between} more," if between > 0 else ""
    return f", and {first}{over} for {last}" if last != first else ""


def _chain(goal: Goal, item: Work) -> list[WorkId]:
    """Return the items from the next dependency to the one that holds all of them up, or that moves first."""
    end = goal.held_by(item)
    chain: list[WorkId] = []
    while item.standing is Standing.OPEN and (unmet := goal.unmet(item)):
        chain.append(next((name for name in unmet if _leads_to(goal, name, end)), unmet[0]))
        item = goal.work[chain[-1]]
    return chain


def _leads_to(goal: Goal, name: WorkId, end: WorkId | None) -> bool:
    return end is None or name == end or goal.held_by(goal.work[name]) == end


# --- under way


def _running(goal: Goal, item: Work, now: Instant) -> Reason:
    attempt = item.attempts[-1]
    since = attempt.resumed_at or attempt.started_at
    again = " again" if attempt.resumed_at is not None else ""
    return Reason(
        condition=f"attempt {attempt.number} at {item.id} has run{again} for {span(now - since)}",
        since=since,
        would_change=f"the end of attempt {attempt.number} at {item.id}",
        next_automatic="what it leaves behind is recorded and proved",
        verbs=(verb("work", "log", goal.intent.goal, item.id),),
    )


def _queued(goal: Goal, item: Work) -> Reason:
    if goal.paused is not None:
        return Reason(
            condition=f"{item.id} is accepted and queued for integration, and {goal.paused.by} paused the goal",
            since=item.since,
            would_change="resuming the goal",
            verbs=(verb("goal", "resume", goal.intent.goal),),
        )
    if goal.left(Unit.TICKS) < 1:
        condition = f"{item.id} is accepted and queued for integration, and every tick is spent"
        return out_of_budget(goal, condition, Spent(Unit.TICKS, 1, 0), since=item.since)
    ahead = goal.queue[: goal.queue.index(item.id)]
    behind = f" behind {', '.join(ahead)}" if ahead else ""
    return Reason(
        condition=f"{item.id} is accepted and queued for integration{behind}",
        since=item.since,
        would_change=f"the integration of {ahead[-1]}" if ahead else "the next tick",
        next_automatic=f"{item.id} is brought onto {goal_branch(goal.intent.goal)} and proved there",
    )


def _integrating(goal: Goal, item: Work) -> Reason:
    integration = item.integrations[-1]
    branch = goal_branch(goal.intent.goal)
    condition = f"{item.id} is being brought together with {branch} and proved there"
    if integration.commit is not None:
        condition = f"{item.id} is proved together with {branch}, which is being moved there"
    return Reason(
        condition=condition,
        since=integration.started_at,
        would_change=f"the end of the integration of {item.id}",
        next_automatic=f"{branch} is moved to the proved commit",
    )


# --- over


def _integrated(goal: Goal, item: Work) -> Reason:
    later = item not in goal.active() or (goal.ending is not None and refused_reopening(goal) is not None)
    return Reason(
        condition=f"{item.id} is done: it was accepted and is on {goal_branch(goal.intent.goal)}",
        since=item.since,
        would_change="nothing" if later else f"a finding that reopens {item.id}",
    )


def _cancelled(goal: Goal, item: Work) -> Reason:
    verbs = () if _passed_by(goal, item) else (*attempts_first(goal), *about(goal, item, "reopen"))
    return Reason(
        condition=f"{item.id} was cancelled: {item.cancelled_reason}",
        since=item.since,
        would_change=f"reopening {item.id}" if verbs else "nothing",
        verbs=verbs,
    )
