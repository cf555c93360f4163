"""The router: what is read goes to the queries, what changes goes to the changes."""

from typing import cast

from harnd.daemon.changes import Changes
from harnd.daemon.gc import Collector
from harnd.daemon.principal import Principal
from harnd.daemon.queries import Queries
from protocol.requests import Change, ReplyT, Request, RunGc


class Router:
    """The handler behind the server."""

    def __init__(self, queries: Queries, changes: Changes, collector: Collector) -> None:
        self._queries = queries
        self._changes = changes
        self._collector = collector

    async def handle(self, request: Request[ReplyT], principal: Principal) -> ReplyT:
        """Answer a request; raises what `Handler` says."""
        if isinstance(request, RunGc):  # of no goal, and nothing to remember: what is gone is gone
            return cast("ReplyT", await self._collector.collect(request.older_than))
        if isinstance(request, Change):
            reply: ReplyT = await self._changes.make(request, principal)
            return reply
        return await self._queries.answer(request)
