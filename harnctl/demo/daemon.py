"""The daemon of a demo: started, killed, started again and stopped, as a process of its own.

It runs in a session of its own, so that Ctrl-C reaches the demo alone, which then stops it in good order.  Whoever
starts one stops it.
"""

import signal
import subprocess
import sys
import threading
import time
from typing import Final, TypeVar

import msgspec

from harnctl.client import Client, Unreachable
from harnctl.demo.place import Place
from harnctl.failures import Failure
from protocol.requests import Request

ReplyT = TypeVar("ReplyT", bound=msgspec.Struct)

START_S: Final = 30.0  # until it answers, at first or after a kill
STOP_S: Final = 30.0  # for what runs to end, once asked
DRAIN_S: Final = 10
GRACE_S: Final = 2
PAUSE_S: Final = 0.05  # between two looks at a daemon that is on its way


class Daemon:
    """One daemon after another on the same state directory."""

    def __init__(self, place: Place) -> None:
        """Take note of where it is to live; nothing is started yet."""
        self._place = place
        self._process: subprocess.Popen[bytes] | None = None
        self._turn = threading.Lock()  # who kills and who stops it are two threads
        self._client = Client(place.socket)

    def __repr__(self) -> str:
        return f"<Daemon {self._place.state} {f'pid={self._process.pid}' if self._process else 'stopped'}>"

    def start(self) -> None:
        """Start it and return; it answers a little later."""
        with self._turn:
            self._start()

    def kill(self) -> int:
        """Kill it this instant with everything in its memory, start the next one, and return the dead one's pid."""
        with self._turn:
            if self._process is None:
                raise RuntimeError("there is no daemon to kill")
            dead = self._process
            dead.kill()
            dead.wait()
            self._start()
            return dead.pid

    def stop(self) -> None:
        """Ask it to finish what runs, and return when it is gone."""
        with self._turn:
            if self._process is None:
                return
            self._client.close()
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(STOP_S)
            except (subprocess.TimeoutExpired, KeyboardInterrupt):  # twice Ctrl-C: at once
                self._process.kill()
                self._process.wait()
            self._process = None

    def ask(self, request: Request[ReplyT]) -> ReplyT:
        """Ask until there is an answer, also across a kill: a change carries a key, so it is made once."""
        until = time.monotonic() + START_S
        while True:
            try:
                return self._client.ask(request)
            except Unreachable:
                self._check_alive()
                if time.monotonic() > until:
                    raise
                time.sleep(PAUSE_S)

    def _check_alive(self) -> None:
        with self._turn:
            code = self._process.poll() if self._process else None
        if code is not None:
            last = self._place.log.read_text(encoding="utf-8", errors="replace").splitlines()[-1:]
            raise Failure(
                "demo.failed", f"the daemon ended with {code}: {' '.join(last)}", fix=f"see {self._place.log}"
            )

    def _start(self) -> None:
        command = (
            sys.executable,
            "-m",
            "harnd",
            "--state",
            str(self._place.state),
            "--socket",
            str(self._place.socket),
        )
        with self._place.log.open("ab") as log:
            self._process = subprocess.Popen(
                (*command, "--drain", str(DRAIN_S), "--grace", str(GRACE_S)),
                cwd=self._place.root,
                env=self._place.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
