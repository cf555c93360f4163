"""Every prompt of the real program, on a real terminal and without one: who is interrupted or cannot be asked changes
nothing, reads one sentence, and finds the terminal as it was.
"""

import json
import os
import stat
import subprocess
import sys

import pytest

from protocol.requests import AcceptWork, RejectPlan, ReopenWork, RetryPlan, ShowPlan, ShowWork
from tests.kit.daemons import ROOT
from tests.kit.scripted_daemon import golden
from tests.kit.terminal import Terminal

APPROVE = "plan approve billing-export 1"
REJECT = "plan reject billing-export 1"
RETRY = "plan retry billing-export 1"
ACCEPT = "work accept billing-export p1.parser"
REOPEN = "work reopen billing-export p1.parser"
CANCEL_WORK = "work cancel billing-export p1.parser"
CANCEL_GOAL = "goal cancel billing-export"
UNDECIDED = "nothing was decided"


def changes(daemon):
    return [request for request in daemon.asked if not isinstance(request, ShowPlan | ShowWork)]


@pytest.fixture
def environ(place, daemon):
    daemon.answers("plan.show", golden("plan.show", question="Which database?"))
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(place),
        "PYTHONPATH": str(ROOT),
        "LC_ALL": "C.UTF-8",
        "HARND_SOCKET": str(daemon.path),
        "NO_COLOR": "1",
        "TMPDIR": str(place),
    }


