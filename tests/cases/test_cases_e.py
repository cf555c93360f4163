"""Group E: what went wrong with sockets and services in other systems of this kind, each told again here as a test."""

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from harnctl.client import Client
from harnd.daemon.subscription import Subscription
from protocol.bounds import FRAME_BYTES, SUBSCRIBER_QUEUE
from protocol.errors import Refusal
from protocol.notices import LaggedNotice, Notice
from protocol.replies import EventPage
from protocol.requests import ListEvents, ShowDoctor, ShowStatus, ShowWork, SubscribeEvents
from protocol.socket_path import socket_path
from protocol.values import AttemptOutcome, FailureClass, Phase
from tests.daemon.speaking import event
from tests.harnctl.conftest import Shell, harnctl, place
from tests.kit.daemons import BILLING, ROOT, TEAM, WORK, Daemon, Home, approve, carry, follow
from tests.kit.scripted_daemon import Impostor, ScriptedDaemon

__all__ = ["harnctl", "place"]
pytestmark = pytest.mark.timeout(180)

CASES = {f"E{number:02}" for number in range(1, 20, 2)} | {f"G{number:02}" for number in range(1, 16, 2)}
AGENT = """#!/usr/bin/env no-such-node
"""


@pytest.fixture
def home() -> Iterator[Home]:
    made = Home()
    yield made
    made.close()


def test_every_case_of_the_groups_e_and_g_is_told_or_waits_with_a_reason():
    here = ROOT / "tests/cases"
    tests = "".join((here / f"test_cases_{group}.py").read_text(encoding="utf-8") for group in "eg")
    told = {name.upper() for name in re.findall(r"^(?:async )?def test_([eg]\d\d)_", tests, re.MULTILINE)}
    waiting = (here / "NOT_APPLICABLE.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| ([EG]\d\d) \|", waiting, re.MULTILINE))
    assert (told | listed, told & listed) == (CASES, set())


