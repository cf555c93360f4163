"""Position: the phase of a goal and its next action, with one sentence of reason.  Derived, never stored.

The first condition that holds decides; the order below is the order of what a person most needs to know.  A state
that is not the end has an owner or a timer, and every blocked one a verb that leads out.
"""

from collections.abc import Callable
from typing import Final

import msgspec

from harnd.domain.goal import events as e
from harnd.domain.goal import failure as failures
from harnd.domain.goal.automation import ACCEPT_PASSING_PROOF, AUTO_APPLY, RETRY_BLOCKED
from harnd.domain.goal.backoff import retry_not_before
from harnd.domain.goal.deadlines import deadlines, end_of_runtime, expiries, retries
from harnd.domain.goal.goal import Ending, Goal
from harnd.domain.goal.growth import GROWTHS
from harnd.domain.goal.hindrance import call_shortage
from harnd.domain.goal.obstacles import shortage_told
from harnd.domain.goal.plan import Plan
from harnd.domain.goal.reasons.item import reason_of
from harnd.domain.goal.reasons.reason import Reason, attempts_first, out_of_budget
from harnd.domain.goal.reasons.stopped import ways_back
from harnd.domain.goal.receipt import owed_receipt
from harnd.domain.goal.rules.after_end import refused_reopening
from harnd.domain.goal.rules.resolving import approved
from harnd.domain.goal.rules.tick import stepped
from harnd.domain.goal.rules.unattended import applied_unasked
from harnd.domain.goal.seats import uncalled
from harnd.domain.goal.shortage import Spent, resume_shortage, shortage
from harnd.domain.goal.wanted import given_up, recovering, wanted_trigger
from harnd.domain.goal.work import Standing
from harnd.domain.measures import plain
from harnd.domain.verbs import verb
from protocol.ids import goal_branch
from protocol.values import Instant, NextAction, Phase, PlanStatus, Trigger, Unit

replace = msgspec.structs.replace


