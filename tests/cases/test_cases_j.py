"""Group J: what planners proposed in other systems of this kind, each told again here as an answer to our schema.

`inputs/j` holds one answer per case, made from the clean plan `OK` by the one defect of the case.  All of them are
given to the third request of a mission with two accepted milestones.  None may be proposed to a person, none may
start anything; every refusal says where and why.  Siblings of each case follow it.
"""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harnd.domain.digest import canonical
from harnd.domain.goal import events as e
from harnd.domain.goal.candidate import Apply
from harnd.domain.goal.forecast import forecast
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.position import position
from harnd.domain.goal.rules.tick import tick as step
from harnd.domain.goal.shortage import Spent, shortage
from harnd.domain.goal.usage import Usage
from harnd.domain.problem import Problem
from harnd.ports.workspace import Place
from protocol import ids
from protocol.ids import WorkId
from protocol.values import FailureClass, MicroDollars, NextAction, Phase, PlanStatus, Unit
from tests.kit.given import (
    T0,
    Given,
    a_goal,
    a_plan,
    a_template,
    accept,
    answered,
    applied,
    approve,
    cancel_work,
    draft,
    failed,
    integrated,
    live,
    moved,
    proved,
    replied,
    retry_work,
    succeeded,
    the_plan,
    tick,
)
from tests.kit.goal_files import GOAL, goal_files, problems_of

INPUTS = Path(__file__).parent / "inputs" / "j"
TEMPLATES = (a_template("code"), a_template("docs"), a_template("test"))
NAMES = sorted(path.stem for path in INPUTS.glob("J*.json"))
ROOM: dict[str, dict[str, int]] = {"J15": {"attempts": 12}}  # where the defect is that too little is left


def third_request(**intent: Any) -> Goal:
    """Milestones 1 and 2 are accepted, with the work `p1.m1-setup` and `p2.m2-backend`; the planner is called."""
    chosen = {"milestones": 5, "replans": 20, "work_per_plan": 25, "planned_work": 100, "attempts": 100, **intent}
    goal = a_goal(templates=TEMPLATES, **chosen)
    for number, key in enumerate(("m1-setup", "m2-backend"), 1):
        plan = a_plan(draft(key, template="code"), sequence=number)
        goal = live(goal, tick(), answered(plan, plan=number), approve(plan, plan=number))
        goal = integrated(goal, f"p{number}.{key}")
    return live(goal, tick())


def told(name: str) -> Any:
    return json.loads((INPUTS / f"{name}.json").read_text(encoding="utf-8"))


def refused(answer: Any, goal: Goal | None = None) -> tuple[Problem, ...]:
    """Give the answer to the planner's rules; what is wrong with it, when nothing but a refusal came of it."""
    events = Given(goal or third_request()).when(replied(json.dumps(answer).encode(), plan=3)).events
    returned, said = events
    assert isinstance(returned, e.PlannerReturned)
    assert isinstance(said, e.AnswerRefused)
    return said.problems


def places(problems: tuple[Problem, ...]) -> list[tuple[str, str]]:
    return [(problem.code, problem.place) for problem in problems]


def plan_of(*work: dict[str, Any], **milestone: Any) -> Any:
    """The clean plan with other work, or another milestone."""
    ok = told("OK")
    return ok | {"work": list(work) or ok["work"], "milestone": ok["milestone"] | milestone}


def entry(key: str, *needs: str, **changes: Any) -> dict[str, Any]:
    plain = {
        "key": key,
        "title": f"Work on {key}",
        "objective": f"Do what {key} is for.",
        "acceptance": ["Its tests pass."],
        "dependencies": list(needs),
        "template": "code",
        "paths": [f"src/{key}/**"],
    }
    return plain | changes


# --- the clean plan, and what is common to all


def test_the_clean_plan_is_proposed_as_it_was_written():
    goal = live(third_request(), replied(canonical(told("OK")), plan=3))
    assert the_plan(goal).status is PlanStatus.PROPOSED
    assert the_plan(goal).candidate == msgspec.convert(told("OK"), Apply)
    goal = live(goal, approve(msgspec.convert(told("OK"), Apply), plan=3), tick())
    assert [item.id for item in goal.active() if item.running] == ["p3.api"]


def test_there_are_as_many_inputs_as_cases():
    assert [f"J{number:02}" for number in range(1, 26, 2)] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_spoiled_plan_starts_nothing_and_is_corrected(name: str):
    goal = live(third_request(**ROOM.get(name, {})), replied(json.dumps(told(name)).encode(), plan=3))
    assert (the_plan(goal).status, goal.generation, len(goal.work)) == (PlanStatus.REQUESTED, 2, 2)
    assert step(goal, T0) == [e.GoalTicked(), e.PlannerCalled(plan=3, call=2)]


