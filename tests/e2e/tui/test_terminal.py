"""The TUI and its terminal: sizes, charsets, colours, and that it is given back on every end."""

import os
import re
import signal
import subprocess
import sys

import msgspec
import pytest

from protocol.errors import Refusal
from tests.e2e.tui.conftest import ON_BOTH, TUI, environ_of
from tests.kit.daemons import ROOT, seen_to_end
from tests.kit.scripted_daemon import ScriptedDaemon, golden
from tests.kit.terminal import Terminal

pytestmark = pytest.mark.timeout(120)

COLOUR = re.compile(rb"\x1b\[[0-9;]*(?:3[0-7]|9[0-7]|38;)[0-9;]*m")
GIVEN_BACK = frozenset[int]()
EVIL = "\x1b]0;owned\x07\x1b]52;c;ZXZpbA==\x07\x1b[2J\x9b5A\u202e\u200b"


@pytest.fixture
def daemon(home):
    with ScriptedDaemon(home.socket) as scripted:
        yield scripted


@pytest.fixture
def terminal(daemon, tui):
    """A TUI that shows the work of the golden messages."""
    started = tui()
    started.wait_for("in review")
    return started


def is_given_back(terminal: Terminal) -> bool:
    return terminal.modes_left == GIVEN_BACK and terminal.after == terminal.before


@pytest.mark.parametrize(("key", "code"), [("q", 0), ("ctrl-c", 130)])
def test_a_key_ends_it_and_the_terminal_is_as_before(terminal, key, code):
    terminal.keys(key)

    assert terminal.ended() == code
    assert is_given_back(terminal)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_by_that_signal_and_the_terminal_is_as_before(terminal, number):
    terminal.signal(number)

    assert terminal.ended() == -number
    assert is_given_back(terminal)


def test_an_editor_that_does_not_start_is_told_and_decides_nothing(daemon, tui):
    terminal = tui(EDITOR="/nowhere/editor")
    terminal.wait_for("in review")
    terminal.keys("o")
    terminal.wait_for("the editor /nowhere/editor does not start")
    terminal.signal(signal.SIGTERM)

    assert terminal.ended() == -signal.SIGTERM
    assert is_given_back(terminal)
    assert {type(request).__name__ for request in daemon.asked} <= {
        *("ListInbox", "ListGoals", "ShowStatus", "ShowWork", "SubscribeEvents"),
    }


def test_a_window_that_is_closed_ends_it(terminal):
    terminal.hang_up()

    assert terminal.process.wait(20) != 0


def test_an_editor_is_ended_with_it(daemon, home, tui):
    here = home.root / "here"
    os.mkfifo(here)
    script = home.write("editor.sh", f"echo $$ > {here}\nexec sleep 600\n")
    terminal = tui(EDITOR=f"sh {script}")
    terminal.wait_for("in review")
    terminal.keys("o")
    editor = int(here.read_text())
    with seen_to_end([editor]):
        terminal.signal(signal.SIGTERM)

        assert terminal.ended() == -signal.SIGTERM
    assert terminal.after == terminal.before


def test_another_kind_of_daemon_that_comes_back_ends_it_with_a_sentence(home, tui):
    with ScriptedDaemon(home.socket):
        terminal = tui()
        terminal.wait_for("in review")
    with ScriptedDaemon(home.socket).answers("initialize", Refusal("version.mismatch", "this one is from tomorrow")):
        code = terminal.ended()

    assert (code, is_given_back(terminal)) == (78, True)
    assert "this one is from tomorrow" in terminal.seen


BUG = """
import os
from pathlib import Path

import anyio

from harnctl.console import Console
from harnctl.tui.app import Tui
from harnctl.tui.model import Helping
import sys


class Buggy(Tui):
    def _fit(self):
        if isinstance(self.model.mode, Helping):
            raise ZeroDivisionError("a bug in a drawing")
        super()._fit()

    def dispatch(self, message):
        if getattr(message, "key", "") == "z":
            raise ZeroDivisionError("a bug in a key")
        super().dispatch(message)


console = Console(out=sys.stdout, err=sys.stderr, stdin=sys.stdin, environ=os.environ)
anyio.run(Buggy(Path(os.environ["HARND_SOCKET"]), console).run)
"""


