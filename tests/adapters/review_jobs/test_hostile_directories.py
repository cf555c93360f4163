"""A job's directory on disk, after a worker that had every right of the user that harnd runs as."""

import os
import stat
import threading
from pathlib import Path

import pytest

from harnd.adapters.review_jobs import DirectoryReviewJobs, collecting
from harnd.domain.digest import digest_of_bytes
from harnd.domain.review.contract import JobToken
from harnd.ports.errors import KeyReusedError, UnavailableError
from harnd.ports.review_jobs import Collected, JobDirectory, NoOutput, Note

TOKEN, OTHER = JobToken("ab" * 16), JobToken("cd" * 16)
JOB = JobDirectory(TOKEN, "output.md")
TASK = "# Review task\n"
DIGEST = digest_of_bytes(TASK.encode())


class Desk:
    """A prepared job, and where its parts lie."""

    def __init__(self, state: Path) -> None:
        self.jobs = DirectoryReviewJobs(state)
        self.root = state / "review-jobs"
        self.home = self.root / TOKEN
        self.prompt = self.home / "prompt.md"
        self.out = self.home / "out"
        self.output = self.out / "output.md"

    async def collected(self) -> Collected:
        return await self.jobs.collect(JOB, DIGEST)

    async def told(self) -> list[str]:
        return [str(one) for one in (await self.collected()).touched]


@pytest.fixture
async def desk(tmp_path: Path) -> Desk:
    made = Desk(tmp_path)
    await made.jobs.prepare(JOB, TASK)
    return made


def put(path: str, text: str) -> None:
    Path(path).write_text(text)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


async def test_everything_is_private_whatever_the_umask(tmp_path: Path):
    before = os.umask(0)
    try:
        desk = Desk(tmp_path)
        await desk.jobs.prepare(JOB, TASK)
        await desk.jobs.keep(JOB, Note.SEEN, b"before")
    finally:
        os.umask(before)
    modes = [mode(path) for path in (desk.root, desk.home, desk.out, desk.prompt, desk.root / f"{TOKEN}.seen")]
    assert modes == [0o700, 0o700, 0o700, 0o400, 0o600]


@pytest.mark.parametrize("target", ["/etc/passwd", "../prompt.md", "nowhere", "/"])
async def test_a_link_is_no_output_wherever_it_leads(desk: Desk, target: str):
    desk.output.symlink_to(target)
    assert await desk.collected() == Collected(None, lack=NoOutput.LINK)


async def test_a_file_with_a_second_name_is_no_output(desk: Desk, tmp_path: Path):
    (tmp_path / "elsewhere").write_text("PASS")
    os.link(tmp_path / "elsewhere", desk.output)
    assert await desk.collected() == Collected(None, lack=NoOutput.SHARED)


async def test_a_pipe_is_no_output_and_holds_nobody_up(desk: Desk):
    os.mkfifo(desk.output)
    assert await desk.collected() == Collected(None, lack=NoOutput.NOT_A_FILE)


async def test_a_folder_is_no_output_and_what_is_in_it_is_told(desk: Desk):
    desk.output.mkdir()
    (desk.output / "part-1").write_text("PASS")
    collected = await desk.collected()
    assert (collected.content, collected.lack) == (None, NoOutput.NOT_A_FILE)
    assert await desk.told() == ["job: added out/output.md/part-1"]


async def test_a_folder_that_became_a_link_is_not_followed(desk: Desk, tmp_path: Path):
    desk.out.rmdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "output.md").write_text("PASS")
    desk.out.symlink_to(tmp_path / "elsewhere")
    assert (await desk.collected()).lack is NoOutput.MISSING
    assert await desk.told() == ["job: changed out"]


async def test_a_directory_that_became_a_link_is_not_followed(desk: Desk):
    moved = desk.root / "moved"
    desk.output.write_text("PASS")
    desk.home.rename(moved)
    desk.home.symlink_to(moved)
    assert (await desk.collected()).lack is NoOutput.MISSING
    assert await desk.told() == ["job: changed .", "job: removed out", "job: removed prompt.md"]