class Position(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a goal stands, why, and what would change it."""

    phase: Phase
    next_action: NextAction
    reason: str
    would_change: str
    verbs: tuple[str, ...] = ()  # what a person can type
    wake_at: Instant | None = None  # when harnd looks again by itself
    grows: Unit | None = None  # the budget of which the usual amount more would move it


def position(goal: Goal, now: Instant) -> Position:
    """Return where a goal stands."""
    for condition in _CONDITIONS:
        if (found := condition(goal, now)) is not None:
            return _until_expiry(goal, now, found)
    raise AssertionError(f"{goal.intent.goal}: no condition holds")


def _until_expiry(goal: Goal, now: Instant, found: Position) -> Position:
    """Have harnd look again when an approval expires, wherever the goal stands: that starts nothing."""
    times = [at for at in (found.wake_at, *expiries(goal)) if at is not None and at > now]
    return replace(found, wake_at=min(times)) if times else found


def _ended(goal: Goal, _now: Instant) -> Position | None:
    name = goal.intent.goal
    again = () if refused_reopening(goal) else (verb("goal", "reopen", name),)
    verbs = (*again, *(() if goal.archived else (verb("goal", "archive", name),)))
    kept = "; it is archived" if goal.archived else ""
    match goal.ending:
        case Ending.SUCCEEDED:
            reason = "the mission is met" if goal.intent.mission else _root_done(goal)
            would_change = "a finding on its work" if again else "nothing; it is done"
            return Position(Phase.SUCCEEDED, NextAction.NONE, f"{reason}{kept}", would_change, verbs=verbs)
        case Ending.CANCELLED:
            reason = f"cancelled by the operator: {goal.ended_reason}{kept}"
            return Position(Phase.CANCELLED, NextAction.NONE, reason, "nothing; it is over", verbs=verbs)
        case None:
            return None


def _root_done(goal: Goal) -> str:
    root = goal.root.id if goal.root is not None else "its root"
    return f"{root} is accepted and on {goal_branch(goal.intent.goal)}"


def _paused(goal: Goal, now: Instant) -> Position | None:
    if goal.paused is None:
        return None
    running = _under_way(goal)
    why = f": {goal.paused.reason}" if goal.paused.reason else ""
    still = f"; still running: {', '.join(running)}" if running else ""
    return Position(
        Phase.PAUSED,
        NextAction.WAIT_FOR_RUN if running else NextAction.RESUME,
        f"paused by {goal.paused.by}{why}{still}",
        "resuming it",
        verbs=(verb("goal", "resume", goal.intent.goal),),
        wake_at=end_of_runtime(goal, now),
    )


def _out_of_ticks(goal: Goal, _now: Instant) -> Position | None:
    return _budget(goal, "every tick is spent", Spent(Unit.TICKS, 1, 0)) if goal.left(Unit.TICKS) < 1 else None


def _under_way(goal: Goal) -> list[str]:
    what: list[str] = []
    if goal.plan is not None and (call := goal.plan.open_call) is not None:
        what.append(f"the planner (plan {goal.plan.number}, call {call.number})")
    if goal.plan is not None:
        plan = goal.plan.number
        what += [f"reviewer {seat.reviewer} (plan {plan}, round {each.number})" for each, seat, _ in goal.open_jobs()]
    if owed_receipt(goal) is not None:
        what.append("keeping the receipt of its review")
    what.extend(f"{item.id} attempt {item.attempts[-1].number}" for item in goal.in_standing(Standing.RUNNING))
    what.extend(f"integration of {item.id}" for item in goal.in_standing(Standing.INTEGRATING))
    return what


def _running(goal: Goal, now: Instant) -> Position | None:
    what = _under_way(goal)
    if not what:
        return None
    times = [at for at in (*deadlines(goal, now), end_of_runtime(goal, now)) if at is not None and at > now]
    reason = f"running: {', '.join(what)}"
    wake = min(times, default=None)
    change, back = "the end of what is running", ways_back(goal)
    return Position(Phase.RUNNING, NextAction.WAIT_FOR_RUN, reason, change, verbs=back, wake_at=wake)


def _plan_proposed(goal: Goal, now: Instant) -> Position | None:
    plan = goal.plan
    if plan is None or plan.status is not PlanStatus.PROPOSED or applied_unasked(goal, now):
        return None
    return Position(
        Phase.AWAITING_ATTENTION,
        NextAction.DECIDE_PLAN,
        f"plan {plan.number} waits for approval",
        "a decision about the plan",
        verbs=(*_about(goal, plan, "show", "approve", "reject", "edit"), *ways_back(goal)),
    )


def _about(goal: Goal, plan: Plan, *decisions: str) -> tuple[str, ...]:
    return tuple(verb("plan", decision, goal.intent.goal, plan.number) for decision in decisions)


def _plan_asks(goal: Goal, _now: Instant) -> Position | None:
    plan = goal.plan
    if plan is None or not plan.asks:
        return None
    if plan.in_review_attention:
        return _did_not_pass(goal, plan)
    if plan.status is PlanStatus.ATTENTION:
        reason = f"the planner asks: {plan.question}"
    else:
        reason = f"plan {plan.number} failed {failures.told(plan.failure, plan.detail)}"
    if goal.left(Unit.PLANNER_CALLS) < 1:
        spent = Spent(Unit.PLANNER_CALLS, 1, 0)
        edit = _about(goal, plan, "edit")  # what a person writes costs no request
        return _budget(goal, f"{reason}; and every plan request is spent", spent, *edit, *ways_back(goal))
    return Position(
        Phase.AWAITING_ATTENTION,
        NextAction.RETRY_PLAN,
        reason,
        "an answer to the planner",
        verbs=(*_about(goal, plan, "show", "retry", "edit"), *ways_back(goal)),
    )


def _did_not_pass(goal: Goal, plan: Plan) -> Position:
    again = ("retry",) if goal.left(Unit.PLANNER_CALLS) > 0 else ()
    override = f"{_about(goal, plan, 'approve')[0]} --override"
    return Position(
        Phase.AWAITING_ATTENTION,
        NextAction.DECIDE_PLAN,
        f"plan {plan.number} did not pass its review: {plan.question}",
        "a decision about the plan",
        verbs=(*_about(goal, plan, "show", *again, "edit"), override, *_about(goal, plan, "reject"), *ways_back(goal)),
    )


_PLANNING: Final[dict[Trigger, tuple[NextAction, str]]] = {
    Trigger.INITIAL: (NextAction.PLAN_INITIAL, "the planner is called next"),
    Trigger.MILESTONE: (NextAction.PLAN_MILESTONE, "the planner is called next"),
    Trigger.RECOVERY: (
        NextAction.REPLAN_RECOVERY,
        "nothing of the active work can go on, and the planner is called for another way next",
    ),
}
_RETRIED: Final = f"blocked work is tried again next, unasked: {RETRY_BLOCKED}"
_MOVING: Final[tuple[tuple[type[e.Event], NextAction, str], ...]] = (
    (e.WorkAccepted, NextAction.RUN, f"proved work is accepted next, unasked: {ACCEPT_PASSING_PROOF}"),
    (e.ApprovalExpired, NextAction.RUN, "an approval that nobody answered expires next"),
    (e.WorkResolved, NextAction.RUN, _RETRIED),
    (e.WorkRetried, NextAction.RUN, _RETRIED),
    (e.WorkRequeued, NextAction.RUN, _RETRIED),
    (e.IntegrationStarted, NextAction.RUN, "accepted work is brought onto the goal's branch next"),
    (e.AttemptResumed, NextAction.RESUME, "a parked attempt goes on next"),
    (e.AttemptStarted, NextAction.RUN, "work is started next"),
)


def _can_move(goal: Goal, now: Instant) -> Position | None:
    after, moves = stepped(goal, now)
    at_once = "the next tick, at once"
    decided = next((event for event in moves if isinstance(event, e.PlanApplied | e.PlanCompleted)), None)
    if decided is not None:
        what = "applied" if isinstance(decided, e.PlanApplied) else "taken for the end of the mission"
        reason = f"plan {decided.plan} is {what} next, unasked: {AUTO_APPLY}"
        return Position(Phase.READY, NextAction.RUN, reason, at_once)
    if after.plan is not None and any(isinstance(event, e.PlannerCalled) for event in moves):
        action, reason = _PLANNING[after.plan.trigger]
        return Position(Phase.READY, action, reason, at_once, verbs=ways_back(after))
    if any(isinstance(event, e.ReviewJobCalled) for event in moves):
        reason = "the candidate is read by its reviewers next"
        return Position(Phase.READY, NextAction.REVIEW_PLAN, reason, at_once, verbs=ways_back(after))
    for kind, action, reason in _MOVING:
        if any(isinstance(event, kind) for event in moves):
            return Position(Phase.READY, action, reason, at_once)
    return None


def _waits_for_time(goal: Goal, now: Instant) -> Position | None:
    ahead = [at for at in retries(goal, now) if at > now]
    if not ahead or goal.pending_approvals():
        return None
    wake = min(ahead)
    blocked = goal.in_standing(Standing.BLOCKED)
    retried = next((item for item in blocked if retry_not_before(goal, item, now) == wake), None)
    if retried is not None:
        found = reason_of(goal, retried, now)
        where = _as_its(found, Phase.WAITING, NextAction.WAIT_FOR_TIMER)
        return replace(where, reason=f"{found.condition}; {found.next_automatic}", wake_at=wake)
    reason = "the provider failed; harnd tries again after a pause"
    return Position(Phase.WAITING, NextAction.WAIT_FOR_TIMER, reason, "the end of the pause", wake_at=wake)


def _awaits_approval(goal: Goal, now: Instant) -> Position | None:
    waiting = goal.in_standing(Standing.AWAITING_APPROVAL)
    # Of what was approved a person knows; what is asked comes first.
    item = min(waiting, key=lambda each: approved(goal, each), default=None)
    if item is None:
        return None
    action = NextAction.RESUME if approved(goal, item) else NextAction.DECIDE_APPROVAL
    where = _as_its(reason_of(goal, item, now), Phase.AWAITING_ATTENTION, action)
    return replace(where, wake_at=min((at for at in retries(goal, now) if at > now), default=None))


def _in_review(goal: Goal, _now: Instant) -> Position | None:
    items = goal.in_standing(Standing.IN_REVIEW)
    if not items:
        return None
    name = goal.intent.goal
    first = items[0].id
    return Position(
        Phase.AWAITING_ATTENTION,
        NextAction.DECIDE_WORK,
        f"proved and waiting to be accepted: {', '.join(item.id for item in items)}",
        "a decision about the work",
        verbs=tuple(verb("work", decision, name, first) for decision in ("show", "accept", "reopen")),
    )


def _without_another_way(goal: Goal, now: Instant) -> Position | None:
    """Say that nothing can go on and that the planner is not asked, for want of what no person can add."""
    short = call_shortage(goal, now) if wanted_trigger(goal) is Trigger.RECOVERY else None
    if short is None or short.unit in GROWTHS:
        return None
    found = reason_of(goal, given_up(goal)[0], now)
    reason = f"{found.condition}; and there can be no plan for another way: {shortage_told(goal, short)}"
    verbs = tuple(dict.fromkeys((*found.verbs, verb("goal", "cancel", goal.intent.goal))))
    return Position(Phase.AWAITING_ATTENTION, NextAction.RESOLVE_BLOCKED, reason, found.would_change, verbs=verbs)


def _blocked(goal: Goal, now: Instant) -> Position | None:
    items = goal.in_standing(Standing.BLOCKED)
    if not items or recovering(goal) or wanted_trigger(goal) is Trigger.RECOVERY:
        return None  # the planner is asked, and of what it takes is told below
    return _as_its(reason_of(goal, items[0], now), Phase.BLOCKED, NextAction.RESOLVE_BLOCKED)


def _short_of_budget(goal: Goal, now: Instant) -> Position | None:
    reviewing = bool(uncalled(goal))
    requested = reviewing or (goal.plan is not None and goal.plan.status is PlanStatus.REQUESTED)
    if requested or wanted_trigger(goal) is not None:
        short = call_shortage(goal, now)
        back = ways_back(goal)
        stuck = "nothing of the active work can go on, and " if back else ""
        who = "the reviewers of the plan" if reviewing else "the planner"
        told = f"{stuck}{who} cannot be called: {shortage_told(goal, short)}" if short else ""
        return _budget(goal, told, short, *back) if short else None
    for item in goal.in_standing(Standing.PARKED):
        if resume_shortage(goal, now) is not None:
            return _as_its(reason_of(goal, item, now), Phase.BUDGET_EXHAUSTED, NextAction.ANSWER_BUDGET)
    for item in goal.ready():
        if shortage(goal, item, now) is not None:
            return _as_its(reason_of(goal, item, now), Phase.BUDGET_EXHAUSTED, NextAction.ANSWER_BUDGET)
    return None


def _as_its(reason: Reason, phase: Phase, action: NextAction) -> Position:
    """Return where a goal stands that one of its items holds up."""
    return Position(phase, action, reason.condition, reason.would_change, verbs=reason.verbs, grows=reason.grows)


def _held_up(goal: Goal, _now: Instant) -> Position | None:
    for item in goal.in_standing(Standing.OPEN):
        holder = goal.held_by(item)
        if holder is not None:
            return _held(goal, f"{item.id} needs {holder}, which is {plain(goal.state_of(goal.work[holder]))}", holder)
    for item in goal.in_standing(Standing.CANCELLED):
        return _held(goal, f"{item.id} was cancelled, and the milestone cannot be met without it", item.id)
    return None


def _held(goal: Goal, reason: str, holder: str) -> Position:
    name = goal.intent.goal
    verbs = (*attempts_first(goal), verb("work", "reopen", name, holder), verb("goal", "cancel", name))
    return Position(Phase.BLOCKED, NextAction.RESOLVE_BLOCKED, reason, "reopening the work", verbs=verbs)


def _budget(goal: Goal, reason: str, short: Spent, *back: str) -> Position:
    found = out_of_budget(goal, reason, short, since=goal.since)
    where = _as_its(found, Phase.BUDGET_EXHAUSTED, NextAction.ANSWER_BUDGET)
    return replace(where, verbs=tuple(dict.fromkeys((*where.verbs, *back))))


_CONDITIONS: Final[tuple[Callable[[Goal, Instant], Position | None], ...]] = (
    _ended,
    _paused,
    _running,
    _plan_proposed,  # before the ticks: to approve that the mission is met takes none
    _out_of_ticks,
    _plan_asks,
    _can_move,
    _waits_for_time,
    _awaits_approval,
    _in_review,
    _without_another_way,
    _blocked,
    _short_of_budget,
    _held_up,
)
