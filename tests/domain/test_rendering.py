"""Rendering: what a text may say, what it is filled in with, and that it cannot run away."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnd.domain.goal.intent import Criterion
from harnd.domain.goal.names import (
    WITHOUT_AGENTS,
    AttemptNames,
    GoalNames,
    MilestoneNames,
    MissionNames,
    Names,
    WorkNames,
)
from harnd.domain.goal.rendering import RENDERED_CHARS, RenderError, TextProblem, problems_in, render
from protocol.ids import CriterionId, GoalId, WorkId, WorkKey

NAMES = Names(
    goal=GoalNames(GoalId("billing"), "Billing"),
    mission=MissionNames("Bills can be exported.", (Criterion(CriterionId("AC-1"), "The tests pass."),)),
    milestone=MilestoneNames(1, "Lines", "A bill is a line.", (Criterion(CriterionId("MC-1"), "A line a bill."),)),
    work=WorkNames(
        WorkId("p1.lines"),
        WorkKey("lines"),
        "Write lines",
        "Write a line for each bill.",
        (Criterion(CriterionId("WC-1"), "One line."), Criterion(CriterionId("WC-2"), "No blank.")),
        paths=("src", "tests"),
    ),
    attempt=AttemptNames(2),
    feedback=("WC-2 was not shown.",),
    outputs={"notes": "See bill.py."},
)


def test_a_text_is_filled_in():
    text = """\
# {{ work.title }} ({{ goal.id }}, attempt {{ attempt.number }})
{% for criterion in work.acceptance %}
{{ loop.index }}. {{ criterion.id }}: {{ criterion.text }}
{% endfor %}
{% if feedback %}
Last time: {{ feedback|join("; ") }}
{% endif %}
{{ outputs.notes|upper }} {{ work.paths|length }} {{ mission.invariants|length }}
"""

    assert (
        render(text, NAMES)
        == """\
