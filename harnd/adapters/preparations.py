"""Preparations on disk: `prepared/<name>/<number>` below the state directory, with a manifest beside what is whole.

A directory is built where it stays, since what is built into it may name its own path.  It counts from the moment at
which the manifest is renamed into place; before, and when its digest differs from that of what lies there, it is as if
it were not there.  Whoever still uses one that somebody changed keeps it: what is left over goes when the next daemon
is first asked for the name, by when nothing of an earlier one runs.

The manifest is dated whenever its directory is used, which is what `let_go` goes by.  A name that is let go is renamed
before anything of it is removed, so that half of it never counts; what is left of it goes the next time.

It is read through `describe`, which opens nothing but files and folders and follows no link.
"""

import errno
import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread
import msgspec

from harnd.adapters.process.turns import Turns
from harnd.ports.errors import UnavailableError
from harnd.ports.keeping import Kept
from harnd.ports.preparations import Build, Prepared
from protocol.ids import Digest, EffectKey
from protocol.values import Instant

_DEEPEST: Final = 100  # folders in one another, each of which is held open
_CHUNK: Final = 1024 * 1024
_MANIFEST: Final = "manifest.json"
_GONE: Final = ".gone-"  # no digest begins with a dot
_WRITING: Final = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


class Manifest(msgspec.Struct, frozen=True):
    """Which directory counts, and what it held when it was whole."""

    directory: str
    contents: Digest


class DirectoryPreparations:
    """The ports `Preparations` and `Keeping`, below a state directory."""

    def __init__(self, state: Path) -> None:
        self._root = state / "prepared"
        self._turns = Turns()
        self._known: set[Digest] = set()  # names whose leftovers of earlier daemons are gone

    def __repr__(self) -> str:
        return f"<DirectoryPreparations {self._root}>"

    async def contents(self, directory: str, files: tuple[str, ...]) -> Digest:
        """Digest what these files and folders hold, following no link."""
        try:
            return await anyio.to_thread.run_sync(_contents, Path(directory), files)
        except OSError as error:
            raise UnavailableError(f"{directory}: {error}") from error

    async def get(self, name: Digest, build: Build) -> Prepared | None:
        """Return the directory of a name, having it built when there is none that is as it was built."""
        home = self._root / name
        async with self._turns.of(EffectKey(name)):
            try:
                first = name not in self._known
                whole, others = await anyio.to_thread.run_sync(_found, home, first)
                self._known.add(name)
                if whole is not None:
                    return Prepared(str(whole))
                return await self._built(home, build, mended=others)
            except OSError as error:
                raise UnavailableError(f"{home}: {error}") from error

    async def inventory(self) -> tuple[Kept, ...]:
        """Return what is kept under every name, whole or not, with the last time that it was used."""
        try:
            return await anyio.to_thread.run_sync(_inventory, self._root)
        except OSError as error:
            raise UnavailableError(f"{self._root}: {error}") from error

    async def let_go(self, name: str, *, written_before: Instant) -> bool:
        """Remove what is kept under a name unless it is being built or was used since; tell whether it is gone."""
        key = EffectKey(name.removeprefix(_GONE))
        if self._turns.taken(key):
            return False
        async with self._turns.of(key):
            try:
                return await anyio.to_thread.run_sync(_let_go, self._root, name, written_before)
            except OSError as error:
                raise UnavailableError(f"{self._root / name}: {error}") from error

    async def _built(self, home: Path, build: Build, *, mended: bool) -> Prepared | None:
        path = await anyio.to_thread.run_sync(_begin, home)
        kept = False
        try:
            if await build(str(path)):
                await anyio.to_thread.run_sync(_seal, home, path)
                kept = True
        finally:
            if not kept:
                with anyio.CancelScope(shield=True):
                    await anyio.to_thread.run_sync(_remove, path)
        return Prepared(str(path), mended=mended) if kept else None


# --- one name


def _found(home: Path, first: bool) -> tuple[Path | None, bool]:  # noqa: FBT001 -- run in a thread, by position
    """Return the directory that is as it was built, and otherwise whether there was one that is not any more."""
    manifest = _manifest(home)
    whole = home / manifest.directory if manifest is not None else None
    changed = manifest is not None and whole is not None and _held(whole) != manifest.contents
    if whole is not None and not changed:
        os.utime(home / _MANIFEST)
    if first and home.is_dir():
        for path in home.iterdir():
            if path.is_dir() and (changed or path != whole):
                _remove(path)
    return (None if changed else whole), changed


def _held(path: Path) -> Digest | None:
    try:
        return _contents(path, ("",))
    except (FileNotFoundError, NotADirectoryError):
        return None  # somebody took it away


