"""`harnctl config` without a daemon: the installed harnd looks at the file."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.timeout(120)  # a process of Python for each look


@pytest.fixture
def file(place):
    found = place / ".config" / "harnd" / "config.toml"
    found.parent.mkdir(parents=True)
    return found


@pytest.fixture
def harnctl(harnctl):
    harnctl.environ |= {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    return harnctl


WRONG = '[daemon]\ndrian = 30\n\n[log]\nlevel = "warn"\n'


def complaints(file):
    return [
        f"{file}:2: daemon.drian: is not a key here; did you mean `drain`? [unknown_key]",
        (
            f"{file}:5: log.level: expected one of 'info', 'warning', 'error', found the text 'warn'; "
            "did you mean `warning`? [enum]"
        ),
    ]


def test_a_file_with_problems_is_refused_with_all_of_them_and_78(harnctl, file):
    file.write_text(WRONG)
    ran = harnctl("config", "check", columns=400)
    assert (ran.code, ran.out, ran.err.splitlines()) == (78, "", complaints(file))


def test_the_problems_are_in_the_document_as_well(harnctl, file):
    file.write_text(WRONG)
    ran = harnctl("config", "check", "--json")
    assert (ran.code, ran.document["code"]) == (78, "config.invalid")
    problems = ran.document["details"]["problems"]
    assert [(found["code"], found["place"], found["file"], found["line"]) for found in problems] == [
        ("unknown_key", "daemon.drian", str(file), 2),
        ("enum", "log.level", str(file), 5),
    ]


def test_a_file_is_checked_by_its_name_wherever_it_lies(harnctl, file, place):
    file.write_text(WRONG)
    good = place / "good.toml"
    good.write_text("[daemon]\ndrain = 30\n")
    ran = harnctl("config", "check", str(good), columns=400)
    assert (ran.code, ran.out) == (0, f"{good} is well; 1 value of it would be used\n")
    assert harnctl("config", "check", str(place / "none.toml")).code == 78


def test_no_file_at_all_is_well(harnctl, file):
    ran = harnctl("config", "check", columns=400)
    assert (ran.code, ran.out) == (0, f"{file} is not there, which is well: harnd runs with its defaults\n")
    assert harnctl("config", "check", "--json").document["schema"] == "harnctl.config.check/1"


def test_without_a_daemon_it_is_shown_what_one_would_start_with_and_said_so(harnctl, file, place):
    file.write_text('[daemon]\ndrain = "2m"\n')
    ran = harnctl("config", "show", "--origin", "--state", "/srv/h", columns=200)
    assert ran.code == 0
    assert ran.out.startswith("no daemon answers; this is what one would start with\n")
    assert [line.split() for line in ran.out.splitlines()[3:]] == [
        ["KEY", "VALUE", "ORIGIN"],
        ["daemon.state", "/srv/h", "--state"],
        ["daemon.socket", str(place / "harnd.sock"), "HARND_SOCKET"],
        ["daemon.drain", "2m", "file,", "line", "2"],
        ["daemon.grace", "5s", "default"],
        ["log.level", "info", "default"],
    ]
    assert harnctl("config", "show", "--json").document["loaded_at"] is None


def test_without_a_daemon_a_file_with_problems_is_refused_by_show_too(harnctl, file):
    file.write_text(WRONG)
    ran = harnctl("config", "show", columns=400)
    assert (ran.code, ran.err.splitlines()) == (78, complaints(file))


def test_a_harnd_that_cannot_look_is_told(harnctl, place, monkeypatch):
    old = place / "bin" / "harnd"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho 'harnd: error: unrecognized arguments: --check-config' >&2\nexit 2\n")
    old.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(old.with_name("python")))
    ran = harnctl("config", "check", columns=400)
    assert (ran.code, ran.err) == (
        1,
        (
            f"error: {old} cannot check a configuration: harnd: error: unrecognized arguments: --check-config "
            "[config.unchecked]\n"
        ),
    )
