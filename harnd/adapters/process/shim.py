"""The shim: a small program between the daemon and one agent, so that nothing of the agent outlives either.

It takes the receipt of the effect key (or finds it taken, and does nothing), starts the agent in a session of its own,
keeps what it writes, holds it to its limits, ends everything it started, and stores the result by atomic replacement.
All descendants stay below the shim, however often they fork, because it is their subreaper.

Standard input is the control pipe.  A byte on it asks for an interruption, which has a result.  Its end means that the
daemon is dead, however it died: everything is killed at once and there is no result.  The agent cannot get at the pipe,
and when the shim itself is killed, the kernel kills the agent and hands the rest to the daemon.

Started by `harnd.adapters.process.bare`; it imports next to nothing, and starts in the time of an interpreter.
"""

import os
import select
import sys
import time

from harnd.adapters.process import kernel, tree
from harnd.adapters.process.capture import Capture

EXITED = "exited"
TIMED_OUT = "timed_out"
SILENT_AT_START = "silent_at_start"
STALLED = "stalled"
INTERRUPTED = "interrupted"
NOT_STARTED = "not_started"
LOST = "lost"  # never stored: a receipt without a result says it

TAKEN = 73  # exit code: somebody has the receipt already
FIXED_ARGUMENTS = 10  # before the agent's own

_CONTROL = 0
_CWD, _STDIN, _PROGRAM = "cwd", "stdin", "program"


class Order:
    """What the daemon asks for.  Times are seconds, 0 for no limit."""

    def __init__(self, arguments: list[str]) -> None:
        self.home, self.cwd, self.stdin = arguments[:3]
        self.timeout, self.startup_silence, self.silence, self.grace = (int(us) / 1e6 for us in arguments[3:7])
        self.cap, self.tail = int(arguments[7]), int(arguments[8])
        self.identity = arguments[9]
        self.argv = arguments[FIXED_ARGUMENTS:]


class NotStarted(Exception):
    """The kernel would not start the agent: `what` was in the way, for the reason `errno`."""

    def __init__(self, what: str, errno: int) -> None:
        super().__init__(what, errno)
        self.what = what
        self.errno = errno


def main() -> None:
    """Run one agent from its receipt to its result."""
    kernel.outlast_requests()
    kernel.become_subreaper()
    order = Order(sys.argv[1:])
    home = os.open(order.home, os.O_RDONLY | os.O_DIRECTORY)
    _take_receipt(home, order.identity)
    stdout, stderr = Stream(home, "stdout", order), Stream(home, "stderr", order)
    try:
        agent = _start(order, stdout.writer, stderr.writer)
    except NotStarted as failure:
        _store(home, _result(NOT_STARTED, what=failure.what, errno=failure.errno))
        return
    Watch(agent, order, stdout, stderr).to_the_end(home)


def _take_receipt(home: int, identity: str) -> None:
    try:
        receipt = os.open("receipt", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=home)
    except FileExistsError:
        sys.exit(TAKEN)
    seen = tree.look(os.getpid())
    os.write(receipt, f"{identity} {os.getpid()} {seen[1] if seen else 0}\n".encode())
    os.fsync(receipt)
    os.close(receipt)
    os.fsync(home)


class Stream:
    """A stream of the agent: the end it writes to, and the capture of what it wrote."""

    def __init__(self, home: int, name: str, order: Order) -> None:
        self._home = home
        self._name = name
        reader, self.writer = os.pipe()
        file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600, dir_fd=home)
        self.capture = Capture(reader, file, cap=order.cap, tail=order.tail)

    def close(self) -> None:
        """Keep the rest; nobody is left to write more."""
        self.capture.drain()
        tail = None
        if self.capture.overflowed:
            tail = os.open(f"{self._name}.tail", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600, dir_fd=self._home)
        self.capture.close(tail)


def _start(order: Order, stdout: int, stderr: int) -> int:
    """Start the agent and return its pid; its two ends of the pipes are the agent's alone afterwards."""
    shim = os.getpid()
    news, bearer = os.pipe()  # closed by a successful exec, and then there is no news
    pid = os.fork()
    if pid == 0:
        _become_agent(order, shim, stdout=stdout, stderr=stderr, bearer=bearer)
    for end in (bearer, stdout, stderr):
        os.close(end)
    bad_news = os.read(news, 100)
    os.close(news)
    if bad_news:
        os.waitpid(pid, 0)
        what, errno = bad_news.decode().split()
        raise NotStarted(what, int(errno))
    return pid


def _become_agent(order: Order, shim: int, *, stdout: int, stderr: int, bearer: int) -> None:
    """Turn this process into the agent.  It never returns."""
    what = _PROGRAM
    try:
        os.setsid()
        kernel.die_with(shim)
        what = _CWD
        os.chdir(order.cwd)
        what = _STDIN
        # The prompt is a file, so nobody has to feed a pipe that the agent may close or never read.
        os.dup2(os.open(order.stdin, os.O_RDONLY), 0)
        os.dup2(stdout, 1)
        os.dup2(stderr, 2)
        what = _PROGRAM
        kernel.restore_signals()
        os.execvp(order.argv[0], order.argv)  # noqa: S606 - no shell is the point
    except OSError as error:
        os.write(bearer, f"{what} {error.errno}".encode())
    finally:
        os._exit(127)


