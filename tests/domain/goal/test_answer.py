"""A planner's answer: one legal candidate, or everything that is wrong with it."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from harnd.domain.checking import check
from harnd.domain.digest import canonical
from harnd.domain.goal.answer import read_candidate
from harnd.domain.goal.candidate import Candidate, Claim, Complete
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.planner_schema import planner_schema
from harnd.domain.problem import Problem
from protocol import bounds
from protocol.ids import CriterionId, WorkId
from protocol.values import Trigger
from tests.kit.given import (
    a_plan,
    a_template,
    answered,
    applied,
    completion,
    draft,
    integrated,
    live,
    milestone_met,
    planning,
    proposed,
    question,
    reassessing,
    reject,
    tick,
    unfinished,
    working,
)

PLAN = a_plan(draft("a"), draft("b", "a"))


def read(goal: Goal, candidate: Candidate, trigger: Trigger = Trigger.INITIAL, **changes: object) -> Any:
    return read_candidate(goal, trigger, unfinished(candidate, **changes))


def branches(goal: Goal, trigger: Trigger) -> list[str]:
    schema: Any = planner_schema(goal, trigger)
    return [branch["properties"]["decision"]["const"] for branch in schema["oneOf"]]


# --- which branches are offered


@pytest.mark.parametrize(
    ("goal", "trigger", "offered"),
    [
        (planning(), Trigger.INITIAL, ["apply", "attention"]),
        (planning(), Trigger.RECOVERY, ["apply", "attention"]),
        (reassessing(), Trigger.MILESTONE, ["apply", "complete", "attention"]),
        (reassessing(milestones=1), Trigger.MILESTONE, ["complete", "attention"]),
        (reassessing(planned_work=1), Trigger.MILESTONE, ["complete", "attention"]),
        (reassessing(attempts=1), Trigger.MILESTONE, ["complete", "attention"]),
        (reassessing(milestones=1), Trigger.RECOVERY, ["attention"]),
    ],
    ids=["initial", "recovery", "milestone", "no milestone", "no work", "no attempts", "recovery without"],
)
def test_only_what_is_possible_now_is_offered(goal, trigger, offered):
    assert branches(goal, trigger) == offered


def test_a_branch_that_is_not_offered_is_refused_by_name():
    assert read(planning(), completion("p1.a")) == (
        Problem("enum", "decision", "expected one of 'apply', 'attention', found the text 'complete'"),
    )
    assert read(reassessing(milestones=1), a_plan(sequence=2), Trigger.MILESTONE) == (
        Problem("enum", "decision", "expected one of 'complete', 'attention', found the text 'apply'"),
    )


# --- what the schema bounds


def work_schema(goal: Goal) -> Any:
    schema: Any = planner_schema(goal, Trigger.INITIAL)
    return schema["oneOf"][0]["properties"]


def test_the_sequence_is_the_next_one_and_no_other():
    schema: Any = planner_schema(reassessing(), Trigger.MILESTONE)
    assert schema["oneOf"][0]["properties"]["milestone"]["properties"]["sequence"] == {"type": "integer", "enum": [2]}


def test_a_plan_has_as_many_items_as_a_plan_may_have_and_as_are_left():
    assert work_schema(planning(work_per_plan=3))["work"]["maxItems"] == 3
    assert work_schema(planning(planned_work=2))["work"]["maxItems"] == 2


def test_a_template_is_one_of_the_goals():
    assert work_schema(planning())["work"]["items"]["properties"]["template"]["enum"] == ["change", "chore"]


@pytest.mark.parametrize(
    "schema",
    [
        planner_schema(planning(), Trigger.INITIAL),
        planner_schema(reassessing(), Trigger.MILESTONE),
        planner_schema(reassessing(milestones=1), Trigger.RECOVERY),
    ],
    ids=["initial", "milestone", "recovery"],
)
def test_a_schema_is_one_and_closed_all_the_way_down(schema):
    Draft202012Validator.check_schema(schema)
    open_objects = [entry for entry in nested(schema) if entry.get("type") == "object" and not closed(entry)]
    assert open_objects == []


def nested(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        return [value, *(entry for child in value.values() for entry in nested(child))]
    return [entry for child in value for entry in nested(child)] if isinstance(value, list) else []


def closed(schema: dict[str, Any]) -> bool:
    return schema["additionalProperties"] is False and schema["required"] == list(schema["properties"])


@pytest.mark.parametrize(
    ("path", "most"),
    [
        (("rationale",), bounds.RATIONALE_CHARS),
        (("milestone", "title"), bounds.TITLE_CHARS),
        (("milestone", "objective"), bounds.OBJECTIVE_CHARS),
        (("milestone", "acceptance", 0), bounds.CRITERION_CHARS),
        (("work", 0, "title"), bounds.TITLE_CHARS),
        (("work", 0, "objective"), bounds.OBJECTIVE_CHARS),
        (("work", 0, "acceptance", 0), bounds.CRITERION_CHARS),
        (("work", 0, "paths", 0), bounds.PATH_CHARS),
    ],
    ids=lambda value: ".".join(map(str, value)) if isinstance(value, tuple) else "",
)
def test_every_text_may_be_as_long_as_its_bound_and_no_longer(path, most):
    def with_text(text: str) -> bytes:
        value: Any = msgspec.to_builtins(PLAN)
        inner = value
        for step in path[:-1]:
            inner[step] = list(inner[step]) if isinstance(inner[step], tuple) else inner[step]
            inner = inner[step]
        if isinstance(path[-1], int):
            inner[:] = [text]
        else:
            inner[path[-1]] = text
        return canonical(value)

    def found(text: str) -> list[str]:
        answer = read_candidate(planning(), Trigger.INITIAL, with_text(text))
        return [problem.code for problem in answer] if isinstance(answer, tuple) else []

    assert found("x" * most) == []
    assert found("é" * most) == []
    assert found("x" * (most + 1)) == ["too_long"]
    assert found("") == ["too_short"]
    assert found(" \t\n") == ["too_short"]


@pytest.mark.parametrize(("items", "codes"), [(0, ["too_short"]), (1, []), (8, []), (9, ["too_long"])])
def test_a_plan_has_one_to_as_many_items_as_it_may(items, codes):
    drafts = [draft(f"k{n}") for n in range(items - 1)]
    work = [*drafts, draft("end", *(entry.key for entry in drafts))][:items]
    answer = read(planning(), PLAN, work=msgspec.to_builtins(work))
    assert [problem.code for problem in answer] == codes if codes else not isinstance(answer, tuple)


# --- an answer that is right


@pytest.mark.parametrize("candidate", [PLAN, question()], ids=["apply", "attention"])
def test_a_legal_answer_is_read_as_it_was_written(candidate):
    assert read(planning(), candidate) == candidate


def test_a_completion_is_read_when_there_is_something_to_look_at():
    done = completion("p1.a")
    assert read(reassessing(), done, Trigger.MILESTONE) == done


def test_no_rule_of_meaning_is_asked_about_a_wrong_shape():
    value = unfinished(a_plan(draft("a", "a")), rationale=7)
    answer = read_candidate(planning(), Trigger.INITIAL, value)
    assert answer == (Problem("type", "rationale", "expected a text, found 7"),)


# --- a completion covers the mission

TWO = ("Bills are exported.", "Bills are read.")


def claims(*entries: tuple[str, str]) -> Complete:
    return Complete(
        "Done.", tuple(Claim(CriterionId(name), (WorkId(work),), "It is proved.") for name, work in entries)
    )


def test_every_criterion_is_claimed_exactly_once():
    goal = reassessing(acceptance=TWO)
    good = claims(("AC-2", "p1.a"), ("AC-1", "p1.a"))
    assert read(goal, good, Trigger.MILESTONE) == good
    assert read(goal, claims(("AC-1", "p1.a"), ("AC-1", "p1.a")), Trigger.MILESTONE) == (
        Problem("complete.coverage", "evidence", "AC-1 is claimed 2 times; expected exactly once"),
        Problem("complete.coverage", "evidence", "AC-2 is claimed 0 times; expected exactly once"),
    )


@pytest.mark.parametrize("entries", [1, 3])
def test_too_few_and_too_many_claims_are_a_mistake_of_shape(entries):
    goal = reassessing(acceptance=TWO)
    answer = read(goal, claims(*[("AC-1", "p1.a")] * entries), Trigger.MILESTONE)
    assert [problem.place for problem in answer] == ["evidence"]


def test_a_criterion_that_the_mission_does_not_have_is_refused():
    answer = read(reassessing(), claims(("AC-9", "p1.a")), Trigger.MILESTONE)
    assert [(problem.code, problem.place) for problem in answer] == [("enum", "evidence[0].criterion")]


def test_only_accepted_work_shows_anything():
    goal = integrated(applied(draft("a"), draft("b", "a")), "p1.a")
    done = Complete("Done.", (Claim(CriterionId("AC-1"), (WorkId("p1.b"), WorkId("p1.a"), WorkId("p9.x")), "See."),))
    assert read(goal, done, Trigger.MILESTONE) == tuple(
        Problem(
            "complete.evidence",
            f"evidence[0].work[{offset}]",
            f"{name!r} is no accepted work; only accepted work can show that a criterion is met",
        )
        for offset, name in ((0, "p1.b"), (2, "p9.x"))
    )


# --- the same plan again

AGAIN = Problem("plan.no_progress", "", "this is plan 1 again, which the operator rejected")


def test_a_rejected_plan_is_not_proposed_again_for_the_same_graph():
    goal = live(proposed(PLAN), reject(PLAN))
    renamed = a_plan(draft("a", title="Other words"), draft("b", "a"), rationale="Other reasons.")
    assert read(goal, PLAN) == (AGAIN,)
    assert read(goal, renamed) == (AGAIN,)
    assert not isinstance(read(goal, a_plan(draft("a"), draft("c", "a"))), tuple)


def test_for_another_graph_it_may_be_right():
    second = a_plan(draft("b"), sequence=2)
    goal = live(reassessing(), answered(second, plan=2), reject(second, plan=2))
    assert read(goal, second, Trigger.MILESTONE) == (
        Problem("plan.no_progress", "", "this is plan 2 again, which the operator rejected"),
    )
    elsewhere = msgspec.structs.replace(
        goal, work=integrated(working(draft("a"), draft("c", "a")), "p1.a", "p1.c").work
    )
    assert read(elsewhere, second, Trigger.MILESTONE) == second


def test_a_question_may_be_asked_again():
    goal = live(planning(), answered(question()), tick())
    assert read(goal, question()) == question()


# --- whatever comes in

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=8), JSON, max_size=5))
def test_any_object_is_read_or_refused_with_reasons(value):
    answer = read_candidate(planning(), Trigger.INITIAL, json.dumps(value).encode())
    assert isinstance(answer, tuple)
    assert answer


@given(st.sampled_from(["rationale", "milestone", "work", "decision"]), JSON)
def test_any_spoiled_plan_is_refused_with_reasons(key, value):
    answer = read_candidate(planning(), Trigger.INITIAL, json.dumps(msgspec.to_builtins(PLAN) | {key: value}).encode())
    assert isinstance(answer, tuple) or (key == "rationale" and isinstance(value, str))


def test_what_is_said_of_a_hopeless_plan_is_bounded():
    paths = ["/etc/passwd"] * bounds.DECLARED_PATHS
    drafts = [draft(f"k{n}", *["nowhere"] * bounds.DEPENDENCIES, paths=paths) for n in range(8)]
    answer = read(planning(), a_plan(*drafts))
    assert len(answer) == bounds.PROBLEMS_SHOWN + 1
    assert str(answer[-1]).startswith("and ")


def of_size(size: int) -> Candidate:
    """A legal plan of so many bytes in its canonical form."""
    acceptance = [f"{number} {'é' * 480}" for number in range(38)]
    drafts = [draft(f"k{number}", acceptance=acceptance) for number in range(7)]
    end = draft("end", *(entry.key for entry in drafts), objective="x", acceptance=["It works.", "é" * 480])
    missing = size - len(canonical(a_plan(*drafts, end)))
    return a_plan(*drafts, msgspec.structs.replace(end, objective="x" * (1 + missing)))


def test_a_plan_fits_into_one_event():
    most = bounds.EVENT_BYTES // 2
    assert read(planning(), of_size(most)) == of_size(most)
    assert read(planning(), of_size(most + 1)) == (
        Problem(
            "answer.too_large", "", "has 262,145 bytes, expected at most 262,144; plan less, or say it in fewer words"
        ),
    )


def test_every_problem_of_meaning_is_found_at_once():
    goal = live(proposed(PLAN), reject(PLAN))
    spoiled = a_plan(draft("a", "nowhere"), draft("b", "a"))
    assert [problem.code for problem in read(goal, spoiled)] == ["graph.dangling"]
    goal = milestone_met(templates=[a_template(proves=["WC-1"])])
    answer = read(goal, a_plan(draft("a", "p9.x", acceptance=["1", "2"]), sequence=2), Trigger.MILESTONE)
    assert [problem.code for problem in answer] == ["graph.dangling", "graph.unprovable"]


@pytest.mark.parametrize(
    ("character", "codes"), [("\n", (1, 0)), ("\t", (1, 0)), ("\x1b", (1, 1)), ("\x9b", (1, 1)), ("é", (0, 0))]
)
def test_a_title_is_one_line_and_no_text_has_control_characters(character, codes):
    for key, refused in zip(("title", "objective"), codes, strict=True):
        problems = check(f"Export{character}it", work_schema(planning())["milestone"]["properties"][key])
        assert [problem.code for problem in problems] == ["pattern"] * refused
