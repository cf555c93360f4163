"""Files that do not fit together, each of which could be right by itself."""

from harnd.domain.problem import Problem
from tests.kit.goal_files import CHANGE, GOAL, goal_files, problems_of


def test_a_mistyped_key_is_named_twice_as_there_and_as_missing():
    assert problems_of(goal_files(goal=GOAL.replace("title", "titel"))) == [
        Problem("missing", "title", "is missing, expected one line that says what the goal is", file="goal.toml"),
        Problem("unknown_key", "titel", "is not a key here; did you mean `title`?", file="goal.toml", line=2),
    ]


def test_templates_of_one_name_are_told_apart_by_their_files():
    goal = GOAL.replace('["change.toml"]', '["change.toml", "other.toml"]')

    assert problems_of({**goal_files(goal=goal), "other.toml": CHANGE.encode()}) == [
        Problem("duplicate", "name", "`change` is the name of the template in change.toml", file="other.toml", line=1)
    ]


def test_parallel_stages_do_not_see_each_other_and_later_ones_see_both():
    parallel = """
[[stages]]
kind = "parallel"
name = "both"
[[stages.stages]]
kind = "command"
name = "one"
argv = ["x", "{{ outputs.two }}"]
output = "one"
[[stages.stages]]
kind = "command"
name = "two"
argv = ["x"]
output = "two"
[[stages]]
kind = "command"
name = "three"
argv = ["{{ outputs.one }}", "{{ outputs.two }}"]
output = "two"
"""

    assert problems_of(goal_files(change=CHANGE + parallel)) == [
        Problem(
            "text.unknown_name",
            "stages[1].stages[0].argv[1]",
            "`outputs.two` is not known; `outputs` has none that this text may name",
            file="change.toml",
            line=21,
        ),
        Problem("duplicate", "stages[2].output", "`two` is the name of an earlier output", file="change.toml", line=32),
    ]


def test_a_prompt_names_only_the_outputs_that_its_inputs_list():
    stages = """\
stages = [
  { kind = "command", name = "list", argv = ["ls"], output = "files" },
  { kind = "agent", name = "build", specialist = "builder", prompt = "{{ outputs.files }}" },
]
"""
    change = CHANGE[: CHANGE.index("[[stages]]")] + stages + CHANGE[CHANGE.index("[[proofs]]") :]

    assert problems_of(goal_files(change=change)) == [
        Problem(
            "text.unknown_name",
            "stages[1].prompt",
            "`outputs.files` is not known; `outputs` has none that this text may name",
            file="change.toml",
            line=7,
        )
    ]


def test_an_attempt_that_nobody_could_pay_for_is_refused():
    goal = GOAL + "[limits]\nanswers_per_work = 1\n"
    second = "[[stages]]\nkind = 'agent'\nname = 'again'\nspecialist = 'builder'\nprompt = 'x'\n"

    assert problems_of(goal_files(goal=goal, change=CHANGE + second)) == [
        Problem(
            "template.too_many_answers",
            "stages",
            "ask 2 agents in one attempt, expected at most the 1 of `limits.answers_per_work`",
            file="change.toml",
            line=5,
        )
    ]
