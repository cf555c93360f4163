"""Plan files: a candidate as a person writes it, in TOML, read to a proposal or to everything that is wrong with it.

The words are those of a goal file: `decision`, `rationale`, `[milestone]`, a `[[work]]` table for each item, or an
`[[evidence]]` table for each criterion.  It is held against the schema that the planner was shown and the same rules;
only that a person may propose again what was turned down before.  A person's file may leave out what follows by itself:
the milestone's sequence, and lists that are empty.
"""

from collections.abc import Iterator
from typing import Final, cast

import msgspec

from harnd.domain.checking import flaws, shown
from harnd.domain.dialect import Json
from harnd.domain.files.own_graph import at, drafts, makes_a_graph
from harnd.domain.files.source import Source, read_source, top
from harnd.domain.goal.answer import problems_of_proposal
from harnd.domain.goal.candidate import Apply, Complete, Proposal
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.graph import ground_of, problems_of
from harnd.domain.goal.planner_schema import proposal_schema
from harnd.domain.problem import Problem
from protocol.values import PlanDecision, Trigger

NAME: Final = "plan.toml"


def read_plan(goal: Goal, trigger: Trigger, content: bytes) -> Proposal | list[Problem]:
    """Read a plan that a person wrote for a goal's request of this trigger."""
    source = read_source(NAME, content)
    if isinstance(source, Problem):
        return [source]
    value = _completed(source.value, goal)
    if misshapen := list(_misshapen(goal, trigger, source, value)):
        problems = [*misshapen, *_of_its_graph(goal, source, misshapen)]
        return shown(sorted(problems, key=lambda problem: problem.line))
    proposal = msgspec.convert(value, Apply | Complete)
    problems = [_placed(source, problem) for problem in problems_of_proposal(goal, trigger, proposal)]
    return shown(sorted(problems, key=lambda problem: problem.line)) if problems else proposal


def _misshapen(goal: Goal, trigger: Trigger, source: Source, value: dict[str, object]) -> Iterator[Problem]:
    schema = proposal_schema(goal, trigger)
    if schema is None:
        yield source.problem((), "plan.no_room", "there is no room for more work, and nothing else can be proposed")
        return
    for path, code, message in flaws(value, schema):
        yield source.problem(path, code, message)


def _of_its_graph(goal: Goal, source: Source, misshapen: list[Problem]) -> Iterator[Problem]:
    """Say what is wrong with the graph too, where the items make one, so that no fault hides another."""
    plan = top(source)
    if plan["decision"].text() != PlanDecision.APPLY or not makes_a_graph(misshapen):
        return
    told = {problem.place for problem in misshapen}
    for problem in problems_of(drafts(plan["work"]), ground_of(goal)):
        if problem.place not in told:
            yield _placed(source, problem)


def _placed(source: Source, problem: Problem) -> Problem:
    return at(top(source), problem.place).problem(problem.code, problem.message)


def _completed(written: dict[str, object], goal: Goal) -> dict[str, object]:
    """Add what a person need not write; what is of the wrong shape stays as it is, to be told."""
    value = dict(written)
    if value.get("decision") != PlanDecision.APPLY:
        return value
    if isinstance(milestone := value.get("milestone"), dict):
        value["milestone"] = {"sequence": len(goal.milestones) + 1, **cast("dict[str, object]", milestone)}
    if isinstance(work := value.get("work"), list):
        value["work"] = [_item(entry) for entry in cast("list[Json]", work)]
    return value


def _item(entry: Json) -> Json:
    if not isinstance(entry, dict):
        return entry
    return {"dependencies": [], "paths": [], **cast("dict[str, object]", entry)}
