"""The planner's contract: one closed JSON Schema per branch, made for exactly this request.

The same schema is shown in the first prompt and validates the answer.  A branch that is not possible now is not
offered: no `apply` without milestone budget, no `complete` before there is a milestone to look at.
"""

from harnd.domain.goal.goal import Goal
from harnd.domain.goal.intent import Mission
from harnd.domain.shapes import SCHEMA, Schema, a_line, a_list, a_text, an_object
from protocol import bounds, ids
from protocol.values import PlanDecision, Trigger, Unit


def planner_schema(goal: Goal, trigger: Trigger) -> Schema:
    """Build the schema of one request."""
    return _one_of([*_proposals(goal, trigger), _attention()])


def proposal_schema(goal: Goal, trigger: Trigger) -> Schema | None:
    """Build the schema of what a person may write in the planner's place; None when nothing can be proposed."""
    branches = _proposals(goal, trigger)
    return _one_of(branches) if branches else None


def _proposals(goal: Goal, trigger: Trigger) -> list[Schema]:
    branches = [_apply(goal)] if _room_for_work(goal) else []
    if trigger is Trigger.MILESTONE and goal.intent.mission is not None:
        branches.append(_complete(goal.intent.mission))
    return branches


def _one_of(branches: list[Schema]) -> Schema:
    return {"$schema": SCHEMA, "oneOf": branches}


def _room_for_work(goal: Goal) -> bool:
    return goal.left(Unit.MILESTONES) > 0 and goal.left(Unit.WORK_ITEMS) > 0 and goal.left(Unit.ATTEMPTS) > 0


def _apply(goal: Goal) -> Schema:
    most = min(goal.intent.planning().work_per_plan, goal.left(Unit.WORK_ITEMS))
    milestone = an_object(
        sequence={"type": "integer", "enum": [len(goal.milestones) + 1]},
        title=a_line(bounds.TITLE_CHARS),
        objective=a_text(bounds.OBJECTIVE_CHARS),
        acceptance=a_list(a_text(bounds.CRITERION_CHARS), least=1, most=bounds.CRITERIA),
    )
    work = a_list(_draft(goal), least=1, most=most)
    return _branch(PlanDecision.APPLY, milestone=milestone, work=work)


def _draft(goal: Goal) -> Schema:
    return an_object(
        key={"type": "string", "pattern": f"^{ids.WORK_KEY}$"},
        title=a_line(bounds.TITLE_CHARS),
        objective=a_text(bounds.OBJECTIVE_CHARS),
        acceptance=a_list(a_text(bounds.CRITERION_CHARS), least=1, most=bounds.CRITERIA),
        dependencies=a_list(a_text(bounds.LABEL_CHARS), least=0, most=bounds.DEPENDENCIES),
        template={"type": "string", "enum": [template.name for template in goal.intent.templates]},
        paths=a_list(a_text(bounds.PATH_CHARS), least=0, most=bounds.DECLARED_PATHS),
    )


def _complete(mission: Mission) -> Schema:
    criteria = [criterion.id for criterion in mission.acceptance]
    claim = an_object(
        criterion={"type": "string", "enum": criteria},
        work=a_list({"type": "string", "pattern": f"^{ids.WORK_ID}$"}, least=1, most=bounds.DEPENDENCIES),
        note=a_text(bounds.CRITERION_CHARS),
    )
    return _branch(PlanDecision.COMPLETE, evidence=a_list(claim, least=len(criteria), most=len(criteria)))


def _attention() -> Schema:
    return _branch(PlanDecision.ATTENTION, question=a_text(bounds.GUIDANCE_CHARS))


def _branch(decision: PlanDecision, **properties: Schema) -> Schema:
    return an_object(
        decision={"type": "string", "const": decision.value}, rationale=a_text(bounds.RATIONALE_CHARS), **properties
    )
