"""What the server asks of the rest of the shell: answers to requests, and who it is.

A handler never sees the wire: typed requests come in, typed replies go out, and `Refusal` says no.
"""

from dataclasses import dataclass
from typing import Protocol

from harnd.daemon.principal import Principal
from protocol.ids import InstanceId
from protocol.requests import ReplyT, Request


class Handler(Protocol):
    """Answers requests.  It is called for every request but those of the connection itself."""

    async def handle(self, request: Request[ReplyT], principal: Principal) -> ReplyT:
        """Answer; raises `Refusal`.

        A rule's `Rejected` and a port's errors may pass through.  Changes come from operators only.  It runs to its end
        also when the client has gone, and is cancelled only when the daemon stops and its time to drain is over.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Greeting:
    """What a client is told about this daemon."""

    daemon_version: str
    store_schema: int
    instance: InstanceId
    executable: str  # absolute path: named to a client that speaks no version in common
    pid: int
    capabilities: tuple[str, ...] = ()
