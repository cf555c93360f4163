"""The router: what is read goes to the queries, what changes goes to the changes."""

from harnd.daemon.changes import Changes
from harnd.daemon.principal import Principal
from harnd.daemon.queries import Queries
from protocol.requests import Change, ReplyT, Request


class Router:
    """The handler behind the server."""

    def __init__(self, queries: Queries, changes: Changes) -> None:
        self._queries = queries
        self._changes = changes

    async def handle(self, request: Request[ReplyT], principal: Principal) -> ReplyT:
        """Answer a request; raises what `Handler` says."""
        if isinstance(request, Change):
            reply: ReplyT = await self._changes.make(request, principal)
            return reply
        return await self._queries.answer(request)
