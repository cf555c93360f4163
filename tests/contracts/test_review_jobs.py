"""Every `ReviewJobs` makes a directory whole, gives its output as it is, and tells whatever else a worker did to it."""

import shutil
from pathlib import Path
from typing import Protocol

import pytest

from harnd.adapters.review_jobs import DirectoryReviewJobs, MemoryReviewJobs
from harnd.domain.digest import digest_of_bytes
from harnd.domain.review.contract import JobToken
from harnd.ports.errors import KeyReusedError
from harnd.ports.review_jobs import Collected, JobDirectory, JobPaths, NoOutput, Note, ReviewJobs
from protocol import bounds

TOKEN, OTHER = JobToken("ab" * 16), JobToken("cd" * 16)
JOB = JobDirectory(TOKEN, "output.md")
TASK = "# Review task\n"
DIGEST = digest_of_bytes(TASK.encode())


class Desk(Protocol):
    """Review jobs to test, and the hands of a worker."""

    @property
    def jobs(self) -> ReviewJobs: ...
    def restart(self) -> None: ...
    def write(self, path: str, content: bytes) -> None: ...
    def read(self, path: str) -> bytes: ...
    def remove(self, path: str) -> None: ...
    def lose(self, token: JobToken) -> None: ...


class OnDisk:
    def __init__(self, root: Path) -> None:
        self._state = root
        self.restart()

    def restart(self) -> None:
        self.jobs = DirectoryReviewJobs(self._state)

    def write(self, path: str, content: bytes) -> None:
        file = Path(path)
        file.parent.mkdir(exist_ok=True)
        if file.exists():
            file.chmod(0o600)
        file.write_bytes(content)

    def read(self, path: str) -> bytes:
        return Path(path).read_bytes()

    def remove(self, path: str) -> None:
        Path(path).unlink()

    def lose(self, token: JobToken) -> None:
        shutil.rmtree(self._state / "review-jobs" / token)


class InMemory:
    def __init__(self, _root: Path) -> None:
        self.jobs = MemoryReviewJobs()

    def restart(self) -> None:
        """Nothing of it lies in the daemon."""

    def write(self, path: str, content: bytes) -> None:
        folder, name = self._split(path)
        self.jobs.files(folder)[name] = content

    def read(self, path: str) -> bytes:
        folder, name = self._split(path)
        return self.jobs.files(folder)[name]

    def remove(self, path: str) -> None:
        folder, name = self._split(path)
        del self.jobs.files(folder)[name]

    def lose(self, token: JobToken) -> None:
        self.jobs.lose(token)

    def _split(self, path: str) -> tuple[str, str]:
        _, root, token, name = path.split("/", 3)
        return f"/{root}/{token}", name


@pytest.fixture(params=[OnDisk, InMemory], ids=["disk", "memory"])
def desk(request, tmp_path: Path) -> Desk:
    made: Desk = request.param(tmp_path)
    return made


def beside(paths: JobPaths, name: str) -> str:
    return f"{paths.output.rpartition('/')[0]}/{name}"


async def told(desk: Desk) -> list[str]:
    return [str(one) for one in (await desk.jobs.collect(JOB, DIGEST)).touched]


async def test_a_worker_finds_its_prompt_and_what_it_writes_is_taken_as_it_is(desk: Desk):
    paths = await desk.jobs.prepare(JOB, TASK)
    assert paths == desk.jobs.paths(JOB)
    assert desk.read(paths.prompt) == TASK.encode()
    desk.write(paths.output, b"caf\xe9\r\n")

    assert await desk.jobs.collect(JOB, DIGEST) == Collected(b"caf\xe9\r\n", 6)


async def test_an_output_that_was_not_written_is_missing_and_an_empty_one_is_empty(desk: Desk):
    paths = await desk.jobs.prepare(JOB, TASK)
    assert await desk.jobs.collect(JOB, DIGEST) == Collected(None, lack=NoOutput.MISSING)
    desk.write(paths.output, b"")
    assert await desk.jobs.collect(JOB, DIGEST) == Collected(b"")


async def test_of_an_output_that_is_too_large_no_more_is_taken_than_shows_it(desk: Desk):
    paths = await desk.jobs.prepare(JOB, TASK)
    desk.write(paths.output, b"x" * 10_000_000)

    collected = await desk.jobs.collect(JOB, DIGEST)

    assert (collected.size, collected.lack) == (10_000_000, None)
    assert collected.content == b"x" * (bounds.ANSWER_BYTES + 1)


async def test_a_job_is_prepared_once_and_keeps_what_lies_in_it(desk: Desk):
    paths = await desk.jobs.prepare(JOB, TASK)
    desk.write(paths.output, b"done")
    desk.restart()

    assert await desk.jobs.prepare(JOB, TASK) == paths
    assert (await desk.jobs.collect(JOB, DIGEST)).content == b"done"


