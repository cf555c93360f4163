"""Plans: a row each, or one in full with everything that a decision about it needs."""

from harnd.daemon.queries.about import Sources
from harnd.daemon.queries.goals import criteria
from harnd.domain.goal.candidate import Apply, Complete, WorkDraft
from harnd.domain.goal.evolve_plan import numbered
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.graph import root_of
from harnd.domain.goal.intent import Mission
from harnd.domain.goal.lookup import plan_numbered
from harnd.domain.goal.plan import Plan
from harnd.domain.problem import Problem
from protocol.ids import WorkId
from protocol.requests import ListPlans, ShowPlan
from protocol.values import Instant, PlanDecision, PlanStatus
from protocol.views import CompletionEvidence, PlanItem, PlanList, PlanMilestone, PlanRow, PlanView, ProblemView

TITLE_CHARS = 80  # of a rationale or question that stands where a title is wanted


async def listed(sources: Sources, request: ListPlans) -> PlanList:
    """List every plan of a goal, oldest first."""
    goal = await sources.goals.load(request.goal)
    return PlanList(goal=request.goal, plans=tuple(_row(plan) for plan in goal.plans))


async def shown(sources: Sources, request: ShowPlan) -> PlanView:
    """Show one plan in full."""
    return view_of(await sources.goals.load(request.goal), request.plan)


def view_of(goal: Goal, number: int) -> PlanView:
    """Show one plan of a goal in full; raises `Rejected` when there is none of that number."""
    plan, mission = plan_numbered(goal, number), goal.intent.mission
    apply = plan.candidate if isinstance(plan.candidate, Apply) else None
    complete = plan.candidate if isinstance(plan.candidate, Complete) else None
    return PlanView(
        goal=goal.intent.goal,
        plan=plan.number,
        trigger=plan.trigger,
        status=plan.status,
        digest=plan.digest,
        decision=_decision(plan),
        rationale=plan.rationale,
        milestone=_milestone(apply) if apply else None,
        items=tuple(_item(draft) for draft in apply.work) if apply else (),
        root=root_of(apply.work) if apply else None,
        question=plan.question or None,
        completion=_completion(complete, mission) if complete and mission else (),
        guidance=plan.guidance or None,
        problems=_problems(plan),
        failure=plan.failure,
        detail=plan.detail,
        calls=len(plan.calls),
        requested_at=plan.requested_at,
        decided_at=_decided_at(plan),
        decided_by=plan.decided_by or None,
        author=plan.author,
        invariants=criteria(mission.invariants) if complete and mission else (),
    )


def _row(plan: Plan) -> PlanRow:
    return PlanRow(
        plan=plan.number,
        trigger=plan.trigger,
        status=plan.status,
        decision=_decision(plan),
        title=_title(plan),
        digest=plan.digest,
        requested_at=plan.requested_at,
        decided_at=_decided_at(plan),
    )


def _title(plan: Plan) -> str:
    if isinstance(plan.candidate, Apply):
        return plan.candidate.milestone.title
    words = " ".join((plan.question or plan.rationale or plan.detail).split())
    return words if len(words) <= TITLE_CHARS else f"{words[: TITLE_CHARS - 1]}…"


def _decision(plan: Plan) -> PlanDecision | None:
    match plan.candidate:
        case Apply():
            return PlanDecision.APPLY
        case Complete():
            return PlanDecision.COMPLETE
        case None:
            return PlanDecision.ATTENTION if plan.status is PlanStatus.ATTENTION else None


def _decided_at(plan: Plan) -> Instant | None:
    """Return when a person last had the word about it; whatever happened to a plan since, nothing moves it further."""
    return plan.since if plan.settled else None


def _milestone(apply: Apply) -> PlanMilestone:
    draft = apply.milestone
    return PlanMilestone(
        sequence=draft.sequence,
        title=draft.title,
        objective=draft.objective,
        acceptance=criteria(numbered("MC", draft.acceptance)),
    )


def _item(draft: WorkDraft) -> PlanItem:
    return PlanItem(
        key=draft.key,
        title=draft.title,
        objective=draft.objective,
        acceptance=criteria(numbered("WC", draft.acceptance)),
        dependencies=tuple(WorkId(name) for name in draft.dependencies),  # or a key: one text on the wire
        template=draft.template,
        paths=draft.paths,
    )


def _completion(complete: Complete, mission: Mission) -> tuple[CompletionEvidence, ...]:
    own = {criterion.id: criterion.text for criterion in mission.acceptance}
    return tuple(
        CompletionEvidence(
            criterion=claim.criterion, text=own.get(claim.criterion, ""), note=claim.note, references=claim.work
        )
        for claim in complete.evidence
    )


def _problems(plan: Plan) -> tuple[ProblemView, ...]:
    refused = plan.refused_call
    return tuple(_problem(problem) for problem in refused.problems) if refused is not None else ()


def _problem(problem: Problem) -> ProblemView:
    return ProblemView(problem.code, problem.place, problem.message, problem.file, problem.line)
