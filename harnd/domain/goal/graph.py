"""Graph checks: whether a proposed work graph can be carried out at all.  Every problem is reported at once.

Two namespaces never meet: a key names new work in this plan, a work id names work that exists.  The root is inferred
as the one item that nobody depends on.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter

from harnd.domain.goal.candidate import Apply, WorkDraft
from harnd.domain.goal.evolve_plan import numbered
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.proof import proves
from harnd.domain.goal.work import Standing
from harnd.domain.problem import Problem
from protocol import ids
from protocol.ids import WorkKey
from protocol.values import Unit


def graph_problems(goal: Goal, plan: Apply) -> list[Problem]:
    """Return everything that is wrong with the graph of a plan, in a fixed order."""
    return [
        *_duplicate_keys(plan),
        *_bad_dependencies(goal, plan),
        *_cycles(plan),
        *_root_problems(goal, plan),
        *_unprovable(goal, plan),
        *_over_budget(goal, plan),
        *_restated(goal, plan),
        *_bad_paths(plan),
    ]


def root_of(plan: Apply) -> WorkKey | None:
    """Return the one key that nobody depends on."""
    sinks = _sinks(plan)
    return sinks[0].key if len(sinks) == 1 else None


def _sinks(plan: Apply) -> list[WorkDraft]:
    needed = {name for draft in plan.work for name in draft.dependencies}
    return [draft for draft in plan.work if draft.key not in needed]


def _duplicate_keys(plan: Apply) -> Iterator[Problem]:
    counts = Counter(draft.key for draft in plan.work)
    for index, draft in enumerate(plan.work):
        if counts[draft.key] > 1:
            yield Problem("graph.duplicate_key", f"work[{index}].key", f"{draft.key!r} names more than one item")


def _bad_dependencies(goal: Goal, plan: Apply) -> Iterator[Problem]:
    position = {draft.key: index for index, draft in enumerate(plan.work)}
    circles = [set(circle) for circle in _circles(plan)]  # their edges are reported once, as a cycle
    for index, draft in enumerate(plan.work):
        for offset, name in enumerate(draft.dependencies):
            place = f"work[{index}].dependencies[{offset}]"
            if not any({draft.key, name} <= circle for circle in circles):
                yield from _bad_dependency(goal, draft, name, place, position)
        for name, count in Counter(draft.dependencies).items():
            if count > 1:
                yield Problem("graph.duplicate_dependency", f"work[{index}].dependencies", f"{name!r} is named twice")


def _bad_dependency(
    goal: Goal, draft: WorkDraft, name: str, place: str, position: dict[WorkKey, int]
) -> Iterator[Problem]:
    if WorkKey(name) in position:
        if position[WorkKey(name)] > position[draft.key]:
            yield Problem("graph.later_key", place, f"{name!r} comes later; put it before {draft.key!r}")
    elif ids.matches(ids.WORK_ID, name) and (item := goal.work.get(ids.WorkId(name))) is not None:
        if item.standing is not Standing.INTEGRATED:
            state = goal.state_of(item)
            yield Problem(
                "graph.unmet_dependency", place, f"{name!r} is {state}, and only accepted work can be built on"
            )
    else:
        yield Problem(
            "graph.dangling",
            place,
            f"{draft.key!r} depends on {name!r}, which is neither a key of this plan nor the id of existing work",
        )


def _cycles(plan: Apply) -> Iterator[Problem]:
    for circle in _circles(plan):
        path = " -> ".join((*circle, circle[0]))
        yield Problem("graph.cycle", "work", f"these items wait for one another: {path}")


def _circles(plan: Apply) -> list[tuple[str, ...]]:
    """Return the keys along each cycle, every one waiting for the next; cycles that share an item count as one."""
    circles: list[tuple[str, ...]] = []
    left: dict[str, tuple[str, ...]] = {draft.key: draft.dependencies for draft in plan.work}
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


def _root_problems(goal: Goal, plan: Apply) -> Iterator[Problem]:
    sinks = _sinks(plan)
    if len(sinks) > 1:
        names = ", ".join(repr(draft.key) for draft in sinks)
        yield Problem("graph.many_roots", "work", f"nobody depends on {names}; exactly one item must end the plan")
    elif len(sinks) == 1:
        template = goal.intent.template(sinks[0].template)
        if template is not None and not template.root:
            able = ", ".join(entry.name for entry in goal.intent.templates if entry.root)
            index = plan.work.index(sinks[0])
            message = f"{sinks[0].key!r} ends the plan, so its template must be one of: {able}"
            yield Problem("graph.root_template", f"work[{index}].template", message)


def _unprovable(goal: Goal, plan: Apply) -> Iterator[Problem]:
    for index, draft in enumerate(plan.work):
        template = goal.intent.template(draft.template)
        if template is None:
            continue
        for offset, criterion in enumerate(numbered("WC", draft.acceptance)):
            if not any(proves(command, criterion.id) for command in template.proofs):
                message = f"no proof command of template {draft.template!r} speaks about {criterion.id}"
                yield Problem("graph.unprovable", f"work[{index}].acceptance[{offset}]", message)


def _over_budget(goal: Goal, plan: Apply) -> Iterator[Problem]:
    items = len(plan.work)
    templates = [template for draft in plan.work if (template := goal.intent.template(draft.template)) is not None]
    calls = sum(len(template.agent_stages()) for template in templates)
    for unit, needed in ((Unit.WORK_ITEMS, items), (Unit.ATTEMPTS, items), (Unit.AGENT_CALLS, calls)):
        if needed > goal.left(unit):
            message = f"the plan needs at least {needed} {unit}; {goal.left(unit)} are left"
            yield Problem("graph.over_budget", "work", message)


def _restated(goal: Goal, plan: Apply) -> Iterator[Problem]:
    if len(plan.work) == 1:
        return  # one item may well be the whole milestone
    whole = {_plain(plan.milestone.objective), _plain(plan.milestone.title), _plain(goal.intent.mission.objective)}
    for index, draft in enumerate(plan.work):
        if _plain(draft.objective) in whole:
            message = f"{draft.key!r} restates the goal; an item must be smaller than its milestone"
            yield Problem("graph.restated_goal", f"work[{index}].objective", message)


def _bad_paths(plan: Apply) -> Iterator[Problem]:
    for index, draft in enumerate(plan.work):
        for offset, path in enumerate(draft.paths):
            if path.startswith(("/", "~")) or ".." in path.split("/") or "\0" in path or path.split("/")[0] == ".git":
                message = f"{path!r} leaves the repository; expected a path or glob inside it"
                yield Problem("graph.bad_path", f"work[{index}].paths[{offset}]", message)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
