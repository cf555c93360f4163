"""`harnctl doctor` looks at everything it can reach, and works when the daemon does not."""

from importlib.metadata import version

import pytest

from protocol.errors import Refusal
from protocol.views import CheckResult
from tests.kit.scripted_daemon import golden

HERE = ["client.python", "client.git", "client.service", "client.socket"]


@pytest.fixture
def in_step(daemon):
    """A daemon of the same version."""
    return daemon.answers("initialize", golden("initialize", daemon_version=version("harnd")))


def results(ran):
    return {check["name"]: check["result"] for check in ran.document["checks"]}


def test_everything_is_checked_here_and_there(harnctl, in_step):
    ran = harnctl("doctor", "--json")
    assert ran.code == 0
    assert ran.document["schema"] == "harnctl.doctor.show/1"
    theirs = [check.name for check in golden("doctor.show").checks]
    assert list(results(ran)) == [*HERE, "client.versions", *theirs]
    assert {name: results(ran)[name] for name in HERE} == dict.fromkeys(HERE, "ok")


def test_what_could_not_be_looked_at_is_unknown_and_not_well(harnctl, in_step):
    assert "? unknown  sandbox\n" in harnctl("doctor").out


def test_with_the_daemon_down_it_says_how_to_start_it(harnctl):
    ran = harnctl("doctor")
    assert ran.code == 1
    assert "✗ fail  client.daemon\n" in ran.out
    assert ran.out.rstrip().endswith("harnd")
    assert results(harnctl("doctor", "--json")) == {**dict.fromkeys(HERE, "ok"), "client.daemon": "fail"}


def test_a_directory_that_is_not_there_yet_fails_the_way_to_the_socket(harnctl):
    ran = harnctl("doctor", "--json", HARND_SOCKET="/nowhere/harnd.sock")
    assert ran.code == 1
    assert results(ran)["client.socket"] == "fail"


def test_two_versions_are_told_apart(harnctl, daemon):
    daemon.answers("initialize", golden("initialize", daemon_version="9.0.0"))
    ran = harnctl("doctor")
    assert ran.code == 1
    assert "harnd 9.0.0" in ran.out


def test_a_failed_check_of_the_daemon_fails_the_doctor(harnctl, in_step):
    failed = golden("doctor.show").checks[0]
    check = type(failed)(name="git", result=CheckResult.FAIL, said="git is missing", fix="harnctl status")
    daemon = in_step.answers("doctor.show", golden("doctor.show", checks=(check,)))
    ran = harnctl("doctor")
    assert (ran.code, [request.method for request in daemon.asked]) == (1, ["doctor.show"])
    assert "✗ fail  git\n  git is missing\n  harnctl status\n" in ran.out


def test_a_daemon_that_refuses_to_be_examined_fails_the_doctor(harnctl, in_step):
    in_step.answers("doctor.show", Refusal("daemon.stopping", "the daemon is stopping"))
    ran = harnctl("doctor")
    assert ran.code == 1
    assert "the daemon is stopping" in ran.out


def test_git_is_looked_for_on_the_path(harnctl, monkeypatch, place):
    monkeypatch.setenv("PATH", str(place))
    assert results(harnctl("doctor", "--json"))["client.git"] == "fail"


@pytest.mark.parametrize(
    ("said", "result"),
    [("git version 2.37.9", "fail"), ("git version 2.38.0", "ok"), ("git version 10.0", "ok"), ("huh", "unknown")],
)
def test_git_must_be_new_enough(harnctl, monkeypatch, place, said, result):
    (place / "git").write_text(f"#!/bin/sh\necho '{said}'\n")
    (place / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(place))
    assert results(harnctl("doctor", "--json"))["client.git"] == result
