"""A daemon under a service manager: what it says at a real NOTIFY_SOCKET, and sockets that are passed to it."""

import os
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from harnctl.client import Client
from protocol.requests import ShowStatus
from tests.kit.daemons import Daemon, Home, approve
from tests.kit.manager import manager

pytestmark = pytest.mark.timeout(120)  # some seconds each, and many more on a machine that is busy

ACTIVATE = shutil.which("systemd-socket-activate")


@pytest.fixture
def heard(home):
    with manager(home.root / "notify") as made:
        yield made


# --- what is said


def test_a_manager_hears_of_readiness_when_the_first_client_would_be_answered(home, heard):
    daemon = Daemon(home.command(), {**home.environ, **heard.environ})
    home.daemons.append(daemon)

    ready = heard.wait_for("READY")

    with home.client() as client:
        assert client.ask(ShowStatus()).pid == daemon.pid
    assert ready == {"READY": "1", "STATUS": "no goal is under way; no things wait for a person"}
    assert {tuple(message) for message in heard.heard[:-1]} == {("EXTEND_TIMEOUT_USEC",)}


def test_the_status_follows_what_happens_and_is_silent_when_nothing_does(home, heard):
    home.start(environ=heard.environ)
    heard.wait_for("READY")
    home.create()

    heard.wait_for("STATUS", value="1 goal: 1 awaiting attention; 1 thing waits for a person")

    assert heard.next(3) is None  # three times the least time between two of them


def test_a_drain_is_told_with_the_time_it_may_take_and_what_it_waits_for(home, heard):
    gate = home.gate()
    daemon = home.start("--drain", "30", environ=heard.environ)
    home.create()
    with home.client() as client:
        approve(client)
        gate.wait()

        daemon.signal(signal.SIGTERM)
        stopping = heard.wait_for("STOPPING")
        gate.open()

    assert daemon.ended() == 0
    assert "attempt.ended/1" in [tag for _, tag in home.stored()]
    assert stopping == {
        "STOPPING": "1",
        "EXTEND_TIMEOUT_USEC": "41000000",
        "STATUS": "draining: nothing new is started, and 1 goal at work may end within 30 s",
    }
    assert [message for message in heard.waiting() if "STATUS" in message] == []


def test_no_process_that_harnd_starts_can_speak_in_its_name(home, heard):
    gate = home.gate()
    home.start(environ={**heard.environ, "WATCHDOG_USEC": "60000000", "INVOCATION_ID": "0" * 32})
    home.create()
    with home.client() as client:
        approve(client)
    gate.wait()

    environs = [Path(f"/proc/{pid}/environ").read_bytes() for pid in home.processes()]

    gate.open()
    assert environs
    for environ in environs:
        assert b"NOTIFY_SOCKET" not in environ
        assert b"WATCHDOG" not in environ


def test_a_daemon_whose_process_is_stopped_stops_pinging(home, heard):
    daemon = home.start(environ={**heard.environ, "WATCHDOG_USEC": "200000"})
    heard.wait_for("WATCHDOG")

    daemon.signal(signal.SIGSTOP)
    os.waitid(os.P_PID, daemon.pid, os.WSTOPPED | os.WNOWAIT)
    heard.waiting()
    assert heard.next(1) is None

    daemon.signal(signal.SIGCONT)
    heard.wait_for("WATCHDOG")


# The daemon as it is, whose world is neither opened nor closed before somebody opens a pipe.
SLOW = """
import sys
from contextlib import asynccontextmanager
import anyio.to_thread
from harnd import __main__ as daemon
from harnd.daemon import lifecycle
real = lifecycle.open_world
def wait(pipe):
    open(pipe).close()
@asynccontextmanager
async def open_world(*given, **named):
    await anyio.to_thread.run_sync(wait, sys.argv[1])
    async with real(*given, **named) as world:
        yield world
    await anyio.to_thread.run_sync(wait, sys.argv[2])
lifecycle.open_world = open_world
sys.exit(daemon.main(sys.argv[3:]))
"""


def test_a_world_that_opens_and_closes_slowly_is_asked_time_for_and_pinged_for(home, heard):
    """Opening is where a store is migrated: the part of a start that takes long."""
    opening, closing = home.root / "opening", home.root / "closing"
    for pipe in (opening, closing):
        os.mkfifo(pipe)
    _, _, _, *options = home.command("--grace", "1")
    environ = {**home.environ, **heard.environ, "WATCHDOG_USEC": "200000"}
    daemon = Daemon([sys.executable, "-c", SLOW, str(opening), str(closing), *options], environ)
    home.daemons.append(daemon)

    heard.wait_for("EXTEND_TIMEOUT_USEC")
    heard.wait_for("WATCHDOG")
    opening.open("w").close()
    daemon.wait_until("daemon.ready")
    daemon.signal(signal.SIGINT)
    daemon.wait_until("daemon.stopped")
    heard.waiting()
    assert heard.next() == {"WATCHDOG": "1"}
    assert heard.next() == {"WATCHDOG": "1"}
    closing.open("w").close()
    assert daemon.ended() == 0


def test_a_start_that_is_refused_is_told_with_its_reason(home, heard):
    home.state.write_text("mine")
    home.environ |= heard.environ

    assert home.refused()[0] == 78

    assert heard.next() == {"STATUS": f"{home.state} is not a directory"}


# --- the journal