# Write lines (billing, attempt 2)
1. WC-1: One line.
2. WC-2: No blank.
Last time: WC-2 was not shown.
SEE BILL.PY. 2 0
"""
    )


def test_a_value_is_never_read_as_a_template():
    names = msgspec.structs.replace(NAMES, feedback=("{{ goal.title }}{% for", "{# gone #}"))

    assert render("{{ feedback|join }}|{{ feedback[0]|indent }}", names) == (
        "{{ goal.title }}{% for{# gone #}|{{ goal.title }}{% for"
    )


def test_every_line_of_a_value_but_the_first_is_indented():
    names = msgspec.structs.replace(NAMES, feedback=("one\ntwo",))

    assert render("- {{ feedback[0]|indent(2) }}", names) == "- one\n  two"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "a\n{% if %}",
            TextProblem(2, "text.syntax", "is no template: Expected an expression, got 'end of statement block'"),
        ),
        ("{{ goal.nam }}", TextProblem(1, "text.unknown_name", "`goal.nam` is not known; `goal` has `id`, `title`")),
        (
            "a\n\n{{ goal['nam'] }}",
            TextProblem(3, "text.unknown_name", "`goal.nam` is not known; `goal` has `id`, `title`"),
        ),
        (
            "{{ outputs.plan }}",
            TextProblem(1, "text.unknown_name", "`outputs.plan` is not known; `outputs` has `notes`"),
        ),
        (
            "{{ works }}",
            TextProblem(
                1,
                "text.unknown_name",
                "`works` is not known; "
                "there are `attempt`, `feedback`, `goal`, `milestone`, `mission`, `outputs`, `work`",
            ),
        ),
        (
            "{% for c in work.acceptance %}\n{{ c.txt }}\n{% endfor %}",
            TextProblem(2, "text.failed", "names what is not there: 'dict object' has no attribute 'txt'"),
        ),
        (
            "\n{{ work.acceptance }}",
            TextProblem(
                2,
                "text.failed",
                "cannot be filled in: only texts and numbers can be written; take a list apart with `for` or `join`",
            ),
        ),
        ("{{ feedback[0] }}", TextProblem(1, "text.failed", "names what is not there: tuple object has no element 0")),
        (
            "{{ work.title|shout }}",
            TextProblem(
                1,
                "text.refused",
                "has no filter `shout`; there are `indent`, `join`, `length`, `lower`, `trim`, `upper`",
            ),
        ),
        (
            "{% for work in feedback %}{% endfor %}",
            TextProblem(1, "text.refused", "a loop cannot call its entry `work`, which is a name"),
        ),
    ],
)
def test_what_is_wrong_is_found_at_load_with_its_line(text: str, problem: TextProblem):
    assert problems_in(text, outputs=["notes"]) == [problem]


def test_a_proof_may_name_nothing_that_an_agent_said():
    [problem] = problems_in("{{ outputs.notes }}", offered=WITHOUT_AGENTS, outputs=["notes"])

    assert problem.message.startswith("`outputs` is not offered here")


def test_all_that_is_wrong_is_said_at_once():
    found = problems_in("{{ a }}\n{{ goal.b }}\n{{ goal.id|c }}\n{% set d = 1 %}")

    assert [(problem.line, problem.code) for problem in found] == [
        (1, "text.unknown_name"),
        (2, "text.unknown_name"),
        (3, "text.refused"),
        (4, "text.refused"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "{{ 'a' * 10**9 }}",
        "{{ range(10**9)|join }}",
        "{% for a in range(10) %}{% endfor %}",
        "{{ 'a'.ljust(10**9) }}",
        "{{ '%1000000000d' % 1 }}",
        "{{ work.title ~ work.title }}",
        "{% set a = 'a' %}{{ a }}",
        "{% macro a() %}{{ a() }}{% endmacro %}",
        "{% include 'secret' %}",
        "{% import 'secret' as secret %}",
        "{% extends 'secret' %}",
        "{% block a %}{% endblock %}",
        "{% for a in feedback recursive %}{{ loop(a) }}{% endfor %}",
        "{{ work.title.__class__.__mro__ }}",
        "{{ work.title|attr('__class__') }}",
        "{{ work.items }}",
        "{{ feedback|indent(1000000000) }}",
        "{{ 'a'|indent(1000000000) }}",
        "{% for a in 'abc' %}{% endfor %}",
        "{{ " + "(" * 5_000 + "1" + ")" * 5_000 + " }}",
        "{{ 1" + " + 1" * 5_000 + " }}",
        "{{ " + "9" * 5_000 + " }}",
        "{% for a in feedback %}" * 30 + "{% endfor %}" * 30,
        "{% if feedback %}" * 200 + "{% endif %}" * 200,
        "{{ _steps }}",
    ],
)
def test_what_could_run_away_or_look_about_is_refused(text: str):
    assert problems_in(text)
    with pytest.raises(RenderError):
        render(text, NAMES)


def test_loops_within_loops_are_counted_together():
    names = msgspec.structs.replace(NAMES, feedback=("x",) * 200)
    text = "{% for a in feedback %}{% for b in feedback %}{% endfor %}{% endfor %}"

    with pytest.raises(RenderError, match="loops more than 10,000 times"):
        render(text, names)


def test_the_result_is_capped():
    names = msgspec.structs.replace(NAMES, feedback=("x" * (RENDERED_CHARS // 2),) * 3)

    for text in ("{% for a in feedback %}{{ a }}{% endfor %}", "{{ feedback|join }}"):
        with pytest.raises(RenderError) as raised:
            render(text, names)
        assert raised.value.code == "text.runaway"


@given(
    st.text()
    | st.lists(
        st.sampled_from(
            [
                "{{",
                "}}",
                "{%",
                "%}",
                " for ",
                " if ",
                " in ",
                "work",
                ".",
                "title",
                "|",
                "x",
                "(",
                ")",
                "[",
                "]",
                "'",
                "\n",
                "end",
                "1",
                "+",
                "else",
                "not ",
            ]
        )
    ).map("".join)
)
def test_a_text_that_has_no_problems_can_be_filled_in_and_nothing_else_raises(text: str):
    problems = problems_in(text, outputs=["notes"])

    if problems:
        assert all(problem.line >= 1 for problem in problems)
    else:
        render(text, NAMES)


@given(st.text())
def test_whatever_a_value_says_it_is_put_in_as_it_is(said: str):
    names = msgspec.structs.replace(NAMES, feedback=(said,))

    assert render("{% for finding in feedback %}<{{ finding }}>{% endfor %}", names) == f"<{said}>"


@pytest.mark.parametrize(
    "text",
    [
        "{{ work.title }}" * 15_000,
        "{% if 1 %}" + "{% elif 1 %}" * 1_900 + "{% endif %}",
        "{{ 1" + "+1" * 100_000 + " }}",
        "{{ 'a' " + "'b' " * 60_000 + "}}",
        "{{ [" + "1," * 3_000 + "1] | length }}",
    ],
    ids=["names", "branches", "sums", "pieces", "list"],
)
def test_a_text_of_too_many_parts_is_refused_before_it_is_compiled(text):
    (problem,) = problems_in(text)
    assert problem.code == "text.refused"
    assert "has more than 2,000 names, tags and other parts" in problem.message


def test_a_long_text_of_hundreds_of_names_is_fine():
    assert problems_in(("word " * 50 + "{{ work.title }}\n") * 400) == []
