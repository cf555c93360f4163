"""The README: its quick start is run, word for word, against a real daemon, and its tables are the code's.

A comment above each block says what becomes of it: `run`, `run: after TAG` (once the goal has come that far),
`run: answer y` (at a terminal, with a person who answers), `daemon` (it keeps running), `says` (lines that the blocks
above have printed), or `by hand` with the reason why no test runs it.
"""

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harnctl.app import PIPE_CLOSED
from harnctl.commands import goal, plan, work
from harnctl.commands.later import AT_THE_TOP
from harnctl.failures import INTERRUPTED
from protocol.errors import Exit

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
BLOCK = re.compile(r"^(?:<!-- (?P<mark>[^>]*) -->\n)?```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
TABLES = {row[0]: row for row in re.findall(r"^\| ([^|]+?) \| ([^|]+?) \|$", README, re.MULTILINE)}


def blocks(kind: str) -> Iterator[tuple[str, str]]:
    """The README's blocks of a kind, each with what is to become of it."""
    return ((found["mark"] or "", found["text"]) for found in BLOCK.finditer(README) if found["kind"] == kind)


# --- the quick start


class Reader:
    """Somebody who follows the README on a fresh machine."""

    def __init__(self, home: Path) -> None:
        runtime = home / "run"
        runtime.mkdir(mode=0o700)
        (home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n", "utf-8")
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        self.environ = {"HOME": str(home), "XDG_RUNTIME_DIR": str(runtime), "PATH": path, "NO_COLOR": "1"}
        self.where = str(home)
        self.said = ""

    def start(self, command: str) -> "subprocess.Popen[str]":
        """Start something that goes on beside them."""
        return subprocess.Popen(
            ["bash", "-c", f"exec {command.strip()}"],
            cwd=self.where,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, block: str, *, answer: str | None = None) -> None:
        """Run a block in a shell, where the last one ended; with an answer, at a terminal on which it is typed."""
        place = Path(self.environ["HOME"]) / "where"
        script = f"set -eu -o pipefail\n{block}\npwd > {place}"
        with terminal(answer) as stdin:
            ended = subprocess.run(
                ["bash", "-c", script],
                cwd=self.where,
                env=self.environ,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if answer is None else stdin,
                text=True,
                check=False,
            )
        assert ended.returncode == 0, f"{block}\n{ended.stdout}{ended.stderr}"
        self.said += ended.stdout
        self.where = place.read_text("utf-8").strip()

    def wait_for(self, tag: str, events: "subprocess.Popen[str]") -> None:
        """Read events up to the next of this tag."""
        assert events.stdout is not None
        for line in events.stdout:
            if json.loads(line)["tag"].startswith(f"{tag}/"):
                return
        pytest.fail(f"{tag} never came")


@contextmanager
def terminal(answer: str | None) -> Iterator[int]:
    """Standard input: none, or a terminal on which the answer has been typed already."""
    if answer is None:
        yield subprocess.DEVNULL
        return
    ours, theirs = pty.openpty()
    os.write(ours, f"{answer}\n".encode())
    yield theirs
    os.close(theirs)
    os.close(ours)


@pytest.fixture
def reader() -> Iterator[Reader]:
    """A reader whose home has a name short enough for a socket, as pytest's own have not."""
    home = Path(tempfile.mkdtemp(prefix="harnd-"))
    yield Reader(home)
    shutil.rmtree(home)


def ready(daemon: "subprocess.Popen[str]") -> None:
    """Return once the daemon listens."""
    assert daemon.stderr is not None
    said: list[str] = []
    for line in daemon.stderr:
        said.append(line)
        if "event=daemon.ready" in line:
            return
    pytest.fail("".join(said))


@pytest.mark.timeout(100)
def test_the_quick_start_works_as_it_is_written(reader: Reader):
    running: list[subprocess.Popen[str]] = []
    events: subprocess.Popen[str] | None = None
    try:
        for found in BLOCK.finditer(README):
            text, (mark, _, more) = found["text"], (found["mark"] or "").partition(": ")
            match mark, more.split():
                case "daemon", []:
                    running.append(reader.start(text))
                    ready(running[0])
                case "run", ["after", tag]:
                    if events is None:
                        events = reader.start("harnctl --json events --follow")
                        running.append(events)
                    reader.wait_for(tag, events)
                    reader.run(text)
                case "run", ["answer", word]:
                    reader.run(text, answer=word)
                case "run", []:
                    reader.run(text)
                case "says", []:
                    assert [line for line in text.splitlines() if line not in reader.said] == []
        assert (Path(reader.where) / "greet.sh").read_text("utf-8") == 'echo "Hello, $1!"\n'
        running[0].send_signal(signal.SIGTERM)
        _, log = running[0].communicate()
        assert running[0].returncode == 0, log
    finally:
        for process in running:
            process.kill()
            process.communicate()


def test_every_command_is_run_or_says_why_not():
    loose = [text for mark, text in blocks("sh") if not re.match(r"run\b|daemon$|by hand: \w", mark)]
    assert loose == []


def test_the_install_commands_are_those_of_the_makefile():
    [(_, text)] = [block for block in blocks("sh") if "requirements.lock" in block[1]]
    makefile = (ROOT / "Makefile").read_text("utf-8").replace(" --quiet --disable-pip-version-check", "")
    wanted = [line.partition("pip ")[2] for line in text.splitlines() if line.startswith("pip ")]
    assert [line for line in wanted if f"$(PY) -m pip {line}" not in makefile] == []
    assert len(wanted) == 2


# --- its tables


def test_the_exit_codes_are_all_there():
    told = {int(code) for code in TABLES if code.isdecimal()}
    assert told == {int(code) for code in Exit}
    assert f"{INTERRUPTED} is Ctrl-C, {PIPE_CLOSED} a reader" in README


def test_every_verb_that_is_refused_is_named():
    listed = re.search(r"<!-- refused verbs -->(.*?);", README, re.DOTALL)
    assert listed is not None
    below = {
        f"{noun} {command.name}"
        for noun, app in (("goal", goal.app), ("plan", plan.app), ("work", work.app))
        for command in app.registered_commands
        if command.hidden
    }
    assert set(re.findall(r"`([^`]+)`", listed[1])) == {*AT_THE_TOP, *below}


def test_the_package_shows_the_readme():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["readme"] == "README.md"
