"""The runner: errands carried out at a daemon, each answered by a message.

Reading and deciding have a connection each, so that a decision never waits behind a long log; following has a third.
A decision is sent under one key until it is answered, also by the next daemon: it is made once, or refused once.
"""

import time
from collections.abc import Awaitable, Callable
from math import inf
from pathlib import Path
from typing import Final, assert_never

import anyio
from msgspec.structs import replace

from harnctl.client import ClientError, new_key
from harnctl.client import Refused as Denied
from harnctl.client.aio import AsyncClient
from harnctl.client.following import Presence
from harnctl.client.patience import Patience
from harnctl.render.error import problems
from harnctl.tui import errands as owed
from harnctl.tui import messages as m
from harnctl.tui.model import Decision, Link
from harnctl.tui.things import ApprovalThing, GoalThing, Nothing, Page, PlanThing, Subject, Thing, WorkThing
from protocol.ids import GoalId, WorkId
from protocol.requests import (
    ListGoals,
    ListInbox,
    ListPlans,
    ReplyT,
    Request,
    ShowApproval,
    ShowBudget,
    ShowGoal,
    ShowPlan,
    ShowStatus,
    ShowWhy,
    ShowWork,
    ShowWorkDiff,
    ShowWorkLog,
)
from protocol.values import PlanDecision
from protocol.views import InboxView, PlanView

OTHER_DAEMON: Final = "daemon.other"
PATIENCE_S: Final = 5.0  # for what passes by itself, such as a store that is busy

Dispatch = Callable[[m.Message], None]
Editor = Callable[[owed.Write], Awaitable[m.Written | m.NotWritten]]


