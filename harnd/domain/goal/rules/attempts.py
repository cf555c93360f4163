"""What becomes of an attempt.  A runner reports; the rules judge: success is a proof of a real change.

A proof that is flaky in places, or of a change to protected paths, is a success that only a person can accept: what
must be acknowledged by name is what `Attempt.doubts` returns.
"""

from typing import TypeAlias, assert_never

import msgspec

from harnd.domain.goal import commands as c
from harnd.domain.goal import events as e
from harnd.domain.goal import failure as failures
from harnd.domain.goal.evolve import evolve
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.overlap import covers, kept, kept_of, named, undeclared
from harnd.domain.goal.rules.approvals import asked
from harnd.domain.goal.template import Template
from harnd.domain.goal.work import Attempt, Work
from protocol import bounds
from protocol.values import AttemptOutcome, FailureClass, ParkCause

AttemptCommand: TypeAlias = c.ReportObserved | c.ReportAttempt
Judged: TypeAlias = tuple[AttemptOutcome, FailureClass | None, str]


def decide_attempt(goal: Goal, command: AttemptCommand) -> list[e.GoalEvent]:
    """Apply the rules to a report about an attempt; a late or foreign end is kept as superseded."""
    item = goal.work.get(command.work)
    if item is None or not 1 <= command.attempt <= len(item.attempts):
        return []
    owed = _owed(goal, item, command.attempt)
    match command:
        case c.ReportObserved(work=work, attempt=attempt, surroundings=surroundings):
            first = owed is not None and owed.parked is None and owed.surroundings is None
            return [e.AttemptObserved(work=work, attempt=attempt, surroundings=surroundings)] if first else []
        case c.ReportAttempt(work=work, attempt=attempt, report=report):
            if owed is None:
                return [e.AttemptSuperseded(work=work, attempt=attempt, outcome=report.outcome)]
            if report.asks is not None and not _strayed(report, item):
                return asked(goal, owed, command, report.asks)
            ended = _consequent(goal, item, _ended(goal, item, command))
            return [_parked(ended, report)] if _goes_on(ended) else [ended]
        case _:
            assert_never(command)


def _owed(goal: Goal, item: Work, number: int) -> Attempt | None:
    """Return the attempt whose end is owed; what was parked by a pause may just have come to its end by itself."""
    attempt = item.unended if goal.ending is None else None
    if attempt is None or attempt.number != number:
        return None
    return attempt if attempt.parked is None or attempt.parked.cause is ParkCause.PAUSE else None


def _goes_on(ended: e.AttemptEnded) -> bool:
    """Tell whether nothing is wrong with the work, and a person is asked: it goes on once the cause is gone."""
    return ended.blocked and ended.failure is not None and failures.ROWS[ended.failure].resolvable


def _parked(ended: e.AttemptEnded, report: c.AttemptReport) -> e.AttemptParked:
    return e.AttemptParked(
        work=ended.work,
        attempt=ended.attempt,
        cause=ParkCause.FAILURE,
        stage=report.stage,
        failure=ended.failure,
        detail=ended.detail,
        output=ended.output,
        ran=ended.ran,
        usage=ended.usage,
        again=report.again,
        reports=ended.reports,
    )


def _consequent(goal: Goal, item: Work, ended: e.AttemptEnded) -> e.AttemptEnded:
    """Say what follows from a failure; it is stored, so that an old stream does not fold by a later table."""
    if ended.failure is None:
        return ended
    after = evolve(goal, ended, goal.last_at).work[item.id]
    again = after.may_try_again(ended.failure, goal.template_of(item).max_attempts)
    return msgspec.structs.replace(ended, blocked=not again)


def _ended(goal: Goal, item: Work, command: c.ReportAttempt) -> e.AttemptEnded:
    report = command.report
    template = goal.template_of(item)
    outcome, failure, detail = _judge(report, item, template)
    return e.AttemptEnded(
        work=command.work,
        attempt=command.attempt,
        outcome=outcome,
        charged=failures.charged(failure),
        ran=report.ran,
        usage=report.usage,
        failure=failure,
        detail=detail,
        output=report.output,
        commit=report.commit,
        tree=report.tree,
        changed=kept(report.changed),
        undeclared=kept(undeclared(report.changed, item.paths)),
        changed_in_all=kept_of(report.changed),
        proof=report.proof,
        reports=tuple(line[: bounds.REPORT_CHARS] for line in report.reports[: bounds.REPORTS_KEPT]),
        protected=kept(_protected(report, template)),
    )


def _judge(report: c.AttemptReport, item: Work, template: Template) -> Judged:
    if strayed := _strayed(report, item):
        detail = f"files of the operator's checkout changed while it ran, and they are this item's: {named(strayed)}"
        return AttemptOutcome.FAILED, FailureClass.PERMISSION, detail
    if report.outcome is not AttemptOutcome.SUCCEEDED:
        return report.outcome, report.failure or FailureClass.ENVIRONMENT, report.detail
    if not report.changed:
        return AttemptOutcome.FAILED, FailureClass.EMPTY, "the attempt changed nothing"
    if report.proof is None:
        return AttemptOutcome.FAILED, FailureClass.PROOF, "nothing was proved"
    if kept_of(protected := _protected(report, template)):
        detail = f"it changed more protected paths than a person can acknowledge: {named(protected)}"
        return AttemptOutcome.FAILED, FailureClass.PERMISSION, detail
    if not report.proof.satisfied_but_for(report.proof.flaky()):
        names = ", ".join(f"{entry.name} {entry.found}" for entry in report.proof.failures())
        return AttemptOutcome.FAILED, FailureClass.PROOF, f"the proof does not hold: {names or 'no criterion'}"
    return AttemptOutcome.SUCCEEDED, None, report.detail


def _protected(report: c.AttemptReport, template: Template) -> tuple[str, ...]:
    return tuple(path for path in report.changed if any(covers(pattern, path) for pattern in template.protected))


def _strayed(report: c.AttemptReport, item: Work) -> tuple[str, ...]:
    """Return what is laid to the attempt of the changes in the operator's checkout.

    The operator works there too, at any hour: a change is the attempt's when it changed nothing in its own place, or
    when the path is one that the item declares.  Everything else is reported and blamed on nobody.
    """
    if report.strayed and not report.changed and report.outcome is AttemptOutcome.SUCCEEDED:
        return report.strayed
    return tuple(path for path in report.strayed if any(covers(declared, path) for declared in item.paths))
