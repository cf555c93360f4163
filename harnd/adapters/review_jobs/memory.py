"""`MemoryReviewJobs`: the `ReviewJobs` port without a disk, for simulated worlds.

What an imaginary worker reads and writes is in `files`.  The object is the world: an engine that crashes leaves it
standing.  There are no links, no rights and no folders here, only files by their path.
"""

from collections.abc import MutableMapping
from typing import Final

from anyio.lowlevel import checkpoint

from harnd.adapters.review_jobs.layout import OUT, PROMPT, checked, paths_in, place_of, touched_in
from harnd.domain.digest import digest_of_bytes
from harnd.domain.review.contract import JobToken
from harnd.ports.errors import KeyReusedError, MissingError
from harnd.ports.review_jobs import Collected, JobDirectory, JobPaths, NoOutput, Note
from protocol import bounds
from protocol.ids import Digest

ROOT: Final = "/review-jobs"


class MemoryReviewJobs:
    """Directories of jobs in memory."""

    def __init__(self) -> None:
        self._jobs: dict[JobToken, dict[str, bytes]] = {}
        self._notes: dict[JobToken, dict[Note, bytes]] = {}

    def __repr__(self) -> str:
        return f"<MemoryReviewJobs {len(self._jobs)}>"

    def files(self, path: str) -> MutableMapping[str, bytes]:
        """Return what lies in the directory of a job, to read and to write; raises `MissingError`."""
        folder, _, token = path.rpartition("/")
        if folder != ROOT or token not in self._jobs:
            raise MissingError(f"no review job at {path}")
        return self._jobs[JobToken(token)]

    def lose(self, token: JobToken) -> None:
        """Remove the directory of a job as its worker might."""
        del self._jobs[token]

    def paths(self, job: JobDirectory) -> JobPaths:
        """Return where the files of a job are."""
        return paths_in(f"{ROOT}/{checked(job.token)}", job)

    async def prepare(self, job: JobDirectory, prompt: str) -> JobPaths:
        """Make the directory with its prompt unless it is there."""
        await checkpoint()
        paths = self.paths(job)
        made = self._jobs.setdefault(job.token, {PROMPT: prompt.encode()})
        if made.get(PROMPT) != prompt.encode():
            raise KeyReusedError(f"the review job in {ROOT}/{job.token} was prepared with another prompt")
        return paths

    async def keep(self, job: JobDirectory, note: Note, content: bytes) -> bytes:
        """Keep a note about a job unless there is one; return the one that was kept first."""
        await checkpoint()
        return self._notes.setdefault(checked(job.token), {}).setdefault(note, content)

    async def kept(self, job: JobDirectory, note: Note) -> bytes | None:
        """Return a note about a job, or None when there is none."""
        await checkpoint()
        return self._notes.get(checked(job.token), {}).get(note)

    async def collect(self, job: JobDirectory, prompt: Digest) -> Collected:
        """Take the output as it is, and say what else differs."""
        await checkpoint()
        place = place_of(job)
        there = self._jobs.get(checked(job.token))
        folders = {} if there is None else {".": "", OUT: ""}
        files = {path: digest_of_bytes(content) for path, content in (there or {}).items() if path != place}
        touched = touched_in({".": "", OUT: "", PROMPT: prompt}, {**folders, **files})
        content = (there or {}).get(place)
        if content is None:
            return Collected(None, lack=NoOutput.MISSING, touched=touched)
        return Collected(content[: bounds.ANSWER_BYTES + 1], len(content), touched=touched)

    async def discard(self, token: JobToken) -> None:
        """Remove everything of a job."""
        await checkpoint()
        self._jobs.pop(checked(token), None)
        self._notes.pop(token, None)

    async def lying(self) -> tuple[JobToken, ...]:
        """Return the token of every job of which something is there, sorted."""
        await checkpoint()
        return tuple(sorted({*self._jobs, *self._notes}))
