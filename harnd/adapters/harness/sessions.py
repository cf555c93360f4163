"""Sessions: agent calls through whatever harness a specialist names, one process each.

The harness says how to start the agent and what its lines mean; the spawner runs it; the answer is classified in one
place for all.  What was kept of a finished session is read again when its key is run again, so nothing else is stored.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, Protocol

import anyio.to_thread

from harnd.adapters.harness import command, scripted
from harnd.adapters.harness.classify import Heard, classify, hear
from harnd.adapters.harness.options import BadOptionsError
from harnd.adapters.harness.options import Options as OptionsByName
from harnd.adapters.harness.reports import Answered, Report, Speech
from harnd.adapters.process.receipts import Home
from harnd.adapters.process.spawner import UNLIMITED, Job, Limits, Spawner
from harnd.adapters.process.text import NOTHING, decode
from harnd.ports.sessions import Capabilities, Ended, Ending, Options, SessionEnd, SessionTask, Usage
from protocol import bounds
from protocol.ids import HarnessName
from protocol.values import Micros

REMEMBERS: Final = "remembers earlier calls here (fresh_context = false), and this task begins without any"


class Harness(Protocol):
    """What the modules of harnesses have in common; all of it is pure."""

    @property
    def SPEECH(self) -> Speech:  # noqa: N802 - a constant of the module
        """How the agent answers."""
        ...

    def capabilities(self, options: OptionsByName) -> Capabilities:
        """Declare what the agent can do.  Raises `BadOptionsError`."""
        ...

    def command_line(self, task: SessionTask, prompt_path: str) -> list[str]:
        """Word the command that starts the agent.  Raises `BadOptionsError`."""
        ...

    def is_quiet(self, options: OptionsByName) -> bool:
        """Tell whether the agent's silence means nothing."""
        ...

    def read_report(self, line: bytes) -> Report | None:
        """Understand one line of the agent's output; None when it is not in its language."""
        ...


HARNESSES: Final[Mapping[HarnessName, Harness]] = MappingProxyType(
    {HarnessName("command"): command, HarnessName("scripted"): scripted}
)


class HarnessSessions:
    """The port `Sessions`, on real processes."""

    def __init__(self, spawner: Spawner, *, harnesses: Mapping[HarnessName, Harness] = HARNESSES) -> None:
        self._spawner = spawner
        self._harnesses = harnesses

    def __repr__(self) -> str:
        return f"<HarnessSessions {' '.join(self._harnesses)}>"

    def capabilities(self, harness: HarnessName, options: Options = ()) -> Capabilities | None:
        """Return what the harness declares under these options, or None when there is no such harness or option."""
        found = self._harnesses.get(harness)
        try:
            return None if found is None else found.capabilities(dict(options))
        except BadOptionsError:
            return None

    async def run(self, task: SessionTask) -> SessionEnd:
        """Run to the end.  Cancelling ends the whole process tree, stores `INTERRUPTED` and re-raises."""
        harness = self._harnesses.get(task.harness)
        if harness is None:
            return _not_started(f"There is no harness {task.harness}.")
        home = self._spawner.home(task.key)
        try:
            if remembers(task, harness.capabilities(dict(task.options))):
                return _not_started(f"The session was not started: the harness {task.harness} {REMEMBERS}.")
            job = _job(harness, task, home)
        except BadOptionsError as error:
            return _not_started(f"The session was not started: {error}.")
        ended = await self._spawner.run(job)
        return await anyio.to_thread.run_sync(_conclude, harness, task, home, ended)


def remembers(task: SessionTask, declared: Capabilities) -> bool:
    """Tell whether a task that begins without history would have one."""
    return task.prompt_path is not None and not declared.fresh_context


def _job(harness: Harness, task: SessionTask, home: Home) -> Job:
    quiet = harness.is_quiet(dict(task.options))
    return Job(
        key=task.key,
        argv=tuple(harness.command_line(task, task.prompt_path or str(home.prompt))),
        cwd=task.cwd,
        limits=Limits(
            timeout=task.timeout,
            startup_silence=UNLIMITED if quiet else task.startup_silence,
            silence=UNLIMITED if quiet else task.silence,
        ),
        prompt=task.prompt,
        env=task.given,
        passed=task.env,
    )


def _conclude(harness: Harness, task: SessionTask, home: Home, ended: Ended) -> SessionEnd:
    heard = Heard()
    if ended.ending is not Ending.NOT_STARTED:
        heard = _heard(harness, home, ended)
    usage = Usage(heard.answered.tokens, heard.answered.cost) if heard.answered else Usage()
    return SessionEnd(ended, classify(heard, ended, speech=harness.SPEECH, wants_json=task.wants_json), usage)


def _heard(harness: Harness, home: Home, ended: Ended) -> Heard:
    match harness.SPEECH:
        case Speech.WHOLE:
            return _whole(home, ended)
        case Speech.LINES:
            return hear(_framed(*home.parts("stdout")), harness.read_report)


def _whole(home: Home, ended: Ended) -> Heard:
    """Take all of the output for the answer; one byte more than allowed shows that it is too large."""
    if not ended.stdout.total_bytes:
        return Heard(Answered(""))
    with home.parts("stdout")[0].open("rb") as file:
        return Heard(Answered(decode(file.read(bounds.ANSWER_BYTES + 1))))


def _framed(beginning: Path, end: Path | None) -> Iterator[bytes]:
    """Yield the whole lines of an output; the one that spans the gap between its beginning and its end is dropped."""
    if not beginning.exists():
        return
    with beginning.open("rb") as file:
        for line in file:
            if end is None or line.endswith(b"\n"):
                yield line
    if end is not None:
        with end.open("rb") as file:
            file.readline()
            yield from file


def _not_started(why: str) -> SessionEnd:
    ended = Ended(Ending.NOT_STARTED, None, NOTHING, NOTHING, Micros(0), detail=why)
    return SessionEnd(ended, classify(Heard(), ended, speech=Speech.LINES, wants_json=False))
