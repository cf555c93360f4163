"""`plan edit`, the real program: an editor opens on the plan, problems come back at its top, and no word is lost."""

import os
import stat
import sys

import pytest

from protocol.errors import Refusal
from protocol.requests import EditPlan
from protocol.values import PlanStatus
from tests.kit.daemons import ROOT
from tests.kit.scripted_daemon import golden
from tests.kit.terminal import Terminal

EDIT = "plan edit billing-export 1"
PLAN = golden("plan.show").digest
PROBLEM = {"code": "enum", "place": "work[0].template", "message": "is not there", "file": "plan.toml", "line": 3}
INVALID = Refusal("plan.invalid_edit", "the plan has 1 problem; nothing was changed", details={"problems": [PROBLEM]})


@pytest.fixture
def environ(place, daemon):
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(place),
        "PYTHONPATH": str(ROOT),
        "LC_ALL": "C.UTF-8",
        "HARND_SOCKET": str(daemon.path),
        "NO_COLOR": "1",
        "TMPDIR": str(place),
    }


@pytest.fixture
def editor(place, environ):
    """Make an editor of shell scripts, one for each time it is opened, which have the draft as `$draft`."""

    def make(*scripts):
        path = place / "an-editor"
        cases = "\n".join(f"{number}) {script};;" for number, script in enumerate(scripts, 1))
        count = f'n=$(($(cat "{place}/opened" 2>/dev/null || echo 0) + 1)); echo $n > "{place}/opened"'
        path.write_text(f"#!/bin/sh\nfor draft; do :; done\n{count}\ncase $n in\n{cases}\nesac\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        environ["EDITOR"] = str(path)

    return make


def ended(environ, *, code):
    terminal = Terminal.start([sys.executable, "-m", "harnctl", *EDIT.split()], environ=environ, columns=200, rows=50)
    try:
        assert terminal.ended() == code, terminal.seen.text
        return terminal.seen.text
    finally:
        terminal.close()


def edits(daemon):
    return [request for request in daemon.asked if isinstance(request, EditPlan)]


def kept(place):
    return list(place.glob("harnctl-billing-export-plan-1-*.toml"))


def test_what_the_editor_leaves_is_sent_under_the_digest_of_what_was_shown(environ, daemon, place, editor):
    editor('echo "# mine" >> "$draft"')
    said = ended(environ, code=0)
    (request,) = edits(daemon)
    assert request.digest == PLAN
    assert request.file.decode().startswith("# Plan 1 of billing-export.")
    assert request.file.decode().endswith("# mine\n")
    assert "edited billing-export" in said
    assert kept(place) == []


def test_a_plan_that_asks_is_edited_without_a_digest(environ, daemon, editor):
    daemon.answers("plan.show", golden("plan.show", status=PlanStatus.ATTENTION, decision=None, question="Which?"))
    editor('echo "# mine" >> "$draft"')
    ended(environ, code=0)
    (request,) = edits(daemon)
    assert request.digest is None
    assert "# The planner asked: Which?" in request.file.decode()


def test_problems_come_back_at_the_top_and_are_not_sent(environ, daemon, place, editor):
    daemon.answers("plan.edit", INVALID, golden("plan.edit"))
    editor('echo "# first" >> "$draft"', f'head -1 "$draft" > "{place}/top"; echo "# second" >> "$draft"')
    ended(environ, code=0)
    assert (place / "top").read_text() == "#! line 4: work[0].template is not there\n"
    first, second = (request.file.decode() for request in edits(daemon))
    assert second == f"{first}# second\n"
    assert kept(place) == []


def test_whoever_gives_up_on_problems_keeps_what_they_wrote(environ, daemon, place, editor):
    daemon.answers("plan.edit", INVALID)
    editor('echo "# first" >> "$draft"', ":")
    said = ended(environ, code=1)
    (file,) = kept(place)
    assert file.read_text().endswith("# first\n")
    assert f"harnctl plan edit billing-export 1 --file {file}" in " ".join(said.split())


def test_a_refusal_keeps_what_was_written(environ, daemon, place, editor):
    daemon.answers("plan.edit", Refusal("plan.stale", "plan 1 has another digest"))
    editor('echo "# mine" >> "$draft"')
    assert "plan.stale" in ended(environ, code=5)
    assert [file.read_text().endswith("# mine\n") for file in kept(place)] == [True]


def test_an_editor_that_fails_keeps_what_was_written(environ, daemon, place, editor):
    editor('echo "# mine" >> "$draft"; exit 3')
    ended(environ, code=1)
    assert edits(daemon) == []
    assert len(kept(place)) == 1


def test_what_was_left_as_it_was_changes_nothing(environ, daemon, place, editor):
    editor(":")
    assert "nothing was changed" in ended(environ, code=1)
    assert (edits(daemon), kept(place)) == ([], [])


def test_a_file_is_sent_as_it_is(harnctl, daemon, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_bytes(b'decision = "apply"\xff')
    ran = harnctl(*EDIT.split(), "--file", str(file), "--json")
    assert ran.code == 0
    (request,) = edits(daemon)
    assert (request.file, request.digest) == (file.read_bytes(), PLAN)


def test_a_file_that_is_refused_is_told_with_all_its_problems(harnctl, daemon, tmp_path):
    daemon.answers("plan.edit", INVALID)
    file = tmp_path / "mine.toml"
    file.write_text("")
    ran = harnctl(*EDIT.split(), "--file", str(file))
    assert ran.code == 78
    assert "work[0].template" in ran.err


def test_without_a_terminal_a_file_is_needed(harnctl, daemon):
    ran = harnctl(*EDIT.split())
    assert ran.code == 2
    assert "--file FILE" in ran.err
    assert daemon.asked == []


def test_a_diff_compares_with_the_last_plan_that_proposed_work(harnctl, daemon):
    ran = harnctl("plan", "diff", "billing-export", "2")
    assert ran.code == 0, ran.err
    assert "plan" in ran.out
