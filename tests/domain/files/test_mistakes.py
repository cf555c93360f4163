"""Files with one mistake: it is one sentence, on its line, and nothing else is said."""

from collections.abc import Callable
from typing import TypeAlias

import pytest

from harnd.domain.problem import Problem
from tests.kit.goal_files import CHANGE, GOAL, HEAD, OWN_WORK, TEAM, goal_files, problems_of

Spoil: TypeAlias = Callable[[str], str]
Said: TypeAlias = tuple[str, str, int, str]  # code, place, line, message


def instead(old: str, new: str) -> Spoil:
    return lambda text: text.replace(old, new, 1)


def after(new: str) -> Spoil:
    return lambda text: text + new


KINDS = "'prepare', 'agent', 'command', 'parallel', 'approve'"
GOAL_MISTAKES: list[tuple[Spoil, Said]] = [
    (
        instead('"billing-export"', '"Billing"'),
        (
            "pattern",
            "goal",
            1,
            "expected the goal's id, of small letters, digits and dashes, at most 63, found the text 'Billing'",
        ),
    ),
    (instead('"Export the billing"', "3"), ("type", "title", 2, "expected a text, found 3")),
    (instead('"Export the billing"', '" "'), ("too_short", "title", 2, "is empty, expected a text")),
    (
        instead('"Export the billing"', r'"Export\u001b[2J"'),
        ("pattern", "title", 2, r"expected one line that says what the goal is, found the text 'Export\x1b[2J'"),
    ),
    (
        instead('"Export the billing"', f'"{"x" * 201}"'),
        ("too_long", "title", 2, "has 201 characters, expected at most 200"),
    ),
    (
        instead('["change.toml"]', '"change.toml"'),
        ("type", "templates", 4, "expected a list, found the text 'change.toml'"),
    ),
    (instead('["change.toml"]', "[]"), ("too_short", "templates", 4, "has no entries, expected at least 1")),
    (
        instead('["change.toml"]', '["change.toml", "change.toml"]'),
        ("duplicate", "templates[1]", 4, "says the same as entry [0]"),
    ),
    (
        instead('["change.toml"]', '["change.toml", "chnge.toml"]'),
        ("file.missing", "templates[1]", 4, "`chnge.toml` is not there; did you mean `change.toml`?"),
    ),
    (instead('"team.toml"', '"crew"'), ("file.missing", "team", 3, "`crew` is not there")),
    (
        instead("A bill is a line.", " the TESTS pass. "),
        ("duplicate", "mission.acceptance[1]", 10, "says the same as entry [0]"),
    ),
    (instead("A bill is a line.", "  "), ("too_short", "mission.acceptance[1]", 10, "is empty, expected a text")),
    (
        instead('planner = "planner"', 'planner = "planer"'),
        ("reference.unknown", "replanning.planner", 14, "`planer` is not in the team; did you mean `planner`?"),
    ),
    (
        after("max_replans = 4\n"),
        (
            "replanning.too_few",
            "replanning.max_replans",
            15,
            (
                "is 4, expected at least 4 + 1: a plan for each of 4 milestones (`mission.max_milestones`), "
                "and one that says that the mission is met"
            ),
        ),
    ),
    (
        after("work_per_plan = 9\nplanned_work = 8\n"),
        ("replanning.too_much", "replanning.work_per_plan", 15, "is 9, expected at most the 8 of `planned_work`"),
    ),
    (after("max_replans = 101\n"), ("range", "replanning.max_replans", 15, "expected 1 to 100, found 101")),
    (
        after("auto_apply = 1\n"),
        ("type", "replanning.auto_apply", 15, "expected true or false, found 1"),
    ),
    (after("[limits]\nattempts = 0\n"), ("range", "limits.attempts", 16, "expected 1 to 10,000, found 0")),
    (after("[limits]\nattempts = -1\n"), ("range", "limits.attempts", 16, "expected 1 to 10,000, found -1")),
    (after("[limits]\nattempts = true\n"), ("type", "limits.attempts", 16, "expected a whole number, found true")),
    (after("[limits]\nattempts = 1.0\n"), ("type", "limits.attempts", 16, "expected a whole number, found 1.0")),
    (after("[limits]\nticks = inf\n"), ("type", "limits.ticks", 16, "expected a whole number, found inf")),
    (after("[limits]\nticks = nan\n"), ("type", "limits.ticks", 16, "expected a whole number, found nan")),
    (
        after("[limits]\nactive_runtime = '31d'\n"),
        ("range", "limits.active_runtime", 16, "expected 1s to 30d, found the text '31d'"),
    ),
    (after("[limits]\nactive_runtime = 0\n"), ("range", "limits.active_runtime", 16, "expected 1s to 30d, found 0")),
    (
        after("[limits]\nactive_runtime = 07:32:00\n"),
        (
            "type",
            "limits.active_runtime",
            16,
            "expected seconds or a text such as '90s', '10m' or '2h', found a date or time",
        ),
    ),
    (
        after("[limits]\nactive_runtim = 5\n"),
        ("unknown_key", "limits.active_runtim", 16, "is not a key here; did you mean `active_runtime`?"),
    ),
    (
        after("limits = 5\n"),
        (
            "unknown_key",
            "replanning.limits",
            15,
            (
                "is not a key here, expected one of "
                "'planner', 'max_replans', 'work_per_plan', 'planned_work', 'auto_apply'"
            ),
        ),
    ),
    (
        after("[limits]\ntokens = 0\n"),
        ("range", "limits.tokens", 16, "expected 1 to 1,000,000,000,000, found 0"),
    ),
    (
        after('[limits]\nmoney = "5 EUR"\n'),
        (
            "type",
            "limits.money",
            16,
            "expected dollars, exact to the millionth, such as 12.5 or '12.50 USD', found the text '5 EUR'",
        ),
    ),
    (
        after("[limits]\nmoney = -5\n"),
        ("range", "limits.money", 16, "expected $0.000001 to $1,000,000.00, found -5"),
    ),
    (
        after("[limits]\ntokens = 5\nagent_calls = 9\n"),
        (
            "limits.unreportable",
            "limits.tokens",
            16,
            (
                "cannot be held: the harnesses of `planner`, `builder` do not report what is used; "
                "write `agent_calls` and `active_runtime` too, which bound it"
            ),
        ),
    ),
    (
        after("[automation]\naccept_passing_proof = 1\n"),
        ("type", "automation.accept_passing_proof", 16, "expected true or false, found 1"),
    ),
    (
        after("[automation]\nresume_approved = 'no'\n"),
        ("type", "automation.resume_approved", 16, "expected true or false, found the text 'no'"),
    ),
    (
        after("[automation]\nretry_blocked = 3\n"),
        ("type", "automation.retry_blocked", 16, "expected true or false, found 3"),
    ),
    (
        after("[review]\nreviewers = ['x']\n"),
        ("feature.not_built", "review", 15, "is not built yet: the review of plans by a panel; leave `[review]` out"),
    ),
    (
        after("[change_review]\n"),
        (
            "feature.not_built",
            "change_review",
            15,
            "is not built yet: the review of changes; leave `[change_review]` out",
        ),
    ),
    (
        after("[policy]\n"),
        ("feature.not_built", "policy", 15, "is not built yet: rules for what agents may do; leave `[policy]` out"),
    ),
    (
        instead("title", "parent = 'Old'\ntitle"),
        ("pattern", "parent", 2, "expected the goal that this one goes on from, by its id, found the text 'Old'"),
    ),
    (
        instead("title", "works = 'x'\ntitle"),
        ("unknown_key", "works", 2, "is not a key here; did you mean `work`?"),
    ),
    (
        lambda text: text[: text.index("[mission]")] + text[text.index("[replanning]") :],
        ("missing", "mission", 0, "is missing, expected `[mission]`, or `[[work]]` of your own"),
    ),
    (
        lambda text: text[: text.index("[replanning]")],
        ("missing", "replanning", 0, "is missing, expected who plans the mission, as `planner`, and how often"),
    ),
    (
        after("max_replans = 3\n" + OWN_WORK),
        (
            "replanning.too_few",
            "replanning.max_replans",
            15,
            (
                "is 3, expected at least 3 + 1: a plan for each of 3 milestones beside your own work "
                "(`mission.max_milestones`), and one that says that the mission is met"
            ),
        ),
    ),
]

