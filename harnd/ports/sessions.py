"""Sessions and commands: live processes that harnd starts, each under an effect key that completes at most once.

A key that was started has a receipt, one that ended has a result; both survive the daemon.  Running a key again gives
its stored result, or `LOST` when there is a receipt and no result: nothing is started twice.  A process whose watch was
broken while the daemon lived, as only it or an operator can do, has `EXITED` without an exit code.
"""

from enum import StrEnum
from typing import Protocol, TypeAlias

import msgspec

from protocol.ids import Digest, EffectKey, HarnessName
from protocol.values import MicroDollars, Micros


class Ending(StrEnum):
    """How a process came to its end."""

    EXITED = "exited"
    TIMED_OUT = "timed_out"  # its own time limit
    SILENT_AT_START = "silent_at_start"  # said nothing within the start-up limit
    STALLED = "stalled"  # fell silent in mid-run
    LOST = "lost"  # the daemon died while it ran
    INTERRUPTED = "interrupted"  # a drain or stop ended it
    NOT_STARTED = "not_started"  # no such program, not executable, no permission, no memory


class Output(msgspec.Struct, frozen=True):
    """What a process wrote, bounded: whole when `omitted` is 0, otherwise its head and its tail."""

    head: str
    tail: str
    total_bytes: int
    omitted_bytes: int
    digest: Digest  # of all bytes up to the cap


class Ended(msgspec.Struct, frozen=True):
    """The end of a process."""

    ending: Ending
    exit_code: int | None  # negative: ended by that signal; None unless it exited, and when its watch was broken
    stdout: Output
    stderr: Output
    ran: Micros
    killed: int = 0  # processes left over by it, ended by harnd
    detail: str = ""  # one sentence when it did not simply exit


class CommandTask(msgspec.Struct, frozen=True):
    """A command of a template: no shell, no terminal, stdin closed."""

    key: EffectKey
    argv: tuple[str, ...]
    cwd: str
    timeout: Micros
    env: tuple[tuple[str, str], ...] = ()  # added to the allow-listed environment
    fresh: bool = False  # a read-only command: when it was cut short it is run again instead of being lost
    anew: bool = False  # it is run again also when it ended: what it had left behind is gone


class CommandRunner(Protocol):
    """Runs the commands that prepare, check and prove."""

    async def run(self, task: CommandTask) -> Ended:
        """Run to the end.  Cancelling ends the whole process tree, stores `INTERRUPTED` and re-raises."""
        ...


class ReplyKind(StrEnum):
    """What the final answer of a session is, before anybody reads what it says."""

    NO_RESULT = "no_result"  # the stream ended without a final answer
    EMPTY = "empty"
    REFUSAL = "refusal"
    TRUNCATED = "truncated"
    OUT_OF_QUOTA = "out_of_quota"  # the provider gives nothing more for now
    NOT_LOGGED_IN = "not_logged_in"
    UNREACHABLE = "unreachable"  # the provider failed
    INVALID = "invalid"  # there is an answer, and it is not the one JSON object that was asked for
    VALID = "valid"


class Reply(msgspec.Struct, frozen=True):
    """A session's final answer, classified."""

    kind: ReplyKind
    text: str = ""  # the raw answer, bounded
    value: bytes | None = None  # the one JSON object in it, as strict JSON, when one was asked for and `VALID`
    problem: str = ""  # why it is not valid, with the place
    notes: tuple[str, ...] = ()  # what was replaced in it to make it storable, with the place


class Usage(msgspec.Struct, frozen=True):
    """What a session reported to have used; None is unknown, never zero."""

    tokens: int | None = None
    cost: MicroDollars | None = None


class Capabilities(msgspec.Struct, frozen=True):
    """What a harness declares it can do.  What is not declared does not happen."""

    reports_tokens: bool = False
    reports_cost: bool = False
    gates: frozenset[str] = frozenset()
    resumes: bool = False
    fresh_context: bool = True  # starts without history
    read_only_launch: bool = False


Options: TypeAlias = tuple[tuple[str, str | tuple[str, ...]], ...]
"""A specialist's harness settings, such as `argv`."""


class SessionTask(msgspec.Struct, frozen=True):
    """One agent call: a prompt, a place to work in, and limits."""

    key: EffectKey
    harness: HarnessName
    options: Options
    prompt: str
    cwd: str
    wants_json: bool  # the answer must be one JSON object
    timeout: Micros
    startup_silence: Micros
    silence: Micros
    model: str | None = None
    effort: str | None = None
    env: tuple[str, ...] = ()  # names of variables that are passed on from the daemon's environment
    given: tuple[tuple[str, str], ...] = ()  # variables added to them
    prompt_path: str | None = None  # a file that is the whole task; `prompt` is then one line that says so


class SessionEnd(msgspec.Struct, frozen=True):
    """How a session ended, and with what answer."""

    ended: Ended
    reply: Reply
    usage: Usage = Usage()


class Sessions(Protocol):
    """Runs agent calls through whatever harness the specialist names.

    A task with a `prompt_path` begins without any history; a harness that cannot do so does not start it.
    """

    def capabilities(self, harness: HarnessName, options: Options = ()) -> Capabilities | None:
        """Return what the harness declares under these options, or None when there is no such harness or option."""
        ...

    async def run(self, task: SessionTask) -> SessionEnd:
        """Run to the end.  Cancelling ends the whole process tree, stores `INTERRUPTED` and re-raises."""
        ...
