"""The files that `harnctl init` writes: right as they are, once goal and title are put in."""

import re
from pathlib import Path

import msgspec

from harnd.domain.goal.rendering import render
from harnd.domain.goal.template import AgentStage
from protocol.ids import TemplateName
from tests.domain.test_rendering import NAMES
from tests.kit.goal_files import read

STARTER = Path(__file__).parents[3] / "harnctl" / "starter"
COMMENTED_KEY = re.compile(
    r"^# (?=\w+ = [^\"\s].*|active_runtime|startup_silence|silence)(?!labels|proves)", re.MULTILINE
)


def starter() -> dict[str, bytes]:
    texts = {str(path.relative_to(STARTER)): path.read_text() for path in STARTER.rglob("*.toml")}
    texts["goal.toml"] = texts["goal.toml"].replace("@GOAL@", "billing").replace("@TITLE@", "Billing")
    return {name: text.encode() for name, text in texts.items()}


def test_the_starter_files_are_right_and_all_named():
    files = starter()

    goal = read(files)

    assert (goal.goal, goal.title) == ("billing", "Billing")
    assert sorted(files) == ["goal.toml", "team.toml", "templates/change.toml", "templates/chore.toml"]
    assert [template.name for template in goal.templates] == ["change", "chore"]


def test_what_stands_behind_a_comment_is_the_default():
    spoken = {name: COMMENTED_KEY.sub("", content.decode()).encode() for name, content in starter().items()}

    before, after = read(starter()), read(spoken)

    assert all(spoken[name] != content for name, content in starter().items() if "chore" not in name)
    digests = {template.name: template.digest for template in before.templates}
    templates = tuple(msgspec.structs.replace(each, digest=digests[each.name]) for each in after.templates)
    assert msgspec.structs.replace(after, templates=templates) == before


def test_the_prompt_of_the_starter_reads_well():
    change = next(each for each in read(starter()).templates if each.name == TemplateName("change"))
    [build] = change.stages
    assert isinstance(build, AgentStage)

    assert (
        render(build.prompt, NAMES)
        == """\
# Write lines

Write a line for each bill.

It is done when:
- WC-1: One line.
- WC-2: No blank.

It is a part of "Lines", on the way to: Bills can be exported.
"""
    )
