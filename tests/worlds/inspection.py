"""Inspection: what came of a world, seen from outside: through the client, through git, and in the journal of agents.

`outcome` says in the oracle's words how a goal ended.  `left_over` says what must not be there once all goals have
ended: an empty list is how a world ends well.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import anyio

from harnd.adapters.store.chain import verify
from protocol.ids import GoalId
from protocol.requests import ShowBudget, ShowGoal, ShowWork
from protocol.values import AttemptOutcome, Unit, WorkState
from protocol.views import BudgetView, EventView, GoalView, WorkView
from tests.worlds.daemon import WorldDaemon
from tests.worlds.mission import World
from tests.worlds.oracle import Outcome, Tries
from tests.worlds.place import Place

TIDYING_S = 15.0  # for what was cancelled to be gone


async def outcome(daemon: WorldDaemon, place: Place, goal: str, events: Sequence[EventView]) -> Outcome:
    """Say how a goal ended."""
    view = await daemon.ask(ShowGoal(GoalId(goal)))
    budget = await daemon.ask(ShowBudget(GoalId(goal)))
    works = [await daemon.ask(ShowWork(GoalId(goal), row.work)) for row in view.work]
    return Outcome(
        phase=view.phase.value,
        tree=place.tree(view.branch),
        milestones=len(view.milestones),
        requests=view.plans.requested,
        accepted=tuple(sorted(work.work for work in works if work.state is WorkState.SUCCEEDED)),
        tries={work.work: _tries(work) for work in works},
        clashes=dict(_clashes(goal, events)),
        agent_calls=_spent(budget, Unit.AGENT_CALLS),
        attempts=_spent(budget, Unit.ATTEMPTS),
        acknowledged={work.work: work.acknowledged for work in works if work.acknowledged},
        red_first=tuple(sorted(work.work for work in works if _failed_first(work))),
    )


def _failed_first(work: WorkView) -> bool:
    """Tell whether accepted work was proved by what was seen to fail without it."""
    said = [evidence.said for criterion in work.criteria for evidence in criterion.evidence]
    return work.state is WorkState.SUCCEEDED and any("without the work it failed" in sentence for sentence in said)


def _tries(work: WorkView) -> Tries:
    paid = [attempt.outcome for attempt in work.attempts if attempt.charged]
    succeeded = paid.count(AttemptOutcome.SUCCEEDED)
    return Tries(failed=len(paid) - succeeded, succeeded=succeeded)


def _clashes(goal: str, events: Sequence[EventView]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for event in events:
        if event.goal == goal and event.tag.startswith("integration.parked/"):
            yield event.body["work"], tuple(event.body.get("paths", [event.body["detail"]]))


def _spent(budget: BudgetView, unit: Unit) -> int:
    return next(row.spent for row in budget.rows if row.unit is unit)


# --- what must not be


async def left_over(daemon: WorldDaemon, place: Place, world: World, events: Sequence[EventView]) -> list[str]:
    """Say everything that is not as it must be while the daemon is still there."""
    wrong = [*await _untidy(daemon, place)]
    wrong += [f"git fsck: {line}" for line in place.git("fsck", "--full", "--no-dangling").decode().splitlines()]
    for mission in world.missions:
        goal = GoalId(mission.goal)
        wrong += _astray(await daemon.ask(ShowGoal(goal)), place)
        wrong += _overspent(await daemon.ask(ShowBudget(goal)))
    wrong += unreachable(place, world, events)
    wrong += ended_twice(events)
    wrong += started_twice(place, world)
    return wrong


async def _untidy(daemon: WorldDaemon, place: Place) -> list[str]:
    """Wait a little for what a cancelled goal leaves to go by itself."""
    found: list[str] = []
    with anyio.move_on_after(TIDYING_S):
        while found := _remains(daemon, place):  # noqa: ASYNC110 - nobody tells when a process has ended
            await anyio.sleep(0.1)
    return found


def _remains(daemon: WorldDaemon, place: Place) -> list[str]:
    trees = daemon.state / "worktrees"
    branches = [ref for ref in place.refs() if ref.startswith("refs/heads/harn-attempt/")]
    return [
        *(f"a process lives on: {told}" for told in daemon.family()),
        *(f"a worktree is left: {path}" for path in sorted(trees.glob("*/*"))),
        *(f"an attempt's branch is left: {ref}" for ref in branches),
    ]


def _astray(view: GoalView, place: Place) -> Iterator[str]:
    at = place.refs().get(f"refs/heads/{view.branch}")
    if at != view.head:
        yield f"{view.branch} is at {at}, and {view.goal} is told to be at {view.head}"
    if view.attention:
        yield f"{view.goal} has ended and still asks: {view.attention}"


def _overspent(budget: BudgetView) -> Iterator[str]:
    for row in budget.rows:
        if row.reserved or row.spent > row.limit or row.left != row.limit - row.spent:
            yield f"the budget of {budget.goal} does not hold: {row}"


def unreachable(place: Place, world: World, events: Sequence[EventView]) -> Iterator[str]:
    """Look for what attempts ended with, and what agents committed by themselves, under every ref there is."""
    recorded = {event.body["commit"] for event in events if event.body.get("commit")}
    by_agents = {entry["commit"] for entry in journal(place, world) if "commit" in entry}
    reachable = {*place.git("rev-list", "--all").decode().split()}
    yield from (f"{commit} is under no ref" for commit in sorted((recorded | by_agents) - reachable))


def ended_twice(events: Sequence[EventView]) -> Iterator[str]:
    """Look for effects that ended more than once, and for more than one of each decision on a plan."""
    once = ("attempt.ended/", "planner.returned/", "integration.proved/", "work.integrated/", "plan.applied/")
    names = Counter(
        (event.goal, event.tag, *(event.body.get(part) for part in ("work", "attempt", "plan", "call", "number")))
        for event in events
        if event.tag.startswith(once)
    )
    yield from (f"happened {count} times: {name}" for name, count in names.items() if count > 1)


def started_twice(place: Place, world: World) -> Iterator[str]:
    """Look for an effect key under which an agent was started more than once."""
    keys = Counter(entry["session"].partition("/")[2] for entry in journal(place, world) if "session" in entry)
    yield from (f"{count} agents were started under {key}" for key, count in keys.items() if count > 1)


def journal(place: Place, world: World) -> list[dict[str, Any]]:
    """Read what the agents signed."""
    files = [place.goal_folder(mission.goal) / "journal" for mission in world.missions]
    return [json.loads(line) for file in files if file.exists() for line in file.read_text().splitlines()]


def broken_chain(daemon: WorldDaemon) -> list[str]:
    """Walk the store's chain of a daemon that has ended."""
    with closing(sqlite3.connect(f"file:{daemon.state / 'harnd.db'}?mode=ro", uri=True)) as database:
        found = verify(database)
    return [] if found is None else [f"the store is not what was written: {found}"]
