"""The terminals that tests stand on, tried on small programs: two emulators that must see the same."""

import os
import signal
import sys

import pytest

from tests.kit.emulator import Emulator
from tests.kit.terminal import Terminal
from tests.kit.tmux import MISSING, WHY_SKIPPED, Tmux

ENVIRON = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "GREETING": "hello"}
TERMINALS = [
    pytest.param(Terminal, id="pty"),
    pytest.param(Tmux, id="tmux", marks=pytest.mark.skipif(MISSING, reason=WHY_SKIPPED)),
]
SHOWS_KEYS = """
import os, tty
tty.setraw(0)
print("ready", end="", flush=True)
while (key := os.read(0, 100)) != b"q":
    print(f"[{key.hex()}]", end="", flush=True)
"""
SHOWS_SIZE = """
import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGWINCH])
while True:
    size = os.get_terminal_size()
    print(f"{size.columns} by {size.lines}", flush=True)
    signal.sigwait([signal.SIGWINCH])
"""
TAKES_THE_SCREEN = r"""
import sys, time
print("before")
on = "\x1b[?1049h\x1b[?2004h\x1b[?1000h\x1b[?1006h\x1b[?1004h\x1b[?25l\x1b[2 q"
print(on + "\x1b[2J\x1b[3;5Hin full", end="", flush=True)
sys.stdin.readline()
if sys.argv[1] == "well":
    print("\x1b[0 q\x1b[?25h\x1b[?1004l\x1b[?1006l\x1b[?1000l\x1b[?2004l\x1b[?1049l", end="")
    print("after")
"""


@pytest.fixture(params=TERMINALS)
def start(request):
    """Run a Python script on a terminal."""
    running = []

    def begin(script, *argv, **kwargs):
        terminal = request.param.start([sys.executable, "-c", script, *argv], environ=ENVIRON, **kwargs)
        running.append(terminal)
        return terminal

    yield begin
    for terminal in running:
        terminal.close()


@pytest.fixture
def on_pty():
    running = []

    def begin(script, *argv, **kwargs):
        running.append(Terminal.start([sys.executable, "-c", script, *argv], environ=ENVIRON, **kwargs))
        return running[-1]

    yield begin
    for terminal in running:
        terminal.close()


# --- on both


def test_a_program_has_a_terminal_of_its_size_and_the_environment_it_was_given(start):
    script = (
        "import os; print(os.get_terminal_size(), os.isatty(0), os.environ.get('GREETING'), os.environ.get('HOME'))"
    )
    terminal = start(script, columns=100, rows=7)
    assert terminal.ended() == 0
    assert terminal.seen.lines[0] == "os.terminal_size(columns=100, lines=7) True hello None"
    assert len(terminal.seen.lines) == 7


def test_what_it_drew_is_seen_where_it_drew_it(start):
    terminal = start(
        r"print('\x1b[2;4Hone\x1b[1mtwo\x1b[0m\x1b[5;1H日本\x1b[5;8H|', end='', flush=True); input()", rows=6
    )
    seen = terminal.wait_for("|")
    assert seen.lines == ("", "   onetwo", "", "", "日本   |", "")
    assert seen.cursor == (8, 4)


def test_keys_arrive_as_a_keyboard_sends_them(start):
    terminal = start(SHOWS_KEYS)
    terminal.wait_for("ready")
    for key, sent in {
        "down": "1b5b42",
        "a": "61",
        "ctrl-c": "03",
        "esc": "1b",
        "enter": "0d",
        "backspace": "7f",
        "page-up": "1b5b357e",
        "héé": "68c3a9c3a9",
        "a\nb": "610d62",
    }.items():
        terminal.keys(key)
        terminal.wait_for(lambda seen, sent=sent: seen.text.replace("\n", "").replace("][", "").endswith(f"{sent}]"))
    terminal.keys("q")
    assert terminal.ended() == 0


def test_a_window_that_changes_its_size_tells_the_program(start):
    terminal = start(SHOWS_SIZE, columns=80, rows=24)
    terminal.wait_for("80 by 24")
    terminal.resize(40, 10)
    seen = terminal.wait_for("40 by 10")
    assert len(seen.lines) == 10


