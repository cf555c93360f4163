"""Progress: what a goal has under way, since when, and what is seen of the processes behind it.

Work is told from a standstill by what was observed, never by what was expected: a process that wrote lately, one that
is silent and when it is ended for that, or nothing running between two steps.
"""

from dataclasses import dataclass, replace

from harnd.daemon.queries.parts import Part, integrated_parts, parts_of, planner_part
from harnd.domain.goal.due import CallPlanner, Effect, Integrate, KeepReceipt, MoveBranch, Review, RunAttempt, due
from harnd.domain.goal.goal import Goal
from harnd.domain.measures import span
from harnd.ports.processes import LiveProcess
from protocol.ids import WorkId
from protocol.values import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One effect that is owed, and the live processes of it."""

    what: str  # such as `attempt 2 at p1.parser`
    work: WorkId | None  # None: it plans
    since: Instant
    seen: tuple[tuple[Part, LiveProcess], ...] = ()

    def told(self, now: Instant) -> str:
        """Say in one clause how long it has run and what its processes do."""
        doing = ", ".join(_seen(part, process, now) for part, process in self.seen)
        return f"{self.what} has run for {span(now - self.since)}; {doing or 'no process of it runs at the moment'}"

    def limit(self) -> tuple[Instant, str] | None:
        """Return when harnd ends a process of it unless something happens, and what it does then; the next one."""
        return min((_limit(part, process) for part, process in self.seen), default=None)


def under_way(goal: Goal, now: Instant, live: tuple[LiveProcess, ...]) -> tuple[Step, ...]:
    """Return what is owed to the world and has begun, with what is seen of it."""
    return tuple(_step(goal, effect, live) for effect in due(goal, now))


def _step(goal: Goal, effect: Effect, live: tuple[LiveProcess, ...]) -> Step:
    step, parts = _owed(goal, effect)
    running = {process.key: process for process in live}
    return replace(step, seen=tuple((part, running[part.key]) for part in parts if part.key in running))


def _owed(goal: Goal, effect: Effect) -> tuple[Step, tuple[Part, ...]]:
    match effect:
        case CallPlanner(plan=number, call=call):
            plan = goal.plans[number - 1]
            step = Step(what=f"call {call} for plan {number}", work=None, since=plan.calls[call - 1].started_at)
            return step, (planner_part(goal, plan, call),)
        case Review(plan=number, round=within, reviewer=reviewer):
            each = goal.plans[number - 1].rounds[within - 1]
            seat = each.seat(reviewer)
            since = seat.last.called_at if seat is not None and seat.last is not None else each.opened_at
            return Step(what=f"the review of plan {number} by {reviewer}", work=None, since=since), ()
        case KeepReceipt(plan=number):
            plan = goal.plans[number - 1]
            return Step(what=f"keeping the receipt of the review of plan {number}", work=None, since=plan.since), ()
        case RunAttempt(work=work, attempt=attempt):
            item = goal.work[work]
            tried = item.attempts[attempt - 1]
            since = tried.resumed_at or tried.started_at
            return Step(what=f"attempt {attempt} at {work}", work=work, since=since), parts_of(goal, item, attempt)
        case Integrate(work=work) | MoveBranch(work=work):
            item = goal.work[work]
            since = item.integrations[-1].started_at
            step = Step(what=f"the integration of {work}", work=work, since=since)
            return step, integrated_parts(goal, item, len(item.attempts))


def _seen(part: Part, process: LiveProcess, now: Instant) -> str:
    wrote = "has not been heard" if process.spoke is None else f"last wrote {span(now - process.spoke)} ago"
    return f"{part.title} (process {process.pid}) {wrote}"


def _limit(part: Part, process: LiveProcess) -> tuple[Instant, str]:
    limits = [(Instant(process.started + part.timeout), f"{part.title} is ended if it still runs")]
    silence = part.startup_silence if process.spoke is None else part.silence
    if silence is not None:
        since = process.started if process.spoke is None else process.spoke
        limits.append((Instant(since + silence), f"{part.title} is ended if it stays silent"))
    return min(limits)
