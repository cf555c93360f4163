"""The inbox: everything that waits for a person, each with the command that shows it."""

from typing import Final

import anyio
from msgspec.structs import replace

from harnd.daemon.queries.about import Sources
from harnd.daemon.queries.foretelling import GIT_S, told
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.growth import usual_extension
from harnd.domain.goal.inbox import Ask
from harnd.domain.goal.lookup import approval_numbered
from harnd.domain.verbs import verb
from harnd.ports.store import GoalRow, InboxRow
from protocol import subjects
from protocol.errors import Refusal
from protocol.ids import GoalId, WorkId
from protocol.values import Instant, Risk
from protocol.views import InboxItem, InboxKind, InboxView

FIRST: Final = (Risk.CRITICAL, Risk.HIGH)  # the risks that come before everything else


async def listed(sources: Sources) -> InboxView:
    """List what waits in all goals: what much hangs on, and then everything by its age."""
    # The cursor before the items: what is committed in between is told twice.  The other way round it would be missed.
    after = await sources.world.store.newest()
    asks = [item(row.goal, row) for row in await sources.world.store.inbox()]
    asks = await _foretold(sources, [await _with_stakes(sources, each) for each in asks])
    parked = [parked_item(row) for row in await sources.world.store.goals() if row.parked is not None]
    return InboxView(tuple(sorted((*asks, *parked), key=_by_risk_and_age)), after=after)


def _by_risk_and_age(one: InboxItem) -> tuple[int, Instant, GoalId]:
    # High and critical approvals expire within hours; what hangs on the rest is for its age to say.
    urgent = FIRST.index(one.risk) if one.risk in FIRST else len(FIRST)
    return urgent, one.since, one.goal


def with_stakes(goal: Goal, asked: InboxItem) -> InboxItem:
    """Add to what is said of an approval what is at stake, and until when it can be given."""
    number = subjects.approval_in(asked.subject)
    if number is None:
        return asked
    approval = approval_numbered(goal, number)
    return replace(asked, risk=approval.risk, expires_at=approval.expires_at)


async def foretold(sources: Sources, goal: Goal, asked: InboxItem) -> InboxItem:
    """Add to what is said of work in review that it would clash, when it would."""
    work = goal.work.get(WorkId(asked.subject)) if asked.kind is InboxKind.WORK else None
    paths = await sources.foreteller.clashes(goal, work) if work is not None else None
    return replace(asked, summary=f"{asked.summary}; {told(goal, paths)}") if paths else asked


async def _with_stakes(sources: Sources, asked: InboxItem) -> InboxItem:
    if asked.kind is not InboxKind.APPROVAL:
        return asked
    try:
        return with_stakes(await sources.goals.load(asked.goal), asked)
    except Refusal:  # it cannot be read, which is said elsewhere
        return asked


async def _foretold(sources: Sources, asked: list[InboxItem]) -> list[InboxItem]:
    said = list(asked)
    with anyio.move_on_after(GIT_S):  # for all together; what git does not tell by then is not said
        for index, each in enumerate(asked):
            if each.kind is not InboxKind.WORK:
                continue
            try:
                goal = await sources.goals.load(each.goal)
            except Refusal:  # it cannot be read, which is said elsewhere
                continue
            said[index] = await foretold(sources, goal, each)
    return said


def item(goal: GoalId, ask: Ask | InboxRow) -> InboxItem:
    """Write one thing that waits, from the state of its goal or from a row."""
    return InboxItem(
        goal=goal,
        kind=InboxKind(ask.kind),
        subject=ask.subject,
        summary=ask.summary,
        since=ask.since,
        digest=ask.digest,
        verb=_verb(goal, ask),
    )


def parked_item(row: GoalRow) -> InboxItem:
    """Write that a goal's supervisor gave up."""
    return InboxItem(
        goal=row.goal,
        kind=InboxKind.PARKED,
        subject=row.goal,
        summary=f"harnd gave up on it: {row.parked}",
        since=row.since,
        digest=None,
        verb=verb("why", row.goal),
    )


def _verb(goal: GoalId, ask: Ask | InboxRow) -> str:
    if (plan := subjects.plan_in(ask.subject)) is not None:
        return verb("plan", "show", goal, plan)
    if (approval := subjects.approval_in(ask.subject)) is not None:
        return verb("approval", "show", goal, approval)
    if (work := subjects.work_in(ask.subject)) is not None:
        return verb("work", "show", goal, work)
    if (unit := subjects.budget_in(ask.subject)) is not None:
        return usual_extension(goal, unit)
    return verb("why", goal)
