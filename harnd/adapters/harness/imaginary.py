"""Imaginary sessions: the scripted agent without a process, on files in memory, in whatever time the loop keeps.

It follows the same scripts as the harness `scripted`, says the same lines, is held to the same limits and classified in
the same place.  It is for simulation, where a thousand sessions take no time at all.
"""

from collections.abc import Mapping, MutableMapping
from contextlib import suppress
from functools import partial
from pathlib import PurePosixPath
from posixpath import normpath

import anyio

from harnd.adapters.harness import scripted
from harnd.adapters.harness.classify import Heard, classify, hear
from harnd.adapters.harness.options import BadOptionsError, word
from harnd.adapters.harness.script import (
    Delete,
    Hang,
    Leave,
    Print,
    Say,
    Sleep,
    Step,
    Turn,
    Write,
    answer_line,
    progress_line,
    turn_for,
)
from harnd.adapters.harness.script_reader import ScriptError, read_script
from harnd.adapters.harness.scripted_agent import BAD_SCRIPT, NO_PROMPT, NO_RULE
from harnd.adapters.harness.sessions import REMEMBERS, remembers
from harnd.adapters.process import words
from harnd.adapters.process.imaginary import FilesAt, ImaginaryMachine, cut_short, not_started
from harnd.adapters.process.spawner import Limits
from harnd.adapters.process.text import output_of
from harnd.ports.errors import MissingError
from harnd.ports.sessions import Capabilities, Ended, Ending, Options, SessionEnd, SessionTask, Usage
from protocol.ids import HarnessName
from protocol.values import SECOND, Micros

SCRIPTED = HarnessName("scripted")


class ImaginarySessions:
    """The port `Sessions`, for the harness `scripted` only; `scripts` are texts by the path that options name."""

    def __init__(self, scripts: Mapping[str, str], *, files: FilesAt, machine: ImaginaryMachine) -> None:
        self._scripts = scripts
        self._files = files
        self._machine = machine

    def __repr__(self) -> str:
        return f"<ImaginarySessions on {self._machine!r}>"

    def capabilities(self, harness: HarnessName, options: Options = ()) -> Capabilities | None:
        """Return what the harness declares under these options, or None when it is not `scripted` or they are none."""
        try:
            return scripted.capabilities(dict(options)) if harness == SCRIPTED else None
        except BadOptionsError:
            return None

    async def run(self, task: SessionTask) -> SessionEnd:
        """Run to the end.  Cancelling stores `INTERRUPTED` and re-raises."""

        def cut(ending: Ending) -> SessionEnd:
            return _concluded(task, cut_short(ending), b"")

        if task.harness != SCRIPTED:
            return _concluded(task, not_started(f"There is no harness {task.harness}."), b"")
        try:
            path = word(dict(task.options), "script")
            forgetful = not remembers(task, scripted.capabilities(dict(task.options)))
        except BadOptionsError as error:
            return _concluded(task, not_started(f"The session was not started: {error}."), b"")
        if not forgetful:
            why = f"The session was not started: the harness {task.harness} {REMEMBERS}."
            return _concluded(task, not_started(why), b"")
        return await self._machine.once(task.key, partial(self._play, task, path), cut=cut, fresh=False)

    async def _play(self, task: SessionTask, path: str) -> SessionEnd:
        try:
            agent = ImaginaryAgent(task, self._files)
        except MissingError:
            return _concluded(task, not_started(f"The agent was not started: there is no directory {task.cwd}."), b"")
        try:
            turn = self._turn(path, agent.prompt())
        except MissingError:
            return agent.give_up(NO_PROMPT, f"there is no prompt {task.prompt_path}")
        except ScriptError as error:
            return agent.give_up(BAD_SCRIPT, "\n".join(error.problems))
        if turn is None:
            return agent.give_up(NO_RULE, f"no rule of {path} matches the prompt")
        return await agent.play(turn)

    def _turn(self, path: str, prompt: str) -> Turn | None:
        if path not in self._scripts:
            raise ScriptError((f"{path}: there is no such script",))
        return turn_for(read_script(self._scripts[path], name=path), prompt)


class _CutError(Exception):
    def __init__(self, ending: Ending) -> None:
        super().__init__(ending)
        self.ending = ending


