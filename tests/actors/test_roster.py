"""The roster: who has a supervisor, and that a goal which fails is nobody else's business."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import pairwise

import anyio
import pytest

from harnd.actors.journal import Promise
from harnd.actors.roster import Roster
from harnd.domain.goal.codec import UnreadableEventError
from harnd.domain.goal.goal import Ending
from harnd.domain.rejected import Rejected
from harnd.ports.errors import FencedError, LeaseHeldError, StoppingError, UnavailableError
from harnd.ports.store import Once, Recorded
from protocol.ids import Digest, GoalId, IdempotencyKey
from protocol.values import FailureClass
from tests.kit.bench import Bench
from tests.kit.given import a_plan, answered, cancel_goal, create, retry_plan, tick, unanswered
from tests.kit.stores import BILLING, ME, OTHER, SEARCH, TTL

_A_WEEK_S = 7 * 24 * 3600.0  # of the mock clock: what hangs fails at once
LEASE_S = TTL / 1_000_000
WORKS = """
when = "You are the planner"
do = [{ sleep = 100.0 }]
answer = { decision = "attention", rationale = "r", question = "q" }
"""
PLANNING, SEARCHING = "goal/billing/plan/1/call/1", "goal/search/plan/1/call/1"


@dataclass
class Hall:
    """A roster at work, and what its watcher heard."""

    bench: Bench
    heard: list[str] = field(default_factory=list)
    committed_events: list[Recorded] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.roster = Roster(self.bench.world, ME, self)

    def committed(self, recorded: tuple[Recorded, ...]) -> None:
        self.committed_events.extend(recorded)

    def restarted(self, goal: GoalId, error: Exception) -> None:
        self.heard.append(f"{goal} restarted: {type(error).__name__}")

    def parked(self, goal: GoalId, error: Exception) -> None:
        self.heard.append(f"{goal} parked: {type(error).__name__}")

    async def reasons(self) -> dict[GoalId, str | None]:
        """Why each goal is parked."""
        return {row.goal: row.parked for row in await self.bench.store.goals()}

    @property
    def agents(self) -> list[str]:
        return [task.key for task in self.bench.sessions.tasks]


@asynccontextmanager
async def open_hall(bench: Bench) -> AsyncGenerator[Hall]:
    """Run a roster until nothing more happens by itself at this instant."""
    hall = Hall(bench)
    with anyio.fail_after(_A_WEEK_S):
        async with anyio.create_task_group() as tasks:
            await tasks.start(hall.roster.run)
            await anyio.wait_all_tasks_blocked()
            yield hall
            tasks.cancel_scope.cancel()


@pytest.fixture(autouse=True)
def planner(bench):
    bench.script(WORKS)


# --- seats


async def test_a_goal_with_something_to_do_has_a_supervisor_under_a_lease_from_the_start(bench):
    await bench.lived()

    async with open_hall(bench) as hall:
        assert hall.roster.live() == (BILLING,)
        assert hall.roster.fence(BILLING) == 2
        assert bench.store.holder(BILLING) == ME
        assert repr(hall.roster) == "<Roster supervisors=1>"


async def test_a_goal_at_rest_has_no_supervisor_and_no_lease(bench):
    await bench.lived(tick(), answered(a_plan()))

    async with open_hall(bench) as hall:
        assert (hall.roster.live(), hall.roster.fence(BILLING), bench.store.holder(BILLING)) == ((), None, None)
        assert bench.store.acquired == []


async def test_a_goal_gives_its_seat_and_its_lease_back_when_it_comes_to_rest(bench):
    await bench.lived()

    async with open_hall(bench) as hall:
        await anyio.sleep(101)

        assert (hall.roster.live(), bench.store.holder(BILLING)) == ((), None)
        assert hall.agents == [PLANNING]


async def test_a_message_starts_a_supervisor_which_answers_and_rests_again(bench):
    await bench.lived(tick(), answered(a_plan()))

    async with open_hall(bench) as hall:
        goal = await hall.roster.ask(BILLING, cancel_goal("enough"))
        await anyio.wait_all_tasks_blocked()

        assert (goal.ending, goal) == (Ending.CANCELLED, await bench.stored())
        assert hall.roster.live() == ()
        assert [event.tag for event in hall.committed_events] == ["goal.cancelled/1"]


async def test_a_rejected_ask_is_answered_with_the_rule(bench):
    await bench.lived(tick(), answered(a_plan()))

    async with open_hall(bench) as hall:
        with pytest.raises(Rejected, match=r"plan.not_asking"):
            await hall.roster.ask(BILLING, retry_plan())

        assert hall.heard == []


async def test_an_unknown_goal_is_refused_and_leaves_nothing_behind(bench):
    async with open_hall(bench) as hall:
        with pytest.raises(Rejected, match=r"goal.unknown"):
            await hall.roster.ask(BILLING, cancel_goal())
        await anyio.wait_all_tasks_blocked()

        assert (hall.roster.live(), bench.store.holder(BILLING), hall.heard) == ((), None, [])


async def test_the_same_request_twice_at_once_changes_things_once(bench):
    await bench.lived(tick(), answered(a_plan()))
    promise = Promise(IdempotencyKey("k1"), Digest("aa" * 32), lambda goal: f"v{goal.version}".encode())

    async with open_hall(bench) as hall:
        async with anyio.create_task_group() as both:
            for _ in range(2):
                both.start_soon(hall.roster.ask, BILLING, cancel_goal(), promise)

        version = (await bench.stored()).version
        assert await bench.store.answered(promise.key) == Once(promise.key, promise.payload, b"v%d" % version)
        assert [event.tag for event in hall.committed_events] == ["goal.cancelled/1"]


async def test_a_goal_that_waits_for_a_time_is_woken_at_that_time(bench):
    await bench.lived(tick(), unanswered(FailureClass.UPSTREAM))
    (row,) = await bench.store.goals()
    assert row.wake_at is not None

    async with open_hall(bench) as hall:
        assert hall.roster.live() == ()
        await anyio.sleep((row.wake_at - bench.clock.now()) / 1_000_000)
        await anyio.wait_all_tasks_blocked()

        assert hall.roster.live() == (BILLING,)
        assert hall.agents == [PLANNING.replace("call/1", "call/2")]


async def test_a_goal_whose_agent_works_for_hours_holds_up_no_other(bench):
    """Goals were swept one after the other, and a long step of one starved the rest."""
    hours = WORKS.replace("You are the planner", "of goal billing").replace("100.0", "10000.0")
    bench.script(hours, WORKS.replace("sleep = 100.0", "sleep = 1.0"))
    await bench.lived()
    await bench.lived(intent=bench.intent(goal="search", active_runtime=8 * 3600 * 1_000_000))

    async with open_hall(bench) as hall:
        await anyio.sleep(2)
        asked = (await bench.stored(SEARCH)).plan
        assert asked is not None
        assert asked.question == "q"
        assert sorted(hall.agents) == [PLANNING, SEARCHING]
        assert hall.roster.live() == (BILLING,)


# --- a poisoned goal


async def two_goals(bench: Bench) -> None:
    """Billing cannot be read; search has something to do."""
    await bench.lived()
    await bench.lived(intent=bench.intent(goal="search"))
    await bench.poison(BILLING)


async def test_a_goal_that_fails_too_often_is_parked_with_the_reason(bench):
    await two_goals(bench)

    async with open_hall(bench) as hall:
        await anyio.sleep(60)

        assert hall.heard == ["billing restarted: UnreadableEventError"] * 5 + ["billing parked: UnreadableEventError"]
        reason = (await hall.reasons())[BILLING]
        assert reason is not None
        assert reason.startswith("UnreadableEventError: ")


async def test_each_restart_is_later_than_the_last(bench):
    await two_goals(bench)

    async with open_hall(bench):
        await anyio.sleep(60)

        assert [at for at, goal in bench.store.acquired if goal == BILLING] == [0, 0.2, 0.6, 1.4, 3, 6.2]


async def test_no_other_goal_notices_that_one_is_poisoned(bench):
    await two_goals(bench)

    async with open_hall(bench) as hall:
        await anyio.sleep(60)
        assert (hall.roster.live(), hall.roster.fence(SEARCH)) == ((SEARCH,), 2)
        await anyio.sleep(60)

        assert hall.agents == [SEARCHING]
        assert (await hall.reasons())[SEARCH] is None
        plan = (await bench.stored(SEARCH)).plan
        assert plan is not None
        assert plan.question == "q"


async def test_a_parked_goal_is_no_task_holds_no_lease_and_is_tried_by_nobody(bench):
    await two_goals(bench)

    async with open_hall(bench) as hall:
        await anyio.sleep(200)
        tried = len(bench.store.acquired)
        await anyio.sleep(24 * 3600)

        assert (hall.roster.live(), bench.store.holder(BILLING)) == ((), None)
        assert len(bench.store.acquired) == tried


async def test_an_ask_on_a_parked_goal_is_refused_with_the_cause_and_tries_again(bench):
    await two_goals(bench)

    async with open_hall(bench) as hall:
        await anyio.sleep(60)
        hall.heard.clear()
        with pytest.raises(UnreadableEventError):
            await hall.roster.ask(BILLING, cancel_goal())
        await anyio.sleep(60)

        assert hall.heard == ["billing restarted: UnreadableEventError"] * 5 + ["billing parked: UnreadableEventError"]


async def test_an_ask_on_a_parked_goal_unparks_it_when_it_works_again(bench):
    await bench.lived(tick(), answered(a_plan()))
    bench.store.breaks("read", *[ZeroDivisionError("a bug")] * 6, goal=BILLING)

    async with open_hall(bench) as hall:
        with pytest.raises(ZeroDivisionError):
            await hall.roster.ask(BILLING, retry_plan())
        await anyio.sleep(60)
        assert (await hall.reasons())[BILLING] == "ZeroDivisionError: a bug"

        await hall.roster.ask(BILLING, cancel_goal())
        await anyio.wait_all_tasks_blocked()

        assert (await hall.reasons())[BILLING] is None
        assert (await bench.stored()).ending is Ending.CANCELLED


async def test_a_new_instance_looks_once_for_itself_at_what_another_parked(bench):
    await bench.lived()
    await bench.store.park(BILLING, "an older harnd could not read it")

    async with open_hall(bench) as hall:
        assert (hall.roster.live(), await hall.reasons()) == ((BILLING,), {BILLING: None})


async def test_a_bug_that_passes_costs_a_restart_and_nothing_else(bench):
    await bench.lived()
    bench.store.breaks("append", ZeroDivisionError("a bug"))

    async with open_hall(bench) as hall:
        await anyio.sleep(101)

        assert hall.heard == ["billing restarted: ZeroDivisionError"]
        assert (hall.agents, await hall.reasons()) == ([PLANNING], {BILLING: None})


async def test_a_goal_that_fails_before_it_exists_takes_nobody_along(bench):
    await bench.lived(intent=bench.intent(goal="search"))

    async with open_hall(bench) as hall:
        bench.store.breaks("append", *[ZeroDivisionError("a bug")] * 6, goal=BILLING)
        for _ in range(6):
            with pytest.raises(ZeroDivisionError):
                await hall.roster.ask(BILLING, create(bench.intent()))
            await anyio.wait_all_tasks_blocked()
        await anyio.sleep(101)

        assert hall.heard == ["billing restarted: ZeroDivisionError"] * 5 + ["billing parked: ZeroDivisionError"]
        assert (await bench.stored(SEARCH)).plan is not None
        assert hall.agents == [SEARCHING]


# --- a store that does not answer


async def test_a_store_that_does_not_answer_is_waited_for_longer_each_time_and_nobody_is_parked(bench):
    await bench.lived()
    bench.store.breaks("read", *[UnavailableError("busy")] * 12, goal=BILLING)

    async with open_hall(bench) as hall:
        await anyio.sleep(1_000)

        assert hall.heard == ["billing restarted: UnavailableError"] * 12
        waited = [at for at, _ in bench.store.acquired]
        pauses = [round(after - before, 1) for before, after in pairwise(waited)]
        assert pauses == [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 60, 60, 60]
        assert (hall.agents, await hall.reasons()) == ([PLANNING], {BILLING: None})


async def test_when_it_has_answered_the_pauses_begin_anew_also_for_a_goal_that_never_rested(bench):
    await bench.lived()
    bench.store.breaks("read", *[UnavailableError("busy")] * 3, goal=BILLING)

    async with open_hall(bench) as hall:
        await anyio.sleep(50)
        bench.store.acquired.clear()
        bench.store.breaks("append", UnavailableError("busy"), goal=BILLING)
        await anyio.sleep(100)

        ended = 100 + 0.2 + 0.4 + 0.8  # the planner's call, which began after three pauses
        assert bench.store.acquired == [(pytest.approx(ended + 0.2), BILLING)]
        assert hall.agents == [PLANNING, PLANNING]  # the second time it gives its stored result


async def test_who_asks_while_the_store_does_not_answer_is_told_so(bench):
    await bench.lived(tick(), answered(a_plan()))
    bench.store.breaks("read", UnavailableError("busy"))

    async with open_hall(bench) as hall:
        with pytest.raises(UnavailableError, match="busy"):
            await hall.roster.ask(BILLING, cancel_goal())
        await anyio.sleep(10)

        assert (await bench.stored()).ending is None


async def test_a_lease_that_cannot_be_given_back_passes_by_itself(bench):
    await bench.lived(tick(), answered(a_plan()))
    bench.store.breaks("release", UnavailableError("busy"))

    async with open_hall(bench) as hall:
        await hall.roster.ask(BILLING, cancel_goal())
        await anyio.wait_all_tasks_blocked()

        assert (hall.roster.live(), hall.roster.fence(BILLING), hall.heard) == ((), None, [])


# --- somebody else's lease


async def test_a_lease_held_by_somebody_else_is_left_alone_until_it_has_passed(bench):
    await bench.lived()
    await bench.store.acquire(BILLING, OTHER, TTL)

    async with open_hall(bench) as hall:
        assert (hall.roster.live(), hall.heard) == ((), [])
        await anyio.sleep(LEASE_S - 1)
        assert (bench.store.holder(BILLING), hall.agents) == (OTHER, [])
        await anyio.sleep(2)

        assert (bench.store.holder(BILLING), hall.agents) == (ME, [PLANNING])
        assert bench.store.acquired == [(0, BILLING), (LEASE_S, BILLING)]


async def test_an_ask_about_somebody_elses_goal_is_refused(bench):
    await bench.lived(tick(), answered(a_plan()))
    await bench.store.acquire(BILLING, OTHER, TTL)

    async with open_hall(bench) as hall:
        with pytest.raises(LeaseHeldError):
            await hall.roster.ask(BILLING, cancel_goal())

        assert hall.roster.live() == ()


async def test_a_goal_whose_lease_is_lost_is_let_go_and_its_agents_are_stopped(bench):
    await bench.lived()

    async with open_hall(bench) as hall:
        await bench.store.usurp(OTHER)
        await bench.store.acquire(BILLING, OTHER, TTL)
        await anyio.sleep(LEASE_S / 3 + 1)

        assert (hall.roster.live(), bench.machine.playing(), hall.heard) == ((), [], [])
        assert bench.store.holder(BILLING) == OTHER


async def test_an_ask_that_finds_the_lease_lost_is_refused_and_the_goal_let_go(bench):
    await bench.lived()

    async with open_hall(bench) as hall:
        await bench.store.usurp(OTHER)
        await bench.store.acquire(BILLING, OTHER, TTL)
        with pytest.raises(FencedError):
            await hall.roster.ask(BILLING, cancel_goal())
        await anyio.wait_all_tasks_blocked()

        assert (hall.roster.live(), hall.heard) == ((), [])


# --- draining


async def test_a_drain_starts_nothing_more_and_returns_when_what_runs_has_ended(bench):
    await bench.lived()

    async with open_hall(bench) as hall:
        await anyio.sleep(40)
        bench.store.appended.clear()
        await hall.roster.drain()

        assert anyio.current_time() == pytest.approx(100, abs=1)
        assert bench.store.appended == [("planner.returned", "plan.attention")]
        assert (hall.roster.live(), hall.agents) == ((), [PLANNING])
        assert repr(hall.roster) == "<Roster supervisors=0 draining>"


async def test_a_drain_with_nothing_to_wait_for_returns_at_once(bench):
    await bench.lived(tick(), answered(a_plan()))

    async with open_hall(bench) as hall:
        await hall.roster.drain()

        assert anyio.current_time() == pytest.approx(0, abs=0.001)


async def test_an_ask_during_a_drain_is_refused(bench):
    await bench.lived()

    async with open_hall(bench) as hall, anyio.create_task_group() as draining:
        draining.start_soon(hall.roster.drain)
        await anyio.wait_all_tasks_blocked()

        with pytest.raises(StoppingError):
            await hall.roster.ask(BILLING, cancel_goal())
        with pytest.raises(StoppingError):
            await hall.roster.ask(SEARCH, create(bench.intent(goal="search")))


async def test_a_wake_during_a_drain_starts_nothing(bench):
    await bench.lived(tick(), unanswered(FailureClass.UPSTREAM))

    async with open_hall(bench) as hall:
        await hall.roster.drain()
        await anyio.sleep(24 * 3600)
        hall.roster.wake(BILLING)
        await anyio.wait_all_tasks_blocked()

        assert (hall.roster.live(), bench.store.acquired) == ((), [])


async def test_a_drain_does_not_wait_for_a_store_that_does_not_answer(bench):
    await bench.lived()
    bench.store.breaks("read", *[UnavailableError("busy")] * 20, goal=BILLING)

    async with open_hall(bench) as hall:
        await anyio.sleep(300)
        await hall.roster.drain()

        assert anyio.current_time() == pytest.approx(300, abs=1)
        assert hall.roster.live() == ()
