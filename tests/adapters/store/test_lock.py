"""The lock on a state directory: one daemon, whatever files say."""

import fcntl
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from harnd.adapters.store import AlreadyRunningError, Identity, UnsuitableFileSystemError, hold_lock
from protocol.ids import InstanceId
from tests.kit.files import mode

ROOT = Path(__file__).parents[3]
ME = Identity.of_this_process(InstanceId("me"), "1.0")


@contextmanager
def another_daemon(state: Path) -> Generator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "tests.kit.holder", str(state)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as daemon:
        assert daemon.stdout is not None
        assert daemon.stdout.readline() == "held\n"
        yield daemon


def test_a_second_daemon_is_refused_and_told_who_holds_the_directory(tmp_path):
    with another_daemon(tmp_path) as daemon, pytest.raises(AlreadyRunningError) as refusal, hold_lock(tmp_path, ME):
        pass

    assert str(refusal.value) == f"harnd 9.9 with pid {daemon.pid} (instance second) holds {tmp_path}"


def test_a_killed_daemon_leaves_its_identity_and_no_lock(tmp_path):
    with another_daemon(tmp_path) as daemon:
        daemon.send_signal(signal.SIGKILL)
        daemon.wait()

        assert b'"second"' in (tmp_path / "daemon.json").read_bytes()
        with hold_lock(tmp_path, ME):
            assert b'"me"' in (tmp_path / "daemon.json").read_bytes()


def test_the_identity_says_which_process_of_which_boot(tmp_path):
    with hold_lock(tmp_path, ME):
        told = msgspec.json.decode((tmp_path / "daemon.json").read_bytes(), type=Identity)

    assert told == ME
    assert (told.pid, told.version, len(told.boot_id)) == (os.getpid(), "1.0", 36)
    assert told.start_time > 0


def test_nothing_but_the_lock_file_stays_after_a_clean_end(tmp_path):
    with hold_lock(tmp_path, ME):
        assert {file.name: mode(file) for file in tmp_path.iterdir()} == {"lock": 0o600, "daemon.json": 0o600}

    assert [file.name for file in tmp_path.iterdir()] == ["lock"]


def test_the_lock_is_free_after_a_failure_inside(tmp_path):
    with pytest.raises(ZeroDivisionError), hold_lock(tmp_path, ME):
        raise ZeroDivisionError

    with hold_lock(tmp_path, ME):
        pass


@pytest.mark.parametrize("content", [b"", b"\0" * 200, b"{", b'{"pid": "x"}'])
def test_an_unreadable_identity_neither_blocks_nor_hides_the_holder(tmp_path, content):
    (tmp_path / "daemon.json").write_bytes(content)
    with hold_lock(tmp_path, ME):
        (tmp_path / "daemon.json").write_bytes(content)
        with (
            pytest.raises(AlreadyRunningError, match="another daemon that has not said who it is"),
            hold_lock(tmp_path, ME),
        ):
            pass


def test_an_identity_with_a_pid_that_lives_blocks_nobody_and_signals_nobody(tmp_path):
    """D19: the pid in a stale file belongs to us by now, or to an unrelated editor."""
    with subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE) as editor:
        for pid in (os.getpid(), editor.pid):
            stale = msgspec.structs.replace(ME, instance=InstanceId("gone"), pid=pid, start_time=1)
            (tmp_path / "daemon.json").write_bytes(msgspec.json.encode(stale))
            with hold_lock(tmp_path, ME):
                assert editor.poll() is None


def test_a_file_system_that_grants_every_lock_is_refused(tmp_path, monkeypatch):
    """D09: where two descriptors do not exclude each other, two daemons would share one store."""
    monkeypatch.setattr(fcntl, "flock", lambda *_: None)

    with pytest.raises(UnsuitableFileSystemError), hold_lock(tmp_path, ME):
        pass


def test_of_many_that_start_at_once_one_gets_the_directory(tmp_path):
    """D13: after a resume everybody starts a daemon; the lock lets one through and nobody is killed."""
    ready, settled = threading.Barrier(5), threading.Barrier(5)

    def start(n: int) -> str:
        ready.wait()
        try:
            with hold_lock(tmp_path, msgspec.structs.replace(ME, instance=InstanceId(f"d{n}"))):
                settled.wait()
                return "runs"
        except AlreadyRunningError:
            settled.wait()
            return "refused"

    with ThreadPoolExecutor(5) as pool:
        assert sorted(pool.map(start, range(5))) == ["refused"] * 4 + ["runs"]


def test_a_child_process_does_not_inherit_the_lock(tmp_path):
    told = "import sys; print('runs', flush=True); sys.stdin.read()"
    with hold_lock(tmp_path, ME):
        agent = subprocess.Popen(
            [sys.executable, "-c", told], stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False
        )
    with agent:
        assert agent.stdout is not None
        agent.stdout.readline()  # descriptors are closed a moment after the parent goes on
        with hold_lock(tmp_path, ME):
            assert agent.poll() is None
