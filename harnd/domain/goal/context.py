"""The context: what planner and reviewers alike are told of a goal, made from stored state.

It holds the mission, every earlier milestone with its outcome, all of the operator's guidance, what is left of each
bound, the templates by name and purpose, the work with its evidence per criterion, and what was turned down.  It is
bounded by bytes: what did not fit is named in it, and nothing is cut in the middle.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from harnd.domain.goal.goal import Goal, Milestone
from harnd.domain.goal.intent import Criterion, Mission, Parent
from harnd.domain.goal.plan import Plan
from harnd.domain.goal.plan_review import Round
from harnd.domain.goal.template import Template
from harnd.domain.goal.wanted import given_up
from harnd.domain.goal.work import Standing, Work
from harnd.domain.measures import count
from protocol import bounds
from protocol.values import PlanStatus, Unit, WorkState

# Said to the planner, to reviewers and again with every revision: a finding must not demand what no plan can do.
NAMES: Final = """\
- `key` names new work in this plan. Names such as `p1.parser` are existing work: you may depend on them when they are
  accepted, and you never reuse or rename them. The active root is context only."""


def wanted(goal: Goal) -> str:
    """Tell what is wanted in the end."""
    return _mission(goal.intent.mission) if goal.intent.mission else _root_alone(goal)


def _root_alone(goal: Goal) -> str:
    """Say what is wanted where no mission does: what the operator wrote of the work that ends their own graph."""
    first = goal.milestones[0]
    parts = [f"# Goal: {goal.intent.title}", first.objective, "Acceptance:", _listed(first.acceptance), _NO_MISSION]
    return "\n\n".join(parts)


_NO_MISSION = "There is no mission beyond that: the goal has succeeded when the root of a plan is accepted."


def _mission(mission: Mission) -> str:
    parts = ["# Mission", mission.objective, "Acceptance:", _listed(mission.acceptance)]
    if mission.invariants:
        parts += ["Invariants, which must hold at every step:", _listed(mission.invariants)]
    if mission.non_goals:
        parts += ["Not wanted:", _listed(mission.non_goals)]
    return "\n\n".join(parts)


_RECOVERY = """# What cannot go on

