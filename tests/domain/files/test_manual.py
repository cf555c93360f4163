"""The manual on writing goals: its examples are read, its tables and its codes are those of the code."""

import re
from pathlib import Path

from harnd.domain.goal.names import ALL
from harnd.domain.goal.rendering import LOOP_STEPS, RENDERED_CHARS
from protocol import bounds
from tests.kit.goal_files import read
from tests.kit.key_tables import rewritten
from tests.kit.manual import FENCE, examples, manual

DOMAIN = Path(__file__).parents[3] / "harnd" / "domain"
CODE = re.compile(
    r'"((?!goal\.toml)(?:file|toml|reference|replanning|template|text|feature|goal|limits|graph)\.[a-z_0-9]+)"'
    r'|mistake\("([a-z_]+)"'
    r'|Flaw\([^"]*"([a-z_]+)"'
    r'|Problem\("([a-z_]+)"'
)


def test_every_example_is_read():
    """Whole goals are carried to their end by `tests/e2e/test_guide.py`; here they are read, and their variations."""
    goals = examples()
    more = [(fence["file"], fence["text"]) for fence in FENCE.finditer(manual()) if fence["more"]]

    assert manual().count("```toml") == sum(map(len, goals.values())) + len(more)
    assert {name: read(files).goal for name, files in goals.items()} == {
        "mission": "billing-export",
        "around": "billing-totals",
        "own": "billing-rounding",
    }
    for place, text in more:
        name, _, file = place.partition("/")
        whole = goals[name]
        assert read({**whole, file: whole[file] + text.encode()}) != read(whole)


def test_the_tables_of_keys_are_those_of_the_declarations():
    """When this fails: `python -m tests.kit.key_tables`."""
    assert manual() == rewritten(manual())


def test_the_table_of_codes_names_every_code_and_no_other():
    sources = [
        *(DOMAIN / "files").glob("*.py"),
        DOMAIN / "checking.py",
        DOMAIN / "dialect.py",
        DOMAIN / "goal" / "rendering.py",
        DOMAIN / "goal" / "graph.py",
    ]
    used = {next(filter(None, groups)) for path in sources for groups in CODE.findall(path.read_text())}
    listed = re.findall(
        r"^\| `([a-z_.0-9]+)` \| [^|]+ \|$", manual().split("## When files are refused")[1], re.MULTILINE
    )

    assert sorted(listed) == sorted({*used, "duplicate", "invalid"})


def test_the_table_of_names_is_that_of_the_names():
    section = manual().split("## Texts that are filled in")[1].split("## When")[0]

    assert set(re.findall(r"^\| `([a-z]+)` \|", section, re.MULTILINE)) == ALL


def test_the_numbers_that_are_told_in_passing_are_the_bounds():
    said = " ".join(manual().split())

    assert f"at most {bounds.PERSON_FILE_BYTES // 1024} KiB each" in said
    assert f"at most {bounds.SPECIALISTS}; its name" in said
    assert f"At most {bounds.STAGES} stages" in said
    assert f"at most {bounds.PROBLEMS_SHOWN} of them" in said
    assert f"at most {RENDERED_CHARS:,} characters" in said
    assert f"at most {LOOP_STEPS:,} steps" in said
