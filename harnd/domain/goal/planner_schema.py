"""The planner's contract: one closed JSON Schema per branch, made for exactly this request.

The same schema is shown in the first prompt and validates the answer.  A branch that is not possible now is not
offered: no `apply` without milestone budget, no `complete` before there is a milestone to look at.
"""

from typing import Final, TypeAlias

from harnd.domain.goal.goal import Goal
from harnd.domain.goal.intent import Mission
from protocol import bounds, ids
from protocol.values import PlanDecision, Trigger, Unit

Schema: TypeAlias = dict[str, object]

# A person reads them on a terminal and in the titles of commits.  At least one character is no white space.
_LINE: Final = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"
_LINES: Final = _LINE.replace(r"\x00-\x1f", r"\x00-\x08\x0b-\x1f")  # with tabs and newlines between


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
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "oneOf": branches}


def _room_for_work(goal: Goal) -> bool:
    return goal.left(Unit.MILESTONES) > 0 and goal.left(Unit.WORK_ITEMS) > 0 and goal.left(Unit.ATTEMPTS) > 0


def _apply(goal: Goal) -> Schema:
    most = min(goal.intent.planning().work_per_plan, goal.left(Unit.WORK_ITEMS))
    milestone = _object(
        sequence={"type": "integer", "enum": [len(goal.milestones) + 1]},
        title=_line(bounds.TITLE_CHARS),
        objective=_text(bounds.OBJECTIVE_CHARS),
        acceptance=_list(_text(bounds.CRITERION_CHARS), least=1, most=bounds.CRITERIA),
    )
    work = _list(_draft(goal), least=1, most=most)
    return _branch(PlanDecision.APPLY, milestone=milestone, work=work)


def _draft(goal: Goal) -> Schema:
    return _object(
        key={"type": "string", "pattern": f"^{ids.WORK_KEY}$"},
        title=_line(bounds.TITLE_CHARS),
        objective=_text(bounds.OBJECTIVE_CHARS),
        acceptance=_list(_text(bounds.CRITERION_CHARS), least=1, most=bounds.CRITERIA),
        dependencies=_list(_text(bounds.LABEL_CHARS), least=0, most=bounds.DEPENDENCIES),
        template={"type": "string", "enum": [template.name for template in goal.intent.templates]},
        paths=_list(_text(bounds.PATH_CHARS), least=0, most=bounds.DECLARED_PATHS),
    )


def _complete(mission: Mission) -> Schema:
    criteria = [criterion.id for criterion in mission.acceptance]
    claim = _object(
        criterion={"type": "string", "enum": criteria},
        work=_list({"type": "string", "pattern": f"^{ids.WORK_ID}$"}, least=1, most=bounds.DEPENDENCIES),
        note=_text(bounds.CRITERION_CHARS),
    )
    return _branch(PlanDecision.COMPLETE, evidence=_list(claim, least=len(criteria), most=len(criteria)))


def _attention() -> Schema:
    return _branch(PlanDecision.ATTENTION, question=_text(bounds.GUIDANCE_CHARS))


def _branch(decision: PlanDecision, **properties: Schema) -> Schema:
    return _object(
        decision={"type": "string", "const": decision.value}, rationale=_text(bounds.RATIONALE_CHARS), **properties
    )


def _object(**properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _text(most: int) -> Schema:
    return _line(most) | {"pattern": _LINES, "description": "a text without control characters"}


def _line(most: int) -> Schema:
    description = "one line without control characters"
    return {"type": "string", "minLength": 1, "maxLength": most, "pattern": _LINE, "description": description}


def _list(items: Schema, *, least: int, most: int) -> Schema:
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}