class Runner:
    """Carries errands out; `dispatch` takes what came of them."""

    def __init__(self, socket: Path, dispatch: Dispatch, editor: Editor) -> None:
        self._reads = AsyncClient(socket)
        self._decides = AsyncClient(socket)
        self._follows = AsyncClient(socket)
        self._dispatch = dispatch
        self._editor = editor
        self._state = ""  # the daemon's directory
        self._after = 0  # the last event that was told
        self._following: anyio.CancelScope | None = None

    async def aclose(self) -> None:
        """Hang up."""
        for client in (self._reads, self._decides, self._follows):
            await client.aclose()

    async def greet(self, patience_s: float) -> InboxView:
        """Read the inbox for the first time; raises `ClientError` when there is no daemon to look at."""
        self._state = (await self._reads.ask(ShowStatus(), patience_s=patience_s)).state_dir
        return await self._reads.ask(ListInbox(), patience_s=patience_s)

    async def follow(self, inbox: InboxView) -> None:
        """Tell of every event past an inbox, and of the daemon's coming and going, for ever.

        Raises `ProtocolError` when another kind of daemon comes back, and `Barred` when another user's does.
        """
        self._dispatch(m.Linked(Link.LIVE))
        self._after = inbox.after
        while True:
            with anyio.CancelScope() as self._following:
                async with self._follows.events(self._after, presence=self._presence, patience_s=inf) as events:
                    async for event in events:
                        self._after = event.seq
                        self._dispatch(m.Happened(event.goal))

    async def run(self, errand: owed.Errand) -> None:
        """Carry one errand out."""
        match errand:
            case owed.ReadInbox():
                self._dispatch(await self._inbox())
            case owed.Look(subject, page):
                self._dispatch(await self._looked(subject, page))
            case owed.ReadBudget(goal):
                self._dispatch(await self._budget(goal))
            case owed.Write():
                self._dispatch(await self._editor(errand))
            case owed.Send(decision):
                self._dispatch(await self._sent(decision))
            case owed.Quit():
                raise AssertionError("whoever has the screen ends it")
            case _:
                assert_never(errand)

    def _presence(self, there: Presence) -> None:
        self._dispatch(m.Linked(Link.LIVE if there is Presence.BACK else Link.GONE))

    # --- reading

    async def _inbox(self) -> m.Message:
        told = self._after  # before it is read: of what happens meanwhile the inbox need not know
        try:
            inbox, goals = await self._ask(ListInbox()), await self._ask(ListGoals())
            if inbox.after < told and self._following is not None:  # what came back begins anew
                self._after = inbox.after
                self._following.cancel()
            return m.Listed(inbox, goals)
        except ClientError as error:
            return m.NotListed(error.message)

    async def _looked(self, subject: Subject, page: Page) -> m.Message:
        try:
            return m.Looked(subject, page, await self._thing(subject, page))
        except ClientError as error:
            return m.NotLooked(subject, error.message)

    async def _thing(self, subject: Subject, page: Page) -> Thing:
        ask, goal = self._ask, subject.goal
        if subject.plan is not None:
            plan = await ask(ShowPlan(goal, subject.plan))
            return PlanThing(plan, await self._before(plan) if page is Page.DIFF else None)
        if subject.approval is not None:
            return ApprovalThing(await ask(ShowApproval(goal, subject.approval)))
        if subject.work is not None:
            return await self._work(goal, subject.work, page)
        return GoalThing(await ask(ShowGoal(goal)), await ask(ShowWhy(goal)), await ask(ShowBudget(goal)))

    async def _work(self, goal: GoalId, name: WorkId, page: Page) -> WorkThing:
        work = await self._ask(ShowWork(goal, name))
        match page:
            case Page.DIFF if all(attempt.commit is None for attempt in work.attempts):
                return WorkThing(work, diff=Nothing("No attempt has come to a commit yet."))
            case Page.DIFF:
                return WorkThing(work, diff=await self._part(ShowWorkDiff(goal, name)))
            case Page.LOG if not work.attempts:
                return WorkThing(work, log=Nothing("Nothing was tried yet."))
            case Page.LOG:
                return WorkThing(work, log=await self._part(ShowWorkLog(goal, name)))
            case _:
                return WorkThing(work)

    async def _before(self, plan: PlanView) -> PlanView | Nothing:
        """Return the last plan before this one that proposed work; nothing, without a reason, when it is the first."""
        listed = await self._ask(ListPlans(plan.goal))
        earlier = [row.plan for row in listed.plans if row.plan < plan.plan and row.decision is PlanDecision.APPLY]
        if not earlier:
            return Nothing("")
        return await self._part(ShowPlan(plan.goal, earlier[-1]))

    async def _part(self, request: Request[ReplyT]) -> ReplyT | Nothing:
        """Read a part of a thing, which is whole without it."""
        try:
            return await self._ask(request)
        except Denied as denied:
            return Nothing(denied.message)

    async def _ask(self, request: Request[ReplyT]) -> ReplyT:
        return await self._reads.ask(request, patience_s=PATIENCE_S)

    async def _budget(self, goal: GoalId) -> m.Message:
        try:
            return m.Budgeted(await self._ask(ShowBudget(goal)))
        except ClientError as error:
            return m.Refused(None, error.code, error.message, error.fix)

    # --- deciding

    async def _sent(self, decision: Decision) -> m.Message:
        request = replace(decision.request, key=new_key())
        patience = Patience(inf, now=time.monotonic())
        while True:
            try:
                return m.Decided(decision, await self._decides.ask(request))
            except ClientError as error:
                if (pause := patience.pause(error, now=time.monotonic())) is None:
                    return m.Refused(decision, error.code, error.message, error.fix, tuple(problems(error)))
            await anyio.sleep(pause)
            if (other := await self._other_state()) is not None:
                said = f"what answers now keeps its state in {other}: nothing is sent there"
                return m.Refused(decision, OTHER_DAEMON, said)

    async def _other_state(self) -> str | None:
        """Wait for a daemon; name its state directory when that is another than the one the person looked at."""
        status = await self._decides.ask(ShowStatus(), patience_s=inf)
        return status.state_dir if status.state_dir != self._state else None
