"""The operator of a world, played through the client: reads the inbox and decides as the mission says.

Decisions follow from the mission and from what the daemon shows, never from when it shows it.  Whatever the mission
does not foresee is no decision but the end of the world: a request that is refused, a goal that is parked, a budget
that is spent.
"""

from collections import Counter
from collections.abc import Awaitable, Callable

import anyio

from harnctl.client import new_key
from protocol.ids import Digest, GoalId, WorkId
from protocol.requests import (
    AcceptWork,
    ApprovePlan,
    CancelGoal,
    CancelWork,
    ListGoals,
    ListInbox,
    ListWork,
    RejectPlan,
    ReopenWork,
    RetryPlan,
    RetryWork,
    ShowGoal,
    ShowWork,
)
from protocol.values import NextAction, Phase, WorkState
from protocol.views import InboxItem, InboxKind, WorkRow
from tests.worlds.daemon import WorldDaemon
from tests.worlds.mission import Fate, Finding, Item, Kind, Mission, Planning, World, finding_about, guidance_for
from tests.worlds.story import Story

LOOK_S = 0.25  # at the latest, when nothing was heard
OVER = (Phase.SUCCEEDED, Phase.CANCELLED)
AT_REST = (WorkState.SUCCEEDED, WorkState.WAITING)