def test_ctrl_c_is_the_terminals_to_send(start):
    terminal = start("print('waiting', flush=True)\ninput()")
    terminal.wait_for("waiting")
    terminal.keys("ctrl-c")
    assert terminal.ended() in {-signal.SIGINT, 130}
    assert "KeyboardInterrupt" in terminal.seen


@pytest.mark.parametrize(("script", "code"), [("raise SystemExit(7)", 7), ("import os; os.kill(os.getpid(), 9)", -9)])
def test_an_end_is_told_by_its_code_or_its_signal(start, script, code):
    assert start(script).ended() == code


def test_a_program_is_signalled_from_elsewhere(start):
    terminal = start("print('here', flush=True); input()")
    terminal.wait_for("here")
    terminal.signal(signal.SIGTERM)
    assert terminal.ended() == -signal.SIGTERM


def test_the_second_screen_comes_and_goes_and_modes_are_told(start):
    terminal = start(TAKES_THE_SCREEN, "well")
    seen = terminal.wait_for("in full")
    assert "before" not in seen
    assert terminal.modes_left >= {1049, 1000, 1006, 25}
    terminal.keys("enter")
    seen = terminal.wait_for("after")
    assert terminal.ended() == 0
    assert ("before" in seen, "in full" in seen) == (True, False)
    assert terminal.modes_left == frozenset()


def test_waiting_for_what_does_not_come_shows_the_whole_screen(start):
    terminal = start("print('one thing', flush=True); input()", columns=20, rows=3)
    terminal.wait_for("one thing")
    with pytest.raises(AssertionError) as raised:
        terminal.wait_for("another", within_s=0.1)
    assert "'another' was not seen" in str(raised.value)
    assert f"+{'-' * 20}+\n|one thing{' ' * 11}|\n|{' ' * 20}|\n|{' ' * 20}|\n+{'-' * 20}+" in str(raised.value)


def test_a_program_that_has_ended_is_not_waited_for(start):
    terminal = start("print('one thing')")
    with pytest.raises(AssertionError, match="'another' was not seen"):
        terminal.wait_for("another", within_s=3600)


def test_a_program_that_goes_on_is_said_to(start):
    with pytest.raises(AssertionError, match="the program goes on"):
        start("input()").ended(within_s=0.1)


# --- on a pty


def test_a_program_is_the_leader_of_a_session_with_a_terminal_of_its_own(on_pty):
    terminal = on_pty("import os; print(os.getsid(0) == os.getpid(), os.tcgetpgrp(0) == os.getpgrp(), os.ctermid())")
    assert terminal.ended() == 0
    assert terminal.seen.lines[0] == "True True /dev/tty"


def test_everything_that_was_written_before_the_end_is_there(on_pty):
    terminal = on_pty("for n in range(20000): print(n)")
    assert terminal.ended() == 0
    assert terminal.raw.endswith(b"19998\r\n19999\r\n")
    assert terminal.seen.lines[-2:] == ("19999", "")


def test_what_a_program_left_on_is_told(on_pty):
    terminal = on_pty(TAKES_THE_SCREEN, "badly")
    terminal.wait_for("in full")
    terminal.keys("enter")
    assert terminal.ended() == 0
    assert terminal.modes_left == {1049, 2004, 1000, 1006, 1004, 25}
    assert terminal.cursor_shape == 2
    terminal = on_pty(TAKES_THE_SCREEN, "well")
    terminal.keys("enter")
    assert (terminal.ended(), terminal.modes_left, terminal.cursor_shape) == (0, frozenset(), 0)


@pytest.mark.parametrize(("ends", "same"), [("termios.tcsetattr(0, termios.TCSANOW, was)", True), ("pass", False)])
def test_how_the_terminal_is_set_is_compared_after_the_end(on_pty, ends, same):
    terminal = on_pty(f"import termios, tty\nwas = termios.tcgetattr(0)\ntty.setraw(0)\n{ends}")
    assert terminal.ended() == 0
    assert (terminal.after == terminal.before) is same


def test_the_cursors_place_is_told_when_it_is_asked_for(on_pty):
    script = r"""
import os, tty
tty.setraw(0)
print("\x1b[3;9H\x1b[6n", end="", flush=True)
print(os.read(0, 100), end="", flush=True)
"""
    assert "b'\\x1b[3;9R'" in on_pty(script).wait_for("R'")


