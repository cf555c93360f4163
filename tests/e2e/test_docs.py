"""The pages under docs/ that are held against the code, beside the manual and the protocol with tests of their own."""

import re
from pathlib import Path

from harnctl.commands.later import AT_THE_TOP
from harnd.adapters.harness import command
from harnd.daemon.settings import ARGUMENTS, VARIABLES
from harnd.domain.files.config_file import ConfigFile, keys, read_config
from harnd.domain.goal.failure import ROWS
from protocol.values import FailureClass
from tests.kit.key_tables import CONFIGURATION, configured

DOCS = Path(__file__).parents[2] / "docs"


def cells(page: str, columns: int) -> list[list[str]]:
    """The rows of a page's tables with so many columns, heads and rules left out."""
    lines = (DOCS / page).read_text("utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return [row for row in rows if len(row) == columns]


# --- decisions


def test_decisions_are_numbered_without_gaps():
    names = sorted(path.name for path in (DOCS / "adr").iterdir())
    assert [name[:5] for name in names] == [f"{number:04}-" for number in range(1, len(names) + 1)]


def test_every_decision_tells_context_alternatives_and_decision():
    for path in sorted((DOCS / "adr").iterdir()):
        text = path.read_text("utf-8")
        assert text.startswith(f"# {int(path.name[:4])}. "), path.name
        assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["Context", "Alternatives", "Decision"], path.name


def test_every_place_that_a_decision_names_is_there():
    root = DOCS.parent
    for path in sorted((DOCS / "adr").iterdir()):
        named = re.findall(r"`((?:harnd|harnctl|protocol|tests)/[\w/.]+)`", path.read_text("utf-8"))
        assert [name for name in named if not (root / name).exists()] == [], path.name


# --- the manual


def test_the_manual_lists_the_keys_of_the_command_harness():
    properties = command.OPTIONS_SCHEMA["properties"]
    assert isinstance(properties, dict)
    told = {row[0].strip("`") for row in cells("writing-goals.md", 3)}
    assert properties.keys() <= told


# --- the configuration


def test_the_page_lists_the_keys_of_the_configuration_as_they_are():
    """When this fails: `python -m tests.kit.key_tables`."""
    page = CONFIGURATION.read_text("utf-8")
    assert page == configured(page)


def test_the_page_tells_what_goes_before_the_file():
    told = {row[0].strip("`"): (row[1], row[2]) for row in cells("configuration.md", 3) if row[0].strip("`") in keys()}
    assert told.keys() == keys().keys()
    for key, (argument, variable) in told.items():
        assert argument.strip("`").split(" ")[0] == ARGUMENTS.get(key, "")
        assert variable.split(";")[0].strip("`") == VARIABLES.get(key, "")


def test_the_example_of_the_page_is_a_configuration():
    (example,) = re.findall(r"```toml\n(.*?)```", CONFIGURATION.read_text("utf-8"), re.DOTALL)
    said = read_config("config.toml", example.encode(), reader="harnd")
    assert isinstance(said, ConfigFile)
    assert list(said.written) == ["daemon.drain", "log.level"]


def test_the_complaints_of_the_page_are_those_of_the_program():
    page = CONFIGURATION.read_text("utf-8")
    wrong = '[daemon]\ndrian = 30\n\n[log]\nlevel = "warn"\n'
    said = read_config("/home/ada/.config/harnd/config.toml", wrong.encode(), reader="harnd")
    assert isinstance(said, list)
    assert "".join(f"harnd: {problem}\n" for problem in said) in page


# --- failures


def test_every_failure_class_is_told_with_who_pays_and_whether_it_is_tried_again():
    told = {row[0].strip("`"): row for row in cells("failures.md", 8) if row[0].strip("`") in list(FailureClass)}
    assert told.keys() == set(FailureClass)
    for failure, row in ROWS.items():
        _, _, charged, by_itself, *_ = told[failure]
        assert (failure, charged) == (failure, "yes" if row.charged else "no")
        assert (failure, by_itself == "no") == (failure, not row.retried)
        if row.uncharged_bound is not None:
            assert str(row.uncharged_bound) in by_itself


# --- parity


def test_every_row_of_the_parity_list_is_walked_once():
    rows = [row for row in cells("parity.md", 4) if row[0].isdecimal()]
    assert [int(row[0]) for row in rows] == list(range(1, 113))
    assert {row[2] for row in rows} == {"taken", "later", "not taken"}
    assert [row[0] for row in rows if row[2] == "not taken" and not row[3].startswith("because ")] == []
    assert [row[0] for row in rows if row[2] == "later" and "`" not in row[3]] == []


def test_the_sums_of_the_parity_list_add_up():
    said = [row[2] for row in cells("parity.md", 4) if row[0].isdecimal()]
    sums = f"Taken: {said.count('taken')}. Later: {said.count('later')}. Not taken: {said.count('not taken')}."
    assert sums in (DOCS / "parity.md").read_text("utf-8")


def test_verbs_that_the_parity_list_expects_are_refused():
    later = [row[3] for row in cells("parity.md", 4) if row[2] == "later"]
    verbs = {name for how in later for name in re.findall(r"`([a-z-]+)`", how)}
    here = {"claude", "codex", "opencode", "gemini", "qwen", "acp", "openai_http"}  # harnesses
    shown = {"status", "inbox", "tui"}
    assert verbs - here - shown <= {*AT_THE_TOP}
