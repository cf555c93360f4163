"""Settings: who is heard first, what is refused, and what a reload changes."""

import os
from pathlib import Path

import pytest

from harnd.daemon.arguments import read_arguments
from harnd.daemon.configuration import LIVE, Configuration, prospect
from harnd.daemon.settings import Choice, ConfigError, settle
from protocol.values import Instant
from protocol.views import ConfigOrigin, ConfigRow

ARGUMENT, ENVIRONMENT, FILE, DEFAULT = ConfigOrigin


class House:
    """A home directory with a configuration file in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.file = root / ".config" / "harnd" / "config.toml"
        self.file.parent.mkdir(parents=True)
        self.environ = {"HOME": str(root)}

    def write(self, text: str) -> Path:
        self.file.write_text(text, encoding="utf-8")
        return self.file

    def asked(self, *arguments, passed=None, **environ):
        return read_arguments(arguments, {**self.environ, **environ}, passed=passed)

    def choices(self, *arguments, passed=None, **environ):
        return settle(self.asked(*arguments, passed=passed, **environ)).choices

    def refused(self, *arguments, **environ):
        with pytest.raises(ConfigError) as refused:
            settle(self.asked(*arguments, **environ))
        return str(refused.value).splitlines()


@pytest.fixture
def house(tmp_path, monkeypatch):
    monkeypatch.setattr("harnd.daemon.socket_path.is_ours", lambda directory: False)  # no runtime directory
    return House(tmp_path)


# --- who is heard


def test_nobody_who_says_anything_is_heard_as_the_default(house):
    assert dict(house.choices()) == {
        "daemon.state": Choice(f"{house.root}/.local/state/harnd", DEFAULT),
        "daemon.socket": Choice(f"{house.root}/.local/state/harnd/run/harnd.sock", DEFAULT),
        "daemon.drain": Choice(20, DEFAULT),
        "daemon.grace": Choice(5, DEFAULT),
        "log.level": Choice("info", DEFAULT),
    }


def test_an_argument_goes_before_the_environment_that_before_the_file_and_that_before_the_default(house):
    file = house.write('[daemon]\nstate = "/in/file"\ndrain = "1m"\ngrace = 7\n')

    assert house.choices()["daemon.state"] == Choice("/in/file", FILE, f"{file}:2")
    said = house.choices("--drain", "30", HARND_STATE="/in/environment")
    assert said["daemon.state"] == Choice("/in/environment", ENVIRONMENT, "HARND_STATE")
    assert said["daemon.drain"] == Choice(30, ARGUMENT, "--drain")
    assert said["daemon.grace"] == Choice(7, FILE, f"{file}:4")
    assert said["log.level"] == Choice("info", DEFAULT)
    assert house.choices("--state", "/said", HARND_STATE="/in/environment")["daemon.state"].value == "/said"


def test_an_argument_of_nothing_is_an_argument(house):
    house.write("[daemon]\ndrain = 30\n")
    assert house.choices("--drain", "0")["daemon.drain"] == Choice(0, ARGUMENT, "--drain")


def test_a_path_from_home_is_made_absolute_and_one_of_the_command_line_begins_here(house):
    house.write('[daemon]\nstate = "~/elsewhere"\n')
    assert house.choices()["daemon.state"].value == f"{house.root}/elsewhere"
    assert house.choices("--state", "here")["daemon.state"].value == f"{Path.cwd()}/here"


# --- the socket


def test_the_socket_of_the_file_is_that_of_its_daemon_and_of_no_other(house):
    house.write('[daemon]\nsocket = "/s"\n')
    assert house.choices()["daemon.socket"].value == "/s"
    assert house.choices("--state", "/other")["daemon.socket"] == Choice("/other/run/harnd.sock", DEFAULT)
    assert house.choices(HARND_STATE="/other", HARND_SOCKET="/t")["daemon.socket"].value == "/t"

    house.write('[daemon]\nstate = "/state"\nsocket = "/s"\n')
    assert house.choices("--state", "/state")["daemon.socket"].value == "/s"


def test_a_socket_that_was_passed_goes_before_everything(house):
    house.write(f'[daemon]\nsocket = "/{"s" * 200}"\n')
    said = house.choices("--socket", "/x" * 100, passed=Path("/passed"))
    assert said["daemon.socket"] == Choice("/passed", ENVIRONMENT, "LISTEN_FDS")


def test_who_names_another_socket_than_the_one_that_was_passed_is_known(house):
    file = house.write('[daemon]\nsocket = "/in/file"\n')

    def unheard(*arguments, passed: Path | None = Path("/passed"), **environ):
        return settle(house.asked(*arguments, passed=passed, **environ)).unheard

    assert unheard("--socket", "/said", HARND_SOCKET="/t") == Choice("/said", ARGUMENT, "--socket")
    assert unheard(HARND_SOCKET="/t") == Choice("/t", ENVIRONMENT, "HARND_SOCKET")
    assert unheard() == Choice("/in/file", FILE, f"{file}:2")
    assert unheard("--state", "/other") is None  # the file's is that of another daemon
    assert unheard("--socket", "/passed") is None
    assert unheard("--socket", "/said", passed=None) is None


# --- the file


def test_a_file_is_found_by_argument_by_environment_and_by_the_xdg_rule(house, tmp_path):
    named, other = tmp_path / "named.toml", tmp_path / "xdg" / "harnd" / "config.toml"
    other.parent.mkdir(parents=True)
    house.write("[daemon]\ngrace = 1\n")
    named.write_text("[daemon]\ngrace = 2\n")
    other.write_text("[daemon]\ngrace = 3\n")

    def grace(*arguments, **environ):
        return house.choices(*arguments, **environ)["daemon.grace"].value

    assert grace() == 1
    assert grace("--config", str(named), HARND_CONFIG=str(other)) == 2
    assert grace(HARND_CONFIG=str(named), XDG_CONFIG_HOME=str(tmp_path / "xdg")) == 2
    assert grace(XDG_CONFIG_HOME=str(tmp_path / "xdg")) == 3
    assert grace(XDG_CONFIG_HOME="xdg") == 1  # the standard: a relative path is ignored


@pytest.mark.parametrize("named", [("--config", "/no/such"), ()])
def test_a_file_that_somebody_named_must_be_there(house, named):
    said = house.refused(*named, **({} if named else {"HARND_CONFIG": "/no/such"}))
    assert said == ["/no/such: is not there, expected the configuration [file.missing]"]


def test_what_is_there_and_no_file_is_refused(house):
    house.file.mkdir()
    assert house.refused() == [f"{house.file}: cannot be read: it is a directory, expected a file [file.unreadable]"]
    house.file.rmdir()
    os.mkfifo(house.file)
    assert house.refused() == [f"{house.file}: cannot be read: it is no file, expected a file [file.unreadable]"]
    house.file.unlink()
    house.file.symlink_to(house.file)
    (said,) = house.refused()
    assert said.endswith("Too many levels of symbolic links [file.unreadable]")
    house.file.unlink()
    house.file.symlink_to("gone")  # somebody meant a file to be there
    assert house.refused() == [f"{house.file}: is not there, expected the configuration [file.missing]"]


@pytest.mark.parametrize("option", ["--state", "--socket", "--config"])
@pytest.mark.parametrize("text", ["", "a\nb", "\udcff"])
def test_a_path_that_is_empty_or_no_plain_text_is_no_path(house, capsys, option, text):
    with pytest.raises(SystemExit) as refused:
        house.asked(option, text)

    assert refused.value.code == 2
    assert "expected a path in plain characters" in capsys.readouterr().err


def test_everything_is_refused_together_a_line_each(house):
    house.write("[daemon]\ndrian = 1\n[log]\nlevel = 3\n")
    long = "/x" * 100
    assert house.refused("--socket", long) == [
        f"{house.file}:2: daemon.drian: is not a key here; did you mean `drain`? [unknown_key]",
        f"{house.file}:4: log.level: expected a text, found 3 [type]",
        f"{long} is 200 bytes long, and a socket path has 107; choose a shorter --state or --socket [socket.too_long]",
    ]


# --- reloading


@pytest.fixture
def running(house):
    """Whatever is configured at the beginning, and a clock that goes on by one with each look."""
    ticks = iter(range(1, 100))

    def start(text, *arguments):
        house.write(text)
        return Configuration(house.asked(*arguments), lambda: Instant(next(ticks)))

    return start


BEFORE = '[daemon]\nstate = "/before"\ndrain = 30\n'


def test_a_reload_changes_what_can_be_changed_and_says_what_waits(house, running):
    configuration = running(BEFORE, "--grace", "9")
    house.write('[daemon]\nstate = "/after"\ndrain = "1m"\ngrace = 1\n\n[log]\nlevel = "error"\n')

    configuration.take(configuration.read())

    view = configuration.view()
    assert (view.loaded_at, view.problems, configuration.settings.state) == (2, (), Path("/before"))
    assert [row for row in view.rows if row.key != "daemon.socket"] == [
        ConfigRow(
            key="daemon.state",
            value="/before",
            origin=FILE,
            place=f"{house.file}:2",
            live=False,
            waiting="/after",
        ),
        ConfigRow(key="daemon.drain", value="1m", origin=FILE, place=f"{house.file}:3", live=True, waiting=None),
        ConfigRow(key="daemon.grace", value="9s", origin=ARGUMENT, place="--grace", live=True, waiting=None),
        ConfigRow(key="log.level", value="error", origin=FILE, place=f"{house.file}:7", live=True, waiting=None),
    ]
    assert list(configuration.waiting) == ["daemon.state", "daemon.socket"]


def test_a_file_with_a_problem_changes_nothing_and_the_next_good_one_is_taken(house, running):
    configuration = running(BEFORE)
    before = configuration.view()
    house.write("[daemon]\ndrain = 40\ngrace = 99999\n")
    configuration.take(configuration.read())

    view = configuration.view()
    assert (view.rows, view.loaded_at) == (before.rows, before.loaded_at)
    assert [(problem.place, problem.line) for problem in view.problems] == [("daemon.grace", 3)]

    house.write(BEFORE.replace("30", "40"))
    configuration.take(configuration.read())
    assert (configuration.settings.drain_s, configuration.problems, configuration.view().loaded_at) == (40, [], 2)


def test_what_was_read_changes_nothing_before_it_is_taken(house, running):
    configuration = running(BEFORE)
    house.write(BEFORE.replace("30", "40"))
    before = configuration.view()
    found = configuration.read()
    assert configuration.view() == before
    configuration.take(found)
    assert configuration.settings.drain_s == 40


def test_a_value_that_is_put_back_waits_no_more(house, running):
    configuration = running(BEFORE)
    house.write(BEFORE.replace("/before", "/after"))
    configuration.take(configuration.read())
    assert "daemon.state" in configuration.waiting
    house.write(BEFORE)
    configuration.take(configuration.read())
    assert configuration.waiting == {}


def test_a_file_that_goes_away_leaves_the_defaults(house, running):
    configuration = running(BEFORE)
    house.file.unlink()
    configuration.take(configuration.read())
    assert (configuration.settings.drain_s, configuration.settings.found) == (20, False)


def test_only_what_takes_effect_without_a_restart_counts_as_live():
    assert {"daemon.drain", "daemon.grace", "log.level"} == LIVE


# --- without a daemon


def test_what_a_daemon_would_start_with_is_shown_or_why_none_would(house):
    house.write("[daemon]\ndrain = 30\n")
    view = prospect(house.asked())
    assert (view.loaded_at, view.found, view.problems, len(view.rows)) == (None, True, (), 5)

    house.write("[daemon]\ndrain = true\n")
    view = prospect(house.asked())
    assert (view.path, view.rows, [problem.line for problem in view.problems]) == (str(house.file), (), [2])
