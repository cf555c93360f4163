"""The life of the service under a real systemd: installed, started by a call, killed, restarted, stopped, removed."""

import os
import signal
import stat
import sys
from pathlib import Path

import pytest

from harnctl.client import Unreachable
from harnctl.service.units import SERVICE, SOCKET
from protocol.values import AttemptOutcome, FailureClass, Phase
from tests.kit.daemons import TEAM, Gate, approve, carry, follow, seen_to_end
from tests.kit.service import Service

pytestmark = pytest.mark.timeout(180)  # a manager and some daemons each, on a machine that may be busy

# An agent that ignores TERM, as its children do, one of which has left its session and its parent.
STUBBORN = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    with open(sys.argv[1], "w") as here:
        here.write("x")
time.sleep(600)
"""
MAKER = """
[maker]
harness = "command"
argv = [{argv}]
quiet = true
"""


def at_the_gate(service: Service) -> Gate:
    """Have an agent in the middle of its work."""
    gate = service.home.gate()
    service.home.create()
    with service.client() as client:
        approve(client)
    gate.wait()
    return gate


def goes_on(service: Service, gate: Gate, *, first: AttemptOutcome) -> None:
    """See the next daemon take up what was cut short, at nobody's cost, and the mission come to its end."""
    gate.wait()
    gate.open()
    with service.client() as client:
        follow(client, "attempt.ended", attempt=2)
        assert service.attempts() == [(first, FailureClass.LOST, False), (AttemptOutcome.SUCCEEDED, None, True)]
        assert carry(client).phase is Phase.SUCCEEDED


# --- coming up


def test_it_is_installed_started_and_found_to_be_the_right_one(service: Service):
    service.install()

    shown = service.harnctl("service", "status")
    assert [(unit["unit"], unit["active"], unit["enabled"]) for unit in shown["units"]] == [
        (SOCKET, "active", "enabled"),
        (SERVICE, "active", "enabled"),
    ]
    status = service.status()
    assert (shown["pid"], shown["daemon"]["pid"]) == (status.pid, status.pid)
    assert (shown["program"], shown["notes"], shown["restarts"]) == (shown["this_program"], [], 0)
    assert (shown["said"] != "", shown["watchdog"], shown["since"] is not None) == (True, "1min", True)
    assert (status.socket, status.state_dir) == (str(service.home.socket), str(service.home.state))
    assert service.harnctl("service", "install")["deeds"] == []


def test_the_first_client_starts_the_daemon(service: Service):
    service.install("--no-start")
    service.manager.systemctl("start", SOCKET)
    assert service.harnctl("service", "status")["daemon"] is None
    assert service.manager.show(SERVICE, "ActiveState") == "inactive"  # looking has started nothing

    status = service.status()

    assert (status.pid, service.manager.show(SERVICE, "ActiveState")) == (service.pid, "active")
    assert stat.S_IMODE(service.home.socket.stat().st_mode) == 0o600


def test_agents_inherit_nothing_that_their_own_sandboxes_could_not_bear(service: Service):
    service.install()
    lines = Path(f"/proc/{service.pid}/status").read_text().splitlines()
    said = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
    assert (said["NoNewPrivs"], said["Seccomp"]) == ("0", "0")
    (manager,) = service.manager.processes("init.scope")
    for kind in ("mnt", "user"):
        assert Path(f"/proc/{service.pid}/ns/{kind}").readlink() == Path(f"/proc/{manager}/ns/{kind}").readlink()


def test_every_word_arrives_as_it_was_given(service: Service):
    service.home.state = service.home.root / "a b%h$HOME\"c'd;e"
    service.harnd[service.harnd.index("--state") + 1] = str(service.home.state)
    service.install(options="")
    assert service.status().state_dir == str(service.home.state)
    assert service.harnctl("service", "uninstall")["left"][-1].endswith(str(service.home.state))


