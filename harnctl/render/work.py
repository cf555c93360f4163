"""Work for a reader: a row each, one in full with everything that a decision needs, or what an attempt wrote."""

from collections.abc import Iterator

from harnctl.render.blocks import Block, Fields, Gap, Line, Paragraph, Span, Style, Table, Verbatim, command
from harnctl.render.marks import marked
from harnctl.render.texts import section, short
from harnctl.render.words import count, duration, plain
from protocol.replies import LogPart, WorkLog
from protocol.values import Instant, WorkState
from protocol.views import AttemptView, CriterionVerdict, Evidence, WorkList, WorkRow, WorkView


def listed(work: WorkList) -> Iterator[Block]:
    """Show every work item of a goal in the order of their plans."""
    if not work.work:
        yield Paragraph(f"{work.goal} has no work yet.")
        yield command("why", work.goal)
        return
    yield table(work.work)
    asks = [row for row in work.work if row.state is WorkState.IN_REVIEW]
    if asks:
        yield Gap()
    yield from (command("work", "show", work.goal, row.work) for row in asks)


def table(rows: tuple[WorkRow, ...]) -> Table:
    """Show work items, a row each."""
    return Table(
        ("WORK", "STATE", "TRIES", "REASON"),
        tuple((Span(row.work), marked(row.state), Span(str(row.attempts)), Span(row.reason)) for row in rows),
    )


def shown(work: WorkView, now: Instant) -> Iterator[Block]:
    """Show one work item, and the commands that decide it."""
    yield from result(work, now)
    yield from _decisions(work)


def result(work: WorkView, now: Instant) -> Iterator[Block]:
    """Show one work item without a word about what to do with it."""
    yield Line((Span(f"{work.goal}/{work.work}", Style.STRONG), Span("  "), marked(work.state)))
    yield Paragraph(work.title)
    yield Gap()
    yield Fields(tuple(_facts(work)))
    yield from section("objective", Paragraph(work.objective, indent=2))
    yield from section("criteria", *(block for one in work.criteria for block in _criterion(one)))
    yield from section("attempts", *([_attempts(work.attempts, now)] if work.attempts else []))
    yield from changes(work)
    yield from section("would clash", *_clashes(work))
    findings = tuple((finding.id, finding.text) for finding in work.open_findings)
    yield from section("open findings", *([Fields(findings, indent=2)] if findings else []))
    doubts = tuple((doubt.name, doubt.said) for doubt in work.doubts)
    yield from section("doubts to acknowledge", *([Fields(doubts, indent=2)] if doubts else []))
    yield from section("unknown", *(Paragraph(unknown, indent=2) for unknown in work.unknowns))


def _clashes(work: WorkView) -> Iterator[Block]:
    if work.would_clash:
        said = (
            "Accepted now, it could not be brought onto the goal's branch, which has moved on, because of these paths."
        )
        yield Paragraph(f"{said} Reopen it, and it is made again from there.", indent=2, style=Style.ASKS)
        yield from (Paragraph(path, indent=2) for path in work.would_clash)


def changes(work: WorkView) -> Iterator[Block]:
    """Name what the newest attempt that came to something changed, and the command that shows it line by line."""
    attempt = next((one for one in reversed(work.attempts) if one.changed or one.commit is not None), None)
    if attempt is None:
        return
    outside = tuple(path for path in (*attempt.protected, *attempt.undeclared) if path not in attempt.changed)
    named = [Paragraph(_changed(path, attempt), indent=2) for path in dict.fromkeys((*attempt.changed, *outside))]
    if more := attempt.changed_in_all - len(attempt.changed):
        named += [Paragraph(f"and {count(more, 'more file')}", indent=2)] if more > 0 else []
    nothing = [] if named else [Paragraph("nothing", indent=2)]
    yield from section(f"changed by attempt {attempt.number}", *named, *nothing)
    if attempt.commit is not None:
        yield command("work", "diff", work.goal, work.work, "--attempt", attempt.number)


