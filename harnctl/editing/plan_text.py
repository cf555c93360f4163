"""Plan texts: a plan as a person edits it, in TOML, and what was wrong with it as comments at its top.

A text is written so that reading it gives the same plan; the comments that say what is wrong are taken out again before
it is read, and their lines are not counted.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Final

from harnctl.render.sanitise import Lines, sanitise
from protocol.values import PlanDecision
from protocol.views import PlanItem, PlanView, ProblemView

_MARK: Final = "#! "
_SKELETON: Final = """\
decision = "apply"
rationale = ""

[milestone]
title = ""
objective = ""
acceptance = [""]

# One table for each item; exactly one item is named in no other's `dependencies`, and ends the plan.
[[work]]
key = ""
title = ""
objective = ""
acceptance = [""]
dependencies = []
template = ""
paths = []
"""


def plan_text(plan: PlanView) -> str:
    """Write a plan down, with what there is to know about it as comments; one without a candidate is a form."""
    saved = "Saved, it is proposed in place of the planner's; nothing is applied yet."
    about = [f"Plan {plan.plan} of {plan.goal}. {saved}"]
    if plan.question:
        about.append(f"The planner asked: {plan.question}")
    if plan.detail:
        about.append(f"It failed: {plan.detail}")
    comments = "".join(f"# {line}\n" for text in about for line in sanitise(text, Lines.MANY).splitlines())
    return f"{comments}\n{_candidate(plan)}"


def with_problems(text: str, problems: Iterable[ProblemView]) -> str:
    """Put what is wrong at the top of a text, each with the line that it has below."""
    found = list(problems)
    below = len(found)
    told = "".join(f"{_MARK}{sanitise(_told(problem, below), Lines.ONE)}\n" for problem in found)
    return f"{told}{text}"


def without_problems(text: str) -> str:
    """Take out again what `with_problems` put at the top."""
    lines = text.splitlines(keepends=True)
    while lines and lines[0].startswith(_MARK):
        lines.pop(0)
    return "".join(lines)


def _told(problem: ProblemView, below: int) -> str:
    line = f"line {problem.line + below}: " if problem.line else ""
    place = f"{problem.place} " if problem.place else ""
    return f"{line}{place}{problem.message}"


def _candidate(plan: PlanView) -> str:
    match plan.decision:
        case PlanDecision.APPLY:
            return "\n".join(_applied(plan))
        case PlanDecision.COMPLETE:
            return "\n".join(_completed(plan))
        case _:
            return _SKELETON


def _applied(plan: PlanView) -> Iterator[str]:
    yield from _head(plan, PlanDecision.APPLY)
    if (milestone := plan.milestone) is not None:
        yield "[milestone]"
        yield f"title = {_text(milestone.title)}"
        yield f"objective = {_text(milestone.objective)}"
        yield f"acceptance = {_texts(criterion.text for criterion in milestone.acceptance)}"
        yield ""
    for item in plan.items:
        yield from _item(item)


def _item(item: PlanItem) -> Iterator[str]:
    yield "[[work]]"
    yield f"key = {_text(item.key)}"
    yield f"title = {_text(item.title)}"
    yield f"objective = {_text(item.objective)}"
    yield f"acceptance = {_texts(criterion.text for criterion in item.acceptance)}"
    yield f"dependencies = {_texts(item.dependencies)}"
    yield f"template = {_text(item.template)}"
    yield f"paths = {_texts(item.paths)}"
    yield ""


def _completed(plan: PlanView) -> Iterator[str]:
    yield from _head(plan, PlanDecision.COMPLETE)
    for claim in plan.completion:
        yield "[[evidence]]"
        yield f"criterion = {_text(claim.criterion)}"
        yield f"work = {_texts(claim.references)}"
        yield f"note = {_text(claim.note)}"
        yield ""


def _head(plan: PlanView, decision: PlanDecision) -> Iterator[str]:
    yield f"decision = {_text(decision.value)}"
    yield f"rationale = {_text(plan.rationale)}"
    yield ""


def _texts(texts: Iterable[str]) -> str:
    each = [_text(text) for text in texts]
    if len(each) <= 1:
        return f"[{''.join(each)}]"
    return "[\n" + "".join(f"  {text},\n" for text in each) + "]"


def _text(text: str) -> str:
    """Write a text as TOML does; what JSON escapes, its basic strings escape alike."""
    lines = [_escaped(line) for line in text.split("\n")]
    return f'"{lines[0]}"' if len(lines) == 1 else '"""\n' + "\n".join(lines) + '"""'


def _escaped(line: str) -> str:
    return json.dumps(line, ensure_ascii=False)[1:-1].replace("\x7f", "\\u007f")