@pytest.mark.parametrize(("key", "bug"), [("?", "a bug in a drawing"), ("z", "a bug in a key")])
def test_a_bug_ends_it_with_a_traceback_on_a_terminal_that_is_as_before(daemon, home, key, bug):
    environ = environ_of(home.socket, home=home.root)
    with Terminal.start([sys.executable, "-c", BUG], environ=environ, columns=100, rows=30, cwd=ROOT) as terminal:
        terminal.wait_for("in review")
        terminal.keys(key)

        assert terminal.ended() == 1
        assert is_given_back(terminal)
        assert bug in terminal.seen


@ON_BOTH
@pytest.mark.usefixtures("daemon")
def test_it_follows_the_size_of_the_window_down_to_a_word_and_back(tui, kind):
    terminal = tui(kind)
    terminal.wait_for("in review")
    terminal.resize(40, 12)
    terminal.wait_for(lambda seen: "│" not in seen and "> work" in seen)
    terminal.keys("enter")
    terminal.wait_for("in review")
    terminal.resize(30, 8)
    terminal.wait_for("30 by 8")
    terminal.keys("a", "f", "y")  # nothing that cannot be seen is decided
    terminal.resize(30, 9)
    terminal.wait_for("30 by 9")  # the keys were read by then
    terminal.resize(132, 40)
    terminal.wait_for(lambda seen: "│" in seen and "in review" in seen)

    assert "Accept" not in terminal.seen


def test_an_ascii_locale_gets_ascii(daemon, tui):
    terminal = tui(LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    terminal.wait_for("in review")

    assert terminal.raw.isascii()
    assert "| " in terminal.seen


def test_no_color_has_no_colour_and_still_says_everything(daemon, tui):
    plain, coloured = tui(NO_COLOR="1"), tui(NO_COLOR="")
    for terminal in (plain, coloured):
        terminal.wait_for("in review")
    plain.wait_for(lambda seen: seen.lines == coloured.seen.lines)  # once both are drawn to their end

    assert COLOUR.search(plain.raw) is None
    assert COLOUR.search(coloured.raw) is not None


def test_nothing_that_anybody_wrote_reaches_the_terminal_as_a_command(daemon, tui):
    item = golden("inbox.list").items[0]
    daemon.answers("inbox.list", golden("inbox.list", items=(msgspec.structs.replace(item, summary=EVIL),)))
    daemon.answers("work.show", golden("work.show", title=EVIL, objective=EVIL, reason=EVIL))
    terminal = tui()
    terminal.wait_for("\\x1b]0;owned")

    assert terminal.title == ""
    assert b"\x1b]" not in terminal.raw
    assert "owned" not in terminal.title


def test_a_paste_is_not_taken_for_keys(terminal, daemon):
    terminal.paste("afy\ny\n")
    terminal.wait_for("pasted text is not taken for keys")

    assert not [request for request in daemon.asked if "accept" in type(request).method]


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_without_a_terminal_it_says_so_and_what_to_use(home, more):
    done = subprocess.run(
        [*TUI, *more],
        env=environ_of(home.socket, home=home.root, TERM="xterm"),
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert "terminal" in done.stderr
    assert ('"code":"usage"' in done.stdout) is bool(more)


@pytest.mark.parametrize("term", ["dumb", ""])
def test_a_terminal_that_cannot_place_text_is_told(home, daemon, tui, term):
    terminal = tui(TERM=term)

    assert terminal.ended() == 2
    assert "harnctl inbox" in terminal.seen


def test_without_a_daemon_it_says_how_to_start_one(home, tui):
    terminal = tui()

    assert terminal.ended() == 6
    assert "no daemon answers" in terminal.seen
    assert is_given_back(terminal)
