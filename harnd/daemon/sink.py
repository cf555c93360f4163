"""The sink: where the log goes, which is a descriptor, and never a reason to fail.

A disk that is full and a reader that is gone take nothing, and the daemon goes on without them: what cannot be written
is dropped and counted, and the count is the first thing said when writing works again.  A line that was begun and could
not be finished counts as dropped, and is ended before the next.  A reader that is only slow is waited for.

To the journal of a service manager a line begins with its priority (sd-daemon(3)), and bears no time of ours.
"""

import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final

_STANDARD: Final = range(3)
_ERROR: Final = 3  # priorities of syslog(3)
_WARNING: Final = 4
_INFO: Final = 6
_DEBUG: Final = 7


def is_journal(descriptor: int, environment: Mapping[str, str]) -> bool:
    """Tell whether what is written there goes to the journal: its stream is named by device and inode."""
    try:
        found = os.fstat(descriptor)
    except OSError:
        return False
    return environment.get("JOURNAL_STREAM") == f"{found.st_dev}:{found.st_ino}"


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

    def __init__(self, descriptor: int, *, journal: bool = False) -> None:
        self.journal = journal
        self._descriptor = descriptor
        self._dropped = 0
        self._unfinished = False
        self._turn = threading.Lock()

    def __repr__(self) -> str:
        return f"<Sink {self._descriptor} dropped={self._dropped}>"

    def debug(self, line: str) -> None:
        """Write a line, or count it; and so do the others."""
        self._take(line, _DEBUG)

    def info(self, line: str) -> None:
        """Write what happened."""
        self._take(line, _INFO)

    def warning(self, line: str) -> None:
        """Write what somebody should look at one day."""
        self._take(line, _WARNING)

    def error(self, line: str) -> None:
        """Write what somebody should look at."""
        self._take(line, _ERROR)

    msg = info
    critical = error

    def _take(self, line: str, priority: int) -> None:
        with self._turn:
            counted = not self._dropped or self._write(self._filed(self._count(), _WARNING))
            if not (counted and self._write(self._filed(line, priority))):
                self._dropped += 1

    def _filed(self, line: str, priority: int) -> str:
        return f"<{priority}>{line}" if self.journal else line

    def _count(self) -> str:
        said = f"level=warning event=log.dropped lines={self._dropped}"
        now = datetime.now(UTC).isoformat().replace("+00:00", "Z")
        return said if self.journal else f"timestamp={now} {said}"

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
