"""Files with many mistakes: what cannot be read comes first and alone, and then everything is said at once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnd.domain.files.goal_file import GoalFile
from harnd.domain.files.reading import read_goal
from harnd.domain.problem import Problem
from protocol import bounds
from tests.kit.goal_files import CHANGE, GOAL, HARNESSES, TEAM, goal_files, problems_of

# --- files that cannot be read at all


def test_what_is_no_toml_is_said_first_and_alone():
    files = goal_files(goal=GOAL + "x = 1\n", team=TEAM + "\nx = = 1\n", change=CHANGE + 'y = "')

    assert problems_of(files) == [
        Problem("toml.syntax", "", "is no TOML: Invalid value at column 5", file="team.toml", line=9),
        Problem("toml.syntax", "", "is no TOML: Unterminated string at its end", file="change.toml", line=14),
    ]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (
            b"a = 1\nb = '\xff'\n",
            Problem("file.not_utf8", "", "holds a byte that is no UTF-8", file="goal.toml", line=2),
        ),
        (
            b"#" * (bounds.PERSON_FILE_BYTES + 1),
            Problem("file.too_large", "", "has 262,145 bytes, expected at most 262,144", file="goal.toml"),
        ),
        (b"a = " + b"[" * 50_000, Problem("toml.syntax", "", "is nested too deeply to be read", file="goal.toml")),
        (
            b"\na" + b".a" * 130_000 + b" = 1",
            Problem("toml.syntax", "", "holds a key of more than 64 parts", file="goal.toml", line=2),
        ),
        (
            b"a = 1\nb = " + b"9" * 5_000,
            Problem("toml.syntax", "", "holds a number of thousands of digits", file="goal.toml", line=2),
        ),
        (
            b"a = 1\n[b]\nx = " + b"{a = " * 3_000 + b"1" + b"}" * 3_000,
            Problem("toml.syntax", "", "is nested too deeply to be read", file="goal.toml"),
        ),
        (
            b"a = 1\na = 2\n",
            Problem("toml.syntax", "", "is no TOML: Cannot overwrite a value at column 6", file="goal.toml", line=2),
        ),
    ],
)
def test_what_is_no_text_is_refused(content: bytes, problem: Problem):
    assert problems_of({"goal.toml": content}) == [problem]


def test_a_goal_file_that_nobody_brought_is_missing():
    assert problems_of({}) == [Problem("file.missing", "", "is not there, expected the goal file", file="goal.toml")]


def test_another_name_for_the_goal_file_is_fine():
    files = goal_files()
    files["export.toml"] = files.pop("goal.toml")

    assert isinstance(read_goal(files, harnesses=HARNESSES, main="export.toml"), GoalFile)


# --- all at once

ASKING = """
[[stages]]
kind = "approve"
name = "ask"
question = "Go on?"
# risk
"""
PLANTED: list[tuple[str, str, str, str]] = [  # file, what is written, what is written instead, the code
    ("goal.toml", 'goal = "billing-export"', 'goal = "Billing"', "pattern"),
    ("goal.toml", 'title = "Export the billing"', "title = 5", "type"),
    ("goal.toml", 'objective = "Bills can be exported."', 'objective = ""', "too_short"),
    ("goal.toml", '  "A bill is a line.",', '  "the tests pass.",', "duplicate"),
    ("goal.toml", 'planner = "planner"', 'planner = "planer"', "reference.unknown"),
    ("goal.toml", "# limits", "max_replans = 0", "range"),
    ("goal.toml", "# review", "review.reviewers = 1", "feature.not_built"),
    ("team.toml", 'argv = ["plan"]', "argv = []", "too_short"),
    ("team.toml", "# timeout", "timeout = 0", "range"),
    ("team.toml", "# model", "modle = 'x'", "unknown_key"),
    ("change.toml", 'purpose = "Change the code."', "purpose = ['x']", "type"),
    ("change.toml", 'specialist = "builder"', 'specialist = "nobody"', "reference.unknown"),
    ("change.toml", 'prompt = "{{ work.title }}"', 'prompt = "{{ work.titel }}"', "text.unknown_name"),
    ("change.toml", 'argv = ["make", "test"]', 'argv = ["make", "{{"]', "text.syntax"),
    ("change.toml", "# proves", "proves = ['WC-0']", "pattern"),
    ("change.toml", 'question = "Go on?"', 'question = "{{ work }"', "text.syntax"),
    ("change.toml", "# risk", "risk = 'none'", "enum"),
]
SLOTTED = goal_files(
    goal="# review\n" + GOAL + "# limits\n", team=TEAM + "# timeout\n# model\n", change=CHANGE + "# proves\n" + ASKING
)


@given(st.sets(st.sampled_from(PLANTED)))
def test_every_planted_mistake_is_found_on_its_line(mistakes: set[tuple[str, str, str, str]]):
    texts = {file: content.decode().split("\n") for file, content in SLOTTED.items()}
    planted: set[tuple[str, int, str]] = set()
    for file, old, new, code in mistakes:
        line = texts[file].index(old)
        texts[file][line] = new
        planted.add((file, line + 1, code))

    found = read_goal({file: "\n".join(lines).encode() for file, lines in texts.items()}, harnesses=HARNESSES)

    problems = [] if isinstance(found, GoalFile) else found
    assert sorted((problem.file, problem.line, problem.code) for problem in problems) == sorted(planted)
    assert isinstance(found, GoalFile) == (not mistakes)


LINES = st.sampled_from(
    [*GOAL.split("\n"), *TEAM.split("\n"), *CHANGE.split("\n"), "goal = [1]", "[[mission]]", "[team]"]
)
SHUFFLED = st.lists(LINES).map("\n".join)


@given(goal=SHUFFLED, team=SHUFFLED, change=SHUFFLED)
def test_whatever_the_files_hold_it_never_raises(goal: str, team: str, change: str):
    start = 'team = "team.toml"\ntemplates = ["change.toml"]\n'

    found = read_goal(goal_files(goal=start + goal, team=team, change=change), harnesses=HARNESSES)

    assert isinstance(found, list)
    assert all(problem.file in {"goal.toml", "team.toml", "change.toml"} for problem in found)


@given(st.dictionaries(st.sampled_from(["goal.toml", "team.toml", "change.toml"]), st.binary()))
def test_bytes_of_any_kind_never_raise(files: dict[str, bytes]):
    assert isinstance(read_goal({**goal_files(), **files}, harnesses=HARNESSES), list | GoalFile)
