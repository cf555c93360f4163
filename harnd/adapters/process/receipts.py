"""Receipts and results: the directory of one effect key, as the daemon sees it.

`<state>/sessions/<name>/` holds `prompt`, `receipt`, `stdout`, `stderr`, `result` and `shim.log`.  The shim takes the
receipt and stores the result; here they are found, read, worded and, for a command that may run again, cleared away.
For a shim that was ended before it could, the result is stored here.
Everything in it is private: 0700, 0600.
"""

import hashlib
import os
import shutil
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

import msgspec

from harnd.adapters.process.text import NOTHING, decode
from harnd.ports.errors import CorruptError
from harnd.ports.sessions import Ending, Output
from protocol import bounds
from protocol.ids import Digest, EffectKey
from protocol.values import Instant, Micros

_LONGEST_NAME = 200  # file names end at 255 bytes


class Result(msgspec.Struct, frozen=True):
    """What the shim stored."""

    ending: Ending
    exit_code: int | None
    ran: Micros
    killed: int
    stdout: int  # bytes written, kept or not
    stderr: int
    what: str  # what was in the way when it was not started, or when its shim could store nothing
    errno: int


def name_of(key: EffectKey) -> str:
    """Name a key's directory: readable, one name for one key, never a path."""
    raw = key.encode("utf-8", "surrogatepass")
    name = quote(raw, safe="").replace("%2F", "+")  # `+` itself is quoted, so no two keys meet
    if len(name) > _LONGEST_NAME:
        digest = hashlib.sha256(raw).hexdigest()
        name = f"{name[: _LONGEST_NAME - len(digest)]}{digest}"
    return f"%2E{name[1:]}" if name.startswith(".") else name


class Home:
    """The directory of one effect key."""

    def __init__(self, sessions: Path, key: EffectKey) -> None:
        self.path = sessions / name_of(key)
        self.prompt = self.path / "prompt"
        self._receipt = self.path / "receipt"
        self._result = self.path / "result"

    def __repr__(self) -> str:
        return f"<Home {self.path.name}>"

    def make(self, prompt: str | None) -> None:
        """Make the directory and write the prompt; durable before the receipt is."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path.parent.chmod(0o700)
        if prompt is not None:
            with self._create("prompt") as file:
                file.write(prompt.encode("utf-8", "replace"))
        _sync(self.path.parent)

    def open_log(self) -> BinaryIO:
        """Open the file for what a shim says when it is broken; it says nothing else."""
        return self._create("shim.log")

    def _create(self, name: str) -> BinaryIO:
        return open(self.path / name, "wb", opener=_private)

    @property
    def taken(self) -> bool:
        """Tell whether the key was started."""
        return self._receipt.exists()

    def started(self) -> Instant | None:
        """Return when the receipt was taken, or None when the key was not started."""
        return _written(self._receipt)

    def ended(self) -> Instant | None:
        """Return when the result was stored, or None when there is none."""
        return _written(self._result)

    def spoke(self) -> Instant | None:
        """Return when the process last wrote, or None: nothing yet, or so much that what it writes is not kept."""
        files = [self.path / stream for stream in ("stdout", "stderr")]
        sizes = [file.stat().st_size for file in files if file.exists()]
        if not any(sizes) or max(sizes) >= bounds.OUTPUT_CAP_BYTES:
            return None
        return max((at for file in files if (at := _written(file)) is not None), default=None)

    def result(self) -> Result | None:
        """Return how the key ended, or None when it did not; raises `CorruptError`."""
        try:
            return msgspec.json.decode(self._result.read_bytes(), type=Result)
        except FileNotFoundError:
            return None
        except msgspec.MsgspecError as error:
            raise CorruptError(f"{self._result}: {error}") from error

    def store(self, ending: Ending, *, ran: Micros, killed: int, what: str = "") -> Result:
        """Store how the key ended, in place of a shim that no longer can; whole or not at all, and durable."""
        stdout, stderr = (self.output(stream).total_bytes for stream in ("stdout", "stderr"))
        result = Result(ending, None, ran, killed, stdout=stdout, stderr=stderr, what=what, errno=0)
        self.make(None)  # its agent may have removed it
        self._receipt.touch(mode=0o600)
        with self._create("result.new") as file:
            file.write(msgspec.json.encode(result))
            file.flush()
            os.fsync(file.fileno())
        (self.path / "result.new").replace(self._result)
        _sync(self.path)
        return result

    def output(self, stream: str, total: int | None = None) -> Output:
        """Read a stream of the agent, bounded; without a `total`, what was kept before the daemon died is all."""
        shown = bounds.OUTPUT_SHOWN_BYTES
        try:
            with (self.path / stream).open("rb") as file:
                digest = Digest(hashlib.file_digest(file, "sha256").hexdigest())
                kept = file.tell()
                file.seek(0)
                total = kept if total is None else total
                if total <= 2 * shown:
                    return Output(decode(file.read()), "", total, 0, digest)
                head = file.read(shown)
        except FileNotFoundError:
            return NOTHING
        return Output(decode(head), decode(self._last(stream, shown)), total, total - 2 * shown, digest)

    def _last(self, stream: str, size: int) -> bytes:
        """Read the end of a stream, from the file of its own that it has when it went beyond the cap."""
        beyond = self.path / f"{stream}.tail"
        with (beyond if beyond.exists() else self.path / stream).open("rb") as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(0, end - size))
            return file.read()

    def parts(self, stream: str) -> tuple[Path, Path | None]:
        """Return the file of a stream, and the file of its end when there is a gap between the two."""
        beyond = self.path / f"{stream}.tail"
        return self.path / stream, beyond if beyond.exists() else None

    def clear(self) -> None:
        """Forget that the key was ever started."""
        self._receipt.unlink(missing_ok=True)  # first and durable: half a directory must not look like a lost session
        _sync(self.path)
        shutil.rmtree(self.path)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _written(file: Path) -> Instant | None:
    try:
        return Instant(file.stat().st_mtime_ns // 1_000)
    except FileNotFoundError:
        return None


def _sync(directory: Path) -> None:
    fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
