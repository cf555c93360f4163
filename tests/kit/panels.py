"""Panels: reports of the reviewers of plans, and goals whose plans are reviewed."""

from collections.abc import Iterable
from typing import Any

import msgspec

from harnd.domain.digest import digest_of
from harnd.domain.goal import commands as c
from harnd.domain.goal.candidate import Apply, Candidate
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.plan_review import Round
from harnd.domain.goal.receipt import owed_receipt, receipt_digest
from harnd.domain.goal.seats import uncalled
from harnd.domain.problem import Problem
from harnd.domain.review.contract import Nonce
from harnd.domain.review.panel import Finding, Opinion, PlanVerdict, Severity
from protocol.ids import SpecialistName
from protocol.values import SECOND, FailureClass, Instant, Micros
from tests.kit.given import T0, a_plan, answered, later, live, planning, the_plan, tick

CRITIC = SpecialistName("critic")
SKEPTIC = SpecialistName("skeptic")
TWO = (CRITIC, SKEPTIC)


def finding(code: str = "scope.too-wide", severity: Severity = Severity.BLOCKING) -> Finding:
    return Finding(code, severity, "It does too much.", "Do less.")


def advice(code: str = "name.unclear") -> Finding:
    return finding(code, Severity.ADVISORY)


def opinion(verdict: PlanVerdict = PlanVerdict.APPROVE, *findings: Finding, rationale: str = "I read it.") -> Opinion:
    return Opinion(verdict, rationale, findings)


APPROVES = opinion()
OBJECTS = opinion(PlanVerdict.REVISE, finding())
ASKS = opinion(PlanVerdict.ATTENTION, rationale="Who pays?")


def said(
    reviewer: str, what: Opinion | None = None, *, plan: int = 1, at: int = 1, attempt: int = 1, **fields: Any
) -> c.ReportReview:
    """Report that a reviewer gave an opinion in round `at`; `fields` are those of the report."""
    report = c.ReviewReport(ran=Micros(7 * SECOND), opinion=what or APPROVES, output=digest_of([reviewer, at, attempt]))
    report = msgspec.structs.replace(report, **fields)
    return c.ReportReview(plan=plan, round=at, reviewer=SpecialistName(reviewer), attempt=attempt, report=report)


def garbled(reviewer: str, *, plan: int = 1, at: int = 1, attempt: int = 1) -> c.ReportReview:
    """Report that the output of a reviewer was refused."""
    problems = (Problem("nonce.foreign", "", "belongs to another task", line=3),)
    plain = said(reviewer, plan=plan, at=at, attempt=attempt)
    report = msgspec.structs.replace(plain.report, opinion=None, problems=problems)
    return msgspec.structs.replace(plain, report=report)


def silent(
    reviewer: str, failure: FailureClass = FailureClass.TIMEOUT, *, plan: int = 1, at: int = 1, attempt: int = 1
) -> c.ReportReview:
    """Report that a reviewer gave no output."""
    report = c.ReviewReport(ran=Micros(7 * SECOND), failure=failure, detail="no luck")
    return c.ReportReview(plan=plan, round=at, reviewer=SpecialistName(reviewer), attempt=attempt, report=report)


def leased(
    reviewer: str, *, plan: int = 1, at: int = 1, attempt: int = 1, token: str = "", until: Instant | None = None
) -> c.ReportLeased:
    return c.ReportLeased(
        plan=plan,
        round=at,
        reviewer=SpecialistName(reviewer),
        attempt=attempt,
        token=token or f"{reviewer}-{attempt}",
        nonce=Nonce("0123456789abcdef" * 2),
        prompt=digest_of("prompt"),
        expires_at=until or later(3600),
    )


def kept(goal: Goal, **fields: Any) -> c.ReportReceipt:
    """Report that the receipt which is owed is kept."""
    plan = owed_receipt(goal)
    assert plan is not None
    assert plan.review is not None
    right = receipt_digest(goal, plan, plan.review)
    report = c.ReportReceipt(plan=plan.number, review=plan.review.number, receipt=right)
    return msgspec.structs.replace(report, **fields)


def another_plan(number: int = 2) -> Apply:
    """A candidate that is another one by its normalised digest."""
    plan = a_plan()
    changed = msgspec.structs.replace(plan.work[0], objective=f"Make a work another way, {number}.")
    return msgspec.structs.replace(plan, work=(changed,))


def panel(candidate: Candidate | None = None, *, reviewers: Iterable[str] = TWO, **intent: Any) -> Goal:
    """The planner has answered, and every reviewer that may be has been called."""
    goal = live(planning(reviewers=reviewers, **intent), answered(candidate or a_plan()))
    return live(goal, tick())


def read_by(goal: Goal, *opinions: Opinion, at: Instant = T0) -> Goal:
    """Have every reviewer say this, in the order of the panel; the rest approves."""
    last = the_round(goal)
    for number, seat in enumerate(last.seats):
        if seat.open_attempt is None:
            goal = live(goal, tick(at), at=at)
        what = opinions[number] if number < len(opinions) else APPROVES
        each = the_round(goal).seats[number]
        attempt = len(each.attempts)
        goal = live(goal, said(seat.reviewer, what, plan=the_plan(goal).number, at=last.number, attempt=attempt), at=at)
    return goal


def objected(**intent: Any) -> Goal:
    """The panel objected to the first candidate, and no revision is left; the receipt is kept."""
    goal = read_by(panel(**intent), OBJECTS)
    return live(goal, kept(goal))


def passed(candidate: Candidate | None = None, **intent: Any) -> Goal:
    """The panel let the first candidate pass."""
    goal = read_by(panel(candidate, **intent))
    return live(goal, kept(goal))


def the_round(goal: Goal) -> Round:
    found = the_plan(goal).round
    assert found is not None
    return found


def names(goal: Goal) -> tuple[str, ...]:
    """The reviewers that are to be called."""
    return tuple(seat.reviewer for seat in uncalled(goal))
