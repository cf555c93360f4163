"""Group G: what went wrong on terminals in other systems of this kind, each told again here as a test.

Replies are made hostile in every text they have, and go to every verb and to every page of the TUI.
"""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harnctl.render.cells import width
from harnctl.tui.drawing import draw
from harnctl.tui.model import Size
from protocol.errors import Refusal
from protocol.requests import ApprovePlan
from tests.e2e.tui.conftest import TUI, environ_of
from tests.harnctl.conftest import Ran, Shell, daemon, harnctl, place
from tests.kit import screens
from tests.kit.daemons import ROOT, Home, follow
from tests.kit.scripted_daemon import ScriptedDaemon, golden
from tests.kit.terminal import Terminal

__all__ = ["daemon", "harnctl", "place"]
pytestmark = pytest.mark.timeout(120)

G01 = (
    "\x1b]52;c;ZXZpbA==\x07 \x1b]8;;https://evil.example\x1b\\docs\x1b]8;;\x1b\\ \x1b]0;owned\x07 \x1b[2J \x1b[10A "
    "\x1b[6n \x1bP+q544e\x1b\\ \x1bc \x9b2J \x9d0;owned\x9c \x1b]0;no end"
)
G03 = "{provider}/{type}[/{nestedType}]/read [/INST] [bold"
G05 = "\N{ROCKET} src/Отчёт.md"
G09 = "日本語 \U0001f1e9\U0001f1ea\U0001f1ef\U0001f1f5 \U0001f469\u200d\U0001f469\u200d\U0001f467"
G13 = "cu\u200brl \u202etxt.sh a\U000e0100 ls" + "\xa0" * 300 + "; rm -rf /\r"
SIBLINGS = {
    "tags": "ok\U000e0041\U000e0042",
    "marks": "e" + "\u0301" * 5_000,
    "long": "y" * 10_000,
    "tabs": "a\tb" + "\t" * 20,
    "returns": "rm -rf /\rls     \b\b",
    "fillers": "\u3164\u115f\u2800" * 50,
    "lines": "a\n\nb\n" * 200,
}
HOSTILE = {"G01": G01, "G03": G03, "G09": G09, "G13": G13, **SIBLINGS}
ACTS = re.compile("[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\U000e0000-\U000e0fff]")
STYLED = re.compile(r"\x1b\[[0-9;]*m")
VERBS = (
    *("status", "goal list", "goal show billing-export", "plan list billing-export", "plan show billing-export 1"),
    *("work list billing-export", "work show billing-export p1.parser", "work log billing-export p1.parser"),
    *("work diff billing-export p1.parser", "why billing-export", "budget billing-export", "events", "inbox", "ps"),
    *(
        "gc --dry-run",
        "gc",
        "doctor",
        "config show --origin",
        "plan approve billing-export 1",
        "work accept billing-export p1.parser",
    ),
)
METHODS = (
    *("status.show", "goal.list", "goal.show", "plan.list", "plan.show", "work.list", "work.show", "work.log"),
    *("work.diff", "why.show", "budget.show", "events.list", "inbox.list", "ps.list", "doctor.show", "config.show"),
    *("gc.show", "gc.run"),
)


def spoiled(value: Any, text: str) -> Any:
    """The same message with a text in the place of every text that has no form of its own."""
    if isinstance(value, tuple):
        return tuple(spoiled(one, text) for one in value)
    if not isinstance(value, msgspec.Struct):
        return value
    changes = {}
    for field in msgspec.structs.fields(type(value)):
        found = getattr(value, field.name)
        is_free = field.type in (str, str | None) and isinstance(found, str)
        changes[field.name] = text if is_free else spoiled(found, text)
    return msgspec.structs.replace(value, **changes)


@pytest.fixture
def spoil(daemon: ScriptedDaemon):
    def spoiling(text: str) -> None:
        for method in METHODS:
            daemon.answers(method, spoiled(golden(method), text))

    return spoiling