# One line of a goal that has work of its own and no mission.
WORK_MISTAKES: list[tuple[Spoil, Said]] = [
    (
        lambda text: text[: text.index("[[work]]")] + "work = []\n",
        ("too_short", "work", 6, "has no entries, expected at least 1"),
    ),
    (
        instead('key = "lines"', 'key = "Lines"'),
        (
            "pattern",
            "work[0].key",
            7,
            "expected what the item is called, of small letters, digits and dashes, found the text 'Lines'",
        ),
    ),
    (
        instead('title = "Write bills as lines"\n', ""),
        ("missing", "work[0].title", 6, "is missing, expected one line that says what it is"),
    ),
    (
        instead('acceptance = ["The tests pass."]', "acceptance = []"),
        ("too_short", "work[0].acceptance", 10, "has no entries, expected at least 1"),
    ),
    (
        instead('template = "change"', 'template = "chnge"'),
        ("reference.unknown", "work[0].template", 11, "`chnge` is the name of no template; did you mean `change`?"),
    ),
    (
        instead('paths = ["src/lines"]', 'paths = ["../lines"]'),
        (
            "graph.bad_path",
            "work[0].paths[0]",
            12,
            "'../lines' leaves the repository; expected a path or glob inside it",
        ),
    ),
    (
        instead('["lines"]', '["lines", "lines"]'),
        ("graph.duplicate_dependency", "work[1].dependencies", 19, "'lines' is named twice"),
    ),
    (
        instead('dependencies = ["lines"]\n', ""),
        ("graph.many_roots", "work", 6, "nobody depends on 'lines', 'export'; exactly one item must end the plan"),
    ),
    (
        instead('["src/lines"]', '["src/lines"]\ndependencies = ["export"]'),
        ("graph.cycle", "work", 6, "these items wait for one another: lines -> export -> lines"),
    ),
    (
        after("[limits]\nattempts = 1\n"),
        ("limits.too_few", "limits.attempts", 22, "is 1, expected at least 2: one for each item of `work`"),
    ),
    (
        after("[limits]\nagent_calls = 1\n"),
        (
            "limits.too_few",
            "limits.agent_calls",
            22,
            "is 1, expected at least 1 + 1 = 2: what one attempt at each item of `work` asks",
        ),
    ),
]

