"""The demo: the same end however often the daemon is killed, nothing left behind, and a person who may say no."""

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from harnctl.demo.chaos import PARTS, moments
from harnctl.demo.outcome import mark, processes_left, worktrees_left
from harnctl.demo.place import Place, make_place
from harnd.adapters.process.leftovers import digest_of

ROOT = Path(__file__).parents[2]
DEMO = (sys.executable, "-m", "harnctl", "demo")
TOGETHER_S = 170.0  # both runs at once take 30 s on two idle cores


@pytest.fixture
def directory():
    """Where demos are made in this test; its name is short enough for a socket, as pytest's own are not."""
    path = tempfile.mkdtemp(prefix="harnd-")
    yield path
    shutil.rmtree(path)


@pytest.fixture
def start(directory):
    """Starts a demo, and ends it when the test did not see its end."""
    started = []

    def start(**options):
        environ = {"PATH": os.environ["PATH"], "TMPDIR": directory, **options.pop("environ", {})}
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        started.append(subprocess.Popen(DEMO, cwd=ROOT, env=environ, text=True, **pipes))
        return started[-1]

    yield start
    for process in started:
        if process.poll() is None:
            process.terminate()  # it stops its daemon
            process.communicate()


TOLD = (
    "plan 1 proposes milestone 1",
    "the demo approved plan 1, bound to its digest ",
    "p1.slug attempt 1 begins",
    "p1.wrap attempt 1 failed: the proof does not hold: own-tests failed",
    "told to the next attempt: AssertionError: Lists differ",
    "p1.wrap attempt 2 is proven",
    "the demo accepted p1.wrap, bound to its proof ",
    "p1.wrap is integrated",
    "the planner looks again",
    "plan 2 proposes milestone 2",
    "plan 3 claims that the mission is met",
    "plan 3 is completed",
)


def last_line(said):
    return json.loads(said.splitlines()[-1])


def kept(outcome):
    """What is the same in every run."""
    return {name: outcome[name] for name in ("phase", "tree", "milestones", "processes_left", "worktrees_left")}


@pytest.mark.timeout(TOGETHER_S + 10)
def test_the_demo_ends_the_same_however_often_the_daemon_is_killed(start):
    runs = start(), start(environ={"CHAOS": "1"})
    quiet, chaos = (run.communicate(timeout=TOGETHER_S) for run in runs)

    assert [run.returncode for run in runs] == [0, 0], quiet[0] + quiet[1] + chaos[0] + chaos[1]
    plain, killed = last_line(quiet[0]), last_line(chaos[0])
    assert (
        kept(plain)
        == kept(killed)
        == {
            "phase": "succeeded",
            "tree": "8822c8bf7560e270c4a4475005b137dfbbadef3f",
            "milestones": 2,
            "processes_left": 0,
            "worktrees_left": 0,
        }
    )
    assert (plain["attempts"], plain["kills"]) == (5, 0)
    assert [line for line in TOLD if line not in quiet[0]] == []
    assert sorted(TOLD, key=quiet[0].index) == list(TOLD)
    assert killed["kills"] >= 5
    assert chaos[0].count("KILLED the daemon") == killed["kills"]
    assert f"seed {killed['seed']}" in chaos[0]


# --- a person


def read_until(terminal, word):
    """What a terminal shows up to a word, or to its end."""
    shown = ""
    while word not in shown:
        try:
            shown += os.read(terminal, 4096).decode()
        except OSError:  # the other end is closed
            break
    return shown


def test_a_person_who_says_no_is_told_how_to_go_on(start):
    ours, theirs = pty.openpty()
    run = start(stdin=theirs, stdout=theirs, stderr=theirs, environ={"COLUMNS": "80", "NO_COLOR": "1"})
    os.close(theirs)

    asked = read_until(ours, "? [Y/n] ")
    os.write(ours, b"n\n")
    said = read_until(ours, '"directory"')

    assert re.search(r"Approve plan 1, [0-9a-f]{12}\? \[Y/n\] $", asked)
    assert run.wait() == 7
    assert "plan approve textkit 1" in said
    assert "work show" not in said  # there is no work yet
    assert "log --stat" not in said  # and no branch
    assert '"phase": "awaiting_attention"' in said
    os.close(ours)


def test_an_interrupted_demo_leaves_no_process_and_says_where_things_lie(start):
    run = start()
    assert run.stdout is not None
    for line in run.stdout:
        if "p1.slug attempt 1 begins" in line:
            break

    run.send_signal(signal.SIGINT)
    said, _ = run.communicate()

    outcome = last_line(said)
    assert run.returncode == 130
    assert outcome["processes_left"] == 0
    assert f"Everything is in {outcome['directory']}" in said


@pytest.mark.parametrize("chaos", ["0", "1"])
def test_a_demo_whose_reader_goes_away_leaves_no_process(start, directory, chaos):
    run = start(environ={"YES": "1", "CHAOS": chaos})
    assert run.stdout is not None
    for line in run.stdout:
        if "harnd starts" in line:
            break
    run.stdout.close()

    _, complaints = run.communicate()
    assert (run.returncode, "Traceback" in complaints) == (141, False)
    (root,) = Path(directory).iterdir()
    assert processes_left(Place(root, environment={"HOME": str(root / "home")})) == 0


# --- the parts


@pytest.mark.parametrize("seed", range(50))
def test_kills_follow_from_the_seed_and_are_spread_over_the_run(seed):
    drawn = moments(seed)
    assert drawn == moments(seed)
    assert len(drawn) == PARTS >= 5
    assert [moment.steps for moment in drawn] == sorted(moment.steps for moment in drawn)


@pytest.fixture
def place(directory, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", directory)
    return make_place(os.environ)


def test_a_process_is_known_by_the_mark_that_the_daemon_gives_it(place):
    assert mark(place.state) == digest_of(place.state)
    assert processes_left(place) == 0
    left = subprocess.Popen(["sleep", "60"], env={"HARND_HOME": digest_of(place.state), "PATH": os.environ["PATH"]})
    assert processes_left(place) == 1
    left.kill()
    left.wait()
    assert processes_left(place) == 0


def test_a_worktree_that_is_left_is_counted(place):
    assert worktrees_left(place) == 0
    place.git(
        "worktree", "add", "--quiet", "--detach", str(place.state / "worktrees" / "textkit" / "p1.slug.1" / "work")
    )
    assert worktrees_left(place) == 1


def test_nothing_of_the_person_reaches_the_place(directory, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", directory)
    place = make_place({"PATH": "/bin", "HOME": "/home/somebody", "HARND_STATE": "/theirs", "GIT_DIR": "/theirs/.git"})
    assert {"HARND_STATE", "HARND_SOCKET", "GIT_DIR", "XDG_RUNTIME_DIR"} & place.environment.keys() == set()
    assert place.environment["HOME"] == str(place.root / "home")
    assert place.git("status", "--short") == ""
