"""A real daemon and its configuration file: refused at the start, read again on HUP, kept when it is wrong."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from harnctl.client import Client
from protocol.requests import ShowConfig, ShowStatus
from tests.kit.daemons import Daemon, Home, approve
from tests.kit.manager import manager

pytestmark = pytest.mark.timeout(120)  # some seconds each, and many more on a machine that is busy


@pytest.fixture
def heard(home):
    with manager(home.root / "notify") as made:
        yield made


def configure(home: Home, text: str) -> None:
    home.write(".config/harnd/config.toml", text)


def rows(home: Home):
    with home.client() as client:
        return {row.key: (row.value, row.waiting) for row in client.ask(ShowConfig()).rows}


def test_a_wrong_file_refuses_the_start_with_a_line_for_each_problem_and_touches_nothing(home):
    configure(home, '[daemon]\ndrian = 1\n\n[log]\nlevel = "loud"\n')

    code, said = home.refused()

    assert code == 78
    assert [line.rpartition("[")[2] for line in said.splitlines()] == ["unknown_key]", "enum]"]
    assert all(line.startswith(f"harnd: {home.root}/.config/harnd/config.toml:") for line in said.splitlines())
    assert not home.state.exists()


def test_e15_an_older_harnd_that_meets_a_newer_file_says_so_by_name(home):
    configure(home, 'version = 2\nshape = "round"\n')

    code, said = home.refused()

    file = home.root / ".config/harnd/config.toml"
    assert (code, said) == (
        78,
        (
            f"harnd: {file}:1: version: is 2, and harnd 0.1.0 ({sys.executable}) reads configurations up to version 1: "
            "start the newer harnd [config.newer]\n"
        ),
    )


def test_a_daemon_is_told_of_its_state_and_socket_by_the_file(home):
    configure(home, f'[daemon]\nstate = "{home.root}/kept"\nsocket = "{home.root}/there"\n')
    daemon = Daemon([sys.executable, "-m", "harnd"], home.environ)
    home.daemons.append(daemon)
    daemon.wait_until("daemon.ready")

    with Client(home.root / "there") as client:
        status = client.ask(ShowStatus())

    assert (status.state_dir, status.socket) == (f"{home.root}/kept", f"{home.root}/there")


def test_good_bad_and_good_again(home, heard):
    """The whole way of a reload: taken, refused whole, taken."""
    configure(home, "[daemon]\ndrain = 30\n")
    daemon = home.start(environ=heard.environ)
    heard.wait_for("READY")

    configure(home, '[daemon]\ndrain = 40\nstate = "/srv/other"\n')
    daemon.signal(signal.SIGHUP)
    reloading, ready = heard.wait_for("RELOADING"), heard.wait_for("READY")
    daemon.wait_until("config.reloaded")
    assert int(reloading["MONOTONIC_USEC"]) > 0
    assert ready["STATUS"] == "no goal is under way; no things wait for a person"  # --state goes before the file
    assert (rows(home)["daemon.drain"], rows(home)["daemon.state"]) == (("40s", None), (str(home.state), None))

    configure(home, '[daemon]\ndrain = 50\ngrace = "long"\nsize = 3\n')
    daemon.signal(signal.SIGHUP)
    heard.wait_for("RELOADING")
    ready = heard.wait_for("READY")
    daemon.wait_until("config.kept", "problems=2")
    said = [line for line in daemon.lines if "config.problem" in line]
    with home.client() as client:
        view = client.ask(ShowConfig())
    assert ready["STATUS"].startswith("the new configuration has 2 problems and is not used (harnctl config show); ")
    assert [problem.line for problem in view.problems] == [3, 4]
    assert ("config.toml:3" in said[0], "config.toml:4" in said[1]) == (True, True)
    assert rows(home)["daemon.drain"] == ("40s", None)

    configure(home, '[daemon]\ndrain = 50\n\n[log]\nlevel = "error"\n')
    daemon.signal(signal.SIGHUP)
    heard.wait_for("RELOADING")
    ready = heard.wait_for("READY")
    assert ready["STATUS"] == "no goal is under way; no things wait for a person"
    assert rows(home)["daemon.drain"] == ("50s", None)
    before = len(daemon.lines)
    home.create()  # which is a line of the log, but not a grave one
    daemon.signal(signal.SIGTERM)
    assert daemon.ended() == 0
    assert [line for line in daemon.lines[before:] if line] == []


def test_what_needs_a_restart_is_said_by_its_key(home, heard):
    daemon = Daemon([sys.executable, "-m", "harnd", "--socket", str(home.socket)], home.environ | heard.environ)
    home.daemons.append(daemon)
    heard.wait_for("READY")

    configure(home, f'[daemon]\nstate = "{home.root}/other"\n')
    daemon.signal(signal.SIGHUP)
    heard.wait_for("RELOADING")

    assert heard.wait_for("READY")["STATUS"].startswith("a restart is needed for daemon.state; ")
    daemon.wait_until("config.reloaded", "waiting_for_a_restart=daemon.state")
    assert rows(home)["daemon.state"] == (f"{home.root}/.local/state/harnd", f"{home.root}/other")


def test_a_drain_is_as_long_as_the_file_says_by_then(home):
    configure(home, '[daemon]\ndrain = "1h"\n')
    gate = home.gate()
    daemon = home.start()
    home.create()
    with home.client() as client:
        approve(client)
        gate.wait()
    configure(home, "[daemon]\ndrain = 0\n")
    daemon.signal(signal.SIGHUP)
    daemon.wait_until("config.reloaded")

    daemon.signal(signal.SIGTERM)

    assert daemon.ended() == 0
    assert "all_ended=false" in next(line for line in daemon.lines if "daemon.drained" in line).lower()


def test_a_process_is_given_the_grace_that_the_file_says_when_it_is_started(home):
    configure(home, "[daemon]\ngrace = 3\n")
    gate = home.gate()
    daemon = Daemon(home.command(), home.environ)
    home.daemons.append(daemon)
    daemon.wait_until("daemon.ready")
    configure(home, "[daemon]\ngrace = 7\n")
    daemon.signal(signal.SIGHUP)
    daemon.wait_until("config.reloaded")
    home.create()
    with home.client() as client:
        approve(client)
    gate.wait()

    lines = [Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0") for pid in home.processes()]

    gate.open()
    assert [line for line in lines if b"3000000" in line] == []
    assert [line for line in lines if b"7000000" in line] != []


def test_a_daemon_that_drains_says_so_and_reloads_nothing(home):
    gate = home.gate()
    daemon = home.start()
    home.create()
    with home.client() as client:
        approve(client)
        gate.wait()
        daemon.signal(signal.SIGTERM)
        daemon.wait_until("daemon.draining")
        assert client.ask(ShowStatus()).draining
        daemon.signal(signal.SIGHUP)
        daemon.wait_until("config.not_reloaded")
    gate.open()
    assert daemon.ended() == 0


# --- a file system that hangs

# The daemon as it is, whose second look at its configuration does not come back before somebody opens a pipe.
HANGS = """
import itertools, sys
from harnd import __main__ as daemon
from harnd.daemon import configuration
real, looks = configuration.settle, itertools.count(1)
def settle(asked):
    if next(looks) == 2:
        open(sys.argv[1]).close()
    return real(asked)
