"""Goals: a row each, or one in full with where it stands, what was frozen and what came of it."""

from collections import Counter

import anyio

from harnd.daemon.queries import inbox, work
from harnd.daemon.queries.about import Sources
from harnd.domain.goal.automation import decided_unasked
from harnd.domain.goal.goal import Ending, Goal, Milestone
from harnd.domain.goal.inbox import asks
from harnd.domain.goal.intent import Criterion, Parent
from harnd.domain.goal.position import position
from harnd.domain.goal.work import Standing
from harnd.ports import store
from harnd.ports.errors import PortError
from protocol.ids import CommitId, goal_branch
from protocol.requests import ListGoals, ShowGoal
from protocol.values import NextAction, Phase, PlanStatus, Unit
from protocol.views import (
    CriterionView,
    GoalList,
    GoalRow,
    GoalView,
    InboxItem,
    InheritedView,
    MilestoneView,
    ParentView,
    PlanCounts,
)

GIT_S = 5.0  # to say where a branch is; a repository on a dead disk must not hold up an answer


async def listed(sources: Sources, request: ListGoals) -> GoalList:
    """List goals from their rows."""
    rows = [row for row in await sources.world.store.goals() if request.archived or not row.archived]
    waiting = Counter(row.goal for row in await sources.world.store.inbox())
    return GoalList(tuple(_row(row, waiting[row.goal]) for row in rows))


async def shown(sources: Sources, request: ShowGoal) -> GoalView:
    """Show one goal in full."""
    goal = await sources.goals.load(request.goal)
    row = await sources.world.store.row(request.goal)
    now = sources.now()
    where = position(goal, now)
    intent, mission = goal.intent, goal.intent.mission
    parked = row.parked if row else None
    items = [inbox.with_stakes(goal, inbox.item(intent.goal, ask)) for ask in asks(goal, now)]
    waiting = tuple([await inbox.foretold(sources, goal, each) for each in items])
    return GoalView(
        goal=intent.goal,
        title=intent.title,
        phase=where.phase,
        next_action=where.next_action,
        reason=where.reason,
        since=goal.since,
        would_change=where.would_change,
        wake_at=where.wake_at if parked is None else None,
        parked=parked,
        repository=intent.repository,
        branch=goal_branch(intent.goal),
        head=await _head(sources, goal),
        base_ref=intent.base_ref,
        base_commit=intent.base_commit,
        planner=intent.replanning.planner if intent.replanning else None,
        labels=intent.labels,
        objective=mission.objective if mission else None,
        acceptance=criteria(mission.acceptance if mission else ()),
        invariants=criteria(mission.invariants if mission else ()),
        non_goals=criteria(mission.non_goals if mission else ()),
        intent_digest=goal.intent_digest,
        generation=goal.generation,
        milestones=tuple(_milestone(goal, milestone) for milestone in goal.milestones),
        plans=_counts(goal),
        work=tuple(work.row(goal, item, now) for item in goal.work.values()),
        attention=_with_parked(waiting, row),
        fence=sources.roster.fence(intent.goal),
        version=goal.version,
        archived=goal.archived,
        parent=_parent(intent.parent) if intent.parent else None,
        unasked=decided_unasked(intent),
    )


def criteria(found: tuple[Criterion, ...]) -> tuple[CriterionView, ...]:
    """Write criteria."""
    return tuple(CriterionView(criterion.id, criterion.text) for criterion in found)


def _parent(parent: Parent) -> ParentView:
    return ParentView(
        goal=parent.goal,
        intent_digest=parent.intent,
        head=parent.head,
        accepted=tuple(InheritedView(one.work, one.title, one.proof, one.commit) for one in parent.accepted),
    )


def _row(row: store.GoalRow, waiting: int) -> GoalRow:
    return GoalRow(
        goal=row.goal,
        title=row.title,
        phase=Phase(row.phase),
        next_action=NextAction(row.next_action),
        reason=row.reason,
        since=row.since,
        wake_at=row.wake_at if row.parked is None else None,
        waiting=waiting + (row.parked is not None),
        parked=row.parked,
        archived=row.archived,
    )


def _with_parked(waiting: tuple[InboxItem, ...], row: store.GoalRow | None) -> tuple[InboxItem, ...]:
    return waiting if row is None or row.parked is None else (*waiting, inbox.parked_item(row))


async def _head(sources: Sources, goal: Goal) -> CommitId | None:
    with anyio.move_on_after(GIT_S):
        try:
            return await sources.world.workspace.branch(goal.intent.repository, goal.intent.goal)
        except PortError:  # not made yet, or out of reach: either way it is not known
            return None
    return None


def _milestone(goal: Goal, milestone: Milestone) -> MilestoneView:
    return MilestoneView(
        sequence=milestone.sequence,
        title=milestone.title,
        objective=milestone.objective,
        acceptance=criteria(milestone.acceptance),
        plan=milestone.plan,
        outcome=_outcome(goal, milestone),
    )


def _outcome(goal: Goal, milestone: Milestone) -> str | None:
    if goal.work[milestone.root].standing is Standing.INTEGRATED:
        return "met"
    return "given up with the goal" if goal.ending is Ending.CANCELLED else None


def _counts(goal: Goal) -> PlanCounts:
    return PlanCounts(
        requested=len(goal.plans),
        applied=goal.generation,
        rejected=len(goal.rejected()),
        failed=sum(plan.status is PlanStatus.FAILED for plan in goal.plans),
        max_requests=goal.limit(Unit.PLANNER_CALLS),
        max_milestones=goal.limit(Unit.MILESTONES),
    )
