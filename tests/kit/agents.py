"""Agents for the contract of sessions: the same script, followed by a process and followed in memory."""

import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Protocol

import anyio
import anyio.to_thread
import msgspec

from harnd.adapters.harness.imaginary import ImaginarySessions
from harnd.adapters.harness.sessions import HarnessSessions
from harnd.adapters.process.imaginary import ImaginaryMachine
from harnd.adapters.process.spawner import Spawner
from harnd.ports.errors import MissingError
from harnd.ports.sessions import Options, Sessions, SessionTask
from protocol.ids import EffectKey, HarnessName, InstanceId
from protocol.values import SECOND, Micros

ROOT = Path(__file__).parents[2]
KEY = EffectKey("goal/billing/work/p1.api/attempt/1/stage/1")
QUICK = Micros(300_000)
AMPLE = Micros(50 * SECOND)
SIGNAL = "signal"  # a script that writes this file has come so far


class Agents(Protocol):
    """Sessions to test, a place where their agents work, and a way for their daemon to die."""

    cwd: str

    @property
    def sessions(self) -> Sessions: ...
    def script(self, text: str) -> Options: ...
    def file(self, path: str) -> str | None: ...
    def write_task(self, text: str | None) -> tuple[str, str]:
        """Write a task beside where agents work, or remove it; return its path, and that of a file next to it."""
        ...

    async def signalled(self) -> None: ...
    async def die_during(self, task: SessionTask) -> None: ...


def task(agents: Agents, script: str, **changes: Any) -> SessionTask:
    plain = SessionTask(
        key=KEY,
        harness=HarnessName("scripted"),
        options=agents.script(script),
        prompt="Please work.",
        cwd=agents.cwd,
        wants_json=True,
        timeout=AMPLE,
        startup_silence=AMPLE,
        silence=AMPLE,
    )
    return msgspec.structs.replace(plain, **changes)


class ProcessAgents:
    """Real processes of a real daemon."""

    def __init__(self, root: Path) -> None:
        self.state = root / "state"
        self._work = root / "work"
        self._work.mkdir()
        self._script = root / "script.toml"
        self.cwd = str(self._work)
        os.mkfifo(self._work / SIGNAL)
        self.spawner = Spawner(self.state, InstanceId("first"), grace=lambda: QUICK)
        self.sessions: Sessions = HarnessSessions(self.spawner)

    def script(self, text: str) -> Options:
        self._script.write_text(text, encoding="utf-8")
        return (("script", str(self._script)),)

    def file(self, path: str) -> str | None:
        file = self._work / path
        return file.read_text(encoding="utf-8") if file.exists() else None

    def write_task(self, text: str | None) -> tuple[str, str]:
        folder = self._work.parent / "job"
        folder.mkdir(exist_ok=True)
        prompt = folder / "prompt.md"
        prompt.unlink(missing_ok=True) if text is None else prompt.write_text(text, encoding="utf-8")
        return str(prompt), str(folder / "output.md")

    async def signalled(self) -> None:
        await anyio.to_thread.run_sync((self._work / SIGNAL).read_text)

    async def die_during(self, task: SessionTask) -> None:
        daemon = MortalDaemon(self.state, task)
        await self.signalled()
        daemon.kill()
        self.sessions = HarnessSessions(Spawner(self.state, InstanceId("next"), grace=lambda: QUICK))


class MortalDaemon:
    """A daemon in a process of its own that runs one session, until it is killed."""

    def __init__(self, state: Path, task: SessionTask) -> None:
        program = [sys.executable, "-m", "tests.kit.mortal_daemon", str(state), msgspec.json.encode(task).decode()]
        self._process = subprocess.Popen(program, cwd=ROOT)

    def stop(self) -> None:
        self._process.send_signal(signal.SIGSTOP)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


class ImaginaryAgents:
    """Agents in memory; the clock is a mock."""

    cwd = "/work"

    def __init__(self) -> None:
        self._files: dict[str, bytes] = {}
        self._folders = {self.cwd: self._files}
        self._scripts: dict[str, str] = {}
        self._machine = ImaginaryMachine()
        self.sessions: Sessions = self._new()

    def _new(self) -> Sessions:
        return ImaginarySessions(self._scripts, files=self._at, machine=self._machine)

    def _at(self, path: str) -> dict[str, bytes]:
        if path not in self._folders:
            raise MissingError(f"there is no directory {path}")
        return self._folders[path]

    def script(self, text: str) -> Options:
        self._scripts["script.toml"] = text
        return (("script", "script.toml"),)

    def file(self, path: str) -> str | None:
        folder, _, name = path.rpartition("/")
        content = self._folders[folder].get(name) if folder in self._folders else self._files.get(path)
        return None if content is None else content.decode()

    def write_task(self, text: str | None) -> tuple[str, str]:
        self._folders["/job"] = {} if text is None else {"prompt.md": text.encode()}
        return "/job/prompt.md", "/job/output.md"

    async def signalled(self) -> None:
        await anyio.wait_all_tasks_blocked()
        assert SIGNAL in self._files

    async def die_during(self, task: SessionTask) -> None:
        async with anyio.create_task_group() as daemon:
            daemon.start_soon(self.sessions.run, task)
            await self.signalled()
            self._machine.crash()
            daemon.cancel_scope.cancel()
        self._machine.restart()
        self.sessions = self._new()


async def cancelled_when(signalled: Callable[[], Awaitable[None]], run: Callable[[], Awaitable[object]]) -> None:
    """Run something until it has signalled, and cancel it then."""

    async def never_ends() -> None:
        await run()
        raise AssertionError("it ended by itself")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(never_ends)
        await signalled()
        tasks.cancel_scope.cancel()