@pytest.mark.parametrize("name", NAMES)
def test_a_plan_that_stays_spoiled_costs_its_request_and_goes_to_a_person(name: str):
    goal = third_request(schema_attempts=2, **ROOM.get(name, {}))
    for call in (1, 2):
        goal = live(goal, replied(json.dumps(told(name)).encode(), plan=3, call=call), tick())
    assert (the_plan(goal).status, the_plan(goal).charged) == (PlanStatus.FAILED, True)
    assert position(goal, T0).next_action is NextAction.RETRY_PLAN


# --- J01: items that wait for one another


def test_j01_a_cycle_is_refused_with_its_path_and_not_even_the_free_item_starts():
    assert refused(told("J01")) == (
        Problem("graph.cycle", "work", "these items wait for one another: a -> c -> b -> a"),
    )


@pytest.mark.parametrize(
    ("work", "paths"),
    [
        ((entry("a", "a"), entry("end", "a")), ["a -> a"]),
        ((entry("a", "b"), entry("b", "a"), entry("end", "a")), ["a -> b -> a"]),
        (
            (entry("a", "b"), entry("b", "a"), entry("c", "d"), entry("d", "c"), entry("end", "a", "c")),
            ["a -> b -> a", "c -> d -> c"],
        ),
        (
            tuple(entry(key, before) for key, before in zip("abcdefgh", "habcdefg", strict=True)),
            ["a -> h -> g -> f -> e -> d -> c -> b -> a"],
        ),
        ((entry("a", "b"), entry("b", "a")), ["a -> b -> a"]),
    ],
    ids=["itself", "two", "two cycles", "eight", "no end at all"],
)
def test_j01_every_cycle_is_told_whatever_its_length(work: Any, paths: list[str]):
    assert refused(plan_of(*work)) == tuple(
        Problem("graph.cycle", "work", f"these items wait for one another: {path}") for path in paths
    )


# --- J03: a dependency that does not exist


def test_j03_an_unknown_dependency_is_refused_by_both_names_and_nothing_is_guessed():
    assert refused(told("J03")) == (
        Problem(
            "graph.dangling",
            "work[1].dependencies[0]",
            "'tests' depends on 'apii', which is neither a key of this plan nor the id of existing work",
        ),
    )


@pytest.mark.parametrize(
    "name", ["API", "api ", "api\n", "p3.api", "p2.m2", "m2-backend", "p1.m2-backend", "p02.x", "\u0430pi"]
)
def test_j03_what_merely_looks_like_a_name_is_none(name: str):
    problems = refused(plan_of(entry("api"), entry("tests", name, "api")))
    assert places(problems) == [("graph.dangling", "work[1].dependencies[0]")]
    assert problems[0].message.startswith(f"'tests' depends on {name!r}, ")


# --- J05: names that differ by case or by their Unicode form only


def test_j05_names_outside_the_small_set_are_refused_each():
    assert places(refused(told("J05"))) == [
        ("pattern", "work[0].key"),
        ("pattern", "work[2].key"),
        ("pattern", "work[3].key"),
    ]


@pytest.mark.parametrize(
    "key", ["Api", "apI", "café", "cafe\u0301", "\uff41\uff50\uff49", "api\u200b", "straße", "\u0131", "api\u202e"]
)
def test_j05_no_letter_outside_ascii_and_no_capital_is_part_of_a_name(key: str):
    assert places(refused(plan_of(entry(key)))) == [("pattern", "work[0].key")]


def test_j05_the_same_name_twice_is_refused_at_both_places():
    assert places(refused(plan_of(entry("api"), entry("api"), entry("end", "api")))) == [
        ("graph.duplicate_key", "work[0].key"),
        ("graph.duplicate_key", "work[1].key"),
    ]


# --- J07: an item that cannot succeed


def test_j07_an_item_without_any_attempt_is_refused():
    """Attempts are the template's; a planner that sets them is told that it cannot."""
    problems = refused(told("J07"))
    assert places(problems) == [("unknown_key", "work[1].max_attempts")]


@pytest.mark.parametrize("number", [0, -1, 101, 1.5, "3", True])
def test_j07_a_template_without_attempts_is_refused_where_it_is_written(number: object):
    change = f"max_attempts = {json.dumps(number)}\n" + goal_files()["change.toml"].decode()
    assert [problem.place for problem in problems_of(goal_files(change=change))] == ["max_attempts"]


