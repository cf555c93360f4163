"""Review jobs on disk: `review-jobs/<token>/` below the state directory, 0700.

Beside it lie the notes, such as `<token>.seen`.  A directory is made under another name and renamed, so that one that
is there is whole; one that is discarded is renamed first, so that half of one is none.  What a daemon that died left
under the other names is removed with the job.
"""

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import anyio.to_thread

from harnd.adapters.git.files import remove_tree
from harnd.adapters.review_jobs.collecting import collect
from harnd.adapters.review_jobs.layout import OUT, PROMPT, checked, paths_in
from harnd.adapters.store.files import private_directory, sync_directory, write_private
from harnd.domain.review.contract import JOB_TOKEN, JobToken
from harnd.ports.errors import KeyReusedError, UnavailableError
from harnd.ports.review_jobs import Collected, JobDirectory, JobPaths, Note
from harnd.ports.workspace import storable
from protocol.ids import Digest, matches

T = TypeVar("T")

_NEW: Final = ".new-"  # no token begins with a dot
_GONE: Final = ".gone-"


class DirectoryReviewJobs:
    """The port `ReviewJobs`, below a state directory."""

    def __init__(self, state: Path) -> None:
        self._root = state.resolve() / "review-jobs"

    def __repr__(self) -> str:
        return f"<DirectoryReviewJobs {self._root}>"

    def paths(self, job: JobDirectory) -> JobPaths:
        """Return where the files of a job are."""
        return paths_in(str(self._home(job.token)), job)

    async def prepare(self, job: JobDirectory, prompt: str) -> JobPaths:
        """Make the directory with its prompt, durably, unless it is there."""
        paths = self.paths(job)
        await self._do(partial(_prepare, self._home(job.token), prompt.encode()))
        return paths

    async def keep(self, job: JobDirectory, note: Note, content: bytes) -> bytes:
        """Keep a note about a job, durably, unless there is one; return the one that was kept first."""
        return await self._do(partial(_keep, _beside(self._home(job.token), note), content))

    async def kept(self, job: JobDirectory, note: Note) -> bytes | None:
        """Return a note about a job, or None when there is none."""
        return await self._do(partial(_kept, _beside(self._home(job.token), note)))

    async def collect(self, job: JobDirectory, prompt: Digest) -> Collected:
        """Take the output as it is, and say what else differs."""
        return await self._do(partial(collect, self._home(job.token), job, prompt))

    async def discard(self, token: JobToken) -> None:
        """Remove everything of a job."""
        await self._do(partial(_discard, self._home(token)))

    async def lying(self) -> tuple[JobToken, ...]:
        """Return the token of every job of which something is there, sorted."""
        return await self._do(partial(_lying, self._root))

    def _home(self, token: JobToken) -> Path:
        return self._root / checked(token)

    async def _do(self, act: Callable[[], T]) -> T:
        try:
            return await anyio.to_thread.run_sync(act)
        except OSError as error:
            raise UnavailableError(storable(f"{error.filename or self._root}: {error.strerror or error}")) from error


def _prepare(home: Path, prompt: bytes) -> None:
    private_directory(home.parent)
    if os.path.lexists(home):
        _check_prepared(home, prompt)
        return
    new = _other(home, _NEW)
    remove_tree(new)  # of a daemon that died in the middle
    new.mkdir(mode=0o700)
    (new / OUT).mkdir()
    (new / OUT).chmod(0o700)  # whatever the umask
    write_private(new / PROMPT, prompt, draft=new / f"{PROMPT}.new")
    (new / PROMPT).chmod(0o400)
    sync_directory(new)
    new.rename(home)
    sync_directory(home.parent)


def _check_prepared(home: Path, prompt: bytes) -> None:
    path = home / PROMPT
    with suppress(OSError):
        if stat.S_ISREG(path.lstat().st_mode) and path.read_bytes() == prompt:
            return
    raise KeyReusedError(f"the review job in {home} was prepared with another prompt")


def _keep(path: Path, content: bytes) -> bytes:
    known = _kept(path)
    if known is None:
        private_directory(path.parent)
        write_private(path, content, draft=_other(path, _NEW))
    return content if known is None else known


def _kept(path: Path) -> bytes | None:
    with suppress(FileNotFoundError):
        return path.read_bytes()
    return None


def _discard(home: Path) -> None:
    gone = _other(home, _GONE)
    remove_tree(gone)
    with suppress(FileNotFoundError):
        home.rename(gone)
    for left in (gone, _other(home, _NEW)):
        remove_tree(left)
    # Last: a job is told by `lying` until everything of it is gone.
    for path in (_beside(home, note) for note in Note):
        _other(path, _NEW).unlink(missing_ok=True)
        path.unlink(missing_ok=True)


def _lying(root: Path) -> tuple[JobToken, ...]:
    if not root.is_dir():
        return ()
    names = {path.name.removeprefix(_NEW).removeprefix(_GONE).partition(".")[0] for path in root.iterdir()}
    return tuple(sorted(JobToken(name) for name in names if matches(JOB_TOKEN, name)))


def _beside(home: Path, note: Note) -> Path:
    return home.with_name(f"{home.name}.{note}")


def _other(path: Path, prefix: str) -> Path:
    return path.with_name(f"{prefix}{path.name}")
