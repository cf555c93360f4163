"""Blobs: large texts by their digest, beside the database.

A blob is whole, private and durable when `put` returns, and checked against its digest whenever it is read.  Blobs are
never changed.  One that is put again counts as written again, so that it is not let go a moment before an event names
it.
"""

import hashlib
import os
import secrets
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import anyio.lowlevel
import anyio.to_thread

from harnd.adapters.store.files import private_directory, sync_directory, write_private
from harnd.ports.errors import CorruptError, MissingError, UnavailableError
from harnd.ports.keeping import Kept
from protocol.ids import DIGEST, Digest, matches
from protocol.values import Instant

_DRAFTS: Final = "drafts"


class FileBlobs:
    """Blobs in files under one directory, `ab/cdef…` by digest; made by whoever holds the state directory's lock."""

    def __init__(self, root: Path) -> None:
        self._root = root
        private_directory(root)
        private_directory(root / _DRAFTS)
        self._turn = threading.Lock()  # putting a blob and letting it go are not done at once
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

    async def inventory(self) -> tuple[Kept, ...]:
        """Return every blob by its digest."""
        with _translated():
            return await anyio.to_thread.run_sync(self._inventory)

    async def let_go(self, name: str, *, written_before: Instant) -> bool:
        """Remove a blob unless it was put since; tell whether it is gone."""
        with _translated():
            return await anyio.to_thread.run_sync(self._let_go, Digest(name), written_before)

    def _put(self, content: bytes) -> Digest:
        digest = _digest(content)
        path = self._path(digest)
        with self._turn:
            private_directory(path.parent)
            if path.exists() and path.read_bytes() == content:
                os.utime(path)
                sync_directory(path.parent)  # whoever wrote it may have died between the rename and this
            else:
                # Also over a damaged one: the bytes at hand are what its name promises.
                write_private(path, content, draft=self._root / _DRAFTS / secrets.token_hex(16))
        return digest

    def _inventory(self) -> tuple[Kept, ...]:
        found: list[Kept] = []
        for path in self._root.glob("[0-9a-f][0-9a-f]/*"):
            digest, status = path.parent.name + path.name, path.stat()
            if matches(DIGEST, digest):
                found.append(Kept(digest, status.st_blocks * 512, Instant(status.st_mtime_ns // 1_000)))
        return tuple(sorted(found, key=lambda kept: kept.name))

    def _let_go(self, digest: Digest, before: Instant) -> bool:
        path = self._path(digest)
        with self._turn:
            if path.exists() and path.stat().st_mtime_ns // 1_000 >= before:
                return False
            path.unlink(missing_ok=True)
        return True

    def _get(self, digest: Digest) -> bytes:
        return _checked(digest, self._path(digest).read_bytes())

    def _path(self, digest: Digest) -> Path:
        if not matches(DIGEST, digest):  # it becomes a path
            raise MissingError(f"{digest!r} is no digest")
        return self._root / digest[:2] / digest[2:]


class MemoryBlobs:
    """Blobs in a dictionary, for simulations; they live as long as it does, daemons may come and go."""

    def __init__(self, now: Callable[[], Instant] = lambda: Instant(0)) -> None:
        self.kept: dict[Digest, bytes] = {}
        self.written: dict[Digest, Instant] = {}
        self._now = now

    async def put(self, content: bytes) -> Digest:
        """Keep the bytes and return their digest."""
        await anyio.lowlevel.checkpoint()
        digest = _digest(content)
        self.kept[digest] = content
        self.written[digest] = self._now()
        return digest

    async def inventory(self) -> tuple[Kept, ...]:
        """Return every blob by its digest."""
        await anyio.lowlevel.checkpoint()
        return tuple(Kept(name, len(self.kept[name]), self._written_at(name)) for name in sorted(self.kept))

    async def let_go(self, name: str, *, written_before: Instant) -> bool:
        """Remove a blob unless it was put since; tell whether it is gone."""
        await anyio.lowlevel.checkpoint()
        digest = Digest(name)
        if digest in self.kept and self._written_at(digest) >= written_before:
            return False
        self.kept.pop(digest, None)
        return True

    def _written_at(self, digest: Digest) -> Instant:
        return self.written.get(digest, Instant(0))

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
