"""However the daemon dies, nothing that it started lives on, and nothing that had ended is lost."""

import os
import select
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from harnd.adapters.process import tree
from harnd.adapters.process.environment import HOME, SESSION
from harnd.adapters.process.leftovers import Leftover, digest_of, marked, sweep
from harnd.adapters.process.receipts import Home
from harnd.ports.sessions import SessionTask
from protocol.ids import EffectKey, HarnessName, InstanceId
from protocol.values import SECOND, Micros
from tests.kit.agents import MortalDaemon

BOUND_S = 10.0
KEY = EffectKey("goal/billing/plan/1/call/1")
NEXT = InstanceId("next")

# A child, a leader of its own session, a twice-forked orphan, and one that ignores requests to end; then it signals.
TREE = """
sleep 600 &
setsid sleep 600 &
( setsid sleep 600 & )
( trap '' TERM; exec sleep 600 ) &
printf '' > signal
wait
"""
PROCESSES = 6  # the shim, the shell and the four


class House:
    """A state directory and a daemon on it, whose agent has started its tree."""

    def __init__(self, root: Path) -> None:
        self.state = root / "state"
        os.mkfifo(root / "signal")
        ample = Micros(600 * SECOND)
        options = (("argv", ("sh", "-c", TREE)),)
        task = SessionTask(KEY, HarnessName("command"), options, "", str(root), False, ample, ample, ample)
        self.daemon = MortalDaemon(self.state, task)
        (root / "signal").read_text()
        self.home = Home(self.state / "sessions", KEY)

    def processes(self) -> list[Leftover]:
        return marked(digest_of(self.state))

    @property
    def shim(self) -> int:
        return int((self.home.path / "receipt").read_text().split()[1])


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path)
    yield made
    made.daemon.kill()
    sweep(made.state, NEXT, patience_s=0)


def gone_in_time(processes: list[Leftover]) -> bool:
    """Wait for the death of each."""
    for process in processes:
        pidfd = tree.pin((process.pid, process.start))
        if pidfd is not None:
            waiting = select.poll()
            waiting.register(pidfd, select.POLLIN)
            died = waiting.poll(BOUND_S * 1000)
            os.close(pidfd)
            if not died:
                return False
    return True


def test_a_killed_daemon_leaves_no_process(house: House):
    before = house.processes()
    house.daemon.kill()

    assert len(before) == PROCESSES
    assert gone_in_time(before)
    assert house.processes() == []
    assert (house.home.taken, house.home.result()) == (True, None)


def test_a_killed_shim_leaves_no_process_as_long_as_its_daemon_lives(house: House):
    before = house.processes()
    os.kill(house.shim, signal.SIGKILL)

    assert gone_in_time(before)


def test_what_both_left_is_swept_before_the_next_daemon_begins(house: House):
    before = house.processes()
    house.daemon.stop()
    os.kill(house.shim, signal.SIGKILL)
    house.daemon.kill()
    swept = sweep(house.state, NEXT)

    ended_by_others = set(before) - set(swept)  # the shim by us, its agent by the kernel, perhaps not at once
    assert len(ended_by_others) <= 2
    assert {each.session for each in swept} == {f"mortal/{KEY}"}
    assert house.processes() == []


def test_a_sweep_waits_for_shims_that_are_ending_their_trees(house: House):
    before = house.processes()
    house.daemon.kill()
    sweep(house.state, NEXT)

    assert gone_in_time(before)
    assert sweep(house.state, NEXT) == []


def marked_sleeper(state: Path, session: str) -> "subprocess.Popen[bytes]":
    environment = {"PATH": os.environ["PATH"], HOME: digest_of(state), SESSION: session}
    return subprocess.Popen(["sleep", "600"], env=environment)


def test_a_sweep_leaves_everybody_else_alone(tmp_path: Path):
    theirs = marked_sleeper(tmp_path / "another", "first/key")
    ours = marked_sleeper(tmp_path, "next/key")
    left = marked_sleeper(tmp_path, "first/key")
    try:
        swept = sweep(tmp_path, NEXT, patience_s=0)

        assert [(each.pid, each.session) for each in swept] == [(left.pid, "first/key")]
        assert (theirs.poll(), ours.poll()) == (None, None)
    finally:
        for process in (theirs, ours, left):
            process.kill()
            process.wait()


def test_a_process_that_is_not_who_it_was_is_not_signalled():
    process = subprocess.Popen(["sleep", "600"])
    try:
        seen = tree.look(process.pid)
        assert seen is not None
        tree.kill([(process.pid, seen[1] + 1)])

        assert process.poll() is None
    finally:
        process.kill()
        process.wait()
