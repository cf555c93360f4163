"""The files of a small goal that is right, to be spoiled one line at a time."""

from collections.abc import Mapping
from typing import Any

from harnd.domain.files.goal_file import GoalFile
from harnd.domain.files.reading import read_goal
from harnd.domain.problem import Problem

COMMAND: Mapping[str, Any] = {
    "type": "object",
    "required": ["argv"],
    "properties": {
        "argv": {
            "type": "array",
            "items": {"type": "string"},
            "minItems": 1,
            "description": "the program and its arguments",
        },
        "quiet": {"type": "boolean"},
    },
}
HARNESSES = {"command": COMMAND}

HEAD = """\
goal = "billing-export"
title = "Export the billing"
team = "team.toml"
templates = ["change.toml"]
"""

MISSION = """
[mission]
objective = "Bills can be exported."
acceptance = [
  "The tests pass.",
  "A bill is a line.",
]

[replanning]
planner = "planner"
"""

GOAL = HEAD + MISSION

OWN_WORK = """
[[work]]
key = "lines"
title = "Write bills as lines"
objective = "A bill can be written as a line."
acceptance = ["The tests pass."]
template = "change"
paths = ["src/lines"]

[[work]]
key = "export"
title = "Export bills"
objective = "Bills can be exported."
acceptance = ["The tests pass.", "A bill is a line."]
dependencies = ["lines"]
template = "change"
"""

TEAM = """\
[planner]
harness = "command"
argv = ["plan"]

[builder]
harness = "command"
argv = ["build", "{prompt_file}"]
"""

CHANGE = """\
name = "change"
purpose = "Change the code."
root = true

[[stages]]
kind = "agent"
name = "build"
specialist = "builder"
prompt = "{{ work.title }}"

[[proofs]]
name = "tests"
argv = ["make", "test"]
"""


def goal_files(*, goal: str = GOAL, team: str = TEAM, change: str = CHANGE) -> dict[str, bytes]:
    """Bring the files together under the names that the goal file gives them."""
    return {"goal.toml": goal.encode(), "team.toml": team.encode(), "change.toml": change.encode()}


def problems_of(files: Mapping[str, bytes]) -> list[Problem]:
    """Read files that are wrong."""
    problems = read_goal(files, harnesses=HARNESSES)
    assert isinstance(problems, list), "nothing was found to be wrong"
    return problems


def read(files: Mapping[str, bytes]) -> GoalFile:
    """Read files that are right."""
    goal = read_goal(files, harnesses=HARNESSES)
    assert isinstance(goal, GoalFile), "\n".join(map(str, goal))
    return goal
