"""The shim by itself: what it promises to whoever starts it, without a spawner around it."""

import os
import subprocess
from pathlib import Path

import msgspec
import pytest

from harnd.adapters.process import shim
from harnd.adapters.process.bare import program
from harnd.adapters.process.receipts import Result
from harnd.ports.sessions import Ending
from protocol import bounds


class Bench:
    """A key's directory, and shims started on it."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._home = root / "home"
        self._home.mkdir()

    def run(self, *argv: str) -> int:
        """Run a shim to its end, with a daemon that lives as long, and return its exit code."""
        sizes = (str(bounds.OUTPUT_CAP_BYTES), str(bounds.ANSWER_BYTES))
        fixed = [str(self._home), str(self._root), os.devnull, "0", "0", "0", "200000", *sizes, "first"]
        with subprocess.Popen(
            [*program(shim.__name__), *fixed, *argv], stdin=subprocess.PIPE, start_new_session=True
        ) as process:
            return process.wait()

    def result(self) -> Result:
        return msgspec.json.decode((self._home / "result").read_bytes(), type=Result)

    def file(self, name: str) -> str:
        return (self._root / name).read_text()


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_a_receipt_is_taken_once(bench: Bench):
    assert bench.run("sh", "-c", "echo ran >> runs") == 0
    assert bench.run("sh", "-c", "echo ran >> runs") == shim.TAKEN
    assert bench.file("runs") == "ran\n"


def test_the_number_of_fixed_arguments_is_the_one_it_says(bench: Bench):
    bench.run("sh", "-c", 'echo "$0 $1" > words', "a", "b")

    assert bench.file("words") == "a b\n"


def test_an_agent_that_kills_its_own_group_ends_only_itself(bench: Bench):
    bench.run("sh", "-c", "kill -KILL 0")

    assert (bench.result().ending, bench.result().exit_code) == (Ending.EXITED, -9)


# One write as large as a pipe can hold, while the shim is stopped; it goes on when the agent has ended.
LARGE_PIPE = """
import fcntl, os, signal
shim, (end, held) = os.getppid(), os.pipe()
if not os.fork():
    os.close(held)
    os.read(end, 1)
    os.kill(shim, signal.SIGCONT)
    os._exit(0)
os.kill(shim, signal.SIGSTOP)
fcntl.fcntl(1, fcntl.F_SETPIPE_SZ, 1 << 20)
os.write(1, b"x" * (1 << 20))
"""


def test_what_lies_in_the_pipe_at_the_end_is_kept(bench: Bench):
    bench.run("python3", "-ISc", LARGE_PIPE)

    assert bench.result().stdout == 1 << 20
    assert bench.file("home/stdout") == "x" * (1 << 20)


def test_orphans_that_end_meanwhile_do_not_pile_up(bench: Bench):
    orphans = "for i in 1 2 3 4 5; do ( true & ); done; echo; exec 1>&-"
    zombies = "while pgrep -P $PPID -r Z > zombies; do echo >&2; done"  # every line wakes the shim
    bench.run("sh", "-c", f"{orphans}; {zombies}")

    assert bench.file("zombies") == ""
    assert bench.result().ending is Ending.EXITED


def test_a_name_with_brackets_does_not_hide_a_process(bench: Bench):
    odd = "cp $(command -v sleep) ') 0 (Z'; setsid './) 0 (Z' 600 &"
    bench.run("sh", "-c", odd)

    assert bench.result().killed == 1
