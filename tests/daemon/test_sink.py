"""The log is never a reason to fail: what cannot be written is counted, and the count is said."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harnd.daemon.sink import Sink, is_journal


def test_nobody_who_reads_and_no_room_are_no_errors():
    reader, writer = os.pipe()
    os.close(reader)
    full = os.open("/dev/full", os.O_WRONLY)
    sinks = [Sink(writer), Sink(full), Sink(-1)]
    for sink in sinks:
        sink.info("one")
        sink.error("two")

    os.close(writer)
    os.close(full)
    assert [repr(sink).partition(" dropped")[2] for sink in sinks] == ["=2>"] * 3


def test_what_was_dropped_is_said_once_when_writing_works_again():
    reader, writer = os.pipe()
    room = fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    os.set_blocking(writer, False)
    sink = Sink(writer)
    sink.info("x" * (room + 10))  # all but the end of which is taken
    sink.info("not at all")
    first = os.read(reader, room)
    sink.info("again")
    sink.info("and again")
    second = os.read(reader, room).decode().split("\n")

    os.close(reader)
    os.close(writer)
    assert first == b"x" * room
    assert [line.partition(" ")[2] or line for line in second] == [
        "",
        "level=warning event=log.dropped lines=2",
        "again",
        "again",
        "",
    ]


def test_a_journal_is_told_how_grave_a_line_is_and_no_time():
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    room = fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    sink = Sink(writer, journal=True)
    for level in ("debug", "info", "warning", "error", "critical"):
        getattr(sink, level)(level)
    said = os.read(reader, room).decode().splitlines()
    sink.info("x" * room)
    os.read(reader, room)
    sink.info("again")
    dropped = os.read(reader, room).decode().splitlines()

    os.close(reader)
    os.close(writer)
    assert said == ["<7>debug", "<6>info", "<4>warning", "<3>error", "<3>critical"]
    assert dropped[-2:] == ["<4>level=warning event=log.dropped lines=1", "<6>again"]


def test_the_journal_is_known_by_the_device_and_the_inode_of_its_stream():
    reader, writer = os.pipe()
    found = os.fstat(writer)
    environ = {"JOURNAL_STREAM": f"{found.st_dev}:{found.st_ino}"}
    other = {"JOURNAL_STREAM": f"{found.st_dev}:{found.st_ino + 1}"}
    assert [is_journal(writer, each) for each in (environ, other, {})] == [True, False, False]
    os.close(reader)
    os.close(writer)
    assert not is_journal(writer, environ)


CLOSED = """
import os
for descriptor in range(3): os.close(descriptor)
from harnd.daemon.sink import open_standard_streams
open_standard_streams()
ends = os.pipe()
with open({told!r}, "w") as file:
    file.write(" ".join(os.readlink(f"/proc/self/fd/{{n}}") for n in range(3)))
    file.write(" " + str(min(ends)))
"""


def test_closed_standard_descriptors_are_opened_on_nothing(tmp_path: Path):
    told = tmp_path / "told"
    subprocess.run([sys.executable, "-c", CLOSED.format(told=str(told))], check=True, timeout=60)

    assert told.read_text() == "/dev/null /dev/null /dev/null 3"


@pytest.mark.parametrize("closed", ["<&- >&- 2>&-", "2>/dev/full"])
def test_a_daemon_that_cannot_say_why_it_does_not_start_still_ends_with_its_own_code(tmp_path: Path, closed: str):
    program = f'exec "$@" {closed}'
    argv = ["sh", "-c", program, "sh", sys.executable, "-m", "harnd", "--state", "/dev/null", "--socket", "s"]
    environ = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    ended = subprocess.run(argv, cwd=tmp_path, env=environ, timeout=60, check=False)

    assert ended.returncode == 78