Find another way to reach the active milestone, or to come closer to it. Your plan is a milestone of its own and takes
the place of what is left of the active work: whatever is not accepted there stays as it is, for ever. What is accepted
is on the goal's branch, and you may depend on it. The same work again will fail again, unless you ask for it in
another way."""


def standstill(goal: Goal) -> str:
    """Tell what cannot go on, where a plan is asked for because of that."""
    return f"{_RECOVERY}\n\n" + "\n".join(f"- {item.id}: {_cause(item)}" for item in given_up(goal))


def _cause(item: Work) -> str:
    if item.standing is Standing.BLOCKED:
        return f"blocked ({item.blocked}) after {count(len(item.attempts), 'attempt')}: {item.blocked_detail}"
    if item.standing is Standing.CANCELLED:
        return f"cancelled by the operator: {item.cancelled_reason}"
    return f"agents have answered {count(item.answers, 'time')} for it, and more is not allowed"


def bounds_left(goal: Goal, units: Iterable[Unit]) -> str:
    """Tell what is left of some bounds."""
    left = "\n".join(f"- {unit}: {goal.left(unit)} left of {goal.ledger.entries[unit].limit}" for unit in units)
    most = goal.intent.planning().work_per_plan
    return f"# Bounds\n\n{left}\n- work items in one plan: at most {most}"


def templates(goal: Goal) -> str:
    """Tell of the templates by name and purpose."""
    return "# Templates\n\n" + "\n".join(_template_line(template) for template in goal.intent.templates)


def _template_line(template: Template) -> str:
    capable = " (root-capable)" if template.root else ""
    proofs = ", ".join(f"`{' '.join(_without_host(word) for word in proof.argv)}`" for proof in template.proofs)
    return f"- `{template.name}`{capable}: {template.purpose} Proven by {proofs}."


def _without_host(word: str) -> str:
    # Where a program lies on this machine is nothing to plan by.
    return word.rpartition("/")[2] if word.startswith("/") else word


def fenced(text: str) -> str:
    """Fence a text with more back-ticks than it has in a row, so that it cannot end its own fence."""
    longest = max((len(run) for run in "".join(c if c == "`" else " " for c in text).split()), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


# --- what may be left out when it does not fit, most important first


def history(goal: Goal) -> Iterator[tuple[str, str]]:
    """Tell what was before, in parts under their names."""
    if goal.intent.parent is not None:
        yield f"the parent {goal.intent.parent.goal}", _inherited(goal, goal.intent.parent)
    if goal.guidance():
        said = "\n".join(f"- about plan {number}: {text}" for number, text in goal.guidance())
        yield "the operator's guidance", f"# What the operator said\n\n{said}"
    if goal.milestone is not None:
        yield "active work", _work_part("# Active work", goal, goal.active())
    for plan in reversed(goal.plans):
        if plan.status is PlanStatus.REJECTED:
            yield f"rejected plan {plan.number}", _rejected(plan)
        elif plan.answered and plan.round is not None:
            yield f"reviewed plan {plan.number}", _not_passed(plan, plan.round)
    for milestone in goal.milestones:
        yield f"milestone {milestone.sequence}", _past(goal, milestone)


def _inherited(goal: Goal, parent: Parent) -> str:
    """Tell what the goal goes on from; its work has ids of its own and is no work of this goal."""
    accepted = "\n".join(f"- {one.title} (its {one.work}, proved in {one.commit[:12]})" for one in parent.accepted)
    parts = [
        f"# Goal {parent.goal}, which this one goes on from",
        f"Accepted there, at commit {parent.head[:12]}; none of it can be depended on or named as evidence here:",
        accepted or "- nothing",
    ]
    if goal.intent.base_commit != parent.head:
        parts.append(f"This goal starts elsewhere, from {goal.intent.base_ref}: what of that is in it, its files tell.")
    if parent.guidance:
        parts += ["Its operator said to its planner:", "\n".join(f"- {text}" for text in parent.guidance)]
    return "\n\n".join(parts)


def _rejected(plan: Plan) -> str:
    found = f"\n\nIts reviewers:\n\n{findings(plan.round)}" if plan.round is not None else ""
    return f"# Plan {plan.number}, rejected\n\nThe operator: {plan.guidance}\n\n{candidate_of(plan)}{found}"


def _not_passed(plan: Plan, last: Round) -> str:
    what = "did not pass its review" if last.outcome is not None else "was withdrawn before its review was over"
    head = f"# Plan {plan.number}, which {what}"
    return f"{head}\n\nThe operator: {plan.guidance}\n\n{candidate_of(plan)}\n\nIts reviewers:\n\n{findings(last)}"


def candidate_of(plan: Plan) -> str:
    """Show the candidate of a plan whole, as data."""
    return fenced(json.dumps(msgspec.to_builtins(plan.candidate), indent=1, ensure_ascii=False))


def findings(last: Round) -> str:
    """Show what every reviewer of a round said, as data."""
    said = [
        {"reviewer": seat.reviewer, **msgspec.to_builtins(seat.opinion)}
        for seat in last.seats
        if seat.opinion is not None
    ]
    return fenced(json.dumps(said, indent=1, ensure_ascii=False))


def _past(goal: Goal, milestone: Milestone) -> str:
    items = tuple(item for item in goal.work.values() if item.plan == milestone.plan)
    title = f"# Milestone {milestone.sequence}: {milestone.title}"
    head = "\n\n".join((title, milestone.objective, _listed(milestone.acceptance)))
    outcome = goal.state_of(goal.work[milestone.root])
    met = "accepted" if outcome is WorkState.SUCCEEDED else f"its root is {outcome}"
    return f"{head}\n\nOutcome: {met}.\n\n" + "\n".join(f"- {item.id} {goal.state_of(item)}" for item in items)


def _work_part(head: str, goal: Goal, items: Iterable[Work]) -> str:
    return f"{head}\n\n" + "\n\n".join(_work_lines(goal, item) for item in items)


def _work_lines(goal: Goal, item: Work) -> str:
    lines = [f"## {item.id}: {item.title} ({goal.state_of(item)})", item.objective]
    proof = item.last.proof if item.last else None
    verdicts = {entry.criterion: entry for entry in proof.criteria} if proof else {}
    for criterion in item.acceptance:
        entry = verdicts.get(criterion.id)
        found = f"{entry.verdict} by {', '.join(entry.evidence) or 'nothing'}" if entry else "unknown, not proved yet"
        lines.append(f"- {criterion.id} {criterion.text} — {found}")
    if item.blocked is not None:
        lines.append(f"Blocked ({item.blocked}): {item.blocked_detail}")
    if item.dispositions:
        lines.append("Dispositions: " + ", ".join(f"{name} {said}" for name, said in item.dispositions))
    return "\n".join(lines)


def _listed(criteria: Iterable[Criterion]) -> str:
    return "\n".join(f"- {criterion.id} {criterion.text}" for criterion in criteria)


def fitted(head: list[str], optional: list[tuple[str, str]], tail: list[str]) -> str:
    """Join parts within the bound: what is optional is left out where it does not fit, and named."""
    room = bounds.BRIEFING_BYTES - _size(*head, *tail, _left_out([name for name, _ in optional]))
    kept: list[str] = []
    left_out: list[str] = []
    for name, text in optional:
        if _size(text) <= room:
            kept.append(text)
            room -= _size(text)
        else:
            left_out.append(name)
    if left_out:
        kept.append(_left_out(left_out))
    return "\n\n".join((*head, *kept, *tail)) + "\n"


def _left_out(names: list[str]) -> str:
    return f"# Left out, to stay within {bounds.BRIEFING_BYTES} bytes\n\n{', '.join(names)}"


def _size(*parts: str) -> int:
    return sum(len(part.encode()) + 2 for part in parts)