@pytest.mark.parametrize("name", ["link", "pipe", "folder"])
async def test_a_prompt_that_is_no_file_any_more_is_changed_and_not_opened(desk: Desk, name: str):
    desk.prompt.unlink()
    match name:
        case "link":
            desk.prompt.symlink_to("/etc/passwd")
        case "pipe":
            os.mkfifo(desk.prompt)
        case _:
            desk.prompt.mkdir()
    assert await desk.told() == ["job: changed prompt.md"]
    with pytest.raises(KeyReusedError):
        await desk.jobs.prepare(JOB, TASK)


async def test_rights_that_were_changed_are_told(desk: Desk):
    desk.output.write_text("done")
    desk.prompt.chmod(0o644)
    desk.out.chmod(0o777)
    desk.home.chmod(0o755)
    assert (await desk.collected()).content == b"done"
    assert await desk.told() == ["job: changed .", "job: changed out", "job: changed prompt.md"]


async def test_folders_that_were_closed_to_us_are_looked_into_and_told(desk: Desk):
    desk.output.write_text("done")
    desk.out.chmod(0)
    desk.home.chmod(0)
    collected = await desk.collected()
    assert collected.content == b"done"
    assert [str(one) for one in collected.touched] == ["job: changed .", "job: changed out"]


async def test_names_that_are_no_utf8_are_told_as_they_can_be_stored(desk: Desk):
    put(os.fsdecode(os.fsencode(desk.out) + b"/caf\xe9"), "")
    assert await desk.told() == ["job: added out/caf\\xe9"]


async def test_folders_without_end_end(desk: Desk):
    deep = desk.out
    for _ in range(100):
        deep = deep / "d"
        deep.mkdir()
    assert 5 < len(await desk.told()) < 30


async def test_of_folders_with_everything_in_them_enough_is_looked_at(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(collecting, "_MOST", 50)
    for number in range(100):
        (desk.home / f"a{number:03}").touch()
    assert len(await desk.told()) >= 48


async def test_an_output_that_is_still_written_is_refused(desk: Desk, monkeypatch: pytest.MonkeyPatch):
    desk.output.write_text("half")
    real = collecting.chunks

    def meanwhile(read, most):
        yield from real(read, most)
        late = threading.Thread(target=lambda: desk.output.write_text("half and more"))
        late.start()
        late.join()

    monkeypatch.setattr(collecting, "chunks", meanwhile)
    assert (await desk.collected()).lack is NoOutput.UNSETTLED


async def test_the_output_of_another_job_stays_where_it_is(desk: Desk):
    other = JobDirectory(OTHER, "output.md")
    await desk.jobs.prepare(other, TASK)
    put(desk.jobs.paths(other).output, "PASS")
    assert await desk.collected() == Collected(None, lack=NoOutput.MISSING)


async def test_what_a_daemon_that_died_had_begun_is_made_anew(desk: Desk):
    other = JobDirectory(OTHER, "output.md")
    (desk.root / f".new-{OTHER}").mkdir()
    (desk.root / f".new-{OTHER}" / "prompt.md").write_text("# Rev")
    assert await desk.jobs.lying() == (TOKEN, OTHER)

    paths = await desk.jobs.prepare(other, TASK)

    assert paths.prompt == str(desk.root / OTHER / "prompt.md")
    assert (desk.root / OTHER / "prompt.md").read_text() == TASK
    assert sorted(path.name for path in desk.root.iterdir()) == [TOKEN, OTHER]


async def test_a_discard_that_was_cut_short_is_brought_to_its_end(desk: Desk):
    desk.home.rename(desk.root / f".gone-{TOKEN}")
    assert await desk.jobs.lying() == (TOKEN,)
    await desk.jobs.discard(TOKEN)
    assert list(desk.root.iterdir()) == []


async def test_a_directory_full_of_traps_is_removed_and_nothing_else(desk: Desk, tmp_path: Path):
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").touch()
    (desk.out / "link").symlink_to(tmp_path / "precious")
    os.mkfifo(desk.out / "pipe")
    (desk.out / "closed").mkdir(mode=0)
    desk.home.chmod(0)
    await desk.jobs.discard(TOKEN)
    assert await desk.jobs.lying() == ()
    assert (tmp_path / "precious" / "file").exists()


async def test_a_disk_that_does_not_do_its_part_is_unavailable(tmp_path: Path):
    state = tmp_path / "state"
    state.write_text("in the way")
    with pytest.raises(UnavailableError, match="review-jobs"):
        await DirectoryReviewJobs(state).prepare(JOB, TASK)