class Operator:
    """One person for all goals of a world."""

    def __init__(self, world: World, daemon: WorldDaemon, story: Story, begun: Callable[[str, str], bool]) -> None:
        """Take what is to be decided; `begun(goal, key)` tells whether an agent has begun on an item."""
        self._world = world
        self._ask = daemon.ask
        self._story = story
        self._begun = begun
        self._told: set[tuple[str, str]] = set()  # whose finding was told
        self._retried: Counter[tuple[str, str]] = Counter()
        self._met: set[tuple[str, str]] = set()  # whose clash is arranged: both sides were seen in review

    async def attend(self) -> None:
        """Decide until every goal has ended."""
        while True:
            heard = self._story.count
            for mission in await self._open():
                await self._attend(mission)
            if not await self._open():
                return
            with anyio.move_on_after(LOOK_S):
                await self._story.more_than(heard)

    async def _open(self) -> list[Mission]:
        rows = (await self._ask(ListGoals())).goals
        return [
            mission
            for row in rows
            for mission in (self._world.mission(row.goal),)
            if row.phase not in OVER or self._still_to_find(mission, Finding.FINISHED)
        ]

    async def _attend(self, mission: Mission) -> None:
        rows = {row.work.partition(".")[2]: row for row in (await self._ask(ListWork(GoalId(mission.goal)))).work}
        self._arrange_clashes(mission, rows)
        if await self._found(mission, rows):
            return
        mine = [item for item in (await self._ask(ListInbox())).items if item.goal == mission.goal]
        for asked in mine:
            await self._answer(mission, asked, rows)
        if mission.retries:  # nobody asks: harnd itself would try it again, after a pause
            for row in rows.values():
                if row.state is WorkState.BLOCKED:
                    await self._unblock(mission, row.work)
        await self._end(mission, rows, mine)

    # --- what is asked

    async def _answer(self, mission: Mission, asked: InboxItem, rows: dict[str, WorkRow]) -> None:
        answers: dict[InboxKind, Callable[[], Awaitable[None]]] = {
            InboxKind.PLAN: lambda: self._decide_plan(mission, asked),
            InboxKind.ATTENTION: lambda: self._answer_planner(mission, asked),
            InboxKind.WORK: lambda: self._decide_work(mission, asked, rows),
            InboxKind.BLOCKED: lambda: self._asked_to_unblock(mission, asked),
        }
        if asked.kind not in answers:
            raise _unforeseen(asked)
        await answers[asked.kind]()

    async def _decide_plan(self, mission: Mission, asked: InboxItem) -> None:
        goal, number, digest = asked.goal, _plan(asked), _digest(asked)
        match _planning(mission, asked):
            case Planning.REJECTED:
                guidance = guidance_for(f"plan {number}")
                await self._ask(RejectPlan(key=new_key(), goal=goal, plan=number, digest=digest, guidance=guidance))
            case Planning.APPLY | Planning.STUMBLE | Planning.COMPLETE:
                await self._ask(ApprovePlan(key=new_key(), goal=goal, plan=number, digest=digest))
            case _:
                raise _unforeseen(asked)

    async def _answer_planner(self, mission: Mission, asked: InboxItem) -> None:
        if _planning(mission, asked) not in (Planning.QUESTION, Planning.GARBAGE, Planning.MUTE):
            raise _unforeseen(asked)
        number = _plan(asked)
        guidance = guidance_for(f"plan {number}")
        await self._ask(RetryPlan(key=new_key(), goal=asked.goal, plan=number, guidance=guidance))

    async def _decide_work(self, mission: Mission, asked: InboxItem, rows: dict[str, WorkRow]) -> None:
        item = mission.item(asked.subject.partition(".")[2])
        if self._is_held(mission, item, rows):
            return
        if item.finding is Finding.IN_REVIEW and (mission.goal, item.key) not in self._told:
            await self._reopen(mission, item, WorkId(asked.subject))
            return
        view = await self._ask(ShowWork(asked.goal, WorkId(asked.subject)))
        said = {finding.id: "fixed" for finding in view.open_findings}
        doubts = tuple(doubt.name for doubt in view.doubts)
        if doubts != (("WC-1",) if item.template == Kind.FLAKY else ()):
            raise _unforeseen(asked)
        accept = AcceptWork(
            key=new_key(),
            goal=asked.goal,
            work=view.work,
            digest=_digest(asked),
            dispositions=said,
            acknowledged=doubts,
        )
        await self._ask(accept)

    async def _asked_to_unblock(self, mission: Mission, asked: InboxItem) -> None:
        if not mission.retries:
            await self._unblock(mission, WorkId(asked.subject))

    async def _unblock(self, mission: Mission, work: WorkId) -> None:
        item = mission.item(work.partition(".")[2])
        if item.fate is Fate.DONE:
            self._retried[mission.goal, item.key] += 1
            if self._retried[mission.goal, item.key] > mission.words_needed(item):
                raise AssertionError(f"nobody foresaw that {work} would be blocked once more")
            goal, guidance = GoalId(mission.goal), guidance_for(item.key)
            await self._ask(RetryWork(key=new_key(), goal=goal, work=work, guidance=guidance))

    # --- what the operator does unasked

    async def _found(self, mission: Mission, rows: dict[str, WorkRow]) -> bool:
        """Send work back that has come onto the goal's branch and is to be amended; tell whether there was some."""
        found = [
            item
            for item in await self._to_find_now(mission)
            if item.key in rows and rows[item.key].state is WorkState.SUCCEEDED
        ]
        for item in found:
            await self._reopen(mission, item, rows[item.key].work)
        return bool(found)

    async def _to_find_now(self, mission: Mission) -> list[Item]:
        late = self._still_to_find(mission, Finding.FINISHED)
        if late and (await self._ask(ShowGoal(GoalId(mission.goal)))).phase in OVER:
            return late
        return self._still_to_find(mission, Finding.INTEGRATED)

    def _still_to_find(self, mission: Mission, finding: Finding) -> list[Item]:
        return [
            item for item in mission.items() if item.finding is finding and (mission.goal, item.key) not in self._told
        ]

    async def _reopen(self, mission: Mission, item: Item, work: WorkId) -> None:
        finding = finding_about(item.key)
        await self._ask(ReopenWork(key=new_key(), goal=GoalId(mission.goal), work=work, findings=(finding,)))
        self._told.add((mission.goal, item.key))

    def _arrange_clashes(self, mission: Mission, rows: dict[str, WorkRow]) -> None:
        for item in mission.items():
            sides = [rows[key] for key in (item.key, item.clashes_with) if key in rows]
            if len(sides) == 2 and all(row.state is WorkState.IN_REVIEW for row in sides):
                self._met.add((mission.goal, item.key))

    def _is_held(self, mission: Mission, item: Item, rows: dict[str, WorkRow]) -> bool:
        """Tell whether to wait: two sides of a clash are begun on one base, and then accepted one after the other."""
        waits_for_other_side = any(
            other.clashes_with == item.key and (mission.goal, other.key) not in self._met for other in mission.items()
        )
        waits_for_first = bool(item.clashes_with) and rows[item.clashes_with].state is not WorkState.SUCCEEDED
        waits_for_finding = any(other.key in item.needs for other in self._still_to_find(mission, Finding.INTEGRATED))
        return waits_for_other_side or waits_for_first or waits_for_finding

    async def _end(self, mission: Mission, rows: dict[str, WorkRow], asked: list[InboxItem]) -> None:
        """Put an end to a goal once nothing but the item that it ends with can go on."""
        doomed = next((item for item in mission.items() if item.fate in (Fate.GIVEN_UP, Fate.ENDLESS)), None)
        if doomed is None or doomed.key not in rows:
            return
        goal, row = GoalId(mission.goal), rows[doomed.key]
        others_rest = all(
            each.state in AT_REST or mission.item(key).fate is Fate.LOST
            for key, each in rows.items()
            if key != doomed.key
        )
        if doomed.fate is Fate.GIVEN_UP and [each.subject for each in asked] == [row.work]:
            if (await self._ask(ShowGoal(goal))).next_action is NextAction.RESOLVE_BLOCKED:
                await self._ask(CancelWork(key=new_key(), goal=goal, work=row.work, reason="it is not worth it"))
                await self._ask(CancelGoal(key=new_key(), goal=goal, reason="not without it"))
        elif doomed.fate is Fate.ENDLESS and others_rest and self._begun(mission.goal, doomed.key):
            await self._ask(CancelGoal(key=new_key(), goal=goal, reason="it takes too long"))


def _plan(asked: InboxItem) -> int:
    return int(asked.subject.removeprefix("plan/"))


def _planning(mission: Mission, asked: InboxItem) -> Planning | None:
    number = _plan(asked)
    return mission.requests[number - 1].planning if number <= len(mission.requests) else None


def _unforeseen(asked: InboxItem) -> AssertionError:
    return AssertionError(f"nobody foresaw that this would be asked: {asked}")


def _digest(asked: InboxItem) -> Digest:
    if asked.digest is None:
        raise AssertionError(f"a decision must name a digest, and there is none: {asked}")
    return asked.digest
