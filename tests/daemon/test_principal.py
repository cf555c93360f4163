"""Who is at the other end: told by the kernel, for real processes and for trees of processes made up as files."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harnd.daemon.principal import MARK, Principal, Role, Unseen, identify, role_of
from protocol.errors import Refusal

CONNECT = """
import socket, sys
peer = socket.socket(socket.AF_UNIX)
peer.connect(sys.argv[1])
peer.recv(1)  # until it has been looked at
"""
BELOW = "import subprocess, sys; subprocess.run([sys.executable, '-c', *sys.argv[1:]], env={}, check=True)"
ORPHAN = """
import os, sys
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv(sys.executable, [sys.executable, "-c", *sys.argv[1:]])
    os._exit(0)
os.wait()
"""
SHIM = """
import ctypes, os, subprocess, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
subprocess.run([sys.executable, "-c", *sys.argv[1:]], check=True)
os.wait()
"""
CLEAN = {name: value for name, value in os.environ.items() if name != MARK}
MARKED = {**CLEAN, MARK: "goal/billing/plan/1/call/1"}
ELSEWHERE = 2**22 + 1  # above the highest pid there can be: a daemon that is nobody's ancestor


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(tmp_path / "door.sock"))
        listener.listen()
        listener.settimeout(30)
        yield listener


@contextmanager
def knocking(listener: socket.socket, *scripts: str, env: dict[str, str]) -> Iterator[socket.socket]:
    """Run the first script, which runs the next, and so on; the last one connects and waits."""
    command = [sys.executable, "-c", *scripts, CONNECT, listener.getsockname()]
    with subprocess.Popen(command, env=env) as process:
        peer, _ = listener.accept()
        with peer:
            yield peer
        process.wait(30)


def known(peer: socket.socket, *, daemon_pid: int | None = None) -> Principal:
    return identify(peer, uid=os.getuid(), daemon_pid=daemon_pid or os.getpid())


def test_a_child_of_the_daemon_is_an_agent(listener):
    with knocking(listener, env=CLEAN) as peer:
        principal = known(peer)
    assert (principal.role, principal.uid, principal.gid) == (Role.AGENT, os.getuid(), os.getgid())
    assert principal.because == f"it descends from this daemon (pid {os.getpid()})"
    assert principal.started > 0


def test_a_grandchild_without_any_environment_is_an_agent(listener):
    with knocking(listener, BELOW, env=CLEAN) as peer:
        assert known(peer).role is Role.AGENT


def test_an_orphan_below_the_shim_is_an_agent(listener):
    with knocking(listener, SHIM, ORPHAN, env=CLEAN) as peer:
        assert known(peer).because == f"it descends from this daemon (pid {os.getpid()})"


def test_an_orphan_that_left_the_tree_is_an_agent_by_its_mark(listener):
    with knocking(listener, ORPHAN, env=MARKED) as peer:
        assert known(peer, daemon_pid=ELSEWHERE).because == f"it carries {MARK}"


def test_a_process_that_dropped_the_mark_is_an_agent_by_its_ancestors(listener):
    with knocking(listener, BELOW, env=MARKED) as peer:
        principal = known(peer, daemon_pid=ELSEWHERE)
    assert principal.role is Role.AGENT
    assert principal.because.startswith("its ancestor ")


def test_a_process_beside_the_daemon_is_an_operator(listener):
    if role_of(os.getpid(), daemon_pid=ELSEWHERE)[0] is Role.AGENT:
        pytest.skip("these tests run inside a harnd session: run them from a shell of your own")
    with knocking(listener, env=CLEAN) as peer:
        assert known(peer, daemon_pid=ELSEWHERE).role is Role.OPERATOR


def test_a_peer_that_has_gone_is_no_operator(listener):
    leave = CONNECT.replace("peer.recv(1)", "")
    subprocess.run([sys.executable, "-c", leave, listener.getsockname()], env=CLEAN, check=True)
    with listener.accept()[0] as peer:
        principal = known(peer, daemon_pid=ELSEWHERE)
    assert (principal.role, principal.started) == (Role.AGENT, 0)


def test_another_user_is_turned_away(listener):
    with knocking(listener, env=CLEAN) as peer, pytest.raises(Refusal) as caught:
        identify(peer, uid=os.getuid() + 1, daemon_pid=ELSEWHERE)
    assert caught.value.code == "principal.foreign"


def test_the_daemon_itself_is_an_operator():
    assert role_of(os.getpid(), daemon_pid=os.getpid())[0] is Role.OPERATOR


# --- trees that are made up


def tree(proc: Path, *processes: tuple[int, int, int], marked: int = 0, hidden: int = 0, closed: int = 0) -> Path:
    """Write (pid, parent, started) as the kernel would show them."""
    for pid, parent, started in processes:
        if pid == hidden:
            continue
        (proc / str(pid)).mkdir()
        after_name = ["S", parent, *[0] * 17, started, *[0] * 30]
        (proc / str(pid) / "stat").write_text(f"{pid} (a ) (b) {' '.join(map(str, after_name))}\n")
        if pid != closed:
            mark = f"{MARK}=x\0" if pid == marked else f"NOT_{MARK}=x\0"
            (proc / str(pid) / "environ").write_text(f"HOME=/\0{mark}")
    return proc


SHELL = ((1, 0, 0), (50, 1, 10), (70, 50, 20), (90, 70, 30))  # init, sshd, shell, harnctl
DAEMON = 60


@pytest.mark.parametrize(
    ("changes", "role"),
    [
        pytest.param({}, Role.OPERATOR, id="a shell over ssh"),
        pytest.param({"closed": 50}, Role.OPERATOR, id="an ancestor nobody may look into, such as sshd"),
        pytest.param({"marked": 90}, Role.AGENT, id="marked"),
        pytest.param({"marked": 50}, Role.AGENT, id="an ancestor is marked"),
    ],
)
def test_the_mark_is_looked_for_in_the_whole_chain(tmp_path, changes, role):
    assert role_of(90, daemon_pid=DAEMON, proc=tree(tmp_path, *SHELL, **changes))[0] is role


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"hidden": 90}, id="the peer is gone"),
        pytest.param({"closed": 90}, id="the peer cannot be looked into"),
        pytest.param({"hidden": 50}, id="an ancestor is not shown (hidepid)"),
    ],
)
def test_what_cannot_be_seen_makes_no_operator(tmp_path, changes):
    with pytest.raises(Unseen):
        role_of(90, daemon_pid=DAEMON, proc=tree(tmp_path, *SHELL, **changes))


def test_a_parent_that_is_younger_than_its_child_is_somebody_else(tmp_path):
    proc = tree(tmp_path, (1, 0, 0), (70, 1, 31), (90, 70, 30))
    with pytest.raises(Unseen, match="the parent of process 90 ended"):
        role_of(90, daemon_pid=DAEMON, proc=proc)
