"""A signal before the daemon is ready stops it as asked, and leaves nothing that the next one trips over."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

BOUND_S = 60

# The signal is sent by the daemon to itself, at the first call of the function that is named.
EARLY = """
import os, sys
module, name, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
from harnd import __main__ as daemon
where = sys.modules[module]
real = getattr(where, name)
def then(*given, **named):
    os.kill(os.getpid(), number)
    return real(*given, **named)
setattr(where, name, then)
sys.exit(daemon.main(sys.argv[4:]))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize(
    "at", ["harnd.__main__ Configuration", "harnd.daemon.lifecycle open_world", "harnd.daemon.lifecycle end_leftovers"]
)
def test_an_early_signal_stops_a_daemon_as_asked(tmp_path: Path, number: signal.Signals, at: str):
    given = ["--state", str(tmp_path / "state"), "--socket", str(tmp_path / "socket")]
    environ = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    early = [sys.executable, "-c", EARLY, *at.split(), str(int(number)), *given]
    stopped = subprocess.run(early, env=environ, stderr=subprocess.PIPE, text=True, timeout=BOUND_S, check=False)

    assert (stopped.returncode, "Traceback" in stopped.stderr, "daemon.ready" in stopped.stderr) == (0, False, False)
    with subprocess.Popen([sys.executable, "-m", "harnd", *given], env=environ, stderr=subprocess.PIPE) as following:
        assert following.stderr is not None
        try:
            assert select.select([following.stderr], [], [], BOUND_S)[0]
            assert any(b"daemon.ready" in line for line in iter(following.stderr.readline, b""))
        finally:
            following.send_signal(signal.SIGINT)
            following.stderr.read()
    assert following.returncode == 0
