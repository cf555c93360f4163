"""Review jobs: the private directory of one attempt at a job, with one prompt in it and a place for one output.

A directory is named by a random token, and whole or not there.  A worker may do anything to it: what comes of that is
told and never mended, and no call fails for it.  What an output says is read elsewhere; here it is bytes.
"""

from enum import StrEnum
from typing import Protocol

import msgspec

from harnd.domain.review.contract import JobToken
from harnd.domain.review.touched import Touched
from protocol.ids import Digest


class JobDirectory(msgspec.Struct, frozen=True):
    """Which directory, and what the one file is called that its worker may write."""

    token: JobToken
    output: str  # such as `output.md`


class JobPaths(msgspec.Struct, frozen=True):
    """Where the two files of a job lie, absolute.  The first is told to the worker, the second is in the prompt."""

    prompt: str
    output: str


class NoOutput(StrEnum):
    """Why there is nothing to read where the output belongs."""

    MISSING = "output.missing"
    LINK = "output.link"
    SHARED = "output.shared"  # the file has a second name
    NOT_A_FILE = "output.not_a_file"
    UNREADABLE = "output.unreadable"
    UNSETTLED = "output.unsettled"  # somebody wrote it while it was read


class Note(StrEnum):
    """What is kept about a job, out of its directory; whoever goes on after a crash finds it."""

    SEEN = "seen"  # what lay around before the worker started; without it, none has
    REPORT = "report"  # what came of the job


class Collected(msgspec.Struct, frozen=True):
    """What lies in a directory once its worker has ended."""

    content: bytes | None  # as it is, `bounds.ANSWER_BYTES` and one more at most
    size: int = 0  # of the whole file
    lack: NoOutput | None = None  # why there is no content
    touched: tuple[Touched, ...] = ()  # everything else that is not as it was prepared, `bounds.PATHS_KEPT` at most


class ReviewJobs(Protocol):
    """Directories of jobs, under the state directory.  Raises `UnavailableError` when the disk does not do its part."""

    def paths(self, job: JobDirectory) -> JobPaths:
        """Return where the files of a job are, whether it is prepared or not; raises `ValueError` for no name."""
        ...

    async def prepare(self, job: JobDirectory, prompt: str) -> JobPaths:
        """Make the directory with its prompt, durably, unless it is there; what lies in it is left alone.

        Raises `KeyReusedError` when it was prepared with another prompt.
        """
        ...

    async def keep(self, job: JobDirectory, note: Note, content: bytes) -> bytes:
        """Keep a note about a job, durably, unless there is one; return the one that was kept first."""
        ...

    async def kept(self, job: JobDirectory, note: Note) -> bytes | None:
        """Return a note about a job, or None when there is none."""
        ...

    async def collect(self, job: JobDirectory, prompt: Digest) -> Collected:
        """Take the output as it is, and say what else differs from a job that was prepared with this prompt.

        The caller has ended the worker.  Nothing is followed, and nothing opened but the two files.
        """
        ...

    async def discard(self, token: JobToken) -> None:
        """Remove everything of a job; what is not there is gone."""
        ...

    async def lying(self) -> tuple[JobToken, ...]:
        """Return the token of every job of which something is there, sorted."""
        ...
