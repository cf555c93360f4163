"""The desk: one request in, one view out.  Which module answers it is all that is decided here."""

from typing import Any, cast

import msgspec

from harnd.daemon.gc import Collector
from harnd.daemon.loading import Loader
from harnd.daemon.queries import (
    approvals,
    budget,
    doctor,
    events,
    goals,
    inbox,
    plans,
    processes,
    status,
    why,
    work,
    work_diff,
    work_log,
)
from harnd.daemon.queries.about import About, Configured, Sources, Supervisors
from harnd.daemon.queries.foretelling import Foreteller
from harnd.ports.world import World
from protocol import requests as ask
from protocol.errors import Refusal
from protocol.requests import ReplyT, Request


class Queries:
    """Answers requests that change nothing."""

    def __init__(self, world: World, *, roster: Supervisors, about: About, configuration: Configured) -> None:
        goals, foreteller = Loader(world.store), Foreteller(world.workspace)
        self._from = Sources(world, roster, about, goals, configuration, foreteller)
        self._collector = Collector(world, self._from.goals, about.state_dir)

    def __repr__(self) -> str:
        return f"<Queries {self._from.goals!r}>"

    async def answer(self, request: Request[ReplyT]) -> ReplyT:
        """Answer; raises `Refusal`, and what the store raises."""
        # `protocol.methods` pairs each request with its reply; a `match` cannot say so to a type checker.
        return cast("ReplyT", await self._view(request))

    async def _view(self, request: Request[Any]) -> msgspec.Struct:
        match request:
            case ask.ListGoals():
                return await goals.listed(self._from, request)
            case ask.ShowGoal():
                return await goals.shown(self._from, request)
            case ask.ListPlans():
                return await plans.listed(self._from, request)
            case ask.ShowPlan():
                return await plans.shown(self._from, request)
            case ask.ListWork():
                return await work.listed(self._from, request)
            case ask.ShowWork():
                return await work.shown(self._from, request)
            case ask.ShowWorkLog():
                return await work_log.shown(self._from, request)
            case ask.ShowWorkDiff():
                return await work_diff.shown(self._from, request)
            case ask.ListApprovals():
                return await approvals.listed(self._from, request)
            case ask.ShowApproval():
                return await approvals.shown(self._from, request)
            case ask.ListInbox():
                return await inbox.listed(self._from)
            case ask.ShowWhy():
                return await why.shown(self._from, request)
            case ask.ShowBudget():
                return await budget.shown(self._from, request)
            case ask.ListEvents():
                return await events.listed(self._from, request)
            case ask.ListProcesses():
                return await processes.listed(self._from)
            case ask.ShowStatus():
                return await status.shown(self._from)
            case ask.ShowConfig():
                return self._from.configuration.view()
            case ask.ShowGc(older_than=older_than):
                return await self._collector.look(older_than)
            case ask.ShowDoctor():
                return await doctor.shown(self._from)
            case _:
                raise Refusal("request.unknown_method", f"{request.method} is no question")
