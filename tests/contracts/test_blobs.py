"""What every store of blobs holds, on a disk or in memory."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from harnd.adapters.store import FileBlobs, MemoryBlobs
from harnd.ports.errors import CorruptError, MissingError
from harnd.ports.store import Blobs
from protocol.ids import Digest

Damage = Callable[[Digest, bytes], None]


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=["file", "memory"])
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Blobs, Damage]:
    """A store of blobs, and a way to put other bytes in one's place behind its back."""
    if request.param == "memory":
        memory = MemoryBlobs()
        return memory, memory.kept.__setitem__
    root = tmp_path / "blobs"

    def damage(digest: Digest, content: bytes) -> None:
        (root / digest[:2] / digest[2:]).write_bytes(content)

    return FileBlobs(root), damage


@pytest.fixture
def blobs(pair: tuple[Blobs, Damage]) -> Blobs:
    return pair[0]


@pytest.fixture
def damage(pair: tuple[Blobs, Damage]) -> Damage:
    return pair[1]


@pytest.mark.parametrize("content", [b"", b"text", bytes(range(256)), b"\0" * 100_000])
async def test_bytes_come_back_by_their_digest(blobs, content):
    digest = await blobs.put(content)

    assert digest == hashlib.sha256(content).hexdigest()
    assert await blobs.get(digest) == content


async def test_the_same_bytes_are_put_again_under_the_same_digest(blobs):
    assert await blobs.put(b"text") == await blobs.put(b"text")
    assert await blobs.get(await blobs.put(b"text")) == b"text"


async def test_the_same_bytes_put_by_many_at_once_are_kept(blobs):
    async with anyio.create_task_group() as tasks:
        for _ in range(10):
            tasks.start_soon(blobs.put, b"text")

    assert await blobs.get(Digest(hashlib.sha256(b"text").hexdigest())) == b"text"


@pytest.mark.parametrize("digest", ["0" * 64, "", "../../etc/passwd", "AB" * 32])
async def test_what_was_never_put_is_missing(blobs, digest):
    with pytest.raises(MissingError):
        await blobs.get(Digest(digest))


@pytest.mark.parametrize("content", [b"", b"texT", b"text and more", b"\0" * 4])
async def test_other_bytes_than_were_put_are_corrupt(blobs, damage, content):
    """D07: a file of NULs is damage, for that one blob."""
    digest, sibling = await blobs.put(b"text"), await blobs.put(b"sibling")
    damage(digest, content)

    with pytest.raises(CorruptError):
        await blobs.get(digest)
    assert await blobs.get(sibling) == b"sibling"


async def test_putting_the_bytes_again_mends_a_damaged_blob(blobs, damage):
    digest = await blobs.put(b"text")
    damage(digest, b"\0\0\0\0")

    await blobs.put(b"text")

    assert await blobs.get(digest) == b"text"