def test_j07_what_rests_on_work_that_failed_is_told_and_another_way_is_sought():
    goal = live(applied(draft("a"), draft("b", "a"), draft("c", "b")), tick(), failed("p1.a", FailureClass.REFUSAL))
    assert (position(goal, T0).phase, position(goal, T0).next_action) == (Phase.READY, NextAction.REPLAN_RECOVERY)
    assert [goal.held_by(item) for item in goal.active()] == [None, "p1.a", "p1.a"]
    given_up = live(goal, cancel_work("p1.a"))
    assert position(given_up, T0).next_action is NextAction.REPLAN_RECOVERY
    assert [item.id for item in live(goal, retry_work("p1.a"), tick()).active() if item.running] == ["p1.a"]


# --- J09: the goal restated


def test_j09_items_that_repeat_the_goal_are_refused_each():
    assert refused(told("J09")) == tuple(
        Problem(
            "graph.restated_goal",
            f"work[{index}].objective",
            f"'part{index + 1}' restates the goal; an item must be smaller than its milestone",
        )
        for index in range(6)
    )


@pytest.mark.parametrize(
    "objective",
    [
        "ADD THE DEMO SERVICE",
        "  Add\n the  demo service ",
        "Add the \u201cdemo\u201d service!",
        "Add\u200b the\u00a0de\u00admo service",
        "\uff21dd the demo service\u2026",
        "The demo service",
        "Bills can be exported.",
    ],
    ids=["capitals", "white space", "stops", "invisible", "wide", "title of the milestone", "objective of the mission"],
)
def test_j09_a_change_of_how_it_is_written_hides_nothing(objective: str):
    work = (entry("a", objective=objective), entry("end", "a"))
    assert places(refused(plan_of(*work))) == [("graph.restated_goal", "work[0].objective")]


@pytest.mark.parametrize("objective", ["Add the demo service in C", "Add the demo service in C#", "Add the demo"])
def test_j09_another_goal_is_another_goal(objective: str):
    plan = plan_of(entry("a", objective=objective), entry("end", "a"), objective="Add the demo service in C++")
    assert the_plan(live(third_request(), replied(json.dumps(plan).encode(), plan=3))).status is PlanStatus.PROPOSED


# --- J11: names that git would not take


def test_j11_names_that_are_no_part_of_a_ref_are_refused_at_once():
    assert places(refused(told("J11"))) == [("pattern", f"work[{index}].key") for index in range(5)]


@pytest.mark.parametrize(
    "key",
    [
        "",
        "a/b",
        "a b",
        "a~1",
        "a^",
        "a:b",
        "a?",
        "a*",
        "a[b",
        "a\\b",
        "@",
        "a@{0}",
        ".a",
        "a.",
        "a_b",
        "1a",
        "-",
        "a\n",
        "a\x00",
        "a" * 33,
        "a.lock",
        "..",
        "CON",
        "p1.a",
    ],
)
def test_j11_nor_is_any_other(key: str):
    problems = refused(plan_of(entry(key)))
    assert "work[0].key" in {problem.place for problem in problems}  # texts made from a bad key may be bad too


@pytest.mark.parametrize("key", ["a", "lock", "head", "a-", "a--b", "a" * 32, "con", "x1-2"])
def test_j11_every_name_that_is_taken_makes_a_branch_that_git_takes(key: str):
    goal = live(third_request(), replied(canonical(plan_of(entry(key))), plan=3))
    assert the_plan(goal).status is PlanStatus.PROPOSED
    branch = Place("/srv/demo", ids.GoalId("demo"), ids.work_id(3, ids.WorkKey(key)), 1).branch
    assert branch == f"harn-attempt/demo/p3.{key}.1"
    assert not any(part.startswith((".", "-")) or part.endswith((".lock", ".")) for part in branch.split("/"))


# --- J13: budgets that are none


def test_j13_every_budget_that_a_plan_sets_is_refused_by_name():
    """Budgets are the goal's, and no plan can change or widen them."""
    assert places(refused(told("J13"))) == [
        ("unknown_key", "milestone.budget"),
        ("unknown_key", "work[0].budget"),
        ("unknown_key", "work[1].budget"),
        ("unknown_key", "work[2].budget"),
    ]


@pytest.mark.parametrize("number", [0, -1, -5, 10**18, 1e308, 0.5, float("inf"), True, "many"])
@pytest.mark.parametrize("limit", ["attempts", "agent_calls", "ticks", "parallel_work", "answers_per_work"])
def test_j13_a_limit_of_nothing_is_never_read_as_no_limit(limit: str, number: object):
    written = "inf" if number == float("inf") else json.dumps(number)
    goal = f"{GOAL}\n[limits]\n{limit} = {written}\n"
    assert {problem.place for problem in problems_of(goal_files(goal=goal))} == {f"limits.{limit}"}


