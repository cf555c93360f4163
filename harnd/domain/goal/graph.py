"""Graph checks: whether a work graph can be carried out at all, a planner's or one that a person wrote.

Every problem is reported at once.  Two namespaces never meet: a key names new work in this plan, a work id names work
that exists.  The root is inferred as the one item that nobody depends on.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Final, TypeAlias

import msgspec

from harnd.domain.goal import events as e
from harnd.domain.goal.candidate import Apply, WorkDraft
from harnd.domain.goal.evolve_plan import numbered
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.proof import proves
from harnd.domain.goal.template import Template
from harnd.domain.problem import Problem
from protocol import ids
from protocol.ids import WorkId, WorkKey
from protocol.values import Unit, WorkState

_STOPS: Final = re.compile(r"""[.,;:!?"'`\u2018-\u201f\u2026]""")  # not `+` or `#`: C, C++ and C# are three

Drafts: TypeAlias = tuple[WorkDraft, ...]


class Ground(msgspec.Struct, frozen=True):
    """What a graph is planned on."""

    templates: tuple[Template, ...]  # an item may name another, which is then somebody else's problem
    left: Mapping[Unit, int]  # of what the work needs at the least; what is not in it is not counted
    existing: Mapping[WorkId, WorkState]
    whole: tuple[str, ...]  # texts of what all items together are for

    def template(self, draft: WorkDraft) -> Template | None:
        """Return the recipe of an item."""
        return next((template for template in self.templates if template.name == draft.template), None)


def graph_problems(goal: Goal, plan: Apply) -> list[Problem]:
    """Return everything that is wrong with the graph of a plan, in a fixed order."""
    return problems_of(plan.work, ground_of(goal, plan.milestone.objective, plan.milestone.title))


def ground_of(goal: Goal, *whole: str) -> Ground:
    """Return what the next graph of a goal is planned on; `whole` says what all of it is for."""
    mission = goal.intent.mission
    return Ground(
        templates=goal.intent.templates,
        left={unit: goal.left(unit) for unit in (Unit.WORK_ITEMS, Unit.ATTEMPTS, Unit.AGENT_CALLS)},
        existing={item.id: goal.state_of(item) for item in goal.work.values()},
        whole=(*whole, *((mission.objective,) if mission else ())),
    )


def problems_of(work: Drafts, ground: Ground) -> list[Problem]:
    """Return everything that is wrong with a graph, in a fixed order."""
    return [
        *_duplicate_keys(work),
        *_bad_dependencies(work, ground),
        *_cycles(work),
        *_root_problems(work, ground),
        *_unprovable(work, ground),
        *_over_budget(work, ground),
        *_restated(work, ground),
        *_bad_paths(work),
    ]


def root_of(work: Drafts) -> WorkKey | None:
    """Return the one key that nobody depends on."""
    sinks = _sinks(work)
    return sinks[0].key if len(sinks) == 1 else None


def created(plan: int, work: Drafts) -> list[e.WorkCreated]:
    """Return what brings the items of a graph in which nothing is wrong to be, under the ids of their plan."""
    keys = {draft.key for draft in work}
    return [
        e.WorkCreated(
            work=ids.work_id(plan, draft.key),
            key=draft.key,
            plan=plan,
            title=draft.title,
            objective=draft.objective,
            acceptance=numbered("WC", draft.acceptance),
            dependencies=tuple(
                ids.work_id(plan, WorkKey(name)) if name in keys else WorkId(name) for name in draft.dependencies
            ),
            template=draft.template,
            paths=draft.paths,
        )
        for draft in work
    ]


def _sinks(work: Drafts) -> list[WorkDraft]:
    needed = {name for draft in work for name in draft.dependencies}
    return [draft for draft in work if draft.key not in needed]


def _duplicate_keys(work: Drafts) -> Iterator[Problem]:
    counts = Counter(draft.key for draft in work)
    for index, draft in enumerate(work):
        if counts[draft.key] > 1:
            yield Problem("graph.duplicate_key", f"work[{index}].key", f"{draft.key!r} names more than one item")


def _bad_dependencies(work: Drafts, ground: Ground) -> Iterator[Problem]:
    position = {draft.key: index for index, draft in enumerate(work)}
    circles = [set(circle) for circle in _circles(work)]  # their edges are reported once, as a cycle
    for index, draft in enumerate(work):
        for offset, name in enumerate(draft.dependencies):
            place = f"work[{index}].dependencies[{offset}]"
            if not any({draft.key, name} <= circle for circle in circles):
                yield from _bad_dependency(ground, draft, name, place, position)
        for name, count in Counter(draft.dependencies).items():
            if count > 1:
                yield Problem("graph.duplicate_dependency", f"work[{index}].dependencies", f"{name!r} is named twice")


