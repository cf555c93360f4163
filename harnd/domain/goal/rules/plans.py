"""What a person decides about plans.  Every decision names the digest of what the person saw."""

from typing import TypeAlias, assert_never

from harnd.domain.digest import digest_of
from harnd.domain.goal import commands as c
from harnd.domain.goal import events as e
from harnd.domain.goal.answer import problems_of_proposal
from harnd.domain.goal.candidate import Apply, Complete, normalised_digest
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.graph import created, graph_problems, root_of
from harnd.domain.goal.lookup import plan_numbered
from harnd.domain.goal.plan import Plan
from harnd.domain.goal.rules.checks import bounded, refuse_ended
from harnd.domain.goal.rules.reviewing import with_panel
from harnd.domain.rejected import Rejected
from harnd.domain.verbs import verb
from protocol import bounds, ids
from protocol.values import PlanStatus, Unit

PlanCommand: TypeAlias = c.ApprovePlan | c.EditPlan | c.RejectPlan | c.RetryPlan


def decide_plan(goal: Goal, command: PlanCommand) -> list[e.GoalEvent]:
    """Apply the rules to a person's decision about a plan."""
    plan = plan_numbered(goal, command.plan)
    match command:
        case c.ApprovePlan():
            return _approve(goal, plan, command)
        case c.EditPlan():
            return _edit(goal, plan, command)
        case c.RejectPlan():
            return _reject(goal, plan, command)
        case c.RetryPlan():
            return _retry(goal, plan, command)
        case _:
            assert_never(command)


def _approve(goal: Goal, plan: Plan, command: c.ApprovePlan) -> list[e.GoalEvent]:
    if plan.status in (PlanStatus.APPLIED, PlanStatus.COMPLETED) and plan.digest == command.digest:
        return []
    _refuse_undecidable(goal, plan, command.digest)
    overridden = _override(goal, plan, command)
    match plan.candidate:
        case Apply() as candidate:
            return [*overridden, *_apply(goal, plan, candidate, command)]
        case Complete():
            return [*overridden, e.PlanCompleted(plan=plan.number, digest=command.digest, by=command.by)]
        case None:
            raise AssertionError(f"plan {plan.number} is proposed without a candidate")


def _override(goal: Goal, plan: Plan, command: c.ApprovePlan) -> list[e.GoalEvent]:
    """Demand a reason exactly where a person lets through what did not pass."""
    if plan.in_review_attention:
        if command.override is None:
            raise Rejected(
                "plan.not_passed",
                f"plan {plan.number} did not pass its review: {plan.question}",
                fix=f"{verb('plan', 'approve', goal.intent.goal, plan.number)} --override --reason WHY",
            )
        reason = bounded("reason", command.override, bounds.GUIDANCE_CHARS)
        return [e.PlanOverridden(plan=plan.number, digest=command.digest, reason=reason, by=command.by)]
    if command.override is not None:
        reason = f"plan {plan.number} is {plan.status}; there is no review to override"
        raise Rejected("plan.no_override", reason, fix="approve it without an override")
    return []


def _apply(goal: Goal, plan: Plan, candidate: Apply, command: c.ApprovePlan) -> list[e.GoalEvent]:
    root = root_of(candidate.work)
    problems = graph_problems(goal, candidate)
    if root is None or problems:
        said = "; ".join(str(problem) for problem in problems)
        raise Rejected("plan.stale", f"plan {plan.number} no longer fits: {said}", fix="reject it with guidance")
    applied = e.PlanApplied(plan=plan.number, digest=command.digest, root=ids.work_id(plan.number, root), by=command.by)
    return [*created(plan.number, candidate.work), applied]


def _edit(goal: Goal, plan: Plan, command: c.EditPlan) -> list[e.GoalEvent]:
    candidate = command.candidate
    digest = digest_of(candidate)
    if plan.status in (PlanStatus.PROPOSED, PlanStatus.REVIEWING) and plan.digest == digest:
        return []  # it lies there already
    if plan is goal.plan and plan.asks and not plan.in_review_attention and command.digest is None:
        refuse_ended(goal)
    else:
        _refuse_undecidable(goal, plan, command.digest)
    if problems := problems_of_proposal(goal, plan.trigger, candidate):
        said = "; ".join(str(problem) for problem in problems)
        raise Rejected("plan.invalid_edit", f"this cannot be proposed as plan {plan.number}: {said}")
    edited = e.PlanEdited(
        plan=plan.number,
        candidate=candidate,
        digest=digest,
        normalised=normalised_digest(candidate),
        by=command.by,
        base=plan.digest,
    )
    return with_panel(goal, [edited]) if goal.intent.review is not None else [edited]


def _reject(goal: Goal, plan: Plan, command: c.RejectPlan) -> list[e.GoalEvent]:
    guidance = bounded("guidance", command.guidance, bounds.GUIDANCE_CHARS)
    if plan.status is PlanStatus.REJECTED and plan.digest == command.digest and plan.guidance == guidance:
        return []
    _refuse_undecidable(goal, plan, command.digest)
    return [e.PlanRejected(plan=plan.number, digest=command.digest, guidance=guidance, by=command.by)]


def _retry(goal: Goal, plan: Plan, command: c.RetryPlan) -> list[e.GoalEvent]:
    # A failure can be tried again without a word; a question wants one.
    wordless = plan.status is PlanStatus.FAILED and not command.guidance.strip()
    guidance = "" if wordless else bounded("guidance", command.guidance, bounds.GUIDANCE_CHARS)
    if plan.answered and plan.guidance == guidance:
        return []
    refuse_ended(goal)
    if plan is not goal.plan or not plan.asks:
        raise Rejected(
            "plan.not_asking", f"plan {plan.number} is {plan.status}; only a plan that asks or failed can be retried"
        )
    if goal.left(Unit.PLANNER_CALLS) < 1:
        fix = verb("goal", "cancel", goal.intent.goal)  # how often a planner is asked was enrolled, and does not grow
        raise Rejected("budget.planner_calls", "every plan request of this goal is spent", fix=fix)
    return [e.PlanRetried(plan=plan.number, guidance=guidance, by=command.by)]


def _refuse_undecidable(goal: Goal, plan: Plan, digest: str | None) -> None:
    refuse_ended(goal)
    if plan.status is not PlanStatus.PROPOSED and not plan.in_review_attention:
        raise Rejected("plan.not_proposed", f"plan {plan.number} is {plan.status}; there is nothing to decide about it")
    if plan.digest != digest:
        raise Rejected(
            "plan.stale",
            f"plan {plan.number} has digest {plan.digest}, {f'not {digest}' if digest else 'and none was named'}",
            fix=f"look again: {verb('plan', 'show', goal.intent.goal, plan.number)}",
        )