def ask(home: Home, *argv: str, **environ: str) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "harnctl", *argv]
    done = subprocess.run(
        command, cwd=ROOT, env={**home.environ, **environ}, capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode, done.stdout, done.stderr


def deep_command(state: Path) -> list[str]:
    return [sys.executable, "-m", "harnd", "--state", str(state), "--grace", "1"]


# --- E01: a state directory too deep for a socket


def test_e01_a_state_directory_120_bytes_deep_is_served_from_the_runtime_directory(home: Home):
    state, runtime = home.root / ("d" * 60) / ("e" * 60), home.root / "rt"
    state.parent.mkdir()
    runtime.mkdir(mode=0o700)
    daemon = Daemon(deep_command(state), {**home.environ, "XDG_RUNTIME_DIR": str(runtime)})
    home.daemons.append(daemon)
    daemon.wait_until("daemon.ready")
    code, out, _ = ask(home, "status", "--json", HARND_STATE=str(state), XDG_RUNTIME_DIR=str(runtime))
    assert code == 0
    assert json.loads(out)["socket"].startswith(str(runtime))


def test_e01_without_one_both_ends_name_the_path_and_the_limit_and_nobody_restarts_it(home: Home):
    state = home.root / ("d" * 60) / ("e" * 60)
    environ = {**home.environ, "XDG_RUNTIME_DIR": "/nowhere"}
    if Path(f"/run/user/{os.getuid()}").is_dir():
        pytest.skip("run the tests where there is no /run/user/UID, as in a container, to see the last resort fail")
    done = subprocess.run(deep_command(state), cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 78  # RestartPreventExitStatus of the unit
    assert f"{state}/run/harnd.sock is " in done.stderr
    assert "107" in done.stderr
    code, _, err = ask(home, "status", HARND_STATE=str(state), XDG_RUNTIME_DIR="/nowhere")
    assert (code, "107" in err) == (78, True)
    assert (
        "78" in (ROOT / "harnctl/service/templates/harnd.service").read_text().partition("RestartPreventExitStatus")[2]
    )


# --- E03: no runtime directory, and somebody else was first


def test_e03_without_a_runtime_directory_no_shared_name_is_used():
    kept = "/home/ada/.local/state/harnd"
    for runtime in (None, "", "/tmp", "run"):
        for ours in (frozenset[str](), frozenset({"/run/user/1000"})):
            found = socket_path(
                kept,
                default_state_dir=kept,
                runtime_dir=runtime,
                uid=1000,
                is_ours=ours.__contains__,
            )
            assert found.startswith((f"{kept}/run/", "/run/user/1000/"))


def test_e03_a_foreign_file_and_a_linked_directory_at_the_place_are_refused_by_both_ends(home: Home):
    home.socket.write_text("mine")
    code, said = home.refused()
    assert (code, home.socket.read_text()) == (78, "mine")
    assert str(home.socket) in said
    real = home.root / "elsewhere"
    real.mkdir(mode=0o777)
    real.chmod(0o777)
    (home.root / "link").symlink_to(real)
    home.socket = home.root / "link" / "s"
    code, said = home.refused()
    assert (code, list(real.iterdir())) == (78, [])
    code, _, err = ask(home, "status", HARND_SOCKET=str(home.socket))
    assert (code, "can be written by others" in " ".join(err.split())) == (6, True)


# --- E05: an interpreter that only the shell finds


def test_e05_a_missing_interpreter_is_named_with_the_path_that_was_used(home: Home):
    agent = home.write("bin/agent", AGENT)
    agent.chmod(0o755)
    maker = f'[maker]\nharness = "command"\nargv = ["{agent}"]\nquiet = true\n'
    home.write("goal/team.toml", TEAM.format(script=home.root / "script.toml").partition("[maker]")[0] + maker)
    home.start()
    home.create()
    with home.client() as client:
        approve(client)
        follow(client, "attempt.parked")
        said = client.ask(ShowWork(BILLING, WORK)).attempts[0]
        checks = {check.said for check in client.ask(ShowDoctor()).checks if check.name == "harness.command"}
    asks = f"{agent} asks for no-such-node, and there is no executable of that name on PATH ({os.environ['PATH']})"
    assert said.outcome is AttemptOutcome.PARKED
    assert said.failure is FailureClass.ENVIRONMENT
    assert asks in said.detail
    assert [asks in each for each in checks] == [True]


# --- E07: everything is killed at once


def test_e07_a_kill_of_the_daemon_and_of_all_it_started_is_recovered_like_a_power_loss(home: Home):
    gate, daemon = home.gate(), home.start()
    home.create()
    with home.client() as client:
        approve(client)
    gate.wait()
    started = home.processes()
    daemon.signal(signal.SIGSTOP)  # it sees nobody end before it ends itself
    for pid in (*started, daemon.pid):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    daemon.ended()
    home.start()
    gate.wait()
    gate.open()
    with home.client() as client:
        follow(client, "attempt.ended", attempt=2)
        tried = [(each.outcome, each.charged) for each in client.ask(ShowWork(BILLING, WORK)).attempts]
        assert tried == [(AttemptOutcome.LOST, False), (AttemptOutcome.SUCCEEDED, True)]
        assert carry(client).phase is Phase.SUCCEEDED


# --- E09: a restart while attempts run


def test_e09_a_restart_interrupts_what_runs_and_costs_no_attempt(home: Home):
    gate, daemon = home.gate(), home.start("--drain", "0")
    home.create()
    with home.client() as client:
        approve(client)
    gate.wait()
    daemon.stop()
    assert home.processes() == []
    home.start()
    gate.wait()
    gate.open()
    with home.client() as client:
        follow(client, "attempt.ended", attempt=2)
        tried = [(each.outcome, each.failure, each.charged) for each in client.ask(ShowWork(BILLING, WORK)).attempts]
    assert tried == [
        (AttemptOutcome.INTERRUPTED, FailureClass.LOST, False),
        (AttemptOutcome.SUCCEEDED, None, True),
    ]


# --- E11: a subscriber that reads nothing


async def test_e11_200000_events_for_a_subscriber_that_reads_nothing_cost_one_page():
    fetched: list[int] = []
    sent: list[Notice] = []
    subscription = Subscription(SubscribeEvents(after=0))

    async def fetch(request: ListEvents) -> EventPage:
        page = tuple(event(request.after + number) for number in range(1, 101))
        fetched.extend(each.seq for each in page)
        return EventPage(events=page, next_after=request.after + 100)

    async def send(notice: Notice) -> None:
        sent.append(notice)
        if len(sent) == 1:  # the client is stopped here, and the world goes on
            for _ in range(200_000):
                subscription.announce(1)

    await subscription.run(fetch, send)
    assert (len(fetched), len(sent)) == (100, 2)
    assert sent[-1] == LaggedNotice(resume_after=1)
    assert SUBSCRIBER_QUEUE < 200_000


# --- E13: a length prefix of 4 GiB


@pytest.mark.parametrize(
    "prefix", [b"\xff\xff\xff\xff", b"\0\0\0\1\0\0\0\0\n", b"4294967296\n", b"Content-Length: 4294967296\r\n"]
)
def test_e13_a_length_of_4_gib_is_no_length_and_allocates_nothing(harnctl: Shell, place: Path, prefix: bytes):
    def serve(connection: socket.socket) -> None:
        connection.recv(65536)
        with suppress(OSError):
            connection.sendall(prefix)
            while True:
                connection.sendall(b"x" * 65536)

    with Impostor(place / "harnd.sock", serve):
        tracemalloc.start()
        ran = harnctl("status", "--json")
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert (ran.code, ran.document["code"]) == (78, "version.mismatch")
    assert most < 4 * FRAME_BYTES


# --- E15: an older daemon is there first


def test_e15_an_older_daemon_is_named_with_path_version_and_the_way_to_replace_it(harnctl: Shell, place: Path):
    said = "harnd 0.0.1 (/opt/old/bin/harnd, pid 4242) speaks protocol 1 to 1, harnctl speaks 2 to 2"
    fix = "stop process 4242 and start the harnd that was installed with this client"
    details = {"daemon_version": "0.0.1", "executable": "/opt/old/bin/harnd", "pid": 4242}
    refusal = Refusal("version.mismatch", said, fix=fix, details=details)
    with ScriptedDaemon(place / "harnd.sock").answers("initialize", refusal):
        for verb in ("status", "goal list", "inbox", "work show g p1.a", "events"):
            document = harnctl(*verb.split(), "--json").document
            assert (document["exit"], document["code"]) == (78, "version.mismatch")
            assert document["message"] == f"{said} ({place}/harnd.sock)"
            assert (document["fix"], document["details"].items() >= details.items()) == (fix, True)


def test_e15_an_older_daemon_that_meets_a_newer_configuration_says_so_and_so_does_the_client(home: Home):
    file = home.write(".config/harnd/config.toml", "version = 2\n")
    code, said = home.refused()
    assert (code, f"{file}:1: version: is 2" in said, "start the newer harnd" in said) == (78, True, True)
    code, out, _ = ask(home, "config", "check", "--json")
    (problem,) = json.loads(out)["details"]["problems"]
    assert (code, problem["code"], "start the newer harnd" in problem["message"]) == (78, "config.newer", True)


@pytest.mark.parametrize("kind", ["fifo", "directory", "huge", "binary", "unreadable link"])
def test_e15_a_configuration_that_is_no_file_keeps_nobody_waiting(home: Home, kind: str):
    file = home.root / ".config/harnd/config.toml"
    file.parent.mkdir(parents=True)
    match kind:
        case "fifo":
            os.mkfifo(file)
        case "directory":
            file.mkdir()
        case "huge":
            file.write_bytes(b"#" * (8 << 20))
        case "binary":
            file.write_bytes(bytes(range(256)))
        case _:
            file.symlink_to(file)
    code, said = home.refused()
    assert (code, str(file) in said, "Traceback" in said) == (78, True, False)
    code, out, err = ask(home, "config", "check", "--json")
    assert (code, json.loads(out)["code"], "Traceback" in err) == (78, "config.invalid", False)
    assert ask(home, "status")[0] == 6


# --- E17: a log that logs about itself


def test_e17_a_client_that_misbehaves_cannot_make_the_log_grow(home: Home):
    """Lines that are none, connections beyond the bound, broken ones, subscribers that never read: 200 in all."""
    daemon = home.start()
    home.create()
    with home.client() as client:
        follow(client, "plan.proposed")
    daemon.wait_until("plan.proposed")
    before = len(daemon.lines)
    with ExitStack() as held:
        for number in range(200):
            peer = socket.socket(socket.AF_UNIX)
            if number % 20:
                with peer, suppress(OSError):
                    peer.connect(str(home.socket))
                    peer.sendall(
                        (b"garbage\n", b"\xff" * 100, b'{"jsonrpc":"2.0","id":1,"method":"no"}\n', b"")[number % 4]
                    )
            else:
                held.enter_context(peer)
                with suppress(OSError):
                    peer.connect(str(home.socket))
                    peer.sendall(b"{}\n" * 50)
    with Client(home.socket) as client:
        assert client.ask(ShowStatus(), patience_s=40).pid == daemon.pid
    assert daemon.lines[before:] == []


def test_e17_a_log_that_cannot_be_written_says_so_once_and_not_through_itself(home: Home):
    """Its reader is gone for the whole life of the daemon: nothing piles up, and nobody is held up."""
    reader, writer = os.pipe()
    command = home.command("--grace", "1")
    process = subprocess.Popen(command, cwd=ROOT, env=home.environ, stdin=subprocess.DEVNULL, stderr=writer)
    os.close(writer)
    try:
        assert os.read(reader, 65536)
        os.close(reader)
        with Client(home.socket, greeting_s=40) as client:
            client.ask(home.enrolment(), patience_s=40)
            follow(client, "plan.proposed")
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(40) == 0


# --- E19: what a dead daemon leaves behind


def test_e19_what_status_prints_after_a_kill_works_when_it_is_pasted(home: Home):
    home.start().kill()
    left = [home.socket, home.state / "lock", home.state / "daemon.json"]
    assert [path.exists() for path in left] == [True, True, True]
    where = {"HARND_STATE": str(home.state), "HARND_SOCKET": str(home.socket)}
    code, out, _ = ask(home, "status", "--json", **where)
    document = json.loads(out)
    assert (code, document["code"]) == (6, "daemon.unreachable")
    pasted = shlex.split(document["fix"].removeprefix("start it: "))
    daemon = Daemon(pasted, {**home.environ, **where})
    home.daemons.append(daemon)
    daemon.wait_until("daemon.ready")
    code, out, _ = ask(home, "status", "--json", **where)
    assert (code, json.loads(out)["pid"]) == (0, daemon.pid)
    assert home.refused()[0] == 75  # and a lock that is held is one, whatever the files say


@pytest.mark.parametrize("identity", ["", "{}", '{"pid": 1}', "\0\xff"])
def test_e19_an_unowned_lock_with_any_identity_beside_it_blocks_nobody(home: Home, identity: str):
    home.state.mkdir(mode=0o700)
    (home.state / "lock").write_text("1\n")
    (home.state / "daemon.json").write_text(identity)
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(home.socket))
    home.start().stop()