class ImaginaryAgent:
    """One agent at work: what it has said, and when it must end."""

    def __init__(self, task: SessionTask, files: FilesAt) -> None:
        self._task = task
        self._files_at = files
        self._files = files(task.cwd)
        self._limits = Limits(task.timeout, task.startup_silence, task.silence)
        self._said = {"stdout": b"", "stderr": b""}
        self._began = self._heard = anyio.current_time()
        self._spoke = False
        self._leaving: list[float] = []  # until when what it left behind would live

    def prompt(self) -> str:
        """Return what the agent reads as its prompt; raises `MissingError`."""
        if self._task.prompt_path is None:
            return self._task.prompt
        files, name = self._reached(self._task.prompt_path)
        if name not in files:
            raise MissingError(f"there is no prompt {self._task.prompt_path}")
        return files[name].decode("utf-8", "replace")

    async def play(self, turn: Turn) -> SessionEnd:
        """Act and answer, as far as the limits allow."""
        try:
            for step in turn.steps:
                await self._do(step)
        except _CutError as cut:
            return self._end(cut.ending, None)
        if turn.answer is not None:
            self._say("stdout", answer_line(turn))
        return self._end(Ending.EXITED, turn.exit)

    def give_up(self, code: int, why: str) -> SessionEnd:
        """End as the real agent does when it does not know what to do."""
        self._say("stderr", f"{why}\n")
        return self._end(Ending.EXITED, code)

    async def _do(self, step: Step) -> None:
        match step:
            case Write(path=path, text=text, append=append):
                self._put(path, text.encode(), append=append)
                self._say("stdout", progress_line(f"{'appended to' if append else 'wrote'} {path}"))
            case Delete(path=path):
                files, name = self._reached(path)
                files.pop(name, None)
                self._say("stdout", progress_line(f"deleted {path}"))
            case Say(text=text):
                self._say("stdout", progress_line(text))
            case Print(text=text, stream=stream):
                self._say(stream, text)
            case Sleep(seconds=seconds):
                await self._spend(seconds)
            case Hang():
                await self._spend(float("inf"))
            case Leave(seconds=seconds):
                self._leaving.append(anyio.current_time() + seconds)

    def _put(self, path: str, text: bytes, *, append: bool) -> None:
        files, name = self._reached(path)
        files[name] = (files.get(name, b"") if append else b"") + text

    def _reached(self, path: str) -> tuple[MutableMapping[str, bytes], str]:
        """Find the files that a path leads to, and its name there; where nothing is, it is the agent's own."""
        name = PurePosixPath(normpath(path))
        for folder in name.parents if name.is_absolute() else ():
            with suppress(MissingError):
                return self._files_at(str(folder)), str(name.relative_to(folder))
        return self._files, str(name)

    def _say(self, stream: str, text: str) -> None:
        self._said[stream] += text.encode("utf-8", "replace")
        self._heard = anyio.current_time()
        self._spoke = self._spoke or "\n" in text

    async def _spend(self, seconds: float) -> None:
        """Let time pass, until the first limit at most."""
        until, ending = self._limit()
        done = anyio.current_time() + seconds
        await anyio.sleep_until(min(until, done))
        if until < done:
            raise _CutError(ending)

    def _limit(self) -> tuple[float, Ending]:
        silence = (
            (self._heard + self._limits.silence / SECOND, Ending.STALLED)
            if self._spoke
            else (self._began + self._limits.startup_silence / SECOND, Ending.SILENT_AT_START)
        )
        return min(silence, (self._began + self._limits.timeout / SECOND, Ending.TIMED_OUT))

    def _end(self, ending: Ending, exit_code: int | None) -> SessionEnd:
        now = anyio.current_time()
        killed = sum(until > now for until in self._leaving)
        stdout, stderr = self._said["stdout"], self._said["stderr"]
        detail = words.ended(
            ending,
            killed=killed,
            limit=self._limits.that_ended(ending),
            last_words=(stderr + stdout).decode("utf-8", "replace").strip()[-200:],
        )
        ran = Micros(round((now - self._began) * SECOND))
        ended = Ended(ending, exit_code, output_of(stdout), output_of(stderr), ran, killed=killed, detail=detail)
        return _concluded(self._task, ended, stdout)


def _concluded(task: SessionTask, ended: Ended, stdout: bytes) -> SessionEnd:
    heard: Heard = hear(stdout.splitlines(keepends=True), scripted.read_report)
    usage = Usage(heard.answered.tokens, heard.answered.cost) if heard.answered else Usage()
    return SessionEnd(ended, classify(heard, ended, speech=scripted.SPEECH, wants_json=task.wants_json), usage)