configuration.settle = settle
sys.exit(daemon.main(sys.argv[2:]))
"""


@pytest.fixture
def hanging(home, heard):
    """A daemon that hangs in a reload, and the pipe that ends it."""
    pipe = home.root / "hangs"
    os.mkfifo(pipe)
    _, _, _, *options = home.command("--grace", "1")
    daemon = Daemon([sys.executable, "-c", HANGS, str(pipe), *options], home.environ | heard.environ)
    home.daemons.append(daemon)
    heard.wait_for("READY")
    daemon.signal(signal.SIGHUP)
    heard.wait_for("RELOADING")
    return daemon, pipe


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_who_is_to_stop_is_heard_while_a_reload_hangs(hanging, heard, number):
    daemon, _ = hanging
    daemon.signal(number)
    assert daemon.ended() == 0
    assert any("config.not_reloaded" in line for line in daemon.lines) == (number is signal.SIGTERM)
    assert [message for message in heard.waiting() if "READY" in message] == []  # which would take the stop back


def test_whatever_is_asked_for_while_one_reload_runs_is_one_more(home, hanging, heard):
    daemon, pipe = hanging
    with home.client() as client:
        for _ in range(3):
            daemon.signal(signal.SIGHUP)
            assert client.ask(ShowStatus()).pid == daemon.pid  # which is answered, and after the signal was heard
    configure(home, "[daemon]\ndrain = 7\n")

    pipe.open("w").close()
    heard.wait_for("RELOADING")
    heard.wait_for("READY")
    daemon.stop()

    assert len([line for line in daemon.lines if "config.reloaded" in line]) == 2
    assert [message for message in heard.waiting() if "RELOADING" in message] == []


# --- terminals

HAS_TERMINAL = """
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(int(sys.argv[1]), termios.TIOCSCTTY, 0)
os.close(int(sys.argv[1]))
os.execv(sys.argv[2], sys.argv[2:])
"""


def in_terminal(home: Home, command: list[str]) -> tuple[subprocess.Popen[bytes], int, int]:
    """Start a daemon that has a terminal of its own; return it, its log and the other end of the terminal."""
    controller, terminal = os.openpty()
    reader, writer = os.pipe()
    daemon = subprocess.Popen(
        [sys.executable, "-c", HAS_TERMINAL, str(terminal), *command],
        env=home.environ,
        stdin=terminal,
        stderr=writer,
        pass_fds=[terminal],
    )
    os.close(terminal)
    os.close(writer)
    return daemon, reader, controller


def test_a_daemon_whose_terminal_is_closed_drains_and_ends(home):
    daemon, reader, controller = in_terminal(home, home.command())
    with os.fdopen(reader) as said:
        assert any("daemon.ready" in line for line in said)

        daemon.send_signal(signal.SIGHUP)  # the terminal is there: this asks for a reload
        assert any("config.reloaded" in line for line in said)
        os.close(controller)
        rest = said.read()

    assert daemon.wait(40) == 0
    assert "daemon.draining" in rest


def test_under_nohup_a_closed_terminal_is_no_reason_to_end(home):
    daemon, reader, controller = in_terminal(home, ["/usr/bin/env", "--ignore-signal=HUP", *home.command()])
    with os.fdopen(reader) as said:
        assert any("daemon.ready" in line for line in said)
        os.close(controller)
        assert any("config.reloaded" in line for line in said)
        daemon.send_signal(signal.SIGTERM)
        said.read()
    assert daemon.wait(40) == 0
