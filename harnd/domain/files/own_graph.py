"""Own graphs: the `[[work]]` tables of a goal file, and what is wrong with the graph that they make.

The rules are those of a planner's graph; what they find is said at its place in the file.  Items whose keys or
dependencies are of no form yet make no graph, and templates that are wrong themselves hold nothing against an item.
"""

import re
from collections.abc import Collection, Iterator
from typing import Final

from harnd.domain.description import nearest, one_of
from harnd.domain.files.source import At
from harnd.domain.goal.candidate import WorkDraft
from harnd.domain.goal.graph import Drafts, Ground, problems_of
from harnd.domain.goal.template import Template
from harnd.domain.problem import Problem
from protocol.ids import TemplateName, WorkKey

_SHAPE: Final = re.compile(r"work(\[\d+\](\.(key|dependencies)\b.*)?)?")
_STEP: Final = re.compile(r"\[(?P<index>\d+)\]|\.?(?P<key>[a-z_]+)")


def drafts(work: At) -> Drafts:
    """Read the items in the words of a plan; what is not of its form is empty."""
    return tuple(map(_draft, work.items()))


def makes_a_graph(misshapen: Collection[Problem]) -> bool:
    """Tell whether keys and dependencies are what they should be, so that the rest can be held against them."""
    return not any(_SHAPE.fullmatch(problem.place) for problem in misshapen)


def problems_of_graph(goal: At, templates: tuple[Template, ...]) -> Iterator[Problem]:
    """Say what is wrong with the graph; `templates` are those in which nothing is."""
    items = drafts(goal["work"])
    able = any(template.root for template in templates)
    for problem in problems_of(items, Ground(templates=templates, left={}, existing={}, whole=())) if items else ():
        if (
            problem.code != "graph.root_template" or able
        ):  # that no template can end a plan is said where they are named
            yield at(goal, problem.place).problem(problem.code, problem.message)


def unknown_templates(goal: At, known: Collection[str]) -> Iterator[Problem]:
    """Say which items name a template that there is not."""
    for item in goal["work"].items():
        name = item["template"].text()
        if name and name not in known:
            hint = nearest(name, known) or f"; there is {one_of(sorted(known))}"
            yield item["template"].problem("reference.unknown", f"`{name}` is the name of no template{hint}")


def unaffordable(
    goal: At, templates: tuple[Template, ...], *, attempts: int | None, calls: int | None
) -> Iterator[Problem]:
    """Refuse limits that do not pay for one attempt at each item; a limit that is None is wrong itself."""
    items = drafts(goal["work"])
    if attempts is not None and len(items) > attempts:
        message = f"is {attempts}, expected at least {len(items)}: one for each item of `work`"
        yield goal["limits"]["attempts"].problem("limits.too_few", message)
    asked = {template.name: len(template.agent_stages()) for template in templates}
    needed = [asked.get(item.template, 0) for item in items]
    if calls is not None and sum(needed) > calls:
        message = (
            f"is {calls}, expected at least {' + '.join(map(str, needed))} = {sum(needed)}: "
            "what one attempt at each item of `work` asks"
        )
        yield goal["limits"]["agent_calls"].problem("limits.too_few", message)


def at(top: At, place: str) -> At:
    """Go to a place as problems write it, such as `work[2].dependencies[0]`."""
    for step in _STEP.finditer(place):
        key = step["key"]
        top = top[key] if key else list(top.items())[int(step["index"])]
    return top


def _draft(item: At) -> WorkDraft:
    return WorkDraft(
        key=WorkKey(item["key"].text()),
        title=item["title"].text().strip(),
        objective=item["objective"].text().strip(),
        acceptance=tuple(text.strip() for text in item["acceptance"].texts()),
        dependencies=item["dependencies"].texts(),
        template=TemplateName(item["template"].text()),
        paths=item["paths"].texts(),
    )