def _bad_dependency(
    ground: Ground, draft: WorkDraft, name: str, place: str, position: dict[WorkKey, int]
) -> Iterator[Problem]:
    if WorkKey(name) in position:
        if position[WorkKey(name)] > position[draft.key]:
            yield Problem("graph.later_key", place, f"{name!r} comes later; put it before {draft.key!r}")
    elif ids.matches(ids.WORK_ID, name) and (state := ground.existing.get(WorkId(name))) is not None:
        if state is not WorkState.SUCCEEDED:
            yield Problem(
                "graph.unmet_dependency", place, f"{name!r} is {state}, and only accepted work can be built on"
            )
    else:
        yield Problem(
            "graph.dangling",
            place,
            f"{draft.key!r} depends on {name!r}, which is neither a key of this plan nor the id of existing work",
        )


def _cycles(work: Drafts) -> Iterator[Problem]:
    for circle in _circles(work):
        path = " -> ".join((*circle, circle[0]))
        yield Problem("graph.cycle", "work", f"these items wait for one another: {path}")


def _circles(work: Drafts) -> list[tuple[str, ...]]:
    """Return the keys along each cycle, every one waiting for the next; cycles that share an item count as one."""
    circles: list[tuple[str, ...]] = []
    left: dict[str, tuple[str, ...]] = {draft.key: draft.dependencies for draft in work}
    while circle := _circle(left):
        circles.append(circle)
        left = {key: needs for key, needs in left.items() if key not in circle}
    return circles


def _circle(needs: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        waited_for: list[str] = error.args[1]
        return tuple(reversed(waited_for[1:]))
    return ()


def _root_problems(work: Drafts, ground: Ground) -> Iterator[Problem]:
    sinks = _sinks(work)
    if len(sinks) > 1:
        names = ", ".join(repr(draft.key) for draft in sinks)
        yield Problem("graph.many_roots", "work", f"nobody depends on {names}; exactly one item must end the plan")
    elif len(sinks) == 1:
        template = ground.template(sinks[0])
        if template is not None and not template.root:
            able = ", ".join(entry.name for entry in ground.templates if entry.root)
            index = work.index(sinks[0])
            message = f"{sinks[0].key!r} ends the plan, so its template must be one of: {able}"
            yield Problem("graph.root_template", f"work[{index}].template", message)


def _unprovable(work: Drafts, ground: Ground) -> Iterator[Problem]:
    for index, draft in enumerate(work):
        template = ground.template(draft)
        if template is None:
            continue
        for offset, criterion in enumerate(numbered("WC", draft.acceptance)):
            if not any(proves(command, criterion.id) for command in template.proofs):
                message = f"no proof command of template {draft.template!r} speaks about {criterion.id}"
                yield Problem("graph.unprovable", f"work[{index}].acceptance[{offset}]", message)


def _over_budget(work: Drafts, ground: Ground) -> Iterator[Problem]:
    items = len(work)
    templates = [template for draft in work if (template := ground.template(draft)) is not None]
    calls = sum(len(template.agent_stages()) for template in templates)
    for unit, needed in ((Unit.WORK_ITEMS, items), (Unit.ATTEMPTS, items), (Unit.AGENT_CALLS, calls)):
        if unit in ground.left and needed > ground.left[unit]:
            message = f"the plan needs at least {needed} {unit}; {ground.left[unit]} are left"
            yield Problem("graph.over_budget", "work", message)


def _restated(work: Drafts, ground: Ground) -> Iterator[Problem]:
    if len(work) == 1:
        return  # one item may well be the whole milestone
    whole = {_plain(text) for text in ground.whole}
    for index, draft in enumerate(work):
        if _plain(draft.objective) in whole:
            message = f"{draft.key!r} restates the goal; an item must be smaller than its milestone"
            yield Problem("graph.restated_goal", f"work[{index}].objective", message)


def _bad_paths(work: Drafts) -> Iterator[Problem]:
    for index, draft in enumerate(work):
        for offset, path in enumerate(draft.paths):
            parts = path.casefold().split("/")  # git takes a `.git` in capitals for its own too
            if path.startswith(("/", "~")) or "\0" in path or {"..", ".git"} & {*parts}:
                message = f"{path!r} leaves the repository; expected a path or glob inside it"
                yield Problem("graph.bad_path", f"work[{index}].paths[{offset}]", message)


def _plain(text: str) -> str:
    """Return what is said: neither case, form, white space, stops, quotes nor what nobody sees makes another goal."""
    seen = "".join(each for each in unicodedata.normalize("NFKC", text) if unicodedata.category(each) != "Cf")
    return " ".join(_STOPS.sub(" ", seen).split()).casefold()
