"""Blobs: large texts by their digest, beside the database.

A blob is whole, private and durable when `put` returns, and checked against its digest whenever it is read.  Blobs are
never changed and never removed here.
"""

import hashlib
import secrets
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import anyio.lowlevel
import anyio.to_thread

from harnd.adapters.store.files import private_directory, sync_directory, write_private
from harnd.ports.errors import CorruptError, MissingError, UnavailableError
from protocol.ids import DIGEST, Digest, matches

_DRAFTS: Final = "drafts"


class FileBlobs:
    """Blobs in files under one directory, `ab/cdef…` by digest; made by whoever holds the state directory's lock."""

    def __init__(self, root: Path) -> None:
        self._root = root
        private_directory(root)
        private_directory(root / _DRAFTS)
        for draft in (root / _DRAFTS).iterdir():  # of a daemon that died in the middle
            draft.unlink()

    async def put(self, content: bytes) -> Digest:
        """Keep the bytes and return their digest."""
        with _translated():
            return await anyio.to_thread.run_sync(self._put, content)

    async def get(self, digest: Digest) -> bytes:
        """Return the bytes; raises `MissingError` or `CorruptError`."""
        with _translated():
            return await anyio.to_thread.run_sync(self._get, digest)

    def _put(self, content: bytes) -> Digest:
        digest = _digest(content)
        path = self._path(digest)
        private_directory(path.parent)
        if path.exists() and path.read_bytes() == content:
            sync_directory(path.parent)  # whoever wrote it may have died between the rename and this
        else:
            # Also over a damaged one: the bytes at hand are what its name promises.
            write_private(path, content, draft=self._root / _DRAFTS / secrets.token_hex(16))
        return digest

    def _get(self, digest: Digest) -> bytes:
        return _checked(digest, self._path(digest).read_bytes())

    def _path(self, digest: Digest) -> Path:
        if not matches(DIGEST, digest):  # it becomes a path
            raise MissingError(f"{digest!r} is no digest")
        return self._root / digest[:2] / digest[2:]


class MemoryBlobs:
    """Blobs in a dictionary, for simulations; they live as long as it does, daemons may come and go."""

    def __init__(self) -> None:
        self.kept: dict[Digest, bytes] = {}

    async def put(self, content: bytes) -> Digest:
        """Keep the bytes and return their digest."""
        await anyio.lowlevel.checkpoint()
        digest = _digest(content)
        self.kept[digest] = content
        return digest

    async def get(self, digest: Digest) -> bytes:
        """Return the bytes; raises `MissingError` or `CorruptError`."""
        await anyio.lowlevel.checkpoint()
        if digest not in self.kept:
            raise MissingError(f"there is no blob {digest}")
        return _checked(digest, self.kept[digest])


def _digest(content: bytes) -> Digest:
    return Digest(hashlib.sha256(content).hexdigest())


def _checked(digest: Digest, content: bytes) -> bytes:
    if _digest(content) != digest:
        raise CorruptError(f"blob {digest} holds other bytes than were put ({len(content)} of them)")
    return content


@contextmanager
def _translated() -> Generator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise MissingError(f"there is no {error.filename}") from error
    except OSError as error:
        raise UnavailableError(str(error)) from error
