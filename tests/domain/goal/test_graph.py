"""The work graph of a plan: every problem at once, in a fixed order, each with its place."""

import pytest

from harnd.domain.goal.candidate import WorkDraft
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.graph import graph_problems, root_of
from harnd.domain.problem import Problem
from tests.kit.given import (
    a_goal,
    a_plan,
    a_template,
    applied,
    cancel_work,
    draft,
    live,
    milestone_met,
    planning,
    working,
)


def problems(*work: WorkDraft, goal: Goal | None = None) -> list[Problem]:
    return graph_problems(goal or planning(), a_plan(*work))


# --- what is right

CHAIN = (draft("a"), draft("b", "a"), draft("c", "b"))
DIAMOND = (draft("a"), draft("b", "a"), draft("c", "a"), draft("d", "b", "c"))


@pytest.mark.parametrize(
    ("work", "root"), [((draft("a"),), "a"), (CHAIN, "c"), (DIAMOND, "d")], ids=["one", "chain", "diamond"]
)
def test_the_root_is_the_one_item_that_nobody_depends_on(work, root):
    assert problems(*work) == []
    assert root_of(work) == root


def test_accepted_work_may_be_built_upon():
    assert problems(draft("b", "p1.a"), draft("c", "b", "p1.a"), goal=milestone_met()) == []


# --- keys


def test_a_key_names_one_item():
    assert problems(draft("a"), draft("b", "a"), draft("b", "a")) == [
        Problem("graph.duplicate_key", "work[1].key", "'b' names more than one item"),
        Problem("graph.duplicate_key", "work[2].key", "'b' names more than one item"),
        Problem("graph.many_roots", "work", "nobody depends on 'b', 'b'; exactly one item must end the plan"),
    ]


# --- dependencies


@pytest.mark.parametrize("name", ["c", "A", "p1.a", "p9.a", "p1.A", "a.b", "../a", "a\n"])
def test_what_an_item_depends_on_exists(name):
    assert problems(draft("a"), draft("b", "a", name)) == [
        Problem(
            "graph.dangling",
            "work[1].dependencies[1]",
            f"'b' depends on {name!r}, which is neither a key of this plan nor the id of existing work",
        )
    ]


def test_a_key_stands_before_what_depends_on_it():
    assert problems(draft("b", "a"), draft("a"), draft("c", "a", "b")) == [
        Problem("graph.later_key", "work[0].dependencies[0]", "'a' comes later; put it before 'b'")
    ]


def test_a_dependency_is_named_once():
    assert problems(draft("a"), draft("b", "a", "a")) == [
        Problem("graph.duplicate_dependency", "work[1].dependencies", "'a' is named twice")
    ]


@pytest.mark.parametrize(
    ("goal", "state"),
    [
        (applied(), "ready"),
        (working(), "running"),
        (live(applied(), cancel_work("p1.a")), "cancelled"),
    ],
    ids=["ready", "running", "cancelled"],
)
def test_only_accepted_work_is_built_upon(goal, state):
    assert problems(draft("b", "p1.a"), goal=goal) == [
        Problem(
            "graph.unmet_dependency",
            "work[0].dependencies[0]",
            f"'p1.a' is {state}, and only accepted work can be built on",
        )
    ]


# --- cycles


@pytest.mark.parametrize(
    ("work", "path"),
    [
        ((draft("a", "a"),), "a -> a"),
        ((draft("a", "b"), draft("b", "a")), "a -> b -> a"),
        ((draft("a", "c"), draft("b", "a"), draft("c", "b")), "a -> c -> b -> a"),
    ],
    ids=["itself", "two", "three"],
)
def test_a_cycle_is_told_along_its_path(work, path):
    assert problems(*work) == [Problem("graph.cycle", "work", f"these items wait for one another: {path}")]


def test_a_cycle_of_twelve_is_told_whole():
    keys = "abcdefghijkl"
    work = [draft(key, keys[index - 1]) for index, key in enumerate(keys)]
    (problem,) = problems(*work)
    steps = problem.message.removeprefix("these items wait for one another: ").split(" -> ")
    assert (len(steps), set(steps), steps[0]) == (13, set(keys), steps[-1])
    assert [work["abcdefghijkl".index(step)].dependencies for step in steps[:-1]] == [(step,) for step in steps[1:]]


def test_every_cycle_is_told():
    assert problems(draft("a", "b"), draft("b", "a"), draft("c", "d"), draft("d", "c"), draft("e", "a", "c")) == [
        Problem("graph.cycle", "work", "these items wait for one another: a -> b -> a"),
        Problem("graph.cycle", "work", "these items wait for one another: c -> d -> c"),
    ]


def test_what_merely_leads_into_a_cycle_is_not_part_of_it():
    found = problems(draft("a", "b"), draft("b", "a"), draft("end", "b"))
    assert found == [Problem("graph.cycle", "work", "these items wait for one another: a -> b -> a")]