@pytest.mark.parametrize("amount", [0, -5, -0.01, 1e308, 0.0000001, float("inf"), True, "many", "-5 USD", "0 USD", ""])
def test_j13_money_that_is_none_is_refused_and_never_read_as_no_limit(amount: object):
    written = "inf" if amount == float("inf") else json.dumps(amount)
    goal = f"{GOAL}\n[limits]\nmoney = {written}\n"
    assert {problem.place for problem in problems_of(goal_files(goal=goal))} == {"limits.money"}


def test_j13_each_limit_that_is_none_is_listed():
    goal = f"{GOAL}\n[limits]\nmoney = -5\nactive_runtime = 0\ntokens = 0\nattempts = 1000000000\n"
    assert [problem.place for problem in problems_of(goal_files(goal=goal))] == [
        *("limits.money", "limits.active_runtime", "limits.tokens", "limits.attempts")
    ]


# --- J15: the sum of what is promised


def test_j15_a_plan_whose_sum_is_more_than_is_left_is_refused():
    """Ten items and a closing one; of twelve attempts two were made."""
    assert refused(told("J15"), third_request(**ROOM["J15"])) == (
        Problem("graph.over_budget", "work", "the plan needs at least 11 attempts; 10 are left"),
    )
    fits = live(third_request(attempts=13), replied(canonical(told("J15")), plan=3))
    assert the_plan(fits).status is PlanStatus.PROPOSED


@pytest.mark.parametrize(
    ("budget", "code", "message"),
    [
        ({"agent_calls": 15}, "graph.over_budget", "the plan needs at least 11 agent_calls; 10 are left"),
        ({"planned_work": 12}, "too_long", "has 11 entries, expected at most 10"),
        ({"work_per_plan": 10}, "too_long", "has 11 entries, expected at most 10"),
    ],
    ids=["agent calls", "planned work", "work in one plan"],
)
def test_j15_each_kind_of_sum_is_compared(budget: Any, code: str, message: str):
    assert refused(told("J15"), third_request(**budget)) == (Problem(code, "work", message),)


def test_j15_no_item_promises_money_or_time_and_what_tries_is_refused():
    """What an item would cost is nobody's to say: the goal's limit holds before every call, whatever was planned."""
    items = [entry(f"item-{number}") | {"usd": 9, "minutes": 30} for number in range(10)]
    assert {problem.code for problem in refused(plan_of(*items))} == {"unknown_key"}
    assert len(refused(plan_of(*items))) == 20


def test_j15_what_is_planned_is_held_against_the_money_that_is_left():
    """Ten items at nine dollars each, with forty left: the operator is told, and is asked when they are spent."""
    dollar = 1_000_000
    nine = Usage(1, None, MicroDollars(9 * dollar))
    first, items = a_plan(draft("a")), [draft(f"item-{number}") for number in range(9)]
    ten = a_plan(*items, draft("last", *(item.key for item in items)), sequence=2)
    goal = a_goal(milestones=5, work_per_plan=25, planned_work=100, money=49 * dollar, parallel_work=1)
    goal = live(goal, tick(), answered(first, cost=0), approve(first), tick(), succeeded("p1.a", usage=nine))
    goal = live(goal, accept("p1.a"), tick(), proved("p1.a"), moved("p1.a"), tick(), answered(ten, plan=2, cost=0))
    goal = live(goal, approve(ten, plan=2))
    assert (forecast(goal)[Unit.MICRO_DOLLARS], goal.left(Unit.MICRO_DOLLARS)) == (90 * dollar, 40 * dollar)
    for number in range(5):  # the fifth begins with four dollars left: what is under way may pass the limit
        goal = live(goal, tick(), succeeded(f"p2.item-{number}", usage=nine))
    Given(goal).when(tick()).then_nothing()
    assert goal.left(Unit.MICRO_DOLLARS) == -5 * dollar
    short = shortage(goal, goal.work[WorkId("p2.item-5")], T0)
    assert short == Spent(Unit.MICRO_DOLLARS, 1, -5 * dollar)


# --- J17: the next milestone


def test_j17_the_sequence_is_what_the_events_say_and_no_other():
    assert refused(told("J17")) == (Problem("enum", "milestone.sequence", "expected 3, found 2"),)


