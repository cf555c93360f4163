"""Captures: one stream of an agent each, its first bytes in a file, its last in memory, all of them counted.

However much an agent writes, a capture holds two tails of memory and one cap of disk.
"""

import os

CHUNK = 1 << 16


class Capture:
    """What comes out of one pipe."""

    def __init__(self, pipe: int, file: int, *, cap: int, tail: int) -> None:
        self.pipe = pipe
        self.total = 0
        self.open = True
        self._file = file
        self._cap = cap
        self._tail_size = tail
        self._tail = bytearray()
        os.set_blocking(pipe, False)

    def take(self) -> bytes | None:
        """Take what is there, at most one chunk; empty at the end of the stream, None when there is nothing now."""
        try:
            chunk = os.read(self.pipe, CHUNK)
        except BlockingIOError:
            return None
        if not chunk:
            self.open = False
        self._keep(chunk)
        return chunk

    def _keep(self, chunk: bytes) -> None:
        _write_all(self._file, chunk[: max(0, self._cap - self.total)])
        self.total += len(chunk)
        self._tail += chunk
        if len(self._tail) > 2 * self._tail_size:
            del self._tail[: -self._tail_size]

    def drain(self) -> None:
        """Take what lies in the pipe after the last writer died, without waiting and without end."""
        # A descriptor can have been handed to a stranger who keeps writing: a pipe holds a mebibyte at most.
        for _ in range((1 << 20) // CHUNK + 1):
            if not self.open or self.take() is None:
                return

    def close(self, tail_file: int | None) -> None:
        """Put everything on disk; beyond the cap the tail goes to a file of its own."""
        if tail_file is not None:
            _write_all(tail_file, bytes(self._tail[-self._tail_size :]))
            os.fsync(tail_file)
        os.fsync(self._file)

    @property
    def overflowed(self) -> bool:
        """Tell whether the file lacks something."""
        return self.total > self._cap


def _write_all(file: int, chunk: bytes) -> None:
    while chunk:
        chunk = chunk[os.write(file, chunk) :]