def _manifest(home: Path) -> Manifest | None:
    try:
        manifest = msgspec.json.decode((home / _MANIFEST).read_bytes(), type=Manifest)
    except (FileNotFoundError, msgspec.MsgspecError):
        return None
    return manifest if manifest.directory.isdigit() else None


def _begin(home: Path) -> Path:
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    taken = [int(path.name) for path in home.iterdir() if path.name.isdigit()]
    path = home / str(max(taken, default=0) + 1)
    path.mkdir(mode=0o700)
    return path


def _seal(home: Path, path: Path) -> None:
    """Take the right to write away, and have the directory count from now on."""
    for found in (path, *path.rglob("*")):
        status = found.lstat()
        # A file with a second name is somebody else's too, such as a package manager's store.
        shared = stat.S_ISREG(status.st_mode) and status.st_nlink > 1
        if not stat.S_ISLNK(status.st_mode) and not shared:
            found.chmod(stat.S_IMODE(status.st_mode) & ~_WRITING)
    manifest = Manifest(path.name, _contents(path, ("",)))
    written = home / f"{_MANIFEST}.new"
    with written.open("wb") as file:
        file.write(msgspec.json.encode(manifest))
        file.flush()
        os.fsync(file.fileno())
    written.replace(home / _MANIFEST)


def _remove(path: Path) -> None:
    if not path.is_dir():
        return
    for folder in (path, *(found for found in path.rglob("*") if found.is_dir() and not found.is_symlink())):
        folder.chmod(0o700)
    shutil.rmtree(path, ignore_errors=True)


# --- all names


def _inventory(root: Path) -> tuple[Kept, ...]:
    if not root.is_dir():
        return ()
    found = [_kept(home) for home in root.iterdir() if home.is_dir() and not home.is_symlink()]
    return tuple(sorted((kept for kept in found if kept is not None), key=lambda kept: kept.name))


def _kept(home: Path) -> Kept | None:
    """Weigh a name; one that goes while it is looked at is not there."""
    try:
        size = sum(path.lstat().st_blocks * 512 for path in (home, *home.rglob("*")))
        # What lies in it is dated by whatever built it, such as an archive that was unpacked.
        used = max(path.stat().st_mtime_ns for path in (home, home / _MANIFEST) if path.exists())
    except FileNotFoundError:
        return None
    return Kept(home.name, size, Instant(used // 1_000))


def _let_go(root: Path, name: str, before: Instant) -> bool:
    home = root / name
    if home.parent != root or name in {"", ".."}:
        return False
    kept = _kept(home) if home.is_dir() else None
    if kept is None:
        return True
    if kept.written_at >= before:
        return False
    gone = home if name.startswith(_GONE) else root / f"{_GONE}{name}"
    if gone != home:
        _remove(gone)
        home.rename(gone)
    _remove(gone)
    if gone.exists():
        raise OSError(errno.ENOTEMPTY, "it could not be removed whole", str(gone))
    return True


# --- what files hold


def _contents(directory: Path, files: tuple[str, ...]) -> Digest:
    digest = hashlib.sha256()
    for name in files:
        for word in (b"file", os.fsencode(name), *describe(directory, name)):
            digest.update(b"%d:%s," % (len(word), word))
    return Digest(digest.hexdigest())


def describe(directory: Path, name: str) -> Iterator[bytes]:
    """Yield words that differ when a file or folder of a directory differs: paths, kinds, rights and contents."""
    folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        *above, last = [part for part in name.split("/") if part] or ["."]
        for part in above:
            try:
                inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            except (FileNotFoundError, NotADirectoryError):
                yield b"absent"
                return
            os.close(folder)
            folder = inner
        yield from _entry(folder, last, b"")
    finally:
        os.close(folder)


def _entry(folder: int, name: str, path: bytes) -> Iterator[bytes]:
    try:
        status = os.lstat(name, dir_fd=folder)
    except FileNotFoundError:
        yield b"absent"
        return
    yield from (path, b"%o" % status.st_mode)
    if stat.S_ISLNK(status.st_mode):
        yield os.fsencode(os.readlink(name, dir_fd=folder))
    elif stat.S_ISREG(status.st_mode):
        yield _digest_of(folder, name)
    elif stat.S_ISDIR(status.st_mode):
        if path.count(b"/") > _DEEPEST:
            raise OSError(errno.ELOOP, "folders lie too deep in one another", os.fsdecode(path))
        inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
        try:
            with os.scandir(inner) as listing:
                names = sorted(entry.name for entry in listing)
            for found in names:
                yield from _entry(inner, found, path + b"/" + os.fsencode(found))
        finally:
            os.close(inner)


def _digest_of(folder: int, name: str) -> bytes:
    # Not to be held up by what took the file's place since it was looked at.
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    digest = hashlib.sha256()
    with open(descriptor, "rb", buffering=0) as file:  # noqa: PTH123 -- of a descriptor
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.digest()
