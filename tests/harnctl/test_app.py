"""The program as a whole: help without a daemon, misuse, later verbs, interruption, pipes and poor terminals."""

import ast
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from harnctl.app import VERBS, command_tree
from harnctl.commands.later import AT_THE_TOP
from harnctl.failures import EXITS
from protocol.bounds import FRAME_BYTES
from protocol.errors import CODES, Refusal
from protocol.notices import EventNotice
from tests.kit.scripted_daemon import HANG_UP, Impostor, golden

ROOT = Path(__file__).parents[2]
EVENT = EventNotice(golden("events.list").events[0])
HEAVY = {"anyio", "asyncio", "rich", "prompt_toolkit", "wcwidth", "jinja2", "jsonschema", "structlog", "harnd"}


@pytest.fixture
def program(place):
    """The program in a process of its own."""

    def start(*argv, **environ):
        own = {"PATH": os.environ["PATH"], "HOME": str(place), "HARND_SOCKET": str(place / "harnd.sock")}
        command = [sys.executable, "-m", "harnctl", *argv]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, cwd=ROOT, env={**own, **environ}, stdin=pipe, stdout=pipe, stderr=pipe)

    return start


# --- the command line


def every_command(command, path=()):
    yield command, path
    for name, child in getattr(command, "commands", {}).items():
        yield from every_command(child, (*path, name))


WHOLE = list(every_command(command_tree({*VERBS, *AT_THE_TOP})))
NOT_BUILT = [path for command, path in WHOLE if command.hidden]
BUILT = [path for command, path in WHOLE if not command.hidden]


def test_importing_the_command_line_loads_nothing_heavy():
    code = "import sys, harnctl.app, harnctl.__main__; print(*{name.partition('.')[0] for name in sys.modules})"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert HEAVY & set(loaded.split()) == set()


def test_the_command_line_imports_the_protocol_and_never_the_daemon():
    for path in (ROOT / "harnctl").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert [name for name in names if name.split(".")[0] == "harnd"] == []


@pytest.mark.parametrize("path", BUILT, ids=" ".join)
def test_every_verb_has_help_without_a_daemon(harnctl, capsys, path):
    assert harnctl(*path, "--help").code == 0
    said = capsys.readouterr().out
    assert said.startswith(f"Usage: {' '.join(('harnctl', *path))} ")
    assert "--json" in said


@pytest.mark.parametrize("path", NOT_BUILT, ids=" ".join)
@pytest.mark.parametrize("rest", [(), ("x", "--flag", "7"), ("--help",)], ids=" ".join)
def test_a_verb_of_a_later_release_is_refused_by_name(harnctl, path, rest):
    ran = harnctl(*path, *rest)
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith(f"error: `{' '.join(path)}` is not part of this release [feature.not_built]\n")
    assert harnctl(*path, *rest, "--json").document["code"] == "feature.not_built"


def test_the_verbs_of_later_releases_are_those_of_the_operators_page():
    assert {" ".join(path) for path in NOT_BUILT} == {*AT_THE_TOP}


def test_a_verb_of_a_later_release_is_not_in_the_help(harnctl, capsys):
    harnctl("--help")
    said = capsys.readouterr().out
    assert [verb for verb in AT_THE_TOP if f"\n  {verb} " in said] == []
    assert [verb for verb in VERBS if f"\n  {verb} " not in said] == []


@pytest.mark.parametrize(
    ("line", "says", "help_"),
    [
        ("nope", "No such command 'nope'.", "harnctl --help"),
        ("plan nope", "No such command 'nope'.", "harnctl plan --help"),
        ("goal show", "Missing argument 'GOAL'.", "harnctl goal show --help"),
        ("plan show a b", "Invalid value for 'PLAN': 'b' is not a valid int.", "harnctl plan show --help"),
        ("status --colour", "No such option: --colour", "harnctl status --help"),
        ("events --limit 0", "Invalid value for '--limit': 0 is not in the range 1<=x<=1000.", "harnctl events --help"),
    ],
)
def test_misuse_is_said_with_the_help_to_look_at(harnctl, line, says, help_):
    ran = harnctl(*line.split(), columns=200)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"error: {says} [usage]\n  {help_}\n"
    document = harnctl(*line.split(), "--json").document
    assert (document["code"], document["message"], document["exit"]) == ("usage", says, 2)


@pytest.mark.parametrize("line", ["", "goal", "plan", "work"])
def test_a_noun_alone_is_answered_with_its_help(harnctl, line):
    ran = harnctl(*line.split())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Usage: harnctl ")
    assert ran.err.endswith("--help\n")
    assert harnctl(*line.split(), "--json").document["message"] == "Missing command."