# --- the root


def test_two_ends_are_one_too_many():
    assert problems(draft("a"), draft("b"), draft("c", "a")) == [
        Problem("graph.many_roots", "work", "nobody depends on 'b', 'c'; exactly one item must end the plan")
    ]


def test_the_root_has_a_template_that_may_end_a_plan():
    assert problems(draft("a"), draft("b", "a", template="chore")) == [
        Problem("graph.root_template", "work[1].template", "'b' ends the plan, so its template must be one of: change")
    ]
    assert problems(draft("a", template="chore"), draft("b", "a")) == []


# --- proofs


def test_every_criterion_of_an_item_can_be_proved():
    templates = [a_template(proves=["WC-1", "WC-3"])]
    goal = planning(templates=templates)
    assert problems(draft("a", acceptance=["one", "two", "three", "four"]), goal=goal) == [
        Problem(
            "graph.unprovable",
            f"work[0].acceptance[{index}]",
            f"no proof command of template 'change' speaks about WC-{index + 1}",
        )
        for index in (1, 3)
    ]


# --- budgets


@pytest.mark.parametrize(
    ("budget", "needed", "unit", "left"),
    [
        ({"planned_work": 2}, 3, "work_items", 2),
        ({"attempts": 2}, 3, "attempts", 2),
        ({"agent_calls": 6, "templates": [a_template(agents=2)]}, 6, "agent_calls", 5),
    ],
    ids=["work", "attempts", "calls"],
)
def test_a_plan_fits_into_what_is_left(budget, needed, unit, left):
    """The planner's own call is still set aside."""
    goal = planning(**budget)
    assert problems(*CHAIN, goal=goal) == [
        Problem("graph.over_budget", "work", f"the plan needs at least {needed} {unit}; {left} are left")
    ]


@pytest.mark.parametrize(
    "budget",
    [{"planned_work": 3}, {"attempts": 3}, {"agent_calls": 7, "templates": [a_template(agents=2)]}],
    ids=["work", "attempts", "calls"],
)
def test_a_plan_that_takes_all_that_is_left_fits(budget):
    assert problems(*CHAIN, goal=planning(**budget)) == []


# --- an item is smaller than the whole


@pytest.mark.parametrize("objective", ["Reach step 1.", "  reach  STEP 1. ", "Step 1", "Bills can be exported."])
def test_an_item_among_several_does_not_restate_the_goal(objective):
    assert problems(draft("a", objective=objective), draft("b", "a")) == [
        Problem(
            "graph.restated_goal",
            "work[0].objective",
            "'a' restates the goal; an item must be smaller than its milestone",
        )
    ]


def test_a_single_item_may_be_the_whole_milestone():
    assert problems(draft("a", objective="Reach step 1.")) == []


# --- declared paths


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "~/x",
        "~root",
        "..",
        "../x",
        "src/../../x",
        "src/..",
        ".git",
        ".GIT/hooks/pre-commit",
        "./.git",
        "a\0b",
    ],
)
def test_a_declared_path_stays_in_the_repository(path):
    assert problems(draft("a", paths=["src", path])) == [
        Problem(
            "graph.bad_path",
            "work[0].paths[1]",
            f"{path!r} leaves the repository; expected a path or glob inside it",
        )
    ]


@pytest.mark.parametrize("path", ["src", "src/", "**/*.py", "a..b", ".github/x", ".gitignore", "sp ace", "ä/ö", "a~b"])
def test_every_path_inside_is_allowed(path):
    assert problems(draft("a", paths=[path])) == []


# --- all at once


def test_everything_is_told_at_once_in_a_fixed_order():
    goal = planning(planned_work=3, templates=[a_template(proves=["WC-1"]), a_template("chore", root=False)])
    found = problems(
        draft("a", "b", "nowhere", objective="Reach step 1."),
        draft("b", acceptance=["one", "two"]),
        draft("b", "b", paths=["../x"]),
        draft("end", "a", template="chore"),
        goal=goal,
    )
    assert [(problem.code, problem.place) for problem in found] == [
        ("graph.duplicate_key", "work[1].key"),
        ("graph.duplicate_key", "work[2].key"),
        ("graph.later_key", "work[0].dependencies[0]"),
        ("graph.dangling", "work[0].dependencies[1]"),
        ("graph.cycle", "work"),
        ("graph.root_template", "work[3].template"),
        ("graph.unprovable", "work[1].acceptance[1]"),
        ("graph.over_budget", "work"),
        ("graph.restated_goal", "work[0].objective"),
        ("graph.bad_path", "work[2].paths[0]"),
    ]


def test_a_goal_that_has_no_work_yet_has_no_work_to_depend_on():
    assert problems(draft("a", "p1.a"), goal=a_goal()) == problems(draft("a", "p1.a"), goal=planning())
