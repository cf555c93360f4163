"""The manual on writing goals: its examples are read, its tables and its codes are those of the code."""

import re
from pathlib import Path

from harnd.domain.goal.names import ALL
from harnd.domain.goal.rendering import LOOP_STEPS, RENDERED_CHARS
from protocol import bounds
from tests.kit.goal_files import read
from tests.kit.key_tables import MANUAL, rewritten

DOMAIN = Path(__file__).parents[3] / "harnd" / "domain"
FENCE = re.compile(r"^```toml\n# (?P<more>more of )?(?P<file>\S+)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
CODE = re.compile(
    r'"((?!goal\.toml)(?:file|toml|reference|replanning|template|text|feature|goal|limits|graph)\.[a-z_0-9]+)"'
    r'|mistake\("([a-z_]+)"'
    r'|Flaw\([^"]*"([a-z_]+)"'
    r'|Problem\("([a-z_]+)"'
)


def manual() -> str:
    return MANUAL.read_text()


def test_every_example_is_read():
    texts: dict[str, str] = {}
    more: list[tuple[str, str]] = []
    for fence in FENCE.finditer(manual()):
        if fence["more"]:
            more.append((fence["file"], fence["text"]))
        else:
            texts[fence["file"]] = fence["text"]
    whole = {name: text.encode() for name, text in texts.items()}

    assert manual().count("```toml") == len(texts) + len(more)
    assert read(whole).goal == "billing-export"
    for name, text in more:
        assert read({**whole, name: (texts[name] + text).encode()}) != read(whole)


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
