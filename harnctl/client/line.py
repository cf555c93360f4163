"""Lines: one blocking connection that was welcomed, and the questions that go over it."""

import time
from pathlib import Path
from typing import Final

from harnctl.client.door import Peer, connect
from harnctl.client.errors import Late, Lost, ProtocolError, Refused, Unreachable
from harnctl.client.exchange import Exchange, opening
from harnctl.client.greeting import explain
from protocol.notices import Notice
from protocol.replies import Welcome
from protocol.requests import ReplyT, Request

GREETING_S: Final = 5.0  # to connect and be welcomed
ANSWER_S: Final = 60.0  # to be answered; the daemon answers from memory or one transaction
PIECE_BYTES: Final = 64 * 1024


class Line:
    """One connection that was welcomed."""

    def __init__(self, path: Path, *, greeting_s: float) -> None:
        """Connect and greet within `greeting_s`."""
        self._path = path
        self._exchange = Exchange()
        self._socket, peer = connect(path)
        try:
            self.welcome = self._greet(peer, greeting_s)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def ask(self, request: Request[ReplyT], *, within_s: float) -> ReplyT:
        """Send a request and wait for its reply."""
        deadline = time.monotonic() + within_s
        number, frame = self._exchange.ask(request)
        self._send(frame, deadline)
        while (reply := self._exchange.reply(number, request)) is None:
            self._receive(deadline)
        return reply

    def notice(self) -> Notice:
        """Wait for the next notice, for as long as it takes."""
        while (notice := self._exchange.notice()) is None:
            self._receive(None)
        return notice

    def _greet(self, peer: Peer, greeting_s: float) -> Welcome:
        try:
            return self.ask(opening(), within_s=greeting_s)
        except (Refused, ProtocolError) as error:
            raise explain(error, peer=peer, path=self._path) from error

    def _send(self, frame: bytes, deadline: float) -> None:
        self._wait_until(deadline)
        try:
            self._socket.sendall(frame)
        except (BrokenPipeError, ConnectionResetError):
            return  # the daemon hung up; why may still be read, and then comes the end
        except OSError as error:
            raise self._broken(error) from error

    def _receive(self, deadline: float | None) -> None:
        self._wait_until(deadline)
        try:
            data = self._socket.recv(PIECE_BYTES)
        except OSError as error:
            raise self._broken(error) from error
        self._exchange.receive(data)

    def _wait_until(self, deadline: float | None) -> None:
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            raise late(self._path)
        self._socket.settimeout(left)

    def _broken(self, error: OSError) -> Unreachable:
        return late(self._path) if isinstance(error, TimeoutError) else broken(self._path, error)


def late(path: Path) -> Late:
    """Say that no answer came in time."""
    return Late(f"the daemon at {path} does not answer in time", fix="harnctl doctor")


def broken(path: Path, error: BaseException) -> Lost:
    """Say that a connection ended otherwise than by being closed."""
    return Lost(f"the connection to {path} broke: {getattr(error, 'strerror', None) or 'reset by the other end'}")