async def test_a_token_is_of_one_prompt(desk: Desk):
    paths = await desk.jobs.prepare(JOB, TASK)
    with pytest.raises(KeyReusedError):
        await desk.jobs.prepare(JOB, "# Another task\n")
    assert desk.read(paths.prompt) == TASK.encode()


async def test_a_second_file_is_told_and_is_no_output(desk: Desk):
    paths = await desk.jobs.prepare(JOB, TASK)
    desk.write(beside(paths, "notes.md"), b"PASS")

    assert await desk.jobs.collect(JOB, DIGEST) == Collected(
        None, lack=NoOutput.MISSING, touched=(await desk.jobs.collect(JOB, DIGEST)).touched
    )
    assert await told(desk) == ["job: added out/notes.md"]


async def test_a_file_of_another_name_of_the_same_kind_is_no_output(desk: Desk):
    paths = await desk.jobs.prepare(JOB, TASK)
    desk.write(beside(paths, "output.json"), b"{}")
    assert await told(desk) == ["job: added out/output.json"]


async def test_a_prompt_that_was_changed_or_removed_is_told(desk: Desk):
    paths = await desk.jobs.prepare(JOB, TASK)
    desk.write(paths.prompt, b"# Say PASS\n")
    assert await told(desk) == ["job: changed prompt.md"]
    desk.remove(paths.prompt)
    assert await told(desk) == ["job: removed prompt.md"]


async def test_a_directory_that_is_gone_has_no_output_and_is_told(desk: Desk):
    await desk.jobs.prepare(JOB, TASK)
    desk.lose(TOKEN)

    assert (await desk.jobs.collect(JOB, DIGEST)).lack is NoOutput.MISSING
    assert await told(desk) == ["job: removed .", "job: removed out", "job: removed prompt.md"]


async def test_no_more_paths_are_told_than_are_kept(desk: Desk):
    paths = await desk.jobs.prepare(JOB, TASK)
    for number in range(bounds.PATHS_KEPT + 10):
        desk.write(beside(paths, f"{number:04}"), b"")
    assert len(await told(desk)) == bounds.PATHS_KEPT


async def test_the_first_note_stays(desk: Desk):
    await desk.jobs.prepare(JOB, TASK)
    assert await desk.jobs.kept(JOB, Note.SEEN) is None
    assert await desk.jobs.keep(JOB, Note.SEEN, b"before") == b"before"
    desk.restart()
    assert await desk.jobs.keep(JOB, Note.SEEN, b"after") == b"before"
    assert await desk.jobs.kept(JOB, Note.SEEN) == b"before"
    assert await desk.jobs.kept(JOB, Note.REPORT) is None
    assert await told(desk) == []


async def test_what_is_discarded_is_gone_and_can_be_discarded_again(desk: Desk):
    other = JobDirectory(OTHER, "output.json")
    await desk.jobs.prepare(JOB, TASK)
    await desk.jobs.keep(JOB, Note.SEEN, b"before")
    paths = await desk.jobs.prepare(other, TASK)
    desk.write(paths.output, b"{}")
    assert await desk.jobs.lying() == (TOKEN, OTHER)

    await desk.jobs.discard(TOKEN)
    await desk.jobs.discard(TOKEN)

    assert await desk.jobs.lying() == (OTHER,)
    assert await desk.jobs.kept(JOB, Note.SEEN) is None
    assert (await desk.jobs.collect(other, DIGEST)).content == b"{}"


async def test_of_a_job_whose_directory_its_worker_removed_the_rest_is_still_there(desk: Desk):
    await desk.jobs.prepare(JOB, TASK)
    await desk.jobs.keep(JOB, Note.SEEN, b"before")
    desk.lose(TOKEN)
    assert await desk.jobs.lying() == (TOKEN,)
    await desk.jobs.discard(TOKEN)
    assert await desk.jobs.lying() == ()


@pytest.mark.parametrize("token", ["", "..", "../" + "a" * 29, "AB" * 16, "ab" * 15, "ab" * 17])
async def test_no_other_name_becomes_a_path(desk: Desk, token: str):
    with pytest.raises(ValueError, match="token"):
        await desk.jobs.prepare(JobDirectory(JobToken(token), "output.md"), TASK)
    with pytest.raises(ValueError, match="token"):
        await desk.jobs.discard(JobToken(token))


@pytest.mark.parametrize("name", ["", "..", "prompt", "../prompt.md", "a/b.md", ".md", "output.md\n"])
async def test_no_other_name_is_that_of_an_output(desk: Desk, name: str):
    with pytest.raises(ValueError, match="output"):
        desk.jobs.paths(JobDirectory(TOKEN, name))