TEAM_MISTAKES: list[tuple[Spoil, Said]] = [
    (after('[x]\nargv = ["a"]\n'), ("missing", "x.harness", 8, "is missing, expected the way to reach the agent")),
    (
        after('[x]\nharness = "comand"\nargv = ["a"]\n'),
        ("enum", "x.harness", 9, "expected 'command', found the text 'comand'; did you mean `command`?"),
    ),
    (
        after('[x]\nharness = "codex"\nfoo = 1\n'),
        ("feature.not_built", "x.harness", 9, "is not built yet: the harness `codex`; there are command"),
    ),
    (after("[x]\nharness = 5\n"), ("type", "x.harness", 9, "expected a text, found 5")),
    (
        after('[x]\nharness = "command"\n'),
        ("missing", "x.argv", 8, "is missing, expected the program and its arguments"),
    ),
    (instead('argv = ["plan"]', "argv = []"), ("too_short", "planner.argv", 3, "has no entries, expected at least 1")),
    (instead('argv = ["plan"]', 'argv = ["plan", 5]'), ("type", "planner.argv[1]", 3, "expected a text, found 5")),
    (after("modle = 'x'\n"), ("unknown_key", "builder.modle", 8, "is not a key here; did you mean `model`?")),
    (after("timeout = '25h'\n"), ("range", "builder.timeout", 8, "expected 1s to 1d, found the text '25h'")),
    (after("max_turns = 0\n"), ("range", "builder.max_turns", 8, "expected 1 to 1,000, found 0")),
    (
        after('["Big One"]\nharness = "command"\nargv = ["a"]\n'),
        (
            "pattern",
            "['Big One']",
            8,
            "expected a name of small letters, digits, dashes and underscores, found the text 'Big One'",
        ),
    ),
    (lambda text: "x = 5\n" + text, ("type", "x", 1, "expected an object, found 5")),
]