class Watch:
    """One agent, from its first moment to the last of its descendants."""

    def __init__(self, agent: int, order: Order, stdout: Stream, stderr: Stream) -> None:
        self._agent = agent
        self._order = order
        self._streams = (stdout, stderr)
        self._captures = {stream.capture.pipe: stream.capture for stream in self._streams}
        self._began = self._heard = time.monotonic()
        self._spoke = False
        self._status: int | None = None
        self._left_over: set[tree.Named] = set()
        self._pidfd = os.pidfd_open(agent)
        self._poll = select.poll()
        for readable in (_CONTROL, self._pidfd, *self._captures):
            self._poll.register(readable, select.POLLIN)

    def to_the_end(self, home: int) -> None:
        """Watch, end, keep, store: whatever happens, nothing is left running."""
        try:
            ending = self._until_it_ends_or_must()
            ran = time.monotonic() - self._began
            if ending not in (EXITED, LOST):
                ending = self._asked_to_end(ending)
        finally:
            self._end_everything()
        if ending == LOST:
            return
        for stream in self._streams:
            stream.close()
        self._store(home, ending, ran)

    def _until_it_ends_or_must(self) -> str:
        while True:
            cut, at = self._limit()
            news = self._news(until=at)
            if news is not None:
                return news
            if time.monotonic() >= at:
                return cut

    def _limit(self) -> tuple[str, float]:
        """Say which limit comes first, and when."""
        order, never = self._order, float("inf")
        limits = [(self._began + order.timeout if order.timeout else never, TIMED_OUT)]
        # A prompt for a person ends without a newline, so only a whole line shows that the agent is at work.
        if not self._spoke:
            limits.append((self._began + order.startup_silence if order.startup_silence else never, SILENT_AT_START))
        else:
            limits.append((self._heard + order.silence if order.silence else never, STALLED))
        at, cut = min(limits)
        return cut, at

    def _news(self, *, until: float) -> str | None:
        """Wait for something to happen; the word for an end, or None when it was not one."""
        wait_ms = min(max(0.0, until - time.monotonic()) * 1000 + 1, 2**30)
        ready = {readable for readable, _ in self._poll.poll(wait_ms)}
        for pipe in ready & self._captures.keys():
            self._hear(pipe)
        self._reap()
        if self._pidfd in ready:
            return EXITED
        if _CONTROL in ready:
            return INTERRUPTED if os.read(_CONTROL, 1) else LOST
        return None

    def _hear(self, pipe: int) -> None:
        chunk = self._captures[pipe].take()
        if chunk:
            self._heard = time.monotonic()
            self._spoke = self._spoke or b"\n" in chunk
        elif chunk is not None:
            self._poll.unregister(pipe)

    def _asked_to_end(self, ending: str) -> str:
        """Ask everybody politely and give the agent its grace; hear it out meanwhile."""
        asked = tree.descendants(os.getpid())
        self._left_over.update(asked)
        tree.signal(asked, kernel.TERM)
        until = time.monotonic() + self._order.grace
        while time.monotonic() < until:
            match self._news(until=until):
                case "exited":
                    break
                case "lost":
                    return LOST
                case _:
                    continue
        return ending

    def _end_everything(self) -> None:
        # Whoever forks while its elders die is found in the next round: nobody gets out from under a subreaper.
        while found := tree.descendants(os.getpid()):
            self._left_over.update(found)
            tree.kill(found)
            self._reap()
        self._reap()

    def _reap(self) -> None:
        collected = tree.reap()
        if self._status is None:  # once it is reaped, its pid may be anybody's
            self._status = collected.get(self._agent)

    def _store(self, home: int, ending: str, ran: float) -> None:
        exit_code = None
        if ending == EXITED and self._status is not None:
            exit_code = os.waitstatus_to_exitcode(self._status)
        stdout, stderr = (stream.capture.total for stream in self._streams)
        killed = sum(pid != self._agent for pid, _ in self._left_over)
        _store(home, _result(ending, exit_code=exit_code, ran=ran, killed=killed, stdout=stdout, stderr=stderr))


def _result(
    ending: str,
    *,
    exit_code: int | None = None,
    ran: float = 0.0,
    killed: int = 0,
    stdout: int = 0,
    stderr: int = 0,
    what: str = "",
    errno: int = 0,
) -> str:
    """Word the result as JSON: numbers and our own words only, so that it needs no encoder."""
    code = "null" if exit_code is None else exit_code
    return (
        f'{{"ending":"{ending}","exit_code":{code},"ran":{round(ran * 1e6)},"killed":{killed},'
        f'"stdout":{stdout},"stderr":{stderr},"what":"{what}","errno":{errno}}}\n'
    )


def _store(home: int, result: str) -> None:
    """Put the result in place whole or not at all, and on disk before anybody can act on it."""
    file = os.open("result.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600, dir_fd=home)
    os.write(file, result.encode())
    os.fsync(file)
    os.close(file)
    os.replace("result.new", "result", src_dir_fd=home, dst_dir_fd=home)
    os.fsync(home)
