"""Plan files: what a person is given to edit reads back as the plan it was, and every mistake has its line."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harnctl.editing.plan_text import plan_text, with_problems, without_problems
from harnd.daemon.queries.plans import view_of
from harnd.domain.files.plan_file import read_plan
from harnd.domain.goal.candidate import Apply
from harnd.domain.goal.goal import Goal
from protocol.values import Trigger
from protocol.views import ProblemView
from tests.kit.given import a_plan, answered, completion, draft, live, planning, proposed, question, reassessing

HEAD = 'decision = "apply"\nrationale = "Mine."\n\n[milestone]\ntitle = "T"\nobjective = "O"\nacceptance = ["A"]\n\n'
ITEM = """\
[[work]]
key = "a"
title = "Do a"
objective = "Make a work."
acceptance = ["It works."]
template = "change"
"""
texts = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")) | st.sampled_from('"\\\n\t#'), min_size=1)


def text_of(goal: Goal) -> str:
    return plan_text(view_of(goal, len(goal.plans)))


@pytest.mark.parametrize(
    ("goal", "trigger"),
    [
        (proposed(a_plan(draft("a"), draft("b", "a", paths=[]))), Trigger.INITIAL),
        (live(reassessing(), answered(completion("p1.a"), plan=2)), Trigger.MILESTONE),
    ],
    ids=["apply", "complete"],
)
def test_what_is_given_to_edit_is_the_plan(goal, trigger):
    plan = goal.plan
    assert plan is not None
    assert read_plan(goal, trigger, text_of(goal).encode()) == plan.candidate


@settings(max_examples=40)
@given(texts, texts)
def test_every_text_is_read_as_it_was_written(rationale: str, objective: str):
    own = a_plan(draft("a", objective=f"x{objective}"), rationale=f"x{rationale}")
    goal = proposed(own)
    if goal.plan is not None and goal.plan.candidate == own:
        assert read_plan(goal, Trigger.INITIAL, text_of(goal).encode()) == own


def test_what_follows_by_itself_need_not_be_written():
    read = read_plan(planning(), Trigger.INITIAL, (HEAD + ITEM).encode())
    assert isinstance(read, Apply)
    assert (read.milestone.sequence, read.work[0].dependencies, read.work[0].paths) == (1, (), ())


def told(text: str) -> list[tuple[str, str, int]]:
    read = read_plan(planning(), Trigger.INITIAL, text.encode())
    assert isinstance(read, list)
    return [(problem.code, problem.place, problem.line) for problem in read]


def test_all_mistakes_of_shape_are_told_at_once_with_their_lines():
    wrong = HEAD.replace('"Mine."', '""') + ITEM.replace('"change"', '"nothing"') + "more = 1\n"
    assert told(wrong) == [
        ("too_short", "rationale", 2),
        ("enum", "work[0].template", 14),
        ("unknown_key", "work[0].more", 15),
    ]


def test_all_mistakes_of_the_graph_are_told_at_once_with_their_lines():
    second = ITEM.replace('key = "a"', 'key = "b"\ndependencies = ["nowhere"]')
    assert told(HEAD + ITEM + second) == [
        ("graph.many_roots", "work", 9),
        ("graph.dangling", "work[1].dependencies[0]", 17),
    ]


def test_what_is_no_toml_is_told_alone():
    assert told("decision = ")[0][0] == "toml.syntax"


def test_a_question_is_no_answer_of_a_person():
    assert told('decision = "attention"\nrationale = "r"\nquestion = "q"\n')


def test_a_plan_without_a_candidate_is_a_form_that_says_what_was_asked():
    text = text_of(live(planning(), answered(question("Which\nformat?"))))
    assert "# The planner asked: Which\n# format?\n" in text
    assert told(text)


def test_problems_stand_at_the_top_with_the_lines_below_them_and_are_taken_out_again():
    found = [ProblemView("a", "x", "is wrong", "plan.toml", 2), ProblemView("b", "", "is\nworse", "plan.toml", 0)]
    marked = with_problems("first\nsecond\n", found)
    assert marked.splitlines()[0] == "#! line 4: x is wrong"
    assert marked.splitlines()[3] == "second"
    assert without_problems(marked) == "first\nsecond\n"
