"""Blobs on a disk: private, written in the order that survives a power loss, one file for the same bytes."""

import errno
import os
import stat
from collections.abc import Generator
from pathlib import Path

import pytest

from harnd.adapters.store import FileBlobs, UnsafeDirectoryError
from harnd.ports.errors import UnavailableError
from protocol.ids import Digest
from tests.kit.files import mode


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "blobs"


@pytest.fixture(params=[0o000, 0o277], ids=oct)
def strange_umask(request: pytest.FixtureRequest) -> Generator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def files(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*") if path.is_file())


async def test_a_blob_is_a_private_file_named_by_its_digest(root, strange_umask):
    digest = await FileBlobs(root).put(b"text")

    assert files(root) == [root / digest[:2] / digest[2:]]
    assert [mode(path) for path in (root, root / digest[:2], root / digest[:2] / digest[2:])] == [0o700, 0o700, 0o600]


async def test_the_same_bytes_are_one_file_that_is_not_written_again(root):
    blobs = FileBlobs(root)
    digest = await blobs.put(b"text")
    first = (root / digest[:2] / digest[2:]).stat().st_ino

    await blobs.put(b"text")

    assert [path.stat().st_ino for path in files(root)] == [first]


async def test_a_blob_is_flushed_before_it_gets_its_name_and_the_name_after(root, monkeypatch):
    """D07: a name that reaches the disk before its content is a file of NULs after a power loss."""
    blobs = FileBlobs(root)
    steps: list[str] = []
    fsync, rename = os.fsync, Path.rename

    def hear_fsync(descriptor: int) -> None:
        steps.append(f"fsync {Path(f'/proc/self/fd/{descriptor}').readlink().parent.name}")
        fsync(descriptor)

    def hear_rename(path: Path, target: Path) -> Path:
        steps.append("rename")
        return rename(path, target)

    await blobs.put(b"another")  # makes the directories, whose own steps are not the point
    digest = Digest("982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1")  # of b"text"
    (root / digest[:2]).mkdir(mode=0o700)
    monkeypatch.setattr(os, "fsync", hear_fsync)
    monkeypatch.setattr(Path, "rename", hear_rename)

    assert await blobs.put(b"text") == digest
    assert steps == ["fsync drafts", "rename", "fsync blobs"]


async def test_a_put_that_fails_leaves_nothing_behind_and_is_unavailable(root, monkeypatch):
    blobs = FileBlobs(root)
    fsync = os.fsync

    def full(descriptor: int) -> None:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UnavailableError, match="No space"):
        await blobs.put(b"text")
    monkeypatch.undo()

    assert files(root) == []
    assert await blobs.get(await blobs.put(b"text")) == b"text"


async def test_drafts_left_by_a_crash_are_swept_at_the_next_start(root):
    FileBlobs(root)
    (root / "drafts" / "0123").write_bytes(b"half a te")

    FileBlobs(root)

    assert files(root) == []


@pytest.mark.parametrize("permissions", [0o720, 0o702, 0o777])
def test_a_directory_that_others_may_write_into_is_refused(root, permissions):
    root.mkdir()
    root.chmod(permissions)

    with pytest.raises(UnsafeDirectoryError, match=f"mode {permissions:o}"):
        FileBlobs(root)
