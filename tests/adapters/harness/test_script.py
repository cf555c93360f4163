"""How scripts are read: strictly, and with everything that is wrong at once."""

import textwrap

import pytest

from harnd.adapters.harness import script
from harnd.adapters.harness.script import Delete, Hang, Leave, Print, Say, Sleep, Turn, Write, turn_for
from harnd.adapters.harness.script_reader import ScriptError, read_script

RULE_KEYS = "when, unless, attempt, matches, do, answer, stop, tokens, cost, exit, stubborn"


def problems_of(text: str, name: str = "s.toml") -> tuple[str, ...]:
    with pytest.raises(ScriptError) as caught:
        read_script(text, name=name)
    return caught.value.problems


def test_the_documented_example_is_a_script():
    documented = textwrap.dedent((script.__doc__ or "").split("acts.\n")[1].split("Steps come")[0])
    read = read_script(documented, name="example.toml")

    assert turn_for(read, "You plan. Next is milestone 1.") == Turn(
        answer={"decision": "attention", "rationale": "One question first."}
    )
    assert turn_for(read, "Work item p1.greeter, attempt 1, in the tongue dutch") == Turn(
        steps=(
            Write("src/greet.txt", "hello in dutch\n", append=False),
            Write("NOTES.md", "greeted\n", append=True),
            Delete("old.txt"),
            Say("thinking"),
            Print("what is this", "stderr"),
            Sleep(0.5),
            Leave(600, "orphan"),
            Hang(),
        ),
        answer="Done: dutch.",
        tokens=1200,
        cost=15000,
        stubborn=True,
    )
    assert turn_for(read, "Work item p1.greeter, attempt 11, in the tongue dutch") is None


def test_json_says_the_same():
    assert read_script('{"rule": [{"when": "a", "answer": "b"}]}', name="s.json") == read_script(
        '[[rule]]\nwhen = ["a"]\nanswer = "b"', name="s.toml"
    )


def test_everything_wrong_is_said_at_once():
    text = """
        rules = 1
        [[rule]]
        wenn = "x"
        matches = "("
        attempt = 0.5
        do = [{ write = "", text = 1 }, { fly = 1 }, { hang = false }, { leave = 1, as = "ghost" }, { sleep = -1 }]
        answer = 3
        stop = "later"
        stubborn = "yes"
    """
    assert problems_of(text) == (
        "s.toml: the script: unknown key 'rules'; known are rule",
        f"s.toml: rule 1: unknown key 'wenn'; known are {RULE_KEYS}",
        "s.toml: rule 1, matches: expected a regular expression (missing ), unterminated subpattern at position 0)",
        "s.toml: rule 1, attempt: expected a whole number, not negative",
        "s.toml: rule 1, step 1, text: expected a text",
        "s.toml: rule 1, step 1: expected a path",
        "s.toml: rule 1, step 2: expected a table with one of write, append, delete, say, print, sleep, hang, leave",
        "s.toml: rule 1, step 3: expected hang = true",
        "s.toml: rule 1, step 4, as: expected one of child, session, orphan",
        "s.toml: rule 1, step 5: expected a number of seconds",
        "s.toml: rule 1, answer: expected a text or a table",
        "s.toml: rule 1, stop: expected one of finished, truncated, refused, out_of_quota, not_logged_in, unreachable",
        "s.toml: rule 1, stubborn: expected true or false",
    )


@pytest.mark.parametrize("text", ["", "rule = 1", "rule = []", "rule = [1]", "[rule", "rule = {}"])
def test_what_is_not_a_list_of_rules_is_refused(text: str):
    assert problems_of(text)


def test_names_without_a_group_stay_and_numbers_stay_texts_unless_asked():
    read = read_script('[[rule]]\nmatches = \'n(?P<n>\\w+)\'\nanswer = {a = "{{n}}", b = "{{n|int}}"}', name="s.toml")

    numbered, named = turn_for(read, "n12"), turn_for(read, "nab")
    assert numbered is not None
    assert numbered.answer == {"a": "12", "b": 12}
    assert named is not None
    assert named.answer == {"a": "ab", "b": "{{n|int}}"}