def logged(log: WorkLog, now: Instant) -> Iterator[Block]:
    """Show what ran in one attempt and what it wrote."""
    yield Line((Span(f"{log.goal}/{log.work} attempt {log.attempt}", Style.STRONG),))
    if not log.parts:
        yield Paragraph("Nothing ran yet.")
    for part in log.parts:
        yield from _part(part, now)


def _facts(work: WorkView) -> Iterator[tuple[str, str]]:
    yield "because", work.reason
    yield "template", work.template
    if work.dependencies:
        yield "after", ", ".join(work.dependencies)
    if work.paths:
        yield "paths", ", ".join(work.paths)
    if work.proof_digest is not None:
        yield "proof", short(work.proof_digest)
    if work.acknowledged:
        yield "acknowledged", ", ".join(work.acknowledged)
    if work.integrated_commit is not None:
        yield "integrated", short(work.integrated_commit)


def _criterion(one: CriterionVerdict) -> Iterator[Block]:
    yield Line((Span("  "), marked(one.verdict), Span(f"  {one.id}")))
    yield Paragraph(one.text, indent=4)
    yield from (Paragraph(_evidence(evidence), indent=6, style=Style.FAINT) for evidence in one.evidence)


def _evidence(evidence: Evidence) -> str:
    kept = f" ({short(evidence.digest)})" if evidence.digest is not None else ""
    return f"{evidence.source}: {evidence.said}{kept}"


def _changed(path: str, attempt: AttemptView) -> str:
    notes = ["protected"] if path in attempt.protected else []
    notes += ["outside its declared paths"] if path in attempt.undeclared else []
    return f"{path}  ({', '.join(notes)})" if notes else path


def _attempts(attempts: tuple[AttemptView, ...], now: Instant) -> Table:
    return Table(("NO", "OUTCOME", "TOOK", "DETAIL"), tuple(_attempt(attempt, now) for attempt in attempts))


def _attempt(attempt: AttemptView, now: Instant) -> tuple[Span, ...]:
    outcome = marked(attempt.outcome) if attempt.outcome is not None else marked(WorkState.RUNNING)
    took = duration((attempt.ended if attempt.ended is not None else now) - attempt.started)
    failure = f"{plain(attempt.failure)}: " if attempt.failure is not None else ""
    changed = f"{count(len(attempt.changed), 'file')} changed" if attempt.changed else ""
    return (Span(str(attempt.number)), outcome, Span(took), Span(failure + (attempt.detail or changed)))


def _part(part: LogPart, now: Instant) -> Iterator[Block]:
    took = f"  {duration((part.ended or now) - part.started)}" if part.started is not None else ""
    yield Gap()
    yield Line((Span(part.title, Style.STRONG), Span(f"  {part.outcome}{took}", Style.FAINT)))
    if part.head:
        yield Verbatim(part.head.removesuffix("\n"))
    if part.omitted_bytes:
        yield Paragraph(f"[{count(part.omitted_bytes, 'byte')} left out]", style=Style.FAINT)
    if part.tail:
        yield Verbatim(part.tail.removesuffix("\n"))


def _decisions(work: WorkView) -> Iterator[Block]:
    if work.state is WorkState.IN_REVIEW:
        yield Gap()
        yield command("work", "accept", work.goal, work.work, "--digest", short(work.proof_digest))
        yield command("work", "reopen", work.goal, work.work)
    elif work.state is WorkState.BLOCKED:
        yield Gap()
        if work.resolvable:
            yield command("work", "resolve", work.goal, work.work)
        yield command("work", "retry", work.goal, work.work)
        yield command("work", "log", work.goal, work.work)
    elif work.state is WorkState.AWAITING_APPROVAL:
        yield Gap()
        yield command("why", f"{work.goal}/{work.work}")  # it knows the number of what is asked
