"""Checking: everything that is wrong, in the order of the document, whatever the value."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnd.domain.checking import check, place
from harnd.domain.problem import Problem
from protocol import bounds

WORK = {
    "type": "object",
    "properties": {
        "key": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 8, "description": "a key of small letters"},
        "tries": {"type": "integer", "minimum": 1, "maximum": 3},
        "template": {"enum": ["change", "chore"]},
    },
    "required": ["key"],
    "additionalProperties": False,
}
APPLY = {
    "type": "object",
    "properties": {
        "decision": {"const": "apply"},
        "work": {"type": "array", "items": WORK, "minItems": 1, "maxItems": 3},
        "notes": {"type": "array", "items": {"type": "string", "minLength": 1}, "distinct": True},
    },
    "required": ["decision", "work"],
    "additionalProperties": False,
}
ATTENTION = {
    "type": "object",
    "properties": {"decision": {"const": "attention"}, "question": {"type": "string"}},
    "required": ["decision", "question"],
    "additionalProperties": False,
}
CANDIDATE = {"oneOf": [APPLY, ATTENTION]}


def test_a_right_value_has_no_problems():
    assert check({"decision": "apply", "work": [{"key": "a", "tries": 3, "template": "chore"}]}, CANDIDATE) == []


def test_everything_is_said_at_once_in_the_order_of_the_document():
    value = {
        "notes": ["Same", " same ", "", 7],
        "work": [{"tries": 0, "kei": 1}, "abc", {"key": "a\n", "template": "chor"}, {"key": "abcdefghi"}],
        "decision": "apply",
    }

    assert check(value, CANDIDATE) == [
        Problem("duplicate", "notes[1]", "says the same as entry [0]"),
        Problem("too_short", "notes[2]", "is empty, expected a text"),
        Problem("type", "notes[3]", "expected a text, found 7"),
        Problem("too_long", "work", "has 4 entries, expected at most 3"),
        Problem("range", "work[0].tries", "expected 1 to 3, found 0"),
        Problem("unknown_key", "work[0].kei", "is not a key here; did you mean `key`?"),
        Problem("missing", "work[0].key", "is missing, expected a key of small letters"),
        Problem("type", "work[1]", "expected an object, found the text 'abc'"),
        Problem("pattern", "work[2].key", "expected a key of small letters, found the text 'a\\n'"),
        Problem(
            "enum",
            "work[2].template",
            "expected one of 'change', 'chore', found the text 'chor'; did you mean `chore`?",
        ),
        Problem("too_long", "work[3].key", "has 9 characters, expected at most 8"),
    ]


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"work": []}, Problem("missing", "decision", "is missing, expected one of 'apply', 'attention'")),
        (
            {"decision": "atention"},
            Problem(
                "enum",
                "decision",
                "expected one of 'apply', 'attention', found the text 'atention'; did you mean `attention`?",
            ),
        ),
        ({"decision": "attention"}, Problem("missing", "question", "is missing")),
        ({"decision": None}, Problem("enum", "decision", "expected one of 'apply', 'attention', found null")),
        ([], Problem("type", "", "expected an object, found a list of 0")),
        ("apply", Problem("type", "", "expected an object, found the text 'apply'")),
    ],
)
def test_only_the_branch_that_a_value_names_is_reported(value: object, problem: Problem):
    assert check(value, CANDIDATE) == [problem]


def test_without_a_name_the_branch_is_found_by_type():
    schema = {"anyOf": [{"type": "string", "maxLength": 2}, {"type": "array", "items": {"type": "integer"}}]}

    assert check("abc", schema) == [Problem("too_long", "", "has 3 characters, expected at most 2")]
    assert check([1, "a"], schema) == [Problem("type", "[1]", "expected a whole number, found the text 'a'")]
    assert check(5, schema) == [Problem("type", "", "expected a text or a list, found 5")]


def test_a_text_is_never_taken_for_a_list():
    schema = {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2}

    assert check("abc", schema) == [Problem("type", "", "expected a list, found the text 'abc'")]


@pytest.mark.parametrize("value", [True, False, 1.0, 2.5, math.nan, math.inf, "1", None])
def test_a_whole_number_is_nothing_else(value: object):
    assert [problem.code for problem in check(value, {"type": "integer", "minimum": 0, "maximum": 9})] == ["type"]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, True])
def test_what_is_not_finite_is_no_number(value: object):
    assert [problem.code for problem in check(value, {"type": "number", "minimum": 0, "multipleOf": 0.5})] == ["type"]


def test_true_is_not_one():
    assert [problem.code for problem in check(True, {"const": 1})] == ["const"]
    assert [problem.code for problem in check([1, True, 1], {"uniqueItems": True})] == ["duplicate"]


def test_a_pattern_ends_at_the_end():
    assert [problem.code for problem in check("a\n", {"pattern": "^a$"})] == ["pattern"]


def test_a_wrongly_named_entry_is_reported_where_it_is():
    schema = {"type": "object", "propertyNames": {"pattern": "^[a-z]+$", "description": "small letters"}}

    assert check({"ok": 1, "Not ok": 2}, schema) == [
        Problem("pattern", "['Not ok']", "expected small letters, found the text 'Not ok'")
    ]


def test_what_was_found_is_clipped_and_made_visible():
    [problem] = check("\x1b[2J\u202e" + "a" * 10_000, {"type": "integer"})

    assert problem.message == f"expected a whole number, found the text '\\x1b[2J\\u202e{'a' * 55}…'"


def test_numbers_are_clipped_too():
    assert check(10**5_000, {"type": "string"}) == [
        Problem("type", "", "expected a text, found a number of more than 18 digits")
    ]


def test_so_many_problems_are_shown_and_the_rest_is_counted():
    schema = {"type": "array", "items": {"type": "integer"}}
    shown = [
        Problem("type", f"[{index}]", "expected a whole number, found null") for index in range(bounds.PROBLEMS_SHOWN)
    ]

    assert check([None] * 100, schema) == shown
    assert check([None] * 101, schema) == [*shown, Problem("more", "", "and 1 more problems")]
    assert check([None] * 50_000, schema) == [*shown, Problem("more", "", "and at least 9,900 more problems")]


def test_a_value_as_deep_as_a_well_is_refused_whole():
    value: list[object] = []
    for _ in range(100_000):
        value = [value]

    assert check(value, {"uniqueItems": True}) == [Problem("too_deep", "", "is nested more than 64 levels deep")]


def test_other_keywords_get_a_sentence_as_well():
    assert check(3, {"not": {"type": "integer"}}) == [Problem("invalid", "", "does not satisfy `not`, found 3")]


def test_a_place_is_written_so_that_it_can_be_read():
    assert place(("work", 2, "template")) == "work[2].template"
    assert place((0, "a b", "c")) == "[0]['a b'].c"


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["apply", "attention"]),
    lambda children: (
        st.lists(children, max_size=5)
        | st.dictionaries(
            st.sampled_from(["decision", "work", "key", "tries", "notes"]) | st.text(max_size=5), children, max_size=5
        )
    ),
    max_leaves=20,
)


@given(ANYTHING)
def test_it_never_raises_and_says_the_same_again(value: object):
    problems = check(value, CANDIDATE)

    assert problems == check(value, CANDIDATE)
    assert all(len(problem.message) < 500 for problem in problems)
    assert len(problems) <= bounds.PROBLEMS_SHOWN + 1


@given(st.sets(st.sampled_from(range(20)), min_size=1))
def test_every_planted_mistake_is_found(wrong: set[int]):
    work = [{"key": "WRONG" if index in wrong else "right"} for index in range(20)]
    schema = {"type": "array", "items": WORK}

    found = [problem.place for problem in check(json.loads(json.dumps(work)), schema)]

    assert found == [f"[{index}].key" for index in sorted(wrong)]


def test_a_list_that_holds_none_of_a_kind_is_one_mistake():
    wanted = {"properties": {"n": {"const": 1}}, "required": ["n"], "description": "one entry that counts 1"}
    schema = {"type": "array", "contains": wanted}
    assert check([{"n": 1}, {}], schema) == []
    assert check([{"n": 2}], schema) == [Problem("missing", "", "expected one entry that counts 1, found none")]
    assert [problem.code for problem in check("no list", schema)] == ["type"]
