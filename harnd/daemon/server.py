"""The server: accepts connections, tells who each peer is, and ends in order.

It owns every connection's task and knows none of their requests.  One connection that fails, floods or stalls is no
other's business; a peer of another user, or one too many, is told so and let go.
"""

import os
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, TypeAlias

import anyio
import structlog
from anyio.abc import SocketAttribute, SocketListener, SocketStream, TaskGroup, TaskStatus
from structlog.typing import FilteringBoundLogger

from harnd.daemon.connection import Connection
from harnd.daemon.handler import Greeting, Handler
from harnd.daemon.principal import Principal, Role, identify
from protocol.bounds import AGENT_CONNECTIONS, CONNECTIONS, DRAIN_S
from protocol.errors import Refusal
from protocol.framing import write_frame

ACCEPT_AGAIN_S: Final = 1.0  # after the machine ran out of descriptors

Who: TypeAlias = Callable[[socket.socket], Principal]  # raises `Refusal` for a peer to be turned away

log: FilteringBoundLogger = structlog.get_logger()


def identify_here(peer: socket.socket) -> Principal:
    """Tell who connected to the daemon that this process is."""
    return identify(peer, uid=os.getuid(), daemon_pid=os.getpid())


class Server:
    """Serves clients on listening sockets until it is stopped."""

    def __init__(self, handler: Handler, *, greeting: Greeting, who: Who = identify_here) -> None:
        """Answer with `handler`; `who` tells the principal of a peer."""
        self._handler = handler
        self._greeting = greeting
        self._who = who
        self._connections: set[Connection] = set()
        self._stopped = anyio.Event()
        self._ended = anyio.Event()

    def __repr__(self) -> str:
        return f"<Server connections={len(self._connections)} stopped={self._stopped.is_set()}>"

    async def serve(
        self,
        listeners: Sequence[socket.socket],
        *,
        drain_s: float = DRAIN_S.default,
        task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED,
    ) -> None:
        """Accept until `stop`, then let running requests finish for up to `drain_s` seconds.

        Closes the listeners.  Being cancelled ends everything at once.
        """
        doors = [await SocketListener.from_socket(listener) for listener in listeners]
        try:
            async with anyio.create_task_group() as connections:
                for door in doors:
                    connections.start_soon(self._accept, door, connections)
                task_status.started()
                await self._stopped.wait()
                connections.cancel_scope.deadline = anyio.current_time() + drain_s
                for door in doors:
                    await door.aclose()
                for connection in self._connections:
                    connection.stop()
        finally:
            self._ended.set()

    def stop(self) -> None:
        """Accept and read nothing more."""
        self._stopped.set()

    async def end(self) -> None:
        """Stop, and return when the last answer is given; raises nothing and waits as long as `serve` does."""
        self.stop()
        await self._ended.wait()

    def announce(self, committed: int) -> None:
        """Tell subscribers that so many more events are committed and can be listed."""
        for connection in self._connections:
            connection.announce(committed)

    async def _accept(self, door: SocketListener, connections: TaskGroup) -> None:
        async with door:
            while not self._stopped.is_set():
                try:
                    stream = await door.accept()
                except anyio.ClosedResourceError:  # stopped
                    return
                except anyio.BrokenResourceError as error:  # out of descriptors or memory: what waits is not lost
                    log.warning("accept.failed", reason=str(error.__cause__))
                    await anyio.sleep(ACCEPT_AGAIN_S)
                else:
                    connections.start_soon(self._serve, stream)

    async def _serve(self, stream: SocketStream) -> None:
        try:
            await self._converse(stream)
        except Refusal as refusal:
            await _turn_away(stream, refusal)
        except Exception:
            log.exception("connection.failed")
            await anyio.aclose_forcefully(stream)

    async def _converse(self, stream: SocketStream) -> None:
        connection = self._admit(stream)
        self._connections.add(connection)
        try:
            await connection.run()
        finally:
            self._connections.discard(connection)

    def _admit(self, stream: SocketStream) -> Connection:
        if self._stopped.is_set():  # it was accepted a moment before
            raise Refusal("daemon.stopping", "the daemon is stopping", fix="try again when it has started again")
        principal = self._who(stream.extra_attributes[SocketAttribute.raw_socket]())
        agents = sum(connection.role is Role.AGENT for connection in self._connections)
        if len(self._connections) >= CONNECTIONS or (principal.role is Role.AGENT and agents >= AGENT_CONNECTIONS):
            raise Refusal("daemon.busy", "too many connections are open", fix="close one, or try again later")
        return Connection(stream, principal=principal, handler=self._handler, greeting=self._greeting)


async def _turn_away(stream: SocketStream, refusal: Refusal) -> None:
    """Say why and hang up.  Nothing was sent before, so the socket's buffer takes it without waiting."""
    frame = write_frame({"jsonrpc": "2.0", "id": None, "error": refusal.error()})
    with suppress(OSError):
        stream.extra_attributes[SocketAttribute.raw_socket]().send(frame)
    await anyio.aclose_forcefully(stream)