@pytest.mark.parametrize("line", ["--json status", "status --json", "--json status --json"])
def test_the_options_of_every_verb_stand_before_or_after_it(harnctl, daemon, line):
    assert harnctl(*line.split()).document["schema"] == "harnctl.status.show/1"


def test_an_operand_that_looks_like_an_option_is_an_operand(harnctl, daemon):
    daemon.answers("goal.show", Refusal("goal.unknown", "no"))
    ran = harnctl("goal", "show", "--", "--json")
    assert (ran.code, ran.out) == (2, "")
    assert "goal" in ran.err


def test_an_id_that_cannot_be_is_refused_by_the_daemon_with_what_is_wanted(harnctl, daemon):
    ran = harnctl("goal", "show", "Not An Id")
    assert (ran.code, daemon.asked) == (2, [])
    assert ran.err.startswith("goal: ")
    assert "[request.bad_field]" in ran.err


def test_the_version_is_printed(harnctl):
    assert harnctl("--version").out.startswith("harnctl ")


def test_the_codes_of_this_program_are_not_those_of_the_wire():
    assert EXITS.keys().isdisjoint(CODES)


# --- endings


def test_an_interruption_detaches_and_asks_for_nothing(program, daemon):
    daemon.told.append([EVENT])
    with program("events", "--follow", "--json") as running:
        assert b"plan.applied/1" in running.stdout.readline()
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=30)
    assert (running.returncode, out) == (130, b"")
    assert err == b"interrupted; what harnd is doing goes on\n"
    assert [request.method for request in daemon.asked] == ["events.subscribe"]


def test_a_reader_that_goes_away_is_no_error(program, daemon):
    daemon.answers("events.list", golden("events.list", events=golden("events.list").events * 999))
    with program("events") as running:
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(timeout=30) == 141


def test_following_ends_when_the_reader_goes_away(program, daemon):
    daemon.told.append([EVENT] * 10_000)
    with program("events", "--follow") as running:
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(timeout=30) == 141


def test_an_ascii_locale_shows_the_same_with_other_marks(program, daemon):
    rows = golden("goal.list").goals
    titled = tuple(type(row)(**{**as_dict(row), "reason": "Ж 🚀 waits"}) for row in rows[:1])
    daemon.answers("goal.list", golden("goal.list", goals=titled))
    with program("goal", "list", LC_ALL="C", PYTHONIOENCODING="ascii", PYTHONCOERCECLOCALE="0") as running:
        out, err = running.communicate(timeout=30)
    assert (running.returncode, err) == (0, b"")
    assert b"billing-export  ! awaiting attention  1h" not in out
    assert b"! awaiting attention" in out
    assert b"? ? waits" in out


def as_dict(row):
    return {name: getattr(row, name) for name in row.__struct_fields__}


def test_a_daemon_of_another_kind_is_named_and_ends_in_78(program, place):
    def serve(connection):
        connection.recv(65536)
        connection.sendall(b"x" * (FRAME_BYTES + 1))

    with Impostor(place / "harnd.sock", serve), program("status", "--json") as running:
        out, err = running.communicate(timeout=30)
    assert running.returncode == 78
    assert b'"code":"version.mismatch"' in out
    assert str(place).encode() in err.replace(b"\n", b"")


def test_a_connection_that_breaks_is_unreachable(harnctl, daemon):
    daemon.answers("status.show", HANG_UP)
    ran = harnctl("status")
    assert (ran.code, ran.out) == (6, "")


def test_events_are_followed_a_line_each(harnctl, daemon):
    daemon.told.extend([[EVENT, HANG_UP], [EVENT, HANG_UP]])
    subscribed = golden("events.subscribe")
    daemon.answers("events.subscribe", subscribed, subscribed, Refusal("goal.unknown", "gone"))
    ran = harnctl("events", "--follow", "--after", "40", "--goal", "billing-export")
    assert ran.code == 4
    assert [line.partition("  ")[0] for line in ran.out.splitlines()] == ["41", "41"]
    assert ["  plan 1 is applied: " in line and len(line) <= 80 for line in ran.out.splitlines()] == [True, True]
    assert ran.err.splitlines()[:3] == [
        "the daemon went away; waiting for it to come back",
        "the daemon is back",
        "the daemon went away; waiting for it to come back",
    ]
    assert [request.after for request in daemon.asked] == [40, 41, 41]
