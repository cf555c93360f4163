"""The real program, and every way in which no daemon is there: one sentence, the right exit code, JSON when asked.

Cases E01, E03, E13, E15.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from harnctl.client.place import find_socket
from protocol.decoding import write
from protocol.errors import Refusal
from protocol.framing import write_frame
from tests.kit.daemons import ROOT
from tests.kit.scripted_daemon import HANG_UP, Impostor, ScriptedDaemon, golden

OTHER_USER = 12_345
WELCOME = write_frame({"jsonrpc": "2.0", "id": 1, "result": write(golden("initialize"))})


class Place:
    """A home with a socket in it, and whatever a test puts there."""

    def __init__(self, home: Path, stack: ExitStack) -> None:
        self.home = home
        self.socket = home / "harnd.sock"
        self.environ = {"PATH": os.environ["PATH"], "HOME": str(home), "HARND_SOCKET": str(self.socket)}
        self.enter = stack.enter_context

    def impostor(self, serve) -> None:
        self.enter(Impostor(self.socket, serve))

    def daemon(self) -> ScriptedDaemon:
        return self.enter(ScriptedDaemon(self.socket))

    def program(self, *argv: str) -> "subprocess.Popen[str]":
        command = [sys.executable, "-m", "harnctl", *argv]
        pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
        return subprocess.Popen(command, cwd=ROOT, env=self.environ, stdin=nothing, stdout=pipe, stderr=pipe, text=True)

    def ask(self, *argv: str) -> tuple[int, str, str]:
        with self.program(*argv) as running:
            out, err = running.communicate(timeout=50)
        return running.returncode, out, err


@pytest.fixture
def here(place):
    with ExitStack() as stack:
        yield Place(place, stack)


def nothing(here):
    """No daemon was ever here."""


def left_over(here):
    with socket.socket(socket.AF_UNIX) as gone:
        gone.bind(str(here.socket))


def no_socket_at_all(here):
    here.socket.write_text("a file")


def no_directory(here):
    here.environ["HARND_SOCKET"] = str(here.home / "no/such/place/s")


def open_to_others(here):
    here.home.chmod(0o770)


def of_another_user(here):
    if os.getuid():
        here.environ["HARND_SOCKET"] = "/harnd.sock"  # / belongs to root
    else:
        (here.home / "theirs").mkdir(mode=0o700)
        os.chown(here.home / "theirs", OTHER_USER, OTHER_USER)
        here.environ["HARND_SOCKET"] = str(here.home / "theirs/harnd.sock")


def too_long(here):
    here.environ["HARND_SOCKET"] = f"/srv/{'x' * 120}/harnd.sock"


def nowhere_short_enough(here):
    del here.environ["HARND_SOCKET"]
    here.environ["HARND_STATE"] = f"/srv/{'x' * 120}"
    here.environ["XDG_RUNTIME_DIR"] = ""


def older(here):
    said = "harnd 0.0.1 (/opt/old/bin/harnd, pid 4242) speaks protocol 1 to 1, harnctl speaks 2 to 2"
    details = {"daemon_version": "0.0.1", "executable": "/opt/old/bin/harnd", "pid": 4242}
    here.daemon().answers("initialize", Refusal("version.mismatch", said, fix="stop process 4242", details=details))


def newer_that_cannot_read_us(here):
    refusal = Refusal("request.unknown_field", "min_version: there is no such field")
    here.daemon().answers("initialize", refusal)


def a_web_server(here):
    def serve(connection):
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 4294967296\r\n\r\n")

    here.impostor(serve)


def an_endless_line(here):
    def serve(connection):
        connection.recv(65536)
        while True:
            connection.sendall(b"x" * 65536)

    here.impostor(serve)


def gone_in_mid_answer(here):
    def serve(connection):
        connection.recv(65536)
        connection.sendall(WELCOME)
        connection.recv(65536)
        connection.sendall(b'{"jsonrpc":"2.0","id":2,"resu')

    here.impostor(serve)


def hanging_up(here):
    here.daemon().answers("status.show", HANG_UP)


def silent(here):
    def serve(connection):
        while connection.recv(65536):
            pass

    here.impostor(serve)


def full(here):
    def serve(connection):
        error = Refusal("daemon.busy", "too many connections are open", fix="try again later").error()
        connection.sendall(write_frame({"jsonrpc": "2.0", "id": None, "error": error}))

    here.impostor(serve)


ABSENT = (6, "daemon.unreachable")
ESTRANGED = (78, "version.mismatch")
CASES = [
    (nothing, ABSENT, r"no daemon answers at \S+: there is no socket", "start it: "),
    (left_over, ABSENT, r"no daemon answers at \S+: nobody listens there any more", "start it: "),
    (no_socket_at_all, ABSENT, r"no daemon answers at \S+: nobody listens there any more", "start it: "),
    (no_directory, ABSENT, r"no daemon answers at \S+: there is no socket", "start it: "),
    (open_to_others, ABSENT, r"\S+ can be written by others", "chmod 700 "),
    (of_another_user, ABSENT, r"\S+ belongs to user id \d+, not to you: no daemon there is yours", ""),
    (too_long, ABSENT, r"the socket path \S+ is longer than 107 bytes", "set HARND_SOCKET"),
    (nowhere_short_enough, (78, "socket.no_path"), r"\S+ is \d+ bytes long, .* has 107", "set HARND_SOCKET "),
    (older, ESTRANGED, r"harnd 0\.0\.1 \(/opt/old/bin/harnd, pid 4242\) speaks .*", "stop process 4242"),
    (newer_that_cannot_read_us, ESTRANGED, r"what answers at \S+ \(pid \d+: .*", "stop process "),
    (a_web_server, ESTRANGED, r"what answers at .* the line is not JSON.*", "stop process "),
    (an_endless_line, ESTRANGED, r"what answers at .* a frame may be 4194304 bytes long.*", "stop process "),
    (gone_in_mid_answer, ABSENT, r"the daemon closed the connection in the middle of a line", ""),
    (hanging_up, ABSENT, r"the daemon closed the connection before it answered", ""),
    (silent, ABSENT, r"the daemon at \S+ does not answer in time", "harnctl doctor"),
    (full, (75, "daemon.busy"), r"too many connections are open", "try again later"),
]


@pytest.mark.parametrize(("situation", "ends", "sentence", "fix"), CASES)
def test_what_is_no_daemon_is_told_in_one_sentence(here, situation, ends, sentence, fix):
    situation(here)
    ended, out, err = here.ask("status", "--json")
    (line,) = out.splitlines()
    document = json.loads(line)
    assert (ended, document["code"]) == ends
    assert document["exit"] == ended
    assert document["schema"] == "harnctl.error/1"
    assert re.fullmatch(sentence, document["message"]), document["message"]
    assert document["fix"].startswith(fix)
    assert "Traceback" not in err
    # For people it wraps, after the first break of a path at a slash; the words are the same.
    told = re.sub(r"\s+", "", err)
    assert told.startswith(re.sub(r"\s+", "", f"error: {document['message']} [{document['code']}]"))


def test_for_people_standard_output_stays_empty(here):
    ended, out, err = here.ask("status")
    assert (ended, out) == (6, "")
    assert err.startswith("error: no daemon answers at ")


def test_e03_without_a_runtime_directory_the_daemon_is_found_where_it_would_be(here):
    del here.environ["HARND_SOCKET"]
    here.environ["HARND_STATE"] = str(here.home / "state")
    with ScriptedDaemon(find_socket(here.environ)) as daemon:
        ended, _, err = here.ask("status")
        assert (ended, err, daemon.greeted) == (0, "", 1)


@pytest.mark.skipif(os.getuid() != 0, reason="run the tests as root to see a daemon of another user be refused")
def test_e03_a_process_of_another_user_at_our_socket_is_not_spoken_to(here):
    listens = "import os,socket,sys; s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); os.setuid(12345)"
    listens += "; s.listen(); print('listens', flush=True); c, _ = s.accept(); print(c.recv(1000), flush=True)"
    command = [sys.executable, "-c", listens, str(here.socket)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as foreign:
        assert foreign.stdout is not None
        assert foreign.stdout.readline() == "listens\n"
        ended, out, _ = here.ask("status", "--json")
        assert ended == 6
        assert "runs under user id 12345, not under yours: it is not your daemon" in json.loads(out)["message"]
        assert foreign.stdout.readline() == "b''\n"  # not a word was said to it


def test_a_daemon_that_was_stopped_in_the_middle_is_given_up_on(here):
    """A listener whose process was stopped: the system takes the connection in, and nobody answers."""
    listens = (
        "import socket,sys; s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(); print(1, flush=True)"
    )
    command = [sys.executable, "-c", f"{listens}; s.accept()", str(here.socket)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as stopped:
        assert stopped.stdout is not None
        stopped.stdout.readline()
        stopped.send_signal(signal.SIGSTOP)
        ended, _, err = here.ask("status")
        stopped.kill()
    assert (ended, "does not answer in time" in err.replace("\n", " ")) == (6, True)


def test_a_change_whose_answer_was_lost_says_that_it_may_have_been_made(here):
    here.daemon().answers("plan.approve", HANG_UP)
    digest = golden("plan.show").digest
    ended, _, err = here.ask("plan", "approve", "billing-export", "1", "--digest", digest)
    assert ended == 6
    assert "whether the change was made is not known" in err.replace("\n", " ")
