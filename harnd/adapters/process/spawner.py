"""The spawner: starts shims, waits for them, and reads what they stored.  Nothing else in harnd starts agents.

A key runs once: one that has ended gives its stored result, one that has a receipt and no result was lost.  Spawning
goes through one thread, so that a burst of sessions does not hold up the loop; a child is waited for by pidfd and
reaped by pid, so that nobody else's children are touched.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread
import msgspec

from harnd.adapters.process import leftovers, shim, words
from harnd.adapters.process.bare import program
from harnd.adapters.process.environment import environment
from harnd.adapters.process.receipts import Home, Result
from harnd.adapters.process.text import NOTHING
from harnd.adapters.process.turns import Turns
from harnd.ports.errors import UnavailableError
from harnd.ports.sessions import Ended, Ending
from protocol import bounds
from protocol.ids import EffectKey, InstanceId
from protocol.values import SECOND, Micros

UNLIMITED: Final = Micros(0)
GRACE: Final = Micros(bounds.KILL_GRACE_S * SECOND)
_CUT_SHORT: Final = (Ending.INTERRUPTED, Ending.LOST)
PATIENCE: Final = Micros(15 * SECOND)  # with a shim, beyond its grace, to end a tree


class Limits(msgspec.Struct, frozen=True):
    """How long a process may run, and how long it may say nothing, at first and later."""

    timeout: Micros
    startup_silence: Micros = UNLIMITED
    silence: Micros = UNLIMITED

    def that_ended(self, ending: Ending) -> Micros:
        """Return the limit behind an ending."""
        match ending:
            case Ending.SILENT_AT_START:
                return self.startup_silence
            case Ending.STALLED:
                return self.silence
            case _:
                return self.timeout


class Job(msgspec.Struct, frozen=True):
    """One process to run to its end."""

    key: EffectKey
    argv: tuple[str, ...]
    cwd: str
    limits: Limits
    env: tuple[tuple[str, str], ...] = ()
    passed: tuple[str, ...] = ()  # names of variables of our own environment that it gets too
    prompt: str | None = None  # written to the key's own file before the start
    prompt_on_stdin: bool = False
    fresh: bool = False  # cut short, it is run again
    anew: bool = False  # it is run again in any case


class Shim:
    """A running shim: its process, a pidfd to wait on, and the pipe whose end it takes for our death."""

    def __init__(self, process: subprocess.Popen[bytes], control: int) -> None:
        self._process = process
        self._control = control
        self._pidfd = os.pidfd_open(process.pid)

    def __repr__(self) -> str:
        return f"<Shim pid={self._process.pid}>"

    @property
    def pid(self) -> int:
        """Return the pid of the shim, below which everything of its agent runs."""
        return self._process.pid

    async def ended(self) -> None:
        """Return once the shim is dead."""
        await anyio.wait_readable(self._pidfd)

    def interrupt(self) -> None:
        """Ask the shim to end its agent and to say so."""
        with suppress(BrokenPipeError):  # it has just ended by itself
            os.write(self._control, b"i")

    def kill(self) -> None:
        """Kill a shim that does not answer."""
        signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def close(self) -> None:
        """Reap a shim that is dead."""
        self._process.wait()
        os.close(self._control)
        os.close(self._pidfd)


class Spawner:
    """Runs processes under effect keys for one daemon instance on one state directory."""

    def __init__(
        self,
        state: Path,
        instance: InstanceId,
        *,
        source: Mapping[str, str] = os.environ,
        added: Iterable[tuple[str, str]] = (),
        grace: Callable[[], Micros] = lambda: GRACE,
        patience: Micros = PATIENCE,
    ) -> None:
        """Keep sessions under `state`; environments are made from `source` and what the operator `added`.

        `grace` is asked anew for every process that is started.
        """
        self._sessions = state / "sessions"
        self._instance = instance
        self._mark = leftovers.digest_of(state)
        self._source = dict(source)
        self._added = tuple(added)
        self._grace = grace
        self._patience = patience
        self._one_at_a_time = anyio.CapacityLimiter(1)
        self._turns = Turns()
        self._running: dict[EffectKey, int] = {}

    def __repr__(self) -> str:
        return f"<Spawner {self._instance} running={len(self._turns)}>"

    def home(self, key: EffectKey) -> Home:
        """Return where the key's prompt, output and result lie."""
        return Home(self._sessions, key)

    def running(self) -> dict[EffectKey, int]:
        """Return the keys whose processes run now, each with the pid of its shim."""
        return dict(self._running)

    @property
    def path(self) -> str:
        """Return where programs are looked for, unless a job adds a PATH of its own."""
        return environment(self._source, self._added, home=self._mark, session="")["PATH"]

    async def run(self, job: Job) -> Ended:
        """Run to the end, or tell how it ended earlier.

        Cancelling ends the whole tree, stores `INTERRUPTED` and re-raises.  Raises `UnavailableError` when the state
        directory cannot be read or written, and `CorruptError` when a result is not what a shim stored.
        """
        async with self._turns.of(job.key):
            try:
                known = await anyio.to_thread.run_sync(self._known, job)
                return known or await self._start_and_wait(job)
            except OSError as error:
                raise UnavailableError(f"{self.home(job.key).path}: {error}") from error

    def _known(self, job: Job) -> Ended | None:
        home = self.home(job.key)
        result = home.result()
        if result is None and not home.taken:
            return None
        if job.anew or (job.fresh and (result is None or result.ending in _CUT_SHORT)):
            home.clear()
            return None
        return self._read(job, home, result)

    async def _start_and_wait(self, job: Job) -> Ended:
        grace = self._grace()
        started = await anyio.to_thread.run_sync(self._start, job, grace, limiter=self._one_at_a_time)
        if isinstance(started, Ended):
            return started
        self._running[job.key] = started.pid
        began, slack_s = time.monotonic(), (grace + self._patience) / SECOND
        try:
            unsaid = await self._held_to(job.limits, started, slack_s)
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                started.interrupt()
                await self._ended_within(slack_s, started)
                await anyio.to_thread.run_sync(self._conclude, job, Ending.INTERRUPTED, began)
            raise
        finally:
            del self._running[job.key]
            started.close()
        return await anyio.to_thread.run_sync(self._conclude, job, unsaid, began)

    async def _held_to(self, limits: Limits, started: Shim, slack_s: float) -> Ending:
        """Wait for the end of a shim; return what its end means when it stored none.

        The shim keeps the limits, unless its agent suspends it: then it is killed here, some time later.
        """
        if limits.timeout == UNLIMITED:
            await started.ended()
            return Ending.EXITED
        in_time = await self._ended_within(limits.timeout / SECOND + slack_s, started)
        return Ending.EXITED if in_time else Ending.TIMED_OUT

    async def _ended_within(self, seconds: float, started: Shim) -> bool:
        with anyio.move_on_after(seconds):
            await started.ended()
            return True
        started.kill()
        with anyio.CancelScope(shield=True):
            await started.ended()
        return False

    # --- what happens in a thread

    def _start(self, job: Job, grace: Micros) -> Shim | Ended:
        home = self.home(job.key)
        if unset := [name for name in job.passed if name not in self._source]:
            return _not_started(
                f"{job.argv[0]} was not started: {', '.join(unset)} is not set where harnd was started."
            )
        try:
            home.make(job.prompt)
            return self._spawn(job, home, grace)
        except (OSError, ValueError) as error:  # no memory, no descriptors, a NUL or a lone surrogate in an argument
            return _not_started(f"{job.argv[0]!r} was not started: {error}.")

    def _spawn(self, job: Job, home: Home, grace: Micros) -> Shim:
        reader, control = os.pipe()
        try:
            with home.open_log() as log:
                process = subprocess.Popen(
                    self._command(job, home, grace),
                    stdin=reader,
                    stdout=log,
                    stderr=log,
                    env=self._environment(job),
                    cwd="/",
                    start_new_session=True,
                )
        except BaseException:
            os.close(control)
            raise
        finally:
            os.close(reader)
        try:
            return Shim(process, control)
        except OSError:
            os.close(control)  # which the shim takes for our death
            process.wait()
            raise

    def _command(self, job: Job, home: Home, grace: Micros) -> list[str]:
        stdin = str(home.prompt) if job.prompt_on_stdin else os.devnull
        times = (job.limits.timeout, job.limits.startup_silence, job.limits.silence, grace)
        sizes = (bounds.OUTPUT_CAP_BYTES, bounds.ANSWER_BYTES)
        numbers = [str(number) for number in (*times, *sizes)]
        return [*program(shim.__name__), str(home.path), job.cwd, stdin, *numbers, self._instance, *job.argv]

    def _environment(self, job: Job) -> dict[str, str]:
        session = f"{self._instance}/{job.key}"
        passed = ((name, self._source[name]) for name in job.passed if name in self._source)
        return environment(self._source, (*self._added, *passed, *job.env), home=self._mark, session=session)

    def _conclude(self, job: Job, unsaid: Ending, began: float) -> Ended:
        home = self.home(job.key)
        result = home.result()
        if result is None:  # the shim was killed: the kernel killed the agent, and the rest was handed to us
            left = leftovers.end_session(self._mark, f"{self._instance}/{job.key}")
            ran = Micros(round((time.monotonic() - began) * SECOND))
            # We live, so nothing was lost with us: an agent that breaks its watch is not run again for nothing.
            what = words.SHIM_KILLED if home.taken else words.RECEIPT_REMOVED
            result = home.store(unsaid, ran=ran, killed=len(left), what=what if unsaid is Ending.EXITED else "")
        return self._read(job, home, result)

    def _read(self, job: Job, home: Home, result: Result | None) -> Ended:
        if result is None:
            stdout, stderr = home.output("stdout"), home.output("stderr")
            detail = words.ended(Ending.LOST, killed=0, limit=UNLIMITED, last_words="")
            return Ended(Ending.LOST, None, stdout, stderr, Micros(0), detail=detail)
        if result.ending is Ending.NOT_STARTED:
            path = self._environment(job)["PATH"]
            return _not_started(
                words.not_started(job.argv, cwd=job.cwd, path=path, what=result.what, errno=result.errno)
            )
        if result.exit_code == words.NOT_FOUND and (lack := self._lack(job)):
            return _not_started(lack)
        stdout, stderr = home.output("stdout", result.stdout), home.output("stderr", result.stderr)
        detail = words.unwatched(result.what) or words.ended(
            result.ending,
            killed=result.killed,
            limit=job.limits.that_ended(result.ending),
            last_words=((stderr.tail or stderr.head) + (stdout.tail or stdout.head)).strip()[-200:],
        )
        return Ended(result.ending, result.exit_code, stdout, stderr, result.ran, killed=result.killed, detail=detail)

    def _lack(self, job: Job) -> str:
        return words.not_found(job.argv, cwd=job.cwd, path=self._environment(job)["PATH"])


def _not_started(detail: str) -> Ended:
    return Ended(Ending.NOT_STARTED, None, NOTHING, NOTHING, Micros(0), detail=detail)