CHANGE_MISTAKES: list[tuple[Spoil, Said]] = [
    (
        instead("root = true", "root = false"),
        ("template.no_root", "templates", 4, "name no template with `root = true`, expected one"),
    ),
    (
        instead("root = true", "root = true\nmax_attempts = 0"),
        ("range", "max_attempts", 4, "expected 1 to 100, found 0"),
    ),
    (
        instead("root = true", "root = true\nprotected_paths = ['../x']"),
        (
            "pattern",
            "protected_paths[0]",
            4,
            "expected a path in the repository, without `..`, found the text '../x'",
        ),
    ),
    (
        after("red_then_green = 1\n"),
        ("type", "proofs[0].red_then_green", 14, "expected true or false, found 1"),
    ),
    (
        after(
            "".join(
                f"[[stages]]\nkind = 'prepare'\nname = '{name}'\nargv = ['x']\nfiles = ['x']\n"
                for name in ("a-b", "a_b")
            )
        ),
        (
            "duplicate",
            "stages[2].name",
            21,
            "`a_b` and `a-b` both build what `HARND_PREPARED_A_B` is to name",
        ),
    ),
    (
        after("reruns = 4\n"),
        ("range", "proofs[0].reruns", 14, "expected 0 to 3, found 4"),
    ),
    (
        instead('"change"', '"Change!"'),
        (
            "pattern",
            "name",
            1,
            "expected the template's name, of small letters, digits, dashes and underscores, found the text 'Change!'",
        ),
    ),
    (
        instead('specialist = "builder"', 'specialist = "bilder"'),
        ("reference.unknown", "stages[0].specialist", 8, "`bilder` is not in the team; did you mean `builder`?"),
    ),
    (
        instead("work.title", "work.titel"),
        (
            "text.unknown_name",
            "stages[0].prompt",
            9,
            (
                "`work.titel` is not known; "
                "`work` has `acceptance`, `dependencies`, `id`, `key`, `objective`, `paths`, `title`"
            ),
        ),
    ),
    (
        instead('"{{ work.title }}"', '"""\none\n\n{{ goal.x }}\n"""'),
        ("text.unknown_name", "stages[0].prompt", 12, "`goal.x` is not known; `goal` has `id`, `title`"),
    ),
    (
        instead('"{{ work.title }}"', '"""one\n{% if %}"""'),
        ("text.syntax", "stages[0].prompt", 10, "is no template: Expected an expression, got 'end of statement block'"),
    ),
    (
        instead('"make", "test"', '"make",\n  "{{ outputs.x }}"'),
        (
            "text.unknown_name",
            "proofs[0].argv[1]",
            14,
            "`outputs` is not offered here; there are `attempt`, `goal`, `milestone`, `mission`, `work`",
        ),
    ),
    (instead('["make", "test"]', "[]"), ("too_short", "proofs[0].argv", 13, "has no entries, expected at least 1")),
    (
        instead('["make", "test"]', '"make test"'),
        ("type", "proofs[0].argv", 13, "expected a list, found the text 'make test'"),
    ),
    (
        after("proves = ['WC-1', 'AC-1']\n"),
        ("pattern", "proofs[0].proves[1]", 14, "expected `WC-1` to `WC-50`, found the text 'AC-1'"),
    ),
    (
        after("[[proofs]]\nname = 'tests'\nargv = ['x']\n"),
        ("duplicate", "proofs[1].name", 15, "`tests` is the name of an earlier proof"),
    ),
    (
        lambda text: text[: text.index("[[proofs]]")],
        ("missing", "proofs", 0, "is missing, expected the commands that prove it"),
    ),
    (
        after("[[stages]]\nname = 'x'\nkind = 'review'\n"),
        ("feature.not_built", "stages[1].kind", 16, "is not built yet: a stage that reviews; leave the stage out"),
    ),
    (
        after("[[stages]]\nname = 'x'\nkind = 'approve'\n"),
        (
            "missing",
            "stages[1].question",
            14,
            "is missing, expected what a person is asked before the attempt goes on",
        ),
    ),
    (
        after("[[stages]]\nname = 'x'\nkind = 'approve'\nquestion = ' '\n"),
        ("too_short", "stages[1].question", 17, "is empty, expected a text"),
    ),
    (
        after(f"[[stages]]\nname = 'x'\nkind = 'approve'\nquestion = '{'x' * 4001}'\n"),
        ("too_long", "stages[1].question", 17, "has 4,001 characters, expected at most 4,000"),
    ),
    (
        after("[[stages]]\nname = 'x'\nkind = 'approve'\nquestion = 'Ship?'\nrisk = 'hihg'\n"),
        (
            "enum",
            "stages[1].risk",
            18,
            "expected one of 'low', 'medium', 'high', 'critical', found the text 'hihg'; did you mean `high`?",
        ),
    ),
    (
        after('[[stages]]\nname = \'x\'\nkind = \'approve\'\nquestion = """\nShip\n{{ outputs.later }}?"""\n'),
        (
            "text.unknown_name",
            "stages[1].question",
            19,
            "`outputs.later` is not known; `outputs` has none that this text may name",
        ),
    ),
    (
        after("[[stages]]\nname = 'build'\nkind = 'approve'\nquestion = 'Ship?'\n"),
        ("duplicate", "stages[1].name", 15, "`build` is the name of an earlier stage"),
    ),
    (
        after("[[stages]]\nname = 'x'\nkind = 'approve'\nquestion = 'Ship?'\nreason = 'because'\n"),
        (
            "unknown_key",
            "stages[1].reason",
            18,
            "is not a key here, expected one of 'kind', 'name', 'question', 'risk'",
        ),
    ),
    (
        after("[[stages]]\nname = 'x'\nkind = 'agnt'\n"),
        (
            "enum",
            "stages[1].kind",
            16,
            f"expected one of {KINDS}, found the text 'agnt'; did you mean `agent`?",
        ),
    ),
    (
        after("[[stages]]\nname = 'x'\n"),
        (
            "missing",
            "stages[1].kind",
            14,
            f"is missing, expected one of {KINDS}",
        ),
    ),
    (
        after("[[stages]]\nname = 'build'\nkind = 'command'\nargv = ['x']\n"),
        ("duplicate", "stages[1].name", 15, "`build` is the name of an earlier stage"),
    ),
    (
        after("[[stages]]\nname = 'x'\nkind = 'prepare'\nargv = ['x']\nfiles = ['../x']\n"),
        ("pattern", "stages[1].files[0]", 18, "expected a path in the repository, without `..`, found the text '../x'"),
    ),
    (
        instead('name = "build"', 'name = "build"\ninputs = ["later"]'),
        ("reference.unknown", "stages[0].inputs[0]", 8, "`later` is not the output of an earlier stage; there is none"),
    ),
    (
        after("[[stages]]\nname = 'x'\nkind = 'command'\nargv = ['x', '{{ outputs.none }}']\n"),
        (
            "text.unknown_name",
            "stages[1].argv[1]",
            17,
            "`outputs.none` is not known; `outputs` has none that this text may name",
        ),
    ),
]