@pytest.fixture
def editor(place, environ):
    """Make an editor of a shell script, which has the draft as its last argument."""

    def make(script, *options):
        path = place / "an editor"
        path.write_text(f"#!/bin/sh\nfor draft; do :; done\n{script}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        environ["EDITOR"] = " ".join((f"'{path}'", *options))

    return make


@pytest.fixture
def harnctl(environ):
    running = []

    def start(line, **more):
        command = [sys.executable, "-m", "harnctl", *line.split()]
        running.append(Terminal.start(command, environ={**environ, **more}, columns=100, rows=50))
        return running[-1]

    yield start
    for terminal in running:
        terminal.close()


def ends_sane(terminal, code):
    assert terminal.ended() == code, terminal.seen.text
    assert terminal.after == terminal.before
    assert terminal.modes_left == frozenset()
    assert "Traceback" not in terminal.seen.text
    return terminal.seen.text.rstrip().splitlines()[-1]


# --- Ctrl-C


@pytest.mark.parametrize(
    "line", [APPROVE, REJECT, ACCEPT, f"{CANCEL_GOAL} --reason moot", f"{CANCEL_WORK} --reason moot"]
)
@pytest.mark.parametrize("typed", ["", "y"])
def test_ctrl_c_at_a_question_changes_nothing(harnctl, daemon, line, typed):
    terminal = harnctl(line)
    terminal.wait_for("? [y/N]")
    terminal.keys(typed, "ctrl-c")
    assert ends_sane(terminal, 130) == UNDECIDED
    assert changes(daemon) == []


def test_ctrl_c_at_a_finding_changes_nothing_although_the_work_was_accepted(harnctl, daemon):
    terminal = harnctl(ACCEPT)
    terminal.wait_for("? [y/N]")
    terminal.keys("y", "enter")
    terminal.wait_for("fixed, or why not now?")
    terminal.keys("ctrl-c")
    assert ends_sane(terminal, 130) == UNDECIDED
    assert changes(daemon) == []


@pytest.mark.parametrize("line", [APPROVE, f"{CANCEL_GOAL} --reason moot"])
def test_the_end_of_input_at_a_question_is_no(harnctl, daemon, line):
    terminal = harnctl(line)
    terminal.wait_for("? [y/N]")
    terminal.keys("ctrl-d")
    assert ends_sane(terminal, 1).endswith("nothing was changed")
    assert changes(daemon) == []


@pytest.mark.parametrize("line", [RETRY, REOPEN, CANCEL_GOAL, CANCEL_WORK])
def test_ctrl_c_in_an_editor_that_it_ends_changes_nothing(harnctl, daemon, editor, line):
    editor('echo words > "$draft"; echo in the editor; exec sleep 60')
    terminal = harnctl(line)
    terminal.wait_for("in the editor")
    terminal.keys("ctrl-c")
    assert ends_sane(terminal, 130) == UNDECIDED
    assert changes(daemon) == []


def test_ctrl_c_in_an_editor_is_the_editors_business(harnctl, daemon, editor):
    editor("""trap 'echo yes > "$draft"; exit 0' INT; echo in the editor; read -r _""")
    terminal = harnctl(REOPEN)
    terminal.wait_for("in the editor")
    terminal.keys("ctrl-c")
    ends_sane(terminal, 0)
    assert [request.findings for request in changes(daemon)] == [("yes",)]


def test_an_editor_that_is_killed_leaves_the_terminal_as_it_was(harnctl, daemon, editor):
    editor("stty raw -echo; kill -9 $$")
    terminal = harnctl(REOPEN)
    assert ends_sane(terminal, 1) == "the editor ended with -9, so nothing was changed"
    assert changes(daemon) == []


# --- editors


NOTHING = "nothing was written, so nothing was changed"


@pytest.mark.parametrize(
    "left",
    [
        (': > "$draft"', NOTHING),
        ('rm "$draft"', NOTHING),
        ("true", NOTHING),
        ('echo words > "$draft"; exit 3', "the editor ended with 3, so nothing was changed"),
        (r"""printf 'caf\351\n' > "$draft" """, "what was written is not UTF-8, so nothing was changed"),
    ],
    ids=lambda left: left[0],
)
@pytest.mark.parametrize("line", [RETRY, REOPEN, CANCEL_GOAL])
def test_what_an_editor_leaves_that_is_no_text_changes_nothing(harnctl, daemon, editor, left, line):
    script, says = left
    editor(script)
    terminal = harnctl(line)
    assert ends_sane(terminal, 1) == says
    assert changes(daemon) == []


@pytest.mark.parametrize(
    ("variables", "says"),
    [
        ({"EDITOR": "/nowhere/ed"}, "error: the editor /nowhere/ed does not start: No such file or directory [usage]"),
        ({"VISUAL": "/"}, "error: the editor / does not start: Permission denied [usage]"),
        ({"EDITOR": "vi 'oops"}, "error: EDITOR cannot be read as a command: No closing quotation [usage]"),
    ],
)
def test_an_editor_that_does_not_start_is_named(harnctl, daemon, variables, says):
    terminal = harnctl(REOPEN, **variables)
    ends_sane(terminal, 2)
    assert says in terminal.seen.text.replace("\n", " ").replace("  ", " ")
    assert changes(daemon) == []


def test_an_editor_may_have_options_and_a_name_with_a_blank(harnctl, daemon, editor):
    editor('echo "$1 $2" > "$draft"', "--wait", "'a b'")
    assert ends_sane(harnctl(REOPEN), 0)
    assert [request.findings for request in changes(daemon)] == [("--wait a b",)]


def test_an_editor_that_is_set_to_nothing_is_not_set(harnctl, daemon, place, environ):
    (place / "vi").write_text('#!/bin/sh\necho found > "$1"\n')
    (place / "vi").chmod(0o700)
    terminal = harnctl(REOPEN, VISUAL=" ", EDITOR="", PATH=f"{place}:{environ['PATH']}")
    ends_sane(terminal, 0)
    assert [request.findings for request in changes(daemon)] == [("found",)]


def test_no_line_of_a_planners_question_is_taken_for_the_persons_words(harnctl, daemon, editor, place):
    daemon.answers("plan.show", golden("plan.show", question="Which?\nUse sqlite.\r\x1b]0;x\x07\u2028Delete it."))
    editor(f'cp "$draft" \'{place}/shown\'; echo mine >> "$draft"')
    ends_sane(harnctl(RETRY), 0)
    assert [(type(request), request.guidance) for request in changes(daemon)] == [(RetryPlan, "mine")]
    shown = (place / "shown").read_text("utf-8")
    assert shown.splitlines()[1:3] == ["# Which?", r"# Use sqlite.\r\x1b]0;x\x07\u2028Delete it."]


def test_what_an_editor_prints_does_not_get_into_the_document(environ, daemon, editor, place):
    """Standard output goes to a file; the question and the editor are on the terminal all the same."""
    editor('echo from the editor; echo words > "$draft"')
    line = f"exec '{sys.executable}' -m harnctl --json {REJECT} > '{place}/out'"
    with Terminal.start(["sh", "-c", line], environ=environ, columns=100, rows=50) as terminal:
        terminal.wait_for("? [y/N]")
        terminal.keys("y", "enter")
        terminal.wait_for("from the editor")
        assert terminal.ended() == 0
    assert json.loads((place / "out").read_text())["schema"] == "harnctl.plan.reject/1"
    assert [(type(request), request.guidance) for request in changes(daemon)] == [(RejectPlan, "words")]


def test_a_rejection_and_an_acceptance_go_through(harnctl, daemon, editor):
    """So that it is seen that the refusals above are not for want of anything else."""
    editor('echo words > "$draft"')
    for line, answers in ((REJECT, ("y", "enter")), (ACCEPT, ("y", "enter", "fixed", "enter")), (REOPEN, ())):
        terminal = harnctl(line)
        if answers:
            terminal.wait_for("? [y/N]")
            terminal.keys(*answers)
        ends_sane(terminal, 0)
    assert [type(request) for request in changes(daemon)] == [RejectPlan, AcceptWork, ReopenWork]


# --- no terminal


@pytest.mark.parametrize(
    ("line", "fix"),
    [
        (APPROVE, "--digest"),
        (f"{REJECT} --guidance words", "--digest"),
        (REJECT, "--guidance TEXT"),
        (RETRY, "--guidance TEXT"),
        (ACCEPT, "--digest"),
        (REOPEN, "--finding TEXT"),
        (CANCEL_GOAL, "--reason TEXT"),
        (f"{CANCEL_GOAL} --reason moot", "--yes"),
        (CANCEL_WORK, "--reason TEXT"),
        (f"{CANCEL_WORK} --reason moot", "--yes"),
    ],
)
def test_without_a_terminal_the_command_to_type_is_told(environ, daemon, line, fix):
    command = [sys.executable, "-m", "harnctl", "--json", *line.split()]
    ran = subprocess.run(
        command, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=50
    )
    document = json.loads(ran.stdout)
    assert (ran.returncode, document["code"]) == (2, "usage" if "TEXT" in fix else "decision.unconfirmed")
    assert fix in document["fix"]
    assert document["fix"].startswith(f"harnctl {line.partition(' --')[0]}")
    assert changes(daemon) == []


# --- what asks nothing, and what asks with yes


def test_init_asks_nothing(harnctl, place):
    subprocess.run(["git", "init", "--quiet", str(place / "r")], check=True, env={"PATH": os.environ["PATH"]})
    terminal = harnctl(f"init {place}/r/.harnd")
    ends_sane(terminal, 0)
    assert (place / "r/.harnd/goal.toml").is_file()


def test_ctrl_c_at_the_demos_question_stops_its_daemon_and_says_where_things_lie(harnctl):
    terminal = harnctl("demo")
    terminal.wait_for("? [Y/n]")
    terminal.keys("ctrl-c")
    ends_sane(terminal, 130)
    assert "interrupted" in terminal.seen
    assert '"processes_left": 0' in "".join(line.ljust(100) for line in terminal.seen.lines)


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("words", ["inbox", "tui", "plan reject billing 1"])
def test_a_stream_that_is_closed_is_as_one_that_leads_nowhere(tmp_path, closed, words):
    command = f"{sys.executable} -m harnctl --socket {tmp_path}/none {words} {closed}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False, cwd=ROOT)

    assert done.returncode in {2, 6}
    assert "Traceback" not in done.stderr
