"""The git command, as harnd runs it: the same answer whoever started harnd, from wherever, and whatever their settings.

No hooks, no fsmonitor, no replace objects, no system or user configuration, no editor, no prompt, no location inherited
through `GIT_*`.  What remains is the repository's own configuration, because filters, line endings and the layout of
the repository itself are its business.  The single command that runs hooks is only worded here: it is run as a command
of the attempt (see `recording`), and no child of the daemon's.

Every command is bounded in time.  One that meets another process's lock is tried again a few times when it is asked
for by `change`; locks of others are never removed here.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeVar

import anyio

from harnd.adapters.git import process
from harnd.adapters.git.process import Finished, Limits
from harnd.ports.errors import UnavailableError

T = TypeVar("T")

MIB: Final = 1024 * 1024
READING: Final = Limits(seconds=120, head=256 * MIB)
WRITING: Final = Limits(seconds=900, head=256 * MIB)  # a checkout of a large repository is one command

PAUSES_AT_A_LOCK: Final = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)  # seconds; a lock is normally held for milliseconds

NO_HOOKS: Final = "/dev/null"  # as `core.hooksPath`: no file lies in it

SETTINGS: Final = {
    "advice.addEmbeddedRepo": "false",
    "color.grep": "false",
    "color.ui": "false",
    "commit.gpgSign": "false",
    "core.attributesFile": "/dev/null",
    "core.bigFileThreshold": "512m",  # git's own; under a smaller one texts are binaries, and not shown
    "core.excludesFile": "/dev/null",
    # An event that names a commit is on disk when `append` returns; the commit has to be there before it.
    "core.fsync": "objects,reference",
    "core.fsyncMethod": "batch",
    "core.fsmonitor": "false",
    "core.quotePath": "false",
    "core.safecrlf": "false",  # it guards a person's own copy of a file; an attempt's goes with its worktree
    "core.sparseCheckout": "false",  # the operator's checkout may be sparse; an attempt sees the whole tree
    "core.untrackedCache": "false",
    "diff.suppressBlankEmpty": "false",
    "gc.auto": "0",
    "log.showSignature": "false",
    "maintenance.auto": "false",
    "status.showStash": "false",
    "submodule.recurse": "false",
}

ENVIRONMENT: Final = {
    "GIT_CONFIG_GLOBAL": str(Path(__file__).with_name("own.gitconfig")),
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_EDITOR": ":",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",  # messages are read, for locks
}

_LOCK_HELD = re.compile(rb"(?:Unable to create '|could not lock config file )([^\n]+?)'?: File exists")


class GitFailedError(UnavailableError):
    """git ended with an error; `stderr` is what it said."""

    def __init__(self, words: Sequence[str], finished: Finished) -> None:
        self.stderr = text(finished.stderr)
        said = "it did not end in time" if finished.code is None else self.stderr.strip() or f"exit {finished.code}"
        super().__init__(f"git {words[0]}: {said[:2000]}")


class LockHeldError(GitFailedError):
    """Another process holds a lock of the repository; the message names the lock file."""


def text(raw: bytes) -> str:
    """Decode names and output so that `os.fsencode` gives back the same bytes, whatever they were."""
    return raw.decode("utf-8", "surrogateescape")


def entries(raw: bytes) -> tuple[str, ...]:
    """Split the output of a command with `-z`."""
    return tuple(text(name) for name in raw.split(b"\0") if name)


def without_git_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Drop every `GIT_*` variable: inside a hook they name another repository, index and work tree."""
    return {name: value for name, value in environ.items() if not name.startswith("GIT_")}


class Git:
    """The git found on the `PATH` of `environ`, or at `program`."""

    def __init__(
        self, environ: Mapping[str, str], program: str = "git", *, settings: Mapping[str, str] = SETTINGS
    ) -> None:
        self._program = program
        self._settings = settings
        self._operators = without_git_variables(environ)
        self._own = self._operators | ENVIRONMENT

    def with_settings(self, settings: Mapping[str, str]) -> "Git":
        """Return a git for which these settings hold as well, over whatever is configured."""
        return Git(self._operators, self._program, settings={**self._settings, **settings})

    async def run(
        self,
        where: Path,
        *words: str,
        given: bytes = b"",
        env: Mapping[str, str] | None = None,
        limits: Limits = READING,
    ) -> Finished:
        """Run git in the directory `where` and return however it ended; a met lock is raised as `LockHeldError`."""
        argv, environment = self.command(*words), self._own | dict(env or {})
        finished = await process.run(argv, cwd=where, env=environment, limits=limits, given=given)
        return unless_locked(words, finished)

    def command(self, *words: str, hooks: str = NO_HOOKS) -> tuple[str, ...]:
        """Word a command for whoever runs it; `ENVIRONMENT` goes with it."""
        settings = {**self._settings, "core.hooksPath": hooks}
        flags = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return (self._program, "--no-pager", "--no-replace-objects", *flags, *words)

    async def ask(self, where: Path, *words: str, given: bytes = b"", env: Mapping[str, str] | None = None) -> bytes:
        """Run a command that only reads and return its output, whole; raises `GitFailedError`."""
        return _whole(words, await self.run(where, *words, given=given, env=env))

    async def change(self, where: Path, *words: str, given: bytes = b"", env: Mapping[str, str] | None = None) -> bytes:
        """Run a command that writes, again after a pause while somebody holds a lock; raises `GitFailedError`.

        Only for commands that change nothing when they fail at a lock.
        """

        async def once() -> bytes:
            return _whole(words, await self.run(where, *words, given=given, env=env, limits=WRITING))

        return await patiently(once)

    async def tells(self, where: Path, *words: str) -> bool:
        """Ask a question that git answers by its exit code: 0 yes, 1 no."""
        finished = await self.run(where, *words)
        if finished.code not in {0, 1}:
            raise GitFailedError(words, finished)
        return finished.code == 0

    async def setting_of_operator(self, where: Path, name: str) -> str:
        """Look a setting up as the operator's own git would, user and system configuration included; empty if unset."""
        argv = [self._program, "config", "--null", "--get", name]
        finished = await process.run(argv, cwd=where, env=self._operators, limits=READING)
        return text(finished.stdout).removesuffix("\0") if finished.code == 0 else ""


def unless_locked(words: Sequence[str], finished: Finished) -> Finished:
    """Return how a command ended; raises `LockHeldError` when it failed at a lock."""
    if finished.code and _LOCK_HELD.search(finished.stderr):
        raise LockHeldError(words, finished)
    return finished


async def patiently(act: Callable[[], Awaitable[T]]) -> T:
    """Do something, again after a pause while somebody else holds a lock; a few times, then `LockHeldError`."""
    for pause in PAUSES_AT_A_LOCK:
        try:
            return await act()
        except LockHeldError:
            await anyio.sleep(pause)
    return await act()


def _whole(words: tuple[str, ...], finished: Finished) -> bytes:
    if finished.code != 0 or finished.omitted or finished.cut:
        raise GitFailedError(words, finished)
    return finished.stdout