def said(said: Said, file: str) -> Problem:
    code, place, line, message = said
    return Problem(code, place, message, file=file, line=line)


@pytest.mark.parametrize(("spoil", "expected"), GOAL_MISTAKES)
def test_one_mistake_in_a_goal_file_is_one_sentence(spoil: Spoil, expected: Said):
    assert problems_of(goal_files(goal=spoil(GOAL))) == [said(expected, "goal.toml")]


@pytest.mark.parametrize(("spoil", "expected"), WORK_MISTAKES)
def test_one_mistake_in_a_graph_of_ones_own_is_one_sentence(spoil: Spoil, expected: Said):
    assert problems_of(goal_files(goal=spoil(HEAD + OWN_WORK))) == [said(expected, "goal.toml")]


def test_what_holds_of_a_whole_graph_is_said_beside_where_it_comes_from():
    spoiled = OWN_WORK.replace('["lines"]', '["line"]').replace(
        'template = "change"\npaths', 'template = "chore"\npaths'
    )
    assert [str(problem) for problem in problems_of(goal_files(goal=HEAD + spoiled))] == [
        "goal.toml:6: work: nobody depends on 'lines', 'export'; exactly one item must end the plan [graph.many_roots]",
        "goal.toml:11: work[0].template: `chore` is the name of no template; there is 'change' [reference.unknown]",
        (
            "goal.toml:19: work[1].dependencies[0]: 'export' depends on 'line', which is neither a key of this plan "
            "nor the id of existing work [graph.dangling]"
        ),
    ]