def program(place: Path, *argv: str, cwd: Path | str = ROOT, **environ: str) -> "subprocess.Popen[bytes]":
    own = {"PATH": os.environ["PATH"], "HOME": str(place), "HARND_SOCKET": str(place / "harnd.sock")}
    own |= {"PYTHONPATH": str(ROOT), **environ}
    command = [sys.executable, "-m", "harnctl", *argv]
    pipe = subprocess.PIPE
    nothing = subprocess.DEVNULL
    return subprocess.Popen(command, cwd=cwd, env=own, stdin=nothing, stdout=pipe, stderr=pipe)


@pytest.fixture
def tui(place: Path, daemon: ScriptedDaemon) -> Iterator[Any]:
    started: list[Terminal] = []

    def start(**environ: str) -> Terminal:
        asked = environ_of(place / "harnd.sock", home=place, **environ)
        started.append(Terminal.start(TUI, environ=asked, columns=100, rows=30, cwd=ROOT))
        return started[-1]

    yield start
    for one in started:
        one.close()


# --- G01: text that acts


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("verb", VERBS)
def test_g01_nothing_that_anybody_wrote_acts_on_the_terminal_of_any_verb(harnctl: Shell, spoil, verb: str, name: str):
    spoil(HOSTILE[name])
    ran = harnctl(*verb.split(), typed="n\n", NO_COLOR="")
    said = STYLED.sub("", ran.out + ran.err)
    assert ran.code in (0, 1)
    assert (ACTS.search(said), "\x1b" in said) == (None, False)
    document = harnctl(*verb.split(), "--json")
    assert document.out.isascii()
    assert ACTS.search(document.out) is None


@pytest.mark.parametrize("name", HOSTILE)
def test_g01_nor_does_it_leave_its_cell_on_any_page_of_the_tui(monkeypatch: pytest.MonkeyPatch, name: str):
    monkeypatch.setattr(screens, "golden", lambda method, **changes: spoiled(golden(method, **changes), HOSTILE[name]))
    for make in screens.STATES.values():
        for size in (Size(40, 10), Size(80, 24)):
            rows = ["".join(span.text for span in row) for row in draw(make(size))]
            assert (len(rows), {width(row) for row in rows}) == (size.rows, {size.columns})
            assert [row for row in rows if ACTS.search(row) or any(char in row for char in "\t\n\x1b")] == []


def test_g01_no_byte_of_it_reaches_the_terminal(tui, spoil):
    spoil(G01)
    terminal = tui()
    terminal.wait_for("\\x1b]52;c;ZXZpbA==")
    assert (terminal.title, b"\x1b]" in terminal.raw, b"\x1bP" in terminal.raw) == ("", False, False)
    assert (b"\x1b[6n" in terminal.raw.partition(b"ZXZpbA")[2], "\x9b" in terminal.raw.decode()) == (False, False)


@pytest.mark.parametrize("verb", ["service install --dry-run", "service status", "config check", "init"])
def test_g01_paths_and_names_of_this_machine_do_not_act_either(place: Path, verb: str):
    """A home whose name is hostile, in bytes of which one is no UTF-8."""
    home = os.fsdecode(os.fsencode(place) + b"/\x1b]0;owned\x07\xe2\x80\xae\xff")
    Path(home).mkdir()
    with program(place, *verb.split(), cwd=home, HOME=home, LC_ALL="C.UTF-8") as running:
        out, err = running.communicate(timeout=60)
    assert (b"\x1b" in out + err, "\u202e" in (out + err).decode(), b"Traceback" in err) == (False, False, False)


# --- G03: text is no markup, and a display that fails ends no mission


def test_g03_brackets_and_braces_stay_as_they_are(harnctl: Shell, spoil):
    spoil(G03)
    for verb in ("plan show billing-export 1", "work show billing-export p1.parser", "why billing-export"):
        assert G03 in harnctl(*verb.split(), columns=1000).out


def test_g03_a_plan_full_of_brackets_is_stored_shown_and_carried_on_by_the_next_daemon():
    home = Home()
    try:
        script = (home.root / "script.toml").read_text().replace("One step is enough.", G03)
        home.write("script.toml", script)
        daemon = home.start()
        home.create()
        with home.client() as client:
            follow(client, "plan.proposed")
        daemon.kill()
        home.start()
        shell = Shell({"HARND_SOCKET": str(home.socket), "HOME": str(home.root)})
        assert G03 in shell("plan", "show", "billing", "1", columns=1000).out
        assert shell("plan", "approve", "billing", "1", "--yes").code == 0
    finally:
        home.close()


