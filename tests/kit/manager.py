"""A service manager as a daemon sees it: a real datagram socket, and everything that was said to it."""

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE_S = 40.0


class Manager:
    """Hears what is said at a socket, which has a path or (`@…`) an abstract name."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.heard: list[dict[str, str]] = []
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind("\0" + address[1:] if address.startswith("@") else address)

    @property
    def environ(self) -> dict[str, str]:
        return {"NOTIFY_SOCKET": self.address}

    def next(self, within_s: float = PATIENCE_S) -> dict[str, str] | None:
        """Wait for the next message; None when there is none."""
        self._socket.settimeout(within_s)
        try:
            said = self._socket.recv(65536).decode()
        except (TimeoutError, BlockingIOError):
            return None
        self.heard.append(dict(line.split("=", 1) for line in said.split("\n")))
        return self.heard[-1]

    def waiting(self) -> list[dict[str, str]]:
        """Take what has come in and was not taken yet."""
        return list(iter(lambda: self.next(0), None))

    def wait_for(self, key: str, *, value: str | None = None) -> dict[str, str]:
        """Wait for a message that has this key, and this text in its value; those before it are in `heard`."""
        deadline = time.monotonic() + PATIENCE_S
        while (left := deadline - time.monotonic()) > 0:
            message = self.next(left)
            if message is not None and key in message and (value is None or value in message[key]):
                return message
        raise AssertionError(f"nobody said {key} {value or ''}: {self.heard}")

    def close(self) -> None:
        self._socket.close()
        if not self.address.startswith("@"):
            Path(self.address).unlink()


@contextmanager
def manager(address: str | Path) -> Iterator[Manager]:
    made = Manager(os.fspath(address))
    try:
        yield made
    finally:
        made.close()
