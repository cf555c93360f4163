"""Agreement: what must hold between two keys or two files of a goal, all of it said at once.

A value that its own schema refuses is passed over here: one mistake is reported once.
"""

from collections.abc import Collection, Iterable, Iterator

import msgspec

from harnd.domain.files.goal_file import template_of
from harnd.domain.files.own_graph import makes_a_graph, problems_of_graph, unaffordable, unknown_templates
from harnd.domain.files.recipe import problems_of_recipe, unknown_specialist
from harnd.domain.files.source import At
from harnd.domain.measures import count
from harnd.domain.problem import Problem
from protocol import bounds
from protocol.bounds import Range


class Bundle(msgspec.Struct, frozen=True):
    """The files of one goal.  What the goal file names and nobody brought is not among them."""

    goal: At
    team: At | None
    templates: tuple[At, ...]

    def members(self) -> frozenset[str] | None:
        """Return the names of the team, or None when there is no team file to know them from."""
        return None if self.team is None else frozenset(self.team.entries())


def disagreements(bundle: Bundle) -> Iterator[Problem]:
    """Say what does not fit together."""
    members = bundle.members()
    yield from _parts(bundle.goal)
    yield from _replanning(bundle.goal)
    yield from unknown_specialist(bundle.goal["replanning"]["planner"], members)
    yield from _names(bundle.templates)
    yield from _roots(bundle)
    answers = chosen(bundle.goal["limits"]["answers_per_work"], bounds.ANSWERS_PER_WORK)
    for template in bundle.templates:
        yield from problems_of_recipe(template, members=members, answers=answers)


def own_work(bundle: Bundle, found: Collection[Problem]) -> Iterator[Problem]:
    """Say what is wrong with the operator's own graph, after all else that was found."""
    goal = bundle.goal
    if "work" not in goal or not makes_a_graph([problem for problem in found if problem.file == goal.source.name]):
        return
    wrong = {problem.file for problem in found}
    sound = tuple(template_of(template) for template in bundle.templates if template.source.name not in wrong)
    yield from problems_of_graph(goal, sound)
    if len(sound) < len(goal["templates"].texts()):
        return  # what is not known yet may be what an item names
    yield from unknown_templates(goal, [template.name for template in sound])
    yield from unaffordable(
        goal,
        sound,
        attempts=chosen(goal["limits"]["attempts"], bounds.ATTEMPTS),
        calls=chosen(goal["limits"]["agent_calls"], bounds.AGENT_CALLS),
    )


def chosen(at: At, choice: Range) -> int | None:
    """Return the number that holds at a place: the one written, the default, or None when that one is refused."""
    number = at.whole(choice.default if at.value is None else choice.least - 1)
    return number if choice.least <= number <= choice.ceiling else None


def _parts(goal: At) -> Iterator[Problem]:
    """Demand something to do, and somebody who plans it where it is to be planned."""
    if "mission" not in goal and "work" not in goal:
        yield goal["mission"].problem("missing", "is missing, expected `[mission]`, or `[[work]]` of your own")
    if "mission" in goal and "replanning" not in goal:
        message = "is missing, expected who plans the mission, as `planner`, and how often"
        yield goal["replanning"].problem("missing", message)


def _replanning(goal: At) -> Iterator[Problem]:
    if "replanning" not in goal:
        return
    replanning = goal["replanning"]
    replans = chosen(replanning["max_replans"], bounds.REPLANS)
    if replans is not None and "mission" in goal:
        yield from _too_few(goal, replans)
    a_plan = chosen(replanning["work_per_plan"], bounds.WORK_PER_PLAN)
    planned = chosen(replanning["planned_work"], bounds.PLANNED_WORK)
    if a_plan is not None and planned is not None and a_plan > planned:
        message = f"is {a_plan}, expected at most the {planned} of `planned_work`"
        yield replanning["work_per_plan"].problem("replanning.too_much", message)


def _too_few(goal: At, replans: int) -> Iterator[Problem]:
    """Count a plan for each milestone, and one that says that the mission is met."""
    milestones = chosen(goal["mission"]["max_milestones"], bounds.MILESTONES)
    if milestones is None:
        return
    planned = milestones - (1 if "work" in goal else 0)  # the first is the operator's own work
    if replans <= planned:
        own = " beside your own work" if "work" in goal else ""
        message = (
            f"is {replans}, expected at least {planned} + 1: a plan for each of {count(planned, 'milestone')}{own} "
            "(`mission.max_milestones`), and one that says that the mission is met"
        )
        yield goal["replanning"]["max_replans"].problem("replanning.too_few", message)


def _names(templates: Iterable[At]) -> Iterator[Problem]:
    first: dict[str, At] = {}
    for template in templates:
        name = template["name"].text()
        other = first.setdefault(name, template)
        if name and other is not template:
            yield template["name"].problem("duplicate", f"`{name}` is the name of the template in {other.source.name}")


def _roots(bundle: Bundle) -> Iterator[Problem]:
    """Demand a template that can end a plan, once all of them have been seen."""
    named = bundle.goal["templates"].texts()
    if named and len(named) == len(bundle.templates) and not any(t["root"].value for t in bundle.templates):
        yield bundle.goal["templates"].problem("template.no_root", "name no template with `root = true`, expected one")
