"""The units as they ship and as they are filled in, and what of a shell is recorded in them."""

import configparser
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnctl.failures import Failure
from harnctl.service import quoting
from harnctl.service.surroundings import FALLBACK, Departure, Recorded, handed_on, recorded_path
from harnctl.service.units import SERVICE, SOCKET, is_marked, is_ours, service_unit, socket_unit, state_of, template
from harnd.adapters.process.environment import ALLOWED
from protocol.bounds import DRAIN_S, GRACE_S

ROOT = Path(__file__).parents[2]
# What agents would inherit and could not work under, or what moves directories that harnd makes itself.
HARMFUL = {
    *("NoNewPrivileges", "MemoryDenyWriteExecute", "SystemCallFilter", "SystemCallArchitectures", "RestrictNamespaces"),
    *(
        "RestrictSUIDSGID",
        "RestrictRealtime",
        "RestrictAddressFamilies",
        "LockPersonality",
        "PrivateTmp",
        "PrivateUsers",
    ),
    *("PrivateDevices", "ProtectHome", "ProtectSystem", "ProtectProc", "ReadOnlyPaths", "InaccessiblePaths", "UMask"),
    *("RuntimeDirectory", "StateDirectory", "CacheDirectory", "LogsDirectory", "DynamicUser", "ProtectHostname"),
}


def unit(text):
    """A unit's sections; only fit for units in which no key stands twice."""
    parser = configparser.RawConfigParser()
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(text)
    return parser


# --- as they ship


@pytest.mark.parametrize("name", [SERVICE, SOCKET])
def test_the_repository_shows_the_units_of_the_package(name):
    assert (ROOT / "systemd" / name).read_text() == template(name)


def test_the_service_is_what_harnd_needs():
    service = unit(template(SERVICE))["Service"]
    wanted = {
        "Type": "notify",
        "ExecReload": "kill -HUP $MAINPID",
        "KillMode": "mixed",
        "Delegate": "yes",
        "Restart": "on-failure",
        "OOMPolicy": "continue",
    }
    assert {key: service[key] for key in wanted} == wanted
    assert "78" in service["RestartPreventExitStatus"].split()
    assert "75" not in service["RestartPreventExitStatus"].split()


def test_the_socket_is_its_owners_alone():
    socket = unit(template(SOCKET))["Socket"]
    assert (socket["SocketMode"], socket["DirectoryMode"]) == ("0600", "0700")
    assert socket["ListenStream"] == "%t/harnd/harnd.sock"


def test_nothing_is_set_that_agents_could_not_work_under():
    assert HARMFUL & set(unit(template(SERVICE))["Service"]) == set()


def test_stopping_may_take_as_long_as_a_drain_and_the_agents_grace():
    limit = int(unit(template(SERVICE))["Service"]["TimeoutStopSec"])
    assert limit >= DRAIN_S.default + 2 * GRACE_S.default


def test_starts_stop_within_their_limit():
    service = unit(template(SERVICE))
    burst, pause = int(service["Unit"]["StartLimitBurst"]), int(service["Service"]["RestartSec"])
    assert service["Unit"]["StartLimitIntervalSec"] == "10min"
    assert burst * pause < 600  # else the limit would never be met


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="install systemd to have it read the units")
def test_systemd_misses_nothing_in_them_but_the_program(tmp_path):
    paths = [str(ROOT / "systemd" / name) for name in (SERVICE, SOCKET)]
    environ = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)}
    command = ["systemd-analyze", "--user", "verify", *paths]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    said = (done.stdout + done.stderr).splitlines()
    assert [line for line in said if "is not executable: No such file or directory" not in line] == []
    assert len(said) <= 1


# --- as they are filled in


def test_a_unit_is_known_again_and_one_that_was_changed_is_not():
    text = service_unit(("/x/harnd",), {"PATH": "/bin"})
    assert (is_ours(text), is_marked(text)) == (True, True)
    changed = text.replace("RestartSec=5", "RestartSec=6")
    assert (is_ours(changed), is_marked(changed)) == (False, True)
    assert (is_ours(template(SERVICE)), is_marked(template(SERVICE))) == (False, False)