def test_harnd_has_a_leaf_of_its_group_and_everything_that_it_starts_is_in_the_unit(service: Service):
    service.install()
    at_the_gate(service)
    unified = [line for line in group(service.pid).splitlines() if line.startswith("0::")]
    assert [line for line in unified if not line.endswith(f"/{SERVICE}/daemon")] == []
    started = set(service.home.processes())
    assert started
    assert started < service.manager.processes(SERVICE)
    assert {group(pid) for pid in started} == {group(service.pid)}  # the leaf, which they inherit


def group(pid: int) -> str:
    """Tell every control group that a process is in."""
    return Path(f"/proc/{pid}/cgroup").read_text()


# --- being told


def test_a_reload_reads_the_configuration_again_and_keeps_the_last_good_one(service: Service):
    service.install(options="--grace 1")
    pid, journal = service.status().pid, service.manager.journal

    service.home.write(".config/harnd/config.toml", '[daemon]\ndrain = "7s"\n')
    service.manager.systemctl("reload", SERVICE)
    journal.wait_for("harnd: ", "config.reloaded")
    assert drain(service) == "7s"

    service.home.write(".config/harnd/config.toml", '[daemon]\ndrian = "9s"\n')
    service.manager.systemctl("reload", SERVICE)
    journal.wait_for("harnd: ", "config.kept")
    assert drain(service) == "7s"
    assert service.status().pid == pid
    assert "problem" in service.harnctl("service", "status")["said"]


def drain(service: Service) -> str:
    (value,) = [row["value"] for row in service.harnctl("config", "show")["rows"] if row["key"] == "daemon.drain"]
    return str(value)


# --- being ended


def test_a_stuck_loop_is_ended_and_started_again(service: Service):
    service.set("[Service]\nWatchdogSec=1\n")
    service.install()
    first = service.status().pid

    os.kill(first, signal.SIGSTOP)
    service.manager.journal.wait_for(SERVICE, "Watchdog timeout")
    second = service.status().pid

    assert second != first
    assert service.manager.show(SERVICE, "NRestarts") == "1"
    assert service.harnctl("service", "status")["restarts"] == 1


def test_a_restart_parks_the_agents_and_the_mission_goes_on(service: Service):
    """Case E09: a restart takes every process of the unit, and costs no attempt."""
    service.install()
    gate = at_the_gate(service)

    service.manager.systemctl("restart", SERVICE)

    goes_on(service, gate, first=AttemptOutcome.INTERRUPTED)


def test_a_killed_daemon_is_back_and_the_mission_goes_on(service: Service):
    service.install()
    gate = at_the_gate(service)
    with seen_to_end(service.home.processes()):
        service.signal(signal.SIGKILL)
    goes_on(service, gate, first=AttemptOutcome.LOST)


def stubborn(service: Service) -> set[int]:
    """Have a stubborn agent run; return every process of the unit."""
    gate = Gate(service.home)  # it only has the agent's arrival from here
    words = (sys.executable, str(service.home.write("stubborn.py", STUBBORN)), str(service.home.root / "here"))
    planner = TEAM.format(script=service.home.root / "script.toml").partition("[maker]")[0]
    service.home.write("goal/team.toml", planner + MAKER.format(argv=", ".join(f"'{word}'" for word in words)))
    service.home.create()
    with service.client() as client:
        approve(client)
    gate.wait()
    return service.manager.processes(SERVICE)


def test_a_stop_leaves_no_agent_behind_however_stubborn(service: Service):
    service.install()
    running = stubborn(service)
    assert len(running) >= 4  # harnd, the shim, the agent and its child

    with seen_to_end(sorted(running)):
        service.manager.systemctl("stop", SOCKET)

    assert (service.manager.show(SERVICE, "ActiveState"), service.manager.show(SERVICE, "Result")) == (
        "inactive",
        "success",
    )