def test_two_items_of_one_name_are_both_pointed_at():
    problems = problems_of(goal_files(goal=HEAD + OWN_WORK.replace('"export"', '"lines"')))
    doubles = [problem for problem in problems if problem.code == "graph.duplicate_key"]
    assert [(problem.place, problem.line) for problem in doubles] == [("work[0].key", 7), ("work[1].key", 15)]


def test_a_template_that_cannot_end_a_plan_is_said_once_where_templates_are_named():
    change = CHANGE.replace("root = true\n", "")
    assert [problem.code for problem in problems_of(goal_files(goal=HEAD + OWN_WORK, change=change))] == [
        "template.no_root"
    ]


def test_nothing_is_held_against_work_for_a_template_that_is_wrong_itself():
    change = CHANGE.replace('argv = ["make", "test"]', "argv = []\nproves = ['WC-1']")
    assert [problem.file for problem in problems_of(goal_files(goal=HEAD + OWN_WORK, change=change))] == ["change.toml"]


def test_a_goal_that_no_event_can_hold_is_refused():
    long = "x" * 200_000
    goal = GOAL.replace('["change.toml"]', '["change.toml", "second.toml"]')
    second = CHANGE.replace('"change"', '"second"').replace("{{ work.title }}", long).encode()
    files = {**goal_files(goal=goal, change=CHANGE.replace("{{ work.title }}", long)), "second.toml": second}
    (problem,) = problems_of(files)
    assert (problem.code, problem.file) == ("goal.too_large", "goal.toml")


@pytest.mark.parametrize(("spoil", "expected"), TEAM_MISTAKES)
def test_one_mistake_in_a_team_file_is_one_sentence(spoil: Spoil, expected: Said):
    assert problems_of(goal_files(team=spoil(TEAM))) == [said(expected, "team.toml")]


@pytest.mark.parametrize(("spoil", "expected"), CHANGE_MISTAKES)
def test_one_mistake_in_a_template_is_one_sentence(spoil: Spoil, expected: Said):
    file = "goal.toml" if expected[0] == "template.no_root" else "change.toml"

    assert problems_of(goal_files(change=spoil(CHANGE))) == [said(expected, file)]