def test_a_journal_gets_priorities_and_no_time_of_ours(home):
    reader, writer = os.pipe()
    found = os.fstat(writer)
    environ = {**home.environ, "JOURNAL_STREAM": f"{found.st_dev}:{found.st_ino}"}
    home.state.write_text("mine")
    refused = subprocess.run(home.command(), env=environ, stderr=writer, timeout=60, check=False)
    assert (refused.returncode, os.read(reader, 4096)) == (
        78,
        f"<3>harnd: {home.state} is not a directory\n".encode(),
    )

    home.state.unlink()
    with subprocess.Popen(home.command(), env=environ, stderr=writer) as daemon:
        os.close(writer)
        with os.fdopen(reader) as said:
            lines = [next(said), next(said)]
            daemon.send_signal(signal.SIGTERM)
            lines += list(said)
    assert [line.split(" ", 1)[0] for line in lines] == ["<6>level=info"] * len(lines)
    assert [line for line in lines if "timestamp=" in line] == []


# --- sockets that are passed


PASS_ON = """
import os, socket, sys
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen()
assert listener.fileno() == 3
os.set_inheritable(3, True)
os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()), LISTEN_FDNAMES="harnd.socket")
os.execv(sys.argv[2], sys.argv[2:])
"""


def test_a_daemon_serves_the_socket_that_was_passed_and_makes_none(home):
    passed = home.root / "passed"
    daemon = home.start(through=(sys.executable, "-c", PASS_ON, str(passed)))
    before = stat.S_IMODE(passed.stat().st_mode)

    with Client(passed) as client:
        assert (client.ask(ShowStatus()).socket, client.ask(ShowStatus()).pid) == (str(passed), daemon.pid)
    daemon.stop()

    (unheard,) = [line for line in daemon.lines if "socket.unheard" in line]
    assert f"said={home.socket} by=--socket serves={passed}" in unheard
    assert not home.socket.exists()
    assert (passed.is_socket(), stat.S_IMODE(passed.stat().st_mode)) == (True, before)


def test_a_socket_that_cannot_be_served_is_refused_in_one_sentence(home):
    code, said = home.refused(through=("env", "LISTEN_FDS=1", "sh", "-c", 'LISTEN_PID=$$ exec "$@" 3</dev/null', "sh"))

    reason = "cannot be used: Socket operation on non-socket; see the socket unit"
    assert (code, said) == (78, f"harnd: the socket passed as descriptor 3 (without a name) {reason}\n")


@pytest.mark.skipif(ACTIVATE is None, reason="install systemd, which brings systemd-socket-activate")
def test_the_first_client_starts_the_daemon_and_is_answered(home: Home):
    assert ACTIVATE is not None
    passed = home.root / "passed"
    environ = [f"-E{key}={value}" for key, value in home.environ.items()]
    activate = [ACTIVATE, "-l", str(passed), "--fdname=harnd.socket", *environ, *home.command()]
    daemon = Daemon(activate, home.environ)
    home.daemons.append(daemon)
    daemon.wait_until("Listening on")

    with Client(passed) as client:
        status = client.ask(ShowStatus())

    assert (status.socket, status.pid) == (str(passed), daemon.pid)
    daemon.stop()


# --- the control group

# Becomes the main process of a service without systemd: in a group of that name, with the variables of one.
AS_UNIT = """
import os, sys
with open(sys.argv[1] + "/cgroup.procs", "w") as processes:
    processes.write(str(os.getpid()))
os.environ.update(INVOCATION_ID="0" * 32, SYSTEMD_EXEC_PID=str(os.getpid()))
os.execv(sys.argv[2], sys.argv[2:])
"""


@pytest.fixture
def unit():
    """A control group that looks like that of a service."""
    mounts = [line.split() for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    unified = [Path(words[4]) for words in mounts if words[words.index("-") + 1] == "cgroup2" and words[3] == "/"]
    if not unified or not os.access(unified[0], os.W_OK):
        pytest.skip("run this as root where the unified control groups (cgroup v2) are mounted and may be written")
    made = unified[0] / f"harnd-test-{os.getpid()}.service"
    made.mkdir()
    yield made
    for each in (made / "daemon", made):
        if each.is_dir():
            each.rmdir()


def group(pid: int) -> str:
    lines = Path(f"/proc/{pid}/cgroup").read_text().splitlines()
    return next(line.removeprefix("0::") for line in lines if line.startswith("0::"))


def test_a_daemon_that_is_a_service_moves_into_a_leaf_and_leaves_nobody_in_the_group_itself(home, unit):
    daemon = home.start(through=(sys.executable, "-c", AS_UNIT, str(unit)))

    assert group(daemon.pid).endswith(f"/{unit.name}/daemon")
    assert (unit / "cgroup.procs").read_text() == ""
    daemon.stop()


def test_a_group_that_cannot_be_moved_into_is_no_reason_not_to_start(home, unit):
    (unit / "cgroup.max.descendants").write_text("0")  # no leaf can be made

    daemon = home.start(through=(sys.executable, "-c", AS_UNIT, str(unit)))

    assert group(daemon.pid).endswith(f"/{unit.name}")
    daemon.wait_until("cgroup.stayed")
    daemon.stop()


def test_a_daemon_that_only_inherited_the_variables_of_a_service_stays(home):
    environ = {"INVOCATION_ID": "0" * 32, "SYSTEMD_EXEC_PID": "1", "NOTIFY_SOCKET": str(home.root / "nobody")}
    daemon = home.start(environ=environ)
    assert group(daemon.pid) == group(os.getpid())
    assert [line for line in daemon.lines if "cgroup" in line] == []
