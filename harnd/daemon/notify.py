"""Notify: what the service manager is told about this daemon, in the datagrams of sd_notify(3).

Nobody is told anything when no manager started us, and a manager that is gone is never an error.  Pings for its
watchdog come from the event loop and from nowhere else: a loop that is stuck must not be kept alive by a thread.
"""

import socket
import time
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from typing import Final, Self

import anyio

EXTEND_S: Final = 30  # how much longer a start may take, each time that it is said
EXTEND_EVERY_S: Final = 10.0
EXTENSIONS: Final = 90  # a recovery that takes longer than this many together hangs, and is for the manager to end
PATIENCE_S: Final = 1.0  # with a manager that does not read, for what is said only once
US: Final = 1_000_000  # microseconds in a second
DIGITS: Final = 18  # of microseconds; what is longer is no time that anybody meant


class ServiceManager:
    """Whoever started this daemon and wants to hear of it, if anybody does."""

    def __init__(
        self, address: str | None, *, watchdog_s: float | None = None, monotonic: Callable[[], int] = time.monotonic_ns
    ) -> None:
        """Speak to a socket: a path, or `@` and an abstract name."""
        self._address = "\0" + address[1:] if address and address.startswith("@") else address
        self._watchdog_s = watchdog_s
        self._monotonic = monotonic
        self._starts = True

    @classmethod
    def taken_from(cls, environment: MutableMapping[str, str], *, pid: int) -> Self:
        """Find the manager in the environment, and remove it from there: no child may speak in our name."""
        address = environment.pop("NOTIFY_SOCKET", "")
        limit, whose = environment.pop("WATCHDOG_USEC", ""), environment.pop("WATCHDOG_PID", "")
        watched = limit.isdecimal() and len(limit) <= DIGITS and int(limit) > 0 and whose in {"", str(pid)}
        return cls(address if address[:1] in {"/", "@"} else None, watchdog_s=int(limit) / US if watched else None)

    def __repr__(self) -> str:
        listens = repr(self._address) if self.listens else "nobody"
        return f"<ServiceManager {listens} watchdog={self._watchdog_s}>"

    @property
    def listens(self) -> bool:
        """Tell whether there is one."""
        return self._address is not None

    # --- the life of the daemon

    def ready(self, status: str) -> None:
        """Say that clients are answered, at first or again after a reload."""
        self._starts = False
        self._say("READY=1", _status(status), patience_s=PATIENCE_S)

    def reloading(self, status: str) -> None:
        """Say that the configuration is read again; `ready` ends it."""
        now = f"MONOTONIC_USEC={self._monotonic() // 1_000}"
        self._say("RELOADING=1", now, _status(status), patience_s=PATIENCE_S)

    def stopping(self, status: str, *, within_s: int) -> None:
        """Say that the daemon ends, and how long that may take."""
        self._starts = False
        self._say("STOPPING=1", f"EXTEND_TIMEOUT_USEC={within_s * US}", _status(status), patience_s=PATIENCE_S)

    def status(self, status: str) -> None:
        """Say in one line how things stand."""
        self._say(_status(status))

    # --- time

    async def keep_waiting(self) -> None:
        """Ask for more time to start, again and again but not for ever, and return when it is not wanted any more."""
        for _ in range(EXTENSIONS if self.listens else 0):
            if not self._starts:
                return
            self._say(f"EXTEND_TIMEOUT_USEC={EXTEND_S * US}")
            await anyio.sleep(EXTEND_EVERY_S)

    async def keep_watchdog(self) -> None:
        """Ping the watchdog at half its limit, until cancelled; return at once when there is none."""
        if not self.listens or self._watchdog_s is None:
            return
        while True:
            self._say("WATCHDOG=1")
            await anyio.sleep(self._watchdog_s / 2)

    # --- the socket

    def _say(self, *lines: str, patience_s: float = 0) -> None:
        if self._address is None:
            return
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as speaker:
            speaker.settimeout(patience_s)
            speaker.sendto("\n".join(lines).encode("utf-8", "replace"), self._address)


def _status(line: str) -> str:
    # One line and nothing that acts: it is shown on terminals, and a line feed would begin another message.
    return "STATUS=" + "".join(each if each.isprintable() else " " for each in line)
