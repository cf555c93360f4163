"""The daemon of a world: one real process after another on one state directory, each started, killed or asked to end.

It sees nothing of whoever runs the tests: it has a home of its own, and every process that it starts inherits it.  By
that home its whole family is found, whatever harnd itself knows of it.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import anyio

from harnctl.client import Unreachable
from harnctl.client.aio import AsyncClient
from protocol.requests import ReplyT, Request, ShowStatus

ROOT = Path(__file__).parents[2]
ANSWER_S = 60.0  # until a daemon answers, on a machine that has much else to do
PAUSE_S = 0.03  # between two tries
TOLD = 20  # last lines of the log of a daemon that ended by itself


class WorldDaemon:
    """Daemons in `folder`: `state`, `harnd.sock`, `harnd.log` and `home` lie there.  Whoever starts one ends it."""

    def __init__(self, folder: Path) -> None:
        self.state = folder / "state"
        self.client = AsyncClient(folder / "harnd.sock")
        self._folder = folder
        self._log = folder / "harnd.log"
        self._process: subprocess.Popen[bytes] | None = None

    def __repr__(self) -> str:
        return f"<WorldDaemon {self.state} {f'pid={self._process.pid}' if self._process else 'stopped'}>"

    def start(self) -> None:
        """Start the next one; it answers a little later."""
        where = ("--state", str(self.state), "--socket", str(self.client.path))
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                (sys.executable, "-m", "harnd", *where, "--drain", "10", "--grace", "1"),
                cwd=self._folder,
                env=surroundings(self._folder),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self) -> None:
        """Kill it this instant; nothing of what it was about to do is done."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def end(self) -> int:
        """Ask it to finish what runs, wait until it is gone, and return its exit code."""
        if self._process is None:
            raise AssertionError("there is no daemon to end")
        self._process.send_signal(signal.SIGTERM)
        try:
            return self._process.wait(ANSWER_S)
        finally:
            self.kill()

    async def ask(self, request: Request[ReplyT]) -> ReplyT:
        """Ask until there is an answer, across kills: a change carries its key, so it is made once."""
        until = time.monotonic() + ANSWER_S
        while True:
            try:
                return await self.client.ask(request)
            except Unreachable:
                self._refuse_if_ended()
                if time.monotonic() > until:
                    raise
                await anyio.sleep(PAUSE_S)

    async def answers(self) -> None:
        """Return once it answers."""
        await self.ask(ShowStatus())

    def _refuse_if_ended(self) -> None:
        code = self._process.poll() if self._process else None
        if code is not None:
            last = self._log.read_text(errors="replace").splitlines()[-TOLD:]
            raise AssertionError("\n".join((f"the daemon ended by itself with {code}:", *last)))

    def family(self) -> list[str]:
        """Tell of every living process with this home, other than the daemon itself."""
        own = self._process.pid if self._process else None
        return [told for pid, told in _at_home(self._folder) if pid != own]


def surroundings(folder: Path) -> dict[str, str]:
    """Make an environment that leads nowhere but into `folder`."""
    return {
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])),
        "HOME": str(folder / "home"),
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(ROOT),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }


def _at_home(folder: Path) -> list[tuple[int, str]]:
    mark = f"HOME={folder / 'home'}".encode()
    found: list[tuple[int, str]] = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (entry / "environ").read_bytes().split(b"\0"):
                words = (entry / "cmdline").read_bytes().replace(b"\0", b" ")
                found.append((int(entry.name), f"{entry.name}: {os.fsdecode(words)}"))
        except OSError:
            continue  # it has ended, or is somebody else's
    return found
