"""Reasons: which condition holds a work item where it stands, and what would change it.  Told from stored state alone.

The first condition that holds is told, and of a chain of waiting items both ends.  What is seen of running processes is
`progress`; what holds a whole goal is the domain's `position`.
"""

from dataclasses import dataclass

from harnd.daemon.queries.wording import command, count, span
from harnd.domain.goal import failure as failures
from harnd.domain.goal.backoff import attempt_not_before
from harnd.domain.goal.evolve import evolve
from harnd.domain.goal.goal import Ending, Goal
from harnd.domain.goal.overlap import overlap
from harnd.domain.goal.rules.tick import affordable, tick
from harnd.domain.goal.work import Standing, Work
from protocol.ids import WorkId
from protocol.values import Instant, Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why something stands where it stands, in whole sentences."""

    condition: str
    since: Instant
    would_change: str
    next_automatic: str | None = None
    next_automatic_at: Instant | None = None
    verbs: tuple[str, ...] = ()


def reason_of(goal: Goal, item: Work, now: Instant) -> Reason:
    """Return what holds an item."""
    passed_by = _passed_by(goal, item)
    if passed_by and item.standing not in (Standing.INTEGRATED, Standing.CANCELLED):
        condition = f"{item.id} was left as it was when {passed_by}"
        return Reason(condition=condition, since=item.since, would_change="nothing")
    match item.standing:
        case Standing.OPEN:
            return _waiting(goal, item, now) if goal.unmet(item) else _ready(goal, item, now)
        case Standing.RUNNING:
            return _running(goal, item, now)
        case Standing.IN_REVIEW:
            return _in_review(goal, item)
        case Standing.BLOCKED:
            return _blocked(goal, item)
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


def _waiting(goal: Goal, item: Work, now: Instant) -> Reason:
    chain = _chain(goal, item)
    last = reason_of(goal, goal.work[chain[-1]], now)
    return Reason(
        condition=f"{item.id} waits for {', '.join(goal.unmet(item))}{_linked(chain)}; {last.condition}",
        since=item.since,
        would_change=last.would_change,
        next_automatic=last.next_automatic,
        next_automatic_at=last.next_automatic_at,
        verbs=last.verbs,
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


def _ready(goal: Goal, item: Work, now: Instant) -> Reason:
    after = goal
    for event in tick(goal, now):
        after = evolve(after, event, now)
    if after.work[item.id].standing is Standing.RUNNING:
        return Reason(
            condition=f"{item.id} is ready",
            since=item.since,
            would_change="the next tick",
            next_automatic=f"{item.id} is started at once",
        )
    if goal.left(Unit.TICKS) < 1 or not affordable(after, item, now):
        return _short(after, item, now)
    not_before = attempt_not_before(item)
    if not_before is not None and now < not_before:
        return Reason(
            condition=f"the provider failed {item.id}, and harnd pauses before it tries again",
            since=item.since,
            would_change="the end of the pause",
            next_automatic=f"{item.id} is tried again",
            next_automatic_at=not_before,
        )
    return _crowded(after, item)


def _short(goal: Goal, item: Work, now: Instant) -> Reason:
    name = goal.intent.goal
    return Reason(
        condition=f"{item.id} is ready, and the budget allows no further attempt: {_spent(goal, item, now)}",
        since=item.since,
        would_change="a larger budget",
        verbs=(command("budget", name), command("goal", "cancel", name)),
    )


def _spent(goal: Goal, item: Work, now: Instant) -> str:
    calls, limits = len(goal.template_of(item).agent_stages()), goal.intent.limits
    if goal.left(Unit.TICKS) < 1:
        return "every tick is spent"
    if goal.left(Unit.ATTEMPTS) < 1:
        return "every attempt is spent or set aside"
    if goal.left(Unit.AGENT_CALLS) < calls:
        return f"an attempt takes {count(calls, 'agent call')}, and {goal.left(Unit.AGENT_CALLS)} are left"
    if goal.runtime_left(now) < 1:
        return f"the active runtime of {span(limits.active_runtime)} is used up"
    return f"agents have answered {item.answers} times for it, and {limits.answers_per_work} answers are allowed"


def _crowded(goal: Goal, item: Work) -> Reason:
    running = goal.in_standing(Standing.RUNNING)
    names = ", ".join(other.id for other in running)
    clashing = [other.id for other in running if overlap(item.paths, other.paths)]
    if clashing:
        condition = f"{item.id} is ready, and its paths overlap with those of {', '.join(clashing)}, which runs"
        if not item.paths:
            condition = f"{item.id} is ready, declares no paths, and so cannot run beside {', '.join(clashing)}"
    elif len(running) >= goal.intent.limits.parallel_work:
        condition = f"{item.id} is ready, and there is no free slot: {len(running)} at a time, now {names}"
    else:
        condition = f"{item.id} is ready, and no agent is free: {goal.intent.limits.agent_concurrency} at a time"
    return Reason(
        condition=condition,
        since=item.since,
        would_change=f"the end of {names}" if names else "the end of what runs",
        next_automatic=f"{item.id} is started as soon as there is room",
    )


# --- under way


def _running(goal: Goal, item: Work, now: Instant) -> Reason:
    attempt = item.attempts[-1]
    return Reason(
        condition=f"attempt {attempt.number} at {item.id} has run for {span(now - attempt.started_at)}",
        since=attempt.started_at,
        would_change=f"the end of attempt {attempt.number} at {item.id}",
        next_automatic="what it leaves behind is recorded and proved",
        verbs=(command("work", "log", goal.intent.goal, item.id),),
    )


def _queued(goal: Goal, item: Work) -> Reason:
    ahead = goal.queue[: goal.queue.index(item.id)]
    behind = f" behind {', '.join(ahead)}" if ahead else ""
    return Reason(
        condition=f"{item.id} is accepted and queued for integration{behind}",
        since=item.since,
        would_change=f"the integration of {ahead[-1]}" if ahead else "the next tick",
        next_automatic=f"{item.id} is brought onto harn/{goal.intent.goal} and proved there",
    )


def _integrating(goal: Goal, item: Work) -> Reason:
    integration = item.integrations[-1]
    branch = f"harn/{goal.intent.goal}"
    condition = f"{item.id} is being brought together with {branch} and proved there"
    if integration.commit is not None:
        condition = f"{item.id} is proved together with {branch}, which is being moved there"
    return Reason(
        condition=condition,
        since=integration.started_at,
        would_change=f"the end of the integration of {item.id}",
        next_automatic=f"{branch} is moved to the proved commit",
    )


# --- with a person


def _in_review(goal: Goal, item: Work) -> Reason:
    open_findings = f", with {count(len(item.findings), 'finding')} to dispose of" if item.findings else ""
    return Reason(
        condition=f"{item.id} is proved and waits to be accepted{open_findings}",
        since=item.since,
        would_change=f"a decision about {item.id}",
        verbs=_verbs(goal, item, "show", "accept", "reopen"),
    )


def _blocked(goal: Goal, item: Work) -> Reason:
    cause = item.blocked.value if item.blocked else "unknown"
    advice = failures.ROWS[item.blocked].advice if item.blocked else "retry it"
    return Reason(
        condition=f"{item.id} is blocked ({cause}): {item.blocked_detail}; {advice}",
        since=item.since,
        would_change=f"a decision about {item.id}",
        verbs=_verbs(goal, item, "show", "log", "retry", "cancel"),
    )


# --- over


def _integrated(goal: Goal, item: Work) -> Reason:
    return Reason(
        condition=f"{item.id} is done: it was accepted and is on harn/{goal.intent.goal}",
        since=item.since,
        would_change="nothing" if _passed_by(goal, item) else f"a finding that reopens {item.id}",
    )


def _cancelled(goal: Goal, item: Work) -> Reason:
    verbs = () if _passed_by(goal, item) else _verbs(goal, item, "reopen")
    return Reason(
        condition=f"{item.id} was cancelled: {item.cancelled_reason}",
        since=item.since,
        would_change=f"reopening {item.id}" if verbs else "nothing",
        verbs=verbs,
    )


def _verbs(goal: Goal, item: Work, *verbs: str) -> tuple[str, ...]:
    return tuple(command("work", verb, goal.intent.goal, item.id) for verb in verbs)
