"""The sink: where the log goes, which is a descriptor, and never a reason to fail.

A disk that is full and a reader that is gone take nothing, and the daemon goes on without them: what cannot be written
is dropped and counted, and the count is the first thing said when writing works again.  A line that was begun and could
not be finished counts as dropped, and is ended before the next.  A reader that is only slow is waited for.
"""

import os
import threading
from contextlib import suppress
from datetime import UTC, datetime

_STANDARD = range(3)


def open_standard_streams() -> None:
    """Open on nothing what is closed of the standard descriptors: the next file or socket would take its number."""
    for descriptor in _STANDARD:
        try:
            os.fstat(descriptor)
        except OSError:
            opened = os.open(os.devnull, os.O_RDWR)  # the lowest that is free, which is this one
            os.set_inheritable(opened, True)  # noqa: FBT003 - it takes no keyword


class Sink:
    """A logger for structlog: whole lines to a descriptor, from any thread.  No method raises."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._dropped = 0
        self._unfinished = False
        self._turn = threading.Lock()

    def __repr__(self) -> str:
        return f"<Sink {self._descriptor} dropped={self._dropped}>"

    def msg(self, line: str) -> None:
        """Write a line, or count it."""
        with self._turn:
            if not ((not self._dropped or self._write(self._count())) and self._write(line)):
                self._dropped += 1

    debug = info = warning = error = critical = msg

    def _count(self) -> str:
        now = datetime.now(UTC).isoformat().replace("+00:00", "Z")
        return f"timestamp={now} level=warning event=log.dropped lines={self._dropped}"

    def _write(self, line: str) -> bool:
        rest = ("\n" * self._unfinished + line + "\n").encode("utf-8", "replace")
        whole = len(rest)
        with suppress(OSError):
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        self._unfinished = self._unfinished if len(rest) == whole else bool(rest)
        if not rest:
            self._dropped = 0  # whoever counts has said so by now: nothing is written before the count
        return not rest