def test_a_paste_is_in_brackets_when_they_are_wanted(on_pty):
    plain = on_pty(SHOWS_KEYS)
    plain.wait_for("ready")
    plain.paste("x")
    plain.wait_for("[78]")
    bracketed = on_pty(rf"print('\x1b[?2004h', end='')\n{SHOWS_KEYS}".replace("\\n", "\n", 1))
    bracketed.wait_for("ready")
    bracketed.paste("x")
    bracketed.wait_for("[1b5b3230307e781b5b3230317e]")


def test_a_window_that_is_closed_hangs_up(on_pty):
    terminal = on_pty("print('here', flush=True); input()")
    terminal.wait_for("here")
    terminal.hang_up()
    assert terminal.ended() == -signal.SIGHUP


def test_a_child_that_keeps_the_terminal_is_found(on_pty):
    terminal = on_pty("import subprocess, signal; signal.signal(1, signal.SIG_IGN); subprocess.Popen(['sleep', '60'])")
    with pytest.raises(AssertionError, match="still has the terminal"):
        terminal.ended(within_s=1)


# --- the emulator


def drawn(*pieces):
    """What an emulator of three lines shows, and what it answered."""
    answers: list[bytes] = []
    emulator = Emulator(20, 3, answer=answers.append)
    for piece in pieces:
        emulator.feed(piece)
    return emulator, b"".join(answers)


@pytest.mark.parametrize(
    "sequence",
    [
        b"\x1b[>4;1m",  # modifyOtherKeys, which pyte takes for underlining
        b"\x1b[>1u\x1b[<u\x1b[=5;1u\x1b[?u",  # the keyboard protocol of kitty
        b"\x1b[2 q",
        b"\x1b[?12l\x1b[?1l\x1b[?2026h\x1b[?2026l",
        b"\x1b[38:2::10:20:30m",
        b"\x1b[?2026$p\x1b[!p\x1b[\x22q",
        b"\x1b]11;?\x07\x1b]8;;https://example.org\x1b\\\x1b]52;c;aGk=\x07",
        b"\x1bP+q544e\x1b\\\x1b_Gi=31\x1b\\\x1b^x\x1b\\",
        b"\x1b=\x1b>\x1b(B\x1b)0",
        b"\x1b[22;0;0t\x1b[23;0;0t\x1b[s\x1b[u",
        b"\x1b[?1l\x1b[?7l\x1b[?7h",
    ],
)
def test_what_is_not_drawn_leaves_no_trace_however_it_is_cut(sequence):
    whole, _ = drawn(b"a" + sequence + b"b")
    single, _ = drawn(*(bytes([byte]) for byte in b"a" + sequence + b"b"))
    assert whole.lines == single.lines == ("ab", "", "")
    assert not whole.screen.buffer[0][1].underscore


@pytest.mark.parametrize(("column", "shown"), [(1, ". 本語"), (2, " .本語"), (3, "日. 語")])
def test_a_wide_character_half_of_which_was_drawn_over_is_gone(column, shown):
    emulator, _ = drawn(f"日本語\x1b[1;{column}H.".encode())
    assert emulator.lines[0] == shown


def test_a_smaller_window_has_its_cursor_inside():
    emulator, _ = drawn(b"\x1b[3;20Hx")
    emulator.resize(5, 2)
    emulator.feed(b"y")
    assert all(len(line) <= 5 for line in emulator.lines)
    assert emulator.cursor[0] <= 5


def test_a_title_is_kept_and_a_reset_begins_anew():
    emulator, answers = drawn(b"\x1b]2;harnctl\x07\x1b[?1049h\x1b[?25lx\x1b[c\x1b[5n")
    assert (emulator.title, answers) == ("harnctl", b"\x1b[?6c\x1b[0n")
    emulator.feed(b"\x1bc")
    assert (emulator.modes, emulator.lines) == ({7, 25}, ("", "", ""))


def test_a_character_cut_in_two_is_one_character():
    emulator, _ = drawn("é".encode()[:1], "é".encode()[1:])
    assert emulator.lines[0] == "é"