@pytest.mark.parametrize("sequence", [0, 1, 4, -3, 9, "3", 3.0, True, None, [3]])
def test_j17_nor_is_any_other_number_or_a_likeness_of_it(sequence: object):
    assert {problem.place for problem in refused(plan_of(sequence=sequence))} == {"milestone.sequence"}


# --- J19: keys that are not understood


def test_j19_a_misspelt_key_is_refused_with_the_near_name():
    assert refused(told("J19")) == tuple(
        Problem(code, f"work[{index}].{key}", message)
        for index in range(3)
        for code, key, message in (
            ("unknown_key", "dependsOn", "is not a key here; did you mean `dependencies`?"),
            ("missing", "dependencies", "is missing"),
        )
    )


@pytest.mark.parametrize(
    "key", ["depends_on", "Dependencies", "dependencies ", "dependancies", "after", "", "__proto__"]
)
def test_j19_no_key_is_ever_passed_over(key: str):
    problems = refused(plan_of(entry("api"), entry("tests", "api") | {key: ["api"]}))
    assert [problem.code for problem in problems] == ["unknown_key"]


@pytest.mark.parametrize("where", ["plan", "milestone"])
def test_j19_not_even_outside_the_items(where: str):
    spoiled = plan_of(priority=1) if where == "milestone" else told("OK") | {"priority": 1}
    assert [problem.code for problem in refused(spoiled)] == ["unknown_key"]


# --- J21: entries of the wrong kind


def test_j21_each_entry_that_is_no_item_is_told_at_its_place():
    problems = refused(told("J21"))
    assert problems[:4] == (
        Problem("type", "work[0]", "expected an object, found null"),
        Problem("type", "work[1]", "expected an object, found the text 'api'"),
        Problem("type", "work[2]", "expected an object, found 7"),
        Problem("type", "work[3]", "expected an object, found a list of 0"),
    )
    assert {problem.place.partition(".")[0] for problem in problems[4:]} == {"work[4]"}
    assert {problem.code for problem in problems[4:]} == {"missing"}


@pytest.mark.parametrize("work", [None, "api", 7, {}, {"0": entry("api")}, [], [[entry("api")]], True])
def test_j21_a_list_of_work_is_a_list_of_items(work: object):
    problems = refused(told("OK") | {"work": work})
    assert {problem.place.partition("[")[0] for problem in problems} == {"work"}


# --- J23: a container of the wrong shape


def test_j23_a_text_is_no_list_of_letters():
    assert refused(told("J23")) == (Problem("type", "work[4].dependencies", "expected a list, found the text 'api'"),)


@pytest.mark.parametrize("key", ["acceptance", "dependencies", "paths"])
@pytest.mark.parametrize("value", ["a", {"a": 1}, 1, None, True], ids=["text", "object", "number", "null", "true"])
def test_j23_nor_is_anything_else_in_the_place_of_a_list(key: str, value: object):
    problems = refused(plan_of(entry("a"), entry("end", "a") | {key: value}))
    assert places(problems) == [("type", f"work[1].{key}")]
    assert problems[0].message.startswith("expected a list, found ")


@pytest.mark.parametrize("value", [None, 7, [], {}, True], ids=["null", "number", "list", "object", "true"])
def test_j23_and_a_dependency_is_a_text(value: object):
    assert places(refused(plan_of(entry("a") | {"dependencies": [value]}))) == [("type", "work[0].dependencies[0]")]


# --- J25: a retry under another name


def test_j25_accepted_work_of_an_earlier_milestone_counts_and_a_made_up_retry_does_not():
    assert refused(told("J25")) == (
        Problem(
            "graph.dangling",
            "work[0].dependencies[1]",
            "'qa' depends on 'api-retry-1', which is neither a key of this plan nor the id of existing work",
        ),
    )


def test_j25_an_attempt_never_gets_an_id_of_its_own():
    goal = live(applied(draft("a"), draft("b", "a")), tick(), failed("p1.a"), tick(), failed("p1.a", attempt=2), tick())
    assert list(goal.work) == ["p1.a", "p1.b"]
    goal = integrated(live(goal, failed("p1.a", attempt=3), retry_work("p1.a")), "p1.a")
    assert [item.id for item in live(goal, tick()).active() if item.running] == ["p1.b"]


@pytest.mark.parametrize("name", ["p1.m1-setup", "p2.m2-backend"])
def test_j25_any_accepted_work_may_be_built_upon(name: str):
    goal = live(third_request(), replied(canonical(plan_of(entry("qa", name))), plan=3))
    assert the_plan(goal).status is PlanStatus.PROPOSED
