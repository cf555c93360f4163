"""Unattended decisions: what `auto_apply` and `[automation]` decide in a person's place, and what they leave.

Each is a move of a tick like any other, so that one cut short by a crash is made by the next daemon.
"""

from harnd.domain.goal import commands as c
from harnd.domain.goal import events as e
from harnd.domain.goal.automation import ACCEPT_PASSING_PROOF, AUTO_APPLY, RETRY_BLOCKED
from harnd.domain.goal.backoff import retry_not_before
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.plan import Plan
from harnd.domain.goal.rules.plans import decide_plan
from harnd.domain.goal.rules.resolving import resolvable
from harnd.domain.goal.rules.work import decide_work
from harnd.domain.goal.work import Standing, Work
from harnd.domain.rejected import Rejected
from protocol.values import Instant, PlanAuthor, PlanStatus, Unit


def apply_unasked(goal: Goal, _now: Instant) -> list[e.GoalEvent]:
    """Apply or complete what the planner proposed; nothing where that is a person's decision."""
    plan = goal.plan
    if plan is None or plan.digest is None or not _may_be_applied(goal, plan):
        return []
    try:
        return decide_plan(goal, c.ApprovePlan(plan=plan.number, digest=plan.digest, by=AUTO_APPLY))
    except Rejected:  # it fits no longer, and a person says what instead
        return []


def applied_unasked(goal: Goal, now: Instant) -> bool:
    """Tell whether the next tick decides the plan that lies before a person."""
    return goal.paused is None and goal.left(Unit.TICKS) > 0 and bool(apply_unasked(goal, now))


def _may_be_applied(goal: Goal, plan: Plan) -> bool:
    replanning = goal.intent.replanning
    if replanning is None or not replanning.auto_apply:
        return False
    # The one place for what a proposal must have: a passed review where there are any, and nothing of a person's.
    reviewed = goal.intent.review is None or plan.passed
    return reviewed and plan.status is PlanStatus.PROPOSED and plan.author is PlanAuthor.PLANNER


def accept_unasked(goal: Goal, _now: Instant) -> list[e.GoalEvent]:
    """Accept the work in review about which a person would have nothing to answer."""
    accepted: list[e.GoalEvent] = []
    for item in goal.in_standing(Standing.IN_REVIEW):
        proof = item.last.proof if item.last else None
        if proof is not None and _may_be_accepted(goal, item):
            accept = c.AcceptWork(work=item.id, proof=proof.digest(), dispositions=(), by=ACCEPT_PASSING_PROOF)
            accepted += decide_work(goal, accept)
    return accepted


def accepted_unasked(goal: Goal, item: Work) -> bool:
    """Tell whether the next tick accepts an item."""
    return goal.paused is None and goal.left(Unit.TICKS) > 0 and _may_be_accepted(goal, item)


def _may_be_accepted(goal: Goal, item: Work) -> bool:
    automation, attempt = goal.intent.automation, item.last
    if automation is None or not automation.accept_passing_proof or item.standing is not Standing.IN_REVIEW:
        return False
    if attempt is None or attempt.proof is None or not attempt.proof.satisfied:
        return False
    return not item.findings and not attempt.doubts()


def retry_unasked(goal: Goal, now: Instant) -> list[e.GoalEvent]:
    """Set going again what was blocked long enough ago by what may have passed."""
    retried: list[e.GoalEvent] = []
    for item in goal.in_standing(Standing.BLOCKED):
        not_before = retry_not_before(goal, item, now)
        if not_before is not None and not_before <= now:
            retried += decide_work(goal, _again(item))
    return retried


def retried_unasked(goal: Goal, item: Work, now: Instant) -> Instant | None:
    """Return when a blocked item is tried again without a person; None when it is not."""
    return retry_not_before(goal, item, now) if goal.paused is None else None


def _again(item: Work) -> c.ResolveWork | c.RetryWork:
    if resolvable(item):
        return c.ResolveWork(work=item.id, note="", by=RETRY_BLOCKED)
    # What a person told the attempts before is told the next one too; work that is accepted needs no further attempt.
    guidance = item.guidance if item.accepted_proof is None else ""
    return c.RetryWork(work=item.id, guidance=guidance, by=RETRY_BLOCKED)
