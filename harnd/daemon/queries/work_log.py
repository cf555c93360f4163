"""The log of one attempt: what ran, how it ended, and the beginning and end of what it wrote.

It is read from what is kept of processes, not from events, and tells whatever is still there.
"""

from collections.abc import Iterator

from harnd.daemon.queries.about import Sources
from harnd.daemon.queries.parts import Part, parts_of
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.lookup import item_named
from harnd.domain.goal.work import Work
from harnd.domain.measures import count
from harnd.domain.verbs import verb
from harnd.ports.processes import Trace
from harnd.ports.sessions import Ending, Output
from protocol.errors import Refusal
from protocol.replies import LogPart, WorkLog
from protocol.requests import ShowWorkLog


async def shown(sources: Sources, request: ShowWorkLog) -> WorkLog:
    """Show what ran in one attempt, in order."""
    goal = await sources.goals.load(request.goal)
    item = item_named(goal, request.work)
    attempt = attempt_of(goal, item, request.attempt)
    logged: list[LogPart] = []
    for part in parts_of(goal, item, attempt):
        trace = await sources.world.processes.trace(part.key)
        if trace is not None:
            logged.extend(_written(part, trace))
    return WorkLog(goal=request.goal, work=item.id, attempt=attempt, parts=tuple(logged))


def attempt_of(goal: Goal, item: Work, wanted: int | None) -> int:
    """Return the number of an attempt that is there, without one that of the latest; raises `Refusal`."""
    number = len(item.attempts) if wanted is None else wanted
    if not 1 <= number <= len(item.attempts):
        fix = verb("work", "show", goal.intent.goal, item.id)
        which = (
            "no attempt yet" if wanted is None else f"no attempt {wanted}, only {count(len(item.attempts), 'attempt')}"
        )
        raise Refusal("work.no_attempt", f"{item.id} has {which}", fix=fix)
    return number


def _written(part: Part, trace: Trace) -> Iterator[LogPart]:
    """Write a process as one part; one that wrote to its standard error has a second."""
    if trace.stdout.total_bytes or not trace.stderr.total_bytes:
        yield _stream(part, trace, trace.stdout, part.title)
    if trace.stderr.total_bytes:
        yield _stream(part, trace, trace.stderr, f"{part.title} (standard error)")


def _stream(part: Part, trace: Trace, output: Output, title: str) -> LogPart:
    return LogPart(
        effect=part.key,
        title=title,
        started=trace.started,
        ended=trace.ended,
        outcome=_outcome(trace),
        head=output.head,
        tail=output.tail,
        omitted_bytes=output.omitted_bytes,
        digest=output.digest if trace.ending is not None and output.total_bytes else None,
    )


def _outcome(trace: Trace) -> str:
    match trace.ending:
        case None:
            return "running"
        case Ending.EXITED if trace.exit_code is not None and trace.exit_code < 0:
            return f"ended by signal {-trace.exit_code}"
        case Ending.EXITED if trace.exit_code is None:
            return "ended in an unknown way: its watch was broken"
        case Ending.EXITED:
            return f"exit code {trace.exit_code}"
        case Ending.TIMED_OUT:
            return "ended: it ran out of time"
        case Ending.SILENT_AT_START:
            return "ended: it said nothing after its start"
        case Ending.STALLED:
            return "ended: it fell silent"
        case Ending.LOST:
            return "lost: the daemon died while it ran"
        case Ending.INTERRUPTED:
            return "interrupted by a stop"
        case Ending.NOT_STARTED:
            return f"not started: {trace.detail}"