# --- G05: a charset that cannot spell it


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "koi8-r", "utf-8"])
def test_g05_a_character_that_cannot_be_spelt_changes_no_exit_code(place: Path, daemon, spoil, encoding: str):
    spoil(G05)
    for verb in ("status", "goal list", "work show billing-export p1.parser", "config show"):
        with program(
            place, *verb.split(), LC_ALL="C", PYTHONIOENCODING=encoding, PYTHONCOERCECLOCALE="0", PYTHONUTF8="0"
        ) as running:
            out, err = running.communicate(timeout=60)
        assert (running.returncode, b"Traceback" in err) == (0, False)
        assert out.decode(encoding)
    goals = golden("goal.list").goals
    assert len({goal.phase for goal in goals}) == len({goal.phase.value for goal in goals})


# --- G07: the terminal is given back


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_g07_a_signal_ends_it_by_itself_and_no_mode_is_left(tui, number: signal.Signals):
    terminal = tui()
    terminal.wait_for("in review")
    terminal.signal(number)
    assert (terminal.ended(), terminal.modes_left, terminal.after) == (-number, frozenset(), terminal.before)


@pytest.mark.parametrize("broken", ["update", "draw"])
def test_g07_nor_by_an_exception_in_a_callback(place: Path, daemon, broken: str):
    """A program that is the TUI, but for a key that raises: in what follows from it, or when the screen is drawn."""
    script = place / "broken.py"
    script.write_text(
        "import sys\nimport harnctl.tui.app as app\n"
        f"real, pressed = app.{broken}, []\n"
        "dispatch = app.Tui.dispatch\n"
        "def hear(self, message):\n"
        "    pressed.extend([1] if getattr(message, 'key', '') == 'z' else [])\n"
        "    dispatch(self, message)\n"
        "def failing(*words):\n"
        "    if pressed: raise RuntimeError('a bug in a callback')\n"
        "    return real(*words)\n"
        f"app.{broken}, app.Tui.dispatch = failing, hear\n"
        "from harnctl.__main__ import main\nsys.argv = ['harnctl', 'tui']\nmain()\n"
    )
    environ = environ_of(place / "harnd.sock", home=place)
    with Terminal.start([sys.executable, str(script)], environ=environ, columns=100, rows=30, cwd=ROOT) as terminal:
        terminal.wait_for("in review")
        terminal.keys("z")
        assert terminal.ended() == 1
        assert (terminal.modes_left, terminal.after) == (frozenset(), terminal.before)
        assert b"RuntimeError: a bug in a callback" in terminal.raw.rpartition(b"\x1b[?1049l")[2]


# --- G09: no room


@pytest.mark.parametrize("columns", [*range(1, 46), 0, 99_999, "9" * 5_000, "²", "-7", "wide"])
def test_g09_wide_characters_are_laid_out_however_narrow_it_is(harnctl: Shell, spoil, columns):
    spoil(G09)
    for verb in VERBS[::3]:
        ran = harnctl(*verb.split(), typed="n\n", columns=columns)
        assert ran.code in (0, 1)
        if str(columns) in set(map(str, range(1, 20))):
            first = (ran.out + ran.err).splitlines()[0]
            assert "too small".startswith(first)


@pytest.mark.parametrize("columns", [1, 2, 7])
def test_g09_a_terminal_that_is_too_small_says_so(tui, columns: int):
    terminal = tui()
    terminal.wait_for("in review")
    terminal.resize(columns, 5)
    terminal.wait_for(lambda seen: "in review" not in seen)
    terminal.resize(100, 30)
    terminal.wait_for("in review")
    terminal.keys("q")
    assert terminal.ended() == 0


# --- G11: colour and a person are two things


