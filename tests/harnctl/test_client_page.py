"""docs/client.md: its examples are run from top to bottom, and its table of errors is the code's."""

import pydoc
import re
from pathlib import Path

import pytest

import harnctl.client
from harnctl.client import ClientError
from protocol.notices import EventNotice
from protocol.requests import ApprovePlan
from tests.kit.scripted_daemon import HANG_UP, golden

PAGE = (Path(__file__).parents[2] / "docs/client.md").read_text("utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
EVENT = EventNotice(golden("events.list").events[0])


def test_the_examples_run_as_they_are_written(daemon, monkeypatch, capsys):
    monkeypatch.setenv("HARND_SOCKET", str(daemon.path))
    daemon.told.extend([[EVENT, HANG_UP], [EVENT, HANG_UP]])
    names: dict[str, object] = {"__name__": "example"}
    for example in EXAMPLES:
        exec(compile(example, "docs/client.md", "exec"), names)  # noqa: S102 - the page is ours
    said = capsys.readouterr().out
    assert "41 plan.applied/1\nnext time, begin after 41\n" in said
    assert said.endswith(f"{golden('goal.show').phase}\n41 plan.applied/1\n")
    assert len({request.key for request in daemon.asked if isinstance(request, ApprovePlan)}) == 1


def test_every_error_is_in_the_table():
    told = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))
    exported = {name for name in harnctl.client.__all__ if isinstance(getattr(harnctl.client, name), type)}
    errors = {name for name in exported if issubclass(getattr(harnctl.client, name), ClientError)}
    assert told == errors - {"ClientError"}


def test_everything_public_is_told_of_by_help():
    text = pydoc.plain(pydoc.render_doc(harnctl.client))
    assert [name for name in harnctl.client.__all__ if name not in text] == []
    undocumented = [name for name in harnctl.client.__all__ if not getattr(harnctl.client, name).__doc__]
    assert undocumented == []


def test_what_is_not_there_is_said_not_to_be():
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = harnctl.client.Nothing


@pytest.mark.parametrize("package", ["harnctl", "protocol"])
def test_the_types_are_there_for_those_who_import_them(package):
    assert (Path(__file__).parents[2] / package / "py.typed").is_file()
