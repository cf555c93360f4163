"""Reasons of stopped work: it waits for a person, for its turn to go on, or for another way around it."""

from harnd.domain.goal import failure as failures
from harnd.domain.goal.automation import ACCEPT_PASSING_PROOF, RETRY_BLOCKED
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.hindrance import Resting, resume_hindrance
from harnd.domain.goal.obstacles import crowd_told, shortage_told
from harnd.domain.goal.overlap import named
from harnd.domain.goal.reasons.reason import Reason, about, attempts_first, out_of_budget, without_attempts
from harnd.domain.goal.rules.resolving import approved, resolvable
from harnd.domain.goal.rules.unattended import accepted_unasked, retried_unasked
from harnd.domain.goal.shortage import Spent
from harnd.domain.goal.wanted import given_up, left_to_planner, recovering, wanted_trigger
from harnd.domain.goal.work import Standing, Work
from harnd.domain.measures import count
from harnd.domain.verbs import verb
from protocol import bounds
from protocol.values import Instant, Trigger


def parked(goal: Goal, item: Work, now: Instant) -> Reason:
    """Return what holds an attempt that may go on."""
    number = len(item.attempts)
    held = resume_hindrance(goal, item, now)
    if isinstance(held, Resting):
        return Reason(
            condition=f"attempt {number} at {item.id} may go on, and {held.by} paused the goal",
            since=item.since,
            would_change="resuming the goal",
            verbs=(verb("goal", "resume", goal.intent.goal),),
        )
    if isinstance(held, Spent):
        condition = (
            f"attempt {number} at {item.id} may go on, and the budget does not allow it: {shortage_told(goal, held)}"
        )
        return out_of_budget(goal, condition, held, since=item.since)
    if held is None:
        condition, change = f"attempt {number} at {item.id} may go on", "the next tick"
    else:
        holders = ", ".join(held.holders)
        condition, change = (
            f"attempt {number} at {item.id} may go on, {crowd_told(item, held)}",
            f"the end of {holders or 'what runs'}",
        )
    return Reason(
        condition=condition,
        since=item.since,
        would_change=change,
        next_automatic=f"attempt {number} at {item.id} goes on where it stopped",
        verbs=about(goal, item, "show", "retry", "cancel"),
    )


# --- with a person


def in_review(goal: Goal, item: Work) -> Reason:
    """Return what is to be decided about proved work."""
    doubts = item.last.doubts() if item.last else ()
    asked = [f"{count(len(item.findings), 'finding')} to dispose of"] if item.findings else []
    asked += [f"{count(len(doubts), 'doubt')} to acknowledge: {named(doubts)}"] if doubts else []
    with_these = f", with {' and '.join(asked)}" if asked else ""
    return Reason(
        condition=f"{item.id} is proved and waits to be accepted{with_these}",
        since=item.since,
        would_change=f"a decision about {item.id}",
        next_automatic=f"{item.id} is accepted, unasked: {ACCEPT_PASSING_PROOF}"
        if accepted_unasked(goal, item)
        else None,
        verbs=about(goal, item, "show", "accept", "reopen"),
    )


def blocked(goal: Goal, item: Work, now: Instant) -> Reason:
    """Return why an item is blocked, what is done about it unasked, and the ways out."""
    can_go_on = resolvable(item)
    again_at = retried_unasked(goal, item, now)
    told = failures.told(item.blocked, item.blocked_detail, resolvable=can_go_on)
    # What is parked has its attempt set aside, whether it goes on or gives it back.
    short = "" if item.parked is not None else without_attempts(goal)
    first = () if item.parked is not None else attempts_first(goal)
    ways = ("resolve", "retry", "cancel") if can_go_on else ("retry", "cancel")
    return Reason(
        condition=f"{item.id} is blocked {told}{short}{_tried_unasked(item)}",
        since=item.since,
        would_change=f"a decision about {item.id}" if again_at is None else f"a pause, or a decision about {item.id}",
        next_automatic=_another_way(goal, item) if again_at is None else _again(item),
        next_automatic_at=again_at,
        verbs=(*about(goal, item, "show", "log"), *first, *about(goal, item, *ways)),
    )


def awaiting_approval(goal: Goal, item: Work) -> Reason:
    """Return what is asked of a person, or that the attempt waits to be told that it may go on with the answer."""
    number = len(item.attempts)
    approval = goal.approval_of(item.id, number)
    if approval is None:
        raise AssertionError(f"{item.id} waits for an approval that nobody asked for")
    if approved(goal, item):
        return Reason(
            condition=f"{approval.decided_by} approved what attempt {number} at {item.id} asked, and it may go on",
            since=approval.since,
            would_change=f"resolving {item.id}",
            verbs=about(goal, item, "show", "resolve", "retry", "cancel"),
        )
    why = goal.why_asked_again(approval)
    again = f" again, because {why}" if why else ""
    answers = tuple(verb("approval", word, goal.intent.goal, approval.number) for word in ("show", "approve", "deny"))
    return Reason(
        condition=f"attempt {number} at {item.id} asks{again}, before stage {approval.stage} is passed: "
        f"{approval.question}",
        since=approval.requested_at,
        would_change=f"a decision about approval {approval.number}",
        next_automatic=f"approval {approval.number} expires",
        next_automatic_at=approval.expires_at,
        verbs=(*answers, *about(goal, item, "retry", "cancel")),
    )


# --- unasked


def _tried_unasked(item: Work) -> str:
    return f"; harnd tried it again {count(item.unasked, 'time')}, unasked" if item.unasked else ""


def _again(item: Work) -> str:
    what = "goes on where it stopped" if resolvable(item) else "is tried again"
    return f"{item.id} {what}, unasked, {item.unasked + 1} of {bounds.UNASKED_RETRIES}: {RETRY_BLOCKED}"


def _another_way(goal: Goal, item: Work) -> str | None:
    if not left_to_planner(goal, item):
        return None
    if goal.plan is not None and recovering(goal):
        return f"plan {goal.plan.number} is to find another way"
    return "the planner is asked for another way as soon as nothing else can go on"


def ways_back(goal: Goal) -> tuple[str, ...]:
    """Return the verbs that set the active work going again while a plan around it is wanted or undecided."""
    if not recovering(goal) and wanted_trigger(goal) is not Trigger.RECOVERY:
        return ()
    decisions = {Standing.BLOCKED: "retry", Standing.CANCELLED: "reopen"}
    held = [(item, decisions[item.standing]) for item in given_up(goal) if item.standing in decisions]
    return (*attempts_first(goal), *about(goal, held[0][0], held[0][1])) if held else ()