def test_a_killed_daemon_is_not_waited_for_because_of_a_stubborn_agent(service: Service):
    """Nor is one whose shims were killed with it: then nobody but systemd is left to end what ignores TERM."""
    service.set("[Service]\nTimeoutStopSec=5\n")
    service.install()
    running, daemon = stubborn(service), service.pid
    shims = running - agents(running) - {daemon}

    with seen_to_end(sorted(running)):
        for pid in shims:  # so that they have no time to end anybody
            os.kill(pid, signal.SIGSTOP)
        for pid in (daemon, *shims):
            os.kill(pid, signal.SIGKILL)
        assert service.status().pid not in running

    # With the default (`control-group`) systemd would ask them, and kill them only after its timeout.
    assert [line for line in service.manager.journal.lines if "timed out" in line] == []


def agents(running: set[int]) -> set[int]:
    """Tell the stubborn agent and its child from whoever has their words in its own."""
    words = {pid: Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0") for pid in running}
    found = {pid for pid, said in words.items() if said[1:2] and said[1].endswith(b"/stubborn.py")}
    assert len(found) == 2
    return found


# --- not coming up


def test_beside_another_daemon_it_tries_a_few_times_and_gives_up(service: Service):
    """And what the status then shows as the way out is one (case E19)."""
    service.set("[Unit]\nStartLimitBurst=3\n")
    service.install("--no-start")
    other = service.home.start("--socket", str(service.home.root / "other"))

    service.manager.systemctl("start", SERVICE, code=None)
    service.manager.journal.wait_for(SERVICE, "Start request repeated too quickly")

    assert (service.manager.show(SERVICE, "ExecMainStatus"), service.manager.show(SERVICE, "Result")) == (
        "75",
        "exit-code",
    )
    shown = service.harnctl("service", "status", code=1)
    assert [unit["active"] for unit in shown["units"]] == ["failed", "failed"]
    other.stop()
    assert shown["notes"][-1] == {
        "said": "harnd ended with exit-code (75), and systemd does not start it again by itself",
        "fix": "when it is mended: harnctl service install",
    }
    service.harnctl("service", "install")
    assert service.status().pid == service.pid


def test_what_another_start_does_not_change_is_not_tried_again(service: Service):
    service.install("--no-start")
    service.home.state.write_text("mine")

    service.manager.systemctl("start", SERVICE, code=None)

    assert service.manager.show(SERVICE, "ExecMainStatus") == "78"
    assert (service.manager.show(SERVICE, "ActiveState"), service.manager.show(SERVICE, "NRestarts")) == ("failed", "0")
    assert "is not a directory" in service.harnctl("service", "status", code=1)["said"]


def test_a_client_that_keeps_calling_cannot_start_it_for_ever(service: Service):
    service.set("[Unit]\nStartLimitBurst=3\n")
    service.install("--no-start")
    service.home.state.write_text("mine")
    service.manager.systemctl("start", SOCKET)

    with pytest.raises(Unreachable):
        service.status()

    assert service.manager.show(SOCKET, "ActiveState") == "failed"


# --- leaving


def test_it_is_removed_and_its_state_stays(service: Service):
    service.install()
    service.home.create()
    pids = sorted(service.manager.processes(SERVICE))
    with seen_to_end(pids):
        left = service.harnctl("service", "uninstall")["left"]
    assert (service.home.state / "harnd.db").exists()
    assert f"everything that harnd stored stays: {service.home.state}" in left
    assert not service.home.socket.exists()
    assert service.harnctl("service", "status", code=4)["code"] == "service.not_installed"


def test_without_a_journal_the_logs_are_said_to_be_elsewhere(service: Service):
    service.install()
    program = service.home.write("bin/journalctl", "#!/bin/sh\necho 'No journal files were found.' >&2\n")
    program.chmod(0o755)
    said = service.harnctl("service", "logs", code=78, PATH=f"{program.parent}:{os.environ['PATH']}")
    assert (said["code"], said["fix"]) == ("service.no_journal", "systemctl --user status harnd.service")
    service.manager.journal.wait_for("harnd: ", "daemon.ready")