def test_below_the_runtime_directory_the_socket_is_said_by_specifier():
    def listen(path):
        return unit(socket_unit(path, runtime="/run/user/7"))["Socket"]["ListenStream"]

    assert listen("/run/user/7/harnd/harnd.sock") == "%t/harnd/harnd.sock"
    assert listen("/run/user/77/harnd/harnd.sock") == "/run/user/77/harnd/harnd.sock"


@given(st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1).map("/s".__add__))
def test_every_word_is_read_back_as_it_was(state):
    text = service_unit(("/x y/harnd", "--state", state), {"PATH": "/bin"})
    assert state_of(text) == state
    line = next(line for line in text.split("\n") if line.startswith("ExecStart="))
    assert shlex.split(line)[0] == "ExecStart=/x y/harnd" or line.startswith('ExecStart="/x y/harnd" ')


def test_specifiers_variables_quotes_and_backslashes_are_escaped_where_they_are_read():
    assert quoting.argument('a%b$c"d\\e') == '"a%%b$$c\\"d\\\\e"'
    assert quoting.program("/a%b$c") == '"/a%%b$c"'
    assert quoting.assignment("PATH", "/a%b$c d") == '"PATH=/a%%b$c d"'
    assert quoting.bare('/a%b$c "d') == '/a%%b$c "d'
    assert quoting.argument("/plain/path-1.0_x") == "/plain/path-1.0_x"


@pytest.mark.parametrize("path", ["/a ", "/a\\", "/a\n", "/a\t"], ids=ascii)
def test_a_path_whose_end_would_be_read_otherwise_is_refused(path):
    with pytest.raises(Failure, match=r"service\.unwritable"):
        quoting.bare(path)


# --- what of a shell is recorded


def test_what_does_not_last_is_not_on_the_recorded_path(tmp_path):
    """Case E05: programs of a version manager are found in the shell and not in the service."""
    for name in ("home/node/20/bin", "home/bin", "run/fnm", "run/other/bin"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "run/fnm/1").symlink_to(tmp_path / "home/node/20")
    (tmp_path / "file").touch()
    home, run = f"{tmp_path}/home", f"{tmp_path}/run"
    path = f"{run}/fnm/1/bin:{home}/bin:{home}/bin:{run}/other/bin:{tmp_path}/file:/nowhere:.:"
    assert recorded_path(path, temporary=[run]) == Recorded(
        (f"{home}/node/20/bin", f"{home}/bin"),
        (
            Departure(f"{run}/fnm/1/bin", "lies in a temporary directory", instead=f"{home}/node/20/bin"),
            Departure(f"{run}/other/bin", "lies in a temporary directory"),
            Departure(f"{tmp_path}/file", "is not there"),
            Departure("/nowhere", "is not there"),
            Departure(".", "is relative"),
            Departure("", "is relative"),
        ),
    )


def test_a_path_of_which_nothing_is_left_is_the_usual_one():
    assert recorded_path("", temporary=[]).path == FALLBACK


def test_a_name_that_only_begins_like_a_temporary_directory_stays(tmp_path):
    (tmp_path / "tmpfiles").mkdir()
    assert recorded_path(f"{tmp_path}/tmpfiles", temporary=[f"{tmp_path}/tmp"]).path == (f"{tmp_path}/tmpfiles",)


def test_what_harnd_hands_on_to_agents_is_recorded_but_for_what_the_manager_sets():
    by_the_manager = {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR"}
    shell = dict.fromkeys(ALLOWED | {"LC_ALL", "LC_TIME", "MY_API_KEY", "SSH_AUTH_SOCK"}, "/x")
    assert set(dict(handed_on(shell))) == (ALLOWED - by_the_manager) | {"LC_ALL", "LC_TIME"}


def test_an_empty_value_or_a_relative_xdg_directory_is_none():
    assert list(handed_on({"LANG": "", "XDG_DATA_HOME": "data", "TZ": "a\nb", "LC_ALL": "C"})) == [("LC_ALL", "C")]