@pytest.mark.parametrize(("value", "coloured"), [("1", False), ("0", False), ("", True)])
def test_g11_without_colour_a_person_is_asked_all_the_same(place: Path, daemon, value: str, coloured: bool):
    environ = environ_of(place / "harnd.sock", home=place, NO_COLOR=value)
    command = [sys.executable, "-m", "harnctl", "plan", "approve", "billing-export", "1"]
    with Terminal.start(command, environ=environ, columns=100, rows=40, cwd=ROOT) as terminal:
        terminal.wait_for("[y/N]")
        terminal.keys("y", "enter")
        assert terminal.ended() == 0
        assert bool(re.search(rb"\x1b\[[0-9;]+m", terminal.raw)) is coloured
    assert [type(request) for request in daemon.asked].count(ApprovePlan) == 1


# --- G13: what is hidden in what a person approves


def test_g13_nothing_is_hidden_from_who_approves(harnctl: Shell, daemon: ScriptedDaemon):
    plan = golden("plan.show")
    daemon.answers("plan.show", spoiled(plan, G13))
    said = harnctl("plan", "approve", "billing-export", "1", typed="n\n", columns=1_000).out
    for escape in ("cu\\u200brl", "\\u202etxt.sh", "a\\U000e0100", "; rm -rf /\\r"):
        assert escape in said
    assert "\xa0" * 3 not in said
    assert "[300 blanks]" in said


# --- G15: errors of a program for programs


FAILING = (
    "goal show no-such-mission",
    *("plan show g 7", "plan approve g 1", "work accept g p1.a", "work diff g p1.a", "events --goal g", "nope"),
    *("service status", "service logs", "service uninstall", "config check /nowhere", "tui", "restore x"),
    *("--state", "goal", "plan show g one", "work reopen g p1.a", "goal create /nowhere/goal.toml", "demo --runs x"),
)  # fmt: skip


@pytest.mark.parametrize("verb", FAILING)
def test_g15_an_error_is_one_document_and_people_are_told_beside_it(harnctl: Shell, daemon: ScriptedDaemon, verb: str):
    for method in METHODS:
        daemon.answers(method, Refusal("goal.unknown", f"there is no goal {G01}", fix="harnctl goal list"))
    for at_terminal in (None, "y\n"):
        ran: Ran = harnctl(*verb.split(), "--json", typed=at_terminal, NO_COLOR="", PATH="/nowhere", EDITOR="false")
        (line,) = ran.out.splitlines()
        document = json.loads(line)
        assert (document["schema"], document["exit"]) == ("harnctl.error/1", ran.code)
        assert document["code"]
        assert document["message"]
        assert line.isascii()
        assert "\x1b" not in line
        assert ran.err


CLOSED = ("<&-", ">&-", "2>&-", "<&- >&- 2>&-", "2>/dev/full", "2>&1 >/dev/null | true")


@pytest.mark.parametrize("closed", CLOSED)
@pytest.mark.parametrize(("verb", "code"), [("status", 0), ("status --json", 0), ("nope", 2), ("nope --json", 2)])
def test_g15_streams_that_are_closed_or_full_change_no_exit_code(
    place: Path, daemon, closed: str, verb: str, code: int
):
    said = place / "code"
    line = f'{{ "{sys.executable}" -m harnctl {verb}; echo $? >"{said}"; }} {closed}'
    environ = environ_of(place / "harnd.sock", home=place)
    done = subprocess.run(["sh", "-c", line], env=environ, cwd=ROOT, capture_output=True, timeout=60, check=False)
    assert (said.read_text(), b"Traceback" in done.stderr + done.stdout) == (f"{code}\n", False)


@pytest.mark.parametrize("verb", ["status", "status --json"])
def test_g15_an_answer_that_cannot_be_written_is_no_success(place: Path, daemon, verb: str):
    line = f'"{sys.executable}" -m harnctl {verb} >/dev/full'
    environ = environ_of(place / "harnd.sock", home=place)
    done = subprocess.run(["sh", "-c", line], env=environ, cwd=ROOT, capture_output=True, timeout=60, check=False)
    assert done.returncode == 1
    said = b" ".join(done.stderr.split())
    assert said.startswith(
        b"error: the answer could not be written to standard output: No space left on device [output"
    )
