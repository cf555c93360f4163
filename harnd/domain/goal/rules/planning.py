"""What becomes of a planner call: a candidate, a question, another call, or the end of the request.

A failed call belongs to its request.  Whether there is another call is the failure table's word: charged calls are
bounded by the planner's schema attempts, uncharged ones by their own bounds.
"""

from harnd.domain.digest import digest_of
from harnd.domain.goal import commands as c
from harnd.domain.goal import events as e
from harnd.domain.goal import failure as failures
from harnd.domain.goal.answer import read_candidate
from harnd.domain.goal.candidate import Attention, Candidate, normalised_digest
from harnd.domain.goal.evolve import evolve
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.plan import Plan
from harnd.domain.goal.rules.reviewing import with_panel
from harnd.domain.problem import Problem
from protocol.values import FailureClass


def decide_planner(goal: Goal, command: c.ReportPlanner) -> list[e.GoalEvent]:
    """Apply the rules to the end of a planner call; a late one changes nothing."""
    plan = goal.plan
    if plan is None or plan.number != command.plan or goal.ending is not None:
        return []
    if plan.open_call is None or plan.open_call.number != command.call:
        return []
    report = command.report
    if report.failure is not None:
        return _failed(goal, plan, report, report.failure)
    if report.value is None:
        return _refused(goal, plan, report, report.problems)
    answer = read_candidate(goal, plan.trigger, report.value)
    if isinstance(answer, tuple):
        return _refused(goal, plan, report, answer)
    return _answered(goal, plan, report, answer)


def _answered(goal: Goal, plan: Plan, report: c.PlannerReport, candidate: Candidate) -> list[e.GoalEvent]:
    call = len(plan.calls)
    returned = _returned(plan, report, charged=True)
    if isinstance(candidate, Attention):
        asked = e.PlanAttention(plan=plan.number, call=call, rationale=candidate.rationale, question=candidate.question)
        return [returned, asked]
    digest, normalised = digest_of(candidate), normalised_digest(candidate)
    if goal.intent.review is not None:
        before = next((each for each in plan.rounds if each.normalised == normalised), None)
        if before is not None:
            return [returned, e.RevisionUnchanged(plan=plan.number, round=before.number, call=call)]
        brought = e.PlanCandidate(
            plan=plan.number, call=call, candidate=candidate, digest=digest, normalised=normalised
        )
        return with_panel(goal, [returned, brought])
    proposed = e.PlanProposed(plan=plan.number, call=call, candidate=candidate, digest=digest, normalised=normalised)
    return [returned, proposed]


def _refused(goal: Goal, plan: Plan, report: c.PlannerReport, problems: tuple[Problem, ...]) -> list[e.GoalEvent]:
    returned = _returned(plan, report, charged=True)
    refused = e.AnswerRefused(plan=plan.number, call=len(plan.calls), problems=problems)
    detail = f"the answer had {_count(problems)}: {problems[0]}" if problems else "no plan in it"
    return [returned, refused, *_given_up(goal, plan, [returned, refused], FailureClass.SCHEMA, detail)]


def _failed(goal: Goal, plan: Plan, report: c.PlannerReport, failure: FailureClass) -> list[e.GoalEvent]:
    returned = _returned(plan, report, charged=failures.charged(failure))
    failed = e.PlannerFailed(plan=plan.number, call=len(plan.calls), failure=failure, detail=report.detail)
    return [returned, failed, *_given_up(goal, plan, [returned, failed], failure, report.detail)]


def _returned(plan: Plan, report: c.PlannerReport, *, charged: bool) -> e.PlannerReturned:
    return e.PlannerReturned(
        plan=plan.number,
        call=len(plan.calls),
        ran=report.ran,
        charged=charged,
        reply=report.reply,
        tokens=report.tokens,
        cost=report.cost,
    )


def _given_up(
    goal: Goal, plan: Plan, happened: list[e.GoalEvent], failure: FailureClass, detail: str
) -> list[e.GoalEvent]:
    after = goal
    for event in happened:
        after = evolve(after, event, goal.last_at)
    calls = after.plans[plan.number - 1]
    planner = goal.intent.planner
    in_a_row = failure is FailureClass.UPSTREAM
    again = failures.tried_again(
        failure,
        charged_before=calls.charged_calls(),
        allowed=planner.schema_attempts,
        uncharged_before=calls.uncharged_in_a_row(failure) if in_a_row else calls.uncharged_in_all(failure),
    )
    if again:
        return []
    charged = failures.charged(failure)
    return [e.PlanFailed(plan=plan.number, failure=failure, detail=detail, charged=charged)]


def _count(problems: tuple[Problem, ...]) -> str:
    return "a problem" if len(problems) == 1 else f"{len(problems)} problems, the first"
