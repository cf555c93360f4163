"""The goal supervisor: what it starts, what it stops, when it calls nobody, and when it is no task at all."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
import pytest
from anyio.lowlevel import checkpoint

from harnd.actors.asking import Say
from harnd.actors.goal_supervisor import Ask, GoalSupervisor, Message, Signal
from harnd.actors.journal import Promise
from harnd.actors.mailbox import Answer, Mailbox
from harnd.domain.goal.commands import GoalCommand, ReportObserved
from harnd.domain.goal.due import Effect
from harnd.domain.goal.goal import Ending, Goal
from harnd.domain.rejected import Rejected
from harnd.ports.errors import FencedError, MissingError, PortError, UnavailableError
from harnd.ports.store import Once
from harnd.ports.workspace import Occupied, Place
from harnd.ports.world import World
from protocol.ids import Digest, GoalId, IdempotencyKey, WorkId
from protocol.values import FailureClass, Instant
from tests.kit.bench import REPOSITORY, Bench
from tests.kit.given import (
    a_plan,
    answered,
    approve,
    cancel_goal,
    cancel_work,
    create,
    draft,
    failed,
    replied,
    resolve,
    retry_plan,
    succeeded,
    tick,
    unanswered,
)
from tests.kit.stores import BILLING, ME, OTHER, TTL

PLANNING = "goal/billing/plan/1/call/1"
A, B = "goal/billing/work/p1.a/attempt/1", "goal/billing/work/p1.b/attempt/1"
_A_WEEK_S = 7 * 24 * 3600.0  # of the mock clock: what hangs fails at once
TWO = a_plan(draft("a"), draft("b"), draft("end", "a", "b"))


@dataclass
class Hand:
    """Carries an effect out when the test says so: it reports, fails, or waits to be stopped."""

    effect: Effect
    say: Say
    ending: anyio.Event = field(default_factory=anyio.Event)
    report: GoalCommand | None = None
    error: Exception | None = None
    withdrawn: int = 0
    tidies: Callable[[], object] = lambda: None

    def reports(self, report: GoalCommand) -> None:
        self.report = report
        self.ending.set()

    def breaks(self, error: Exception) -> None:
        self.error = error
        self.ending.set()

    async def run(self) -> GoalCommand:
        await self.ending.wait()
        if self.error is not None:
            raise self.error
        assert self.report is not None
        return self.report

    def failed(self, error: PortError) -> GoalCommand:
        return unanswered(FailureClass.ENVIRONMENT, detail=str(error))

    async def withdraw(self) -> None:
        self.withdrawn += 1
        self.tidies()
        await checkpoint()


@dataclass
class Office:
    """A supervisor at work, or what is left of it."""

    bench: Bench
    inbox: Mailbox[Message]
    hands: dict[str, Hand] = field(default_factory=dict)
    started: list[str] = field(default_factory=list)
    armed: list[Instant | None] = field(default_factory=list)
    draining: bool = False
    ended: bool = False
    error: Exception | None = None
    supervisor: GoalSupervisor | None = None

    def arm(self, goal: GoalId, at: Instant | None) -> None:
        assert goal == BILLING
        self.armed.append(at)

    def hand(self, _world: World, _goal: Goal, effect: Effect, say: Say) -> Hand:
        self.started.append(effect.key)
        self.hands[effect.key] = Hand(effect, say)
        return self.hands[effect.key]

    async def run(self) -> None:
        lease = await self.bench.store.acquire(BILLING, ME, TTL)
        self.supervisor = GoalSupervisor(
            BILLING,
            world=self.bench.world,
            instance=ME,
            lease=lease,
            inbox=self.inbox,
            wakes=self,
            tell=self.bench.heard.extend,
            draining=lambda: self.draining,
            runners=self.hand,
        )
        try:
            await self.supervisor.run()
        except Exception as error:  # noqa: BLE001 - what it ended with is what the tests ask for
            self.error = error
        self.ended = True

    async def ask(self, command: GoalCommand, promise: Promise | None = None) -> Goal:
        answer = Answer[Goal]()
        await self.inbox.tell(Ask(command, answer, promise))
        return await answer.wait()

    async def look(self) -> None:
        await self.inbox.tell(Signal.LOOK)
        await anyio.wait_all_tasks_blocked()

    @property
    def appended(self) -> list[tuple[str, ...]]:
        return self.bench.store.appended

    @property
    def running(self) -> list[str]:
        return [key for key in self.started if not self.hands[key].ending.is_set() and not self.hands[key].withdrawn]


@asynccontextmanager
async def supervising(bench: Bench, *commands: GoalCommand, draining: bool = False) -> AsyncGenerator[Office]:
    """Run a supervisor, in whose mailbox these commands lie already, until it can do no more by itself."""
    office = Office(bench, Mailbox[Message](), draining=draining)
    for command in commands:
        await office.inbox.tell(Ask(command, Answer[Goal]()))
    try:
        with anyio.fail_after(_A_WEEK_S):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(office.run)
                await anyio.wait_all_tasks_blocked()
                yield office
                tasks.cancel_scope.cancel()
    finally:
        office.inbox.close()


# --- ticks and quiescence


async def test_a_goal_that_can_move_is_ticked_once_and_what_it_owes_is_started_once(bench):
    await bench.lived()

    async with supervising(bench) as office:
        assert office.appended == [("goal.ticked", "plan.requested", "planner.called")]
        assert office.started == [PLANNING]
        assert repr(office.supervisor) == "<GoalSupervisor billing fence=2 running=1>"


async def test_an_equal_fingerprint_starts_nothing_and_calls_nobody(bench):
    await bench.lived()

    async with supervising(bench) as office:
        office.appended.clear()
        for _ in range(50):
            await office.look()

        assert (office.appended, office.started) == ([], [PLANNING])
        assert (bench.sessions.tasks, bench.runner.tasks) == ([], [])


async def test_time_that_passes_no_deadline_changes_nothing(bench):
    await bench.lived()

    async with supervising(bench) as office:
        office.appended.clear()
        await anyio.sleep(600)
        await office.look()

        assert office.appended == []


async def test_a_changed_fingerprint_starts_exactly_one_tick(bench):
    await bench.lived(tick(), answered(TWO))

    async with supervising(bench, approve(TWO)) as office:
        assert office.appended == [
            ("work.created", "work.created", "work.created", "plan.applied"),
            ("goal.ticked", "attempt.started", "attempt.started"),
        ]
        assert office.started == [A, B]


async def test_each_change_is_one_tick_however_much_it_lets_happen(bench):
    await bench.lived(tick())

    async with supervising(bench) as office:
        office.hands[PLANNING].reports(answered(TWO))
        await anyio.wait_all_tasks_blocked()

        assert office.appended == [("goal.attended",), ("planner.returned", "plan.proposed")]


# --- children


async def test_what_a_report_frees_is_started_beside_what_still_runs(bench):
    await bench.lived(tick(), answered(TWO), approve(TWO), tick(), intent=bench.intent(parallel_work=2))

    async with supervising(bench) as office:
        assert office.started == [A, B]
        office.hands[A].reports(failed("p1.a"))
        await anyio.wait_all_tasks_blocked()

        again = A.replace("attempt/1", "attempt/2")
        assert office.started == [A, B, again]
        assert office.running == [B, again]


async def test_what_is_owed_no_more_is_cancelled_and_withdrawn(bench):
    await bench.lived(tick(), answered(TWO), approve(TWO), tick())

    async with supervising(bench) as office:
        await office.ask(cancel_work("p1.a"))
        await anyio.wait_all_tasks_blocked()

        assert (office.hands[A].withdrawn, office.hands[B].withdrawn) == (1, 0)
        assert office.running == [B]


async def place_of_a(bench: Bench) -> tuple[Occupied, ...]:
    """Let the first attempt at `p1.a` have a worktree, as its runner would."""
    await bench.workspace.open_worktree(Place(REPOSITORY, BILLING, WorkId("p1.a"), 1), bench.base)
    return await bench.workspace.occupied()


async def test_the_place_of_an_attempt_is_cleared_away_once_its_end_is_stored(bench):
    await bench.lived(tick(), answered(TWO), approve(TWO), tick())
    await place_of_a(bench)

    async with supervising(bench) as office:
        office.hands[A].reports(succeeded("p1.a"))
        await anyio.wait_all_tasks_blocked()

        assert await bench.workspace.occupied() == ()


async def test_the_place_of_an_attempt_that_is_parked_is_kept_until_it_ends(bench):
    await bench.lived(tick(), answered(TWO), approve(TWO), tick())
    mine = await place_of_a(bench)

    async with supervising(bench) as office:
        office.hands[A].reports(failed("p1.a", FailureClass.QUOTA))
        await anyio.wait_all_tasks_blocked()
        assert await bench.workspace.occupied() == mine

        await office.ask(resolve("p1.a"))
        await anyio.wait_all_tasks_blocked()
        assert office.started == [A, B, A]
        assert await bench.workspace.occupied() == mine

        await office.ask(cancel_work("p1.a"))
        await anyio.wait_all_tasks_blocked()
        assert await bench.workspace.occupied() == ()


async def test_whoever_takes_a_goal_up_clears_away_what_a_decision_ends(bench):
    await bench.lived(tick(), answered(TWO), approve(TWO), tick(), failed("p1.a", FailureClass.QUOTA))
    await place_of_a(bench)

    async with supervising(bench, cancel_goal()) as office:
        assert (office.ended, await bench.workspace.occupied()) == (True, ())


async def test_a_cancelled_goal_withdraws_everything_and_rests(bench):
    await bench.lived(tick(), answered(TWO), approve(TWO), tick())

    async with supervising(bench) as office:
        assert (await office.ask(cancel_goal())).ending is Ending.CANCELLED
        await anyio.wait_all_tasks_blocked()

        assert [hand.withdrawn for hand in office.hands.values()] == [1, 1]
        assert (office.ended, office.error) == (True, None)


async def test_a_world_that_does_not_let_it_tidy_up_is_left_to_the_next_start(bench):
    await bench.lived(tick())

    async with supervising(bench) as office:
        office.hands[PLANNING].tidies = lambda: (_ for _ in ()).throw(UnavailableError("git is locked"))
        await office.ask(cancel_goal())
        await anyio.wait_all_tasks_blocked()

        assert (office.hands[PLANNING].withdrawn, office.ended, office.error) == (1, True, None)


async def test_a_port_error_becomes_the_failure_that_its_runner_says(bench):
    await bench.lived(tick())

    async with supervising(bench) as office:
        office.hands[PLANNING].breaks(MissingError("the repository is gone"))
        await anyio.wait_all_tasks_blocked()

        plan = (await bench.stored()).plan
        assert plan is not None
        assert (plan.failure, plan.detail, office.error) == (FailureClass.ENVIRONMENT, "the repository is gone", None)


async def test_a_world_that_does_not_answer_is_asked_again_before_that_is_a_failure(bench):
    await bench.lived(tick())

    async with supervising(bench) as office:
        for tries in range(1, 6):
            assert office.started == [PLANNING] * tries
            office.hands[PLANNING].breaks(UnavailableError("the disk is full"))
            await anyio.sleep(61)

        plan = (await bench.stored()).plan
        assert plan is not None
        assert (plan.failure, plan.detail, office.error) == (FailureClass.ENVIRONMENT, "the disk is full", None)


async def test_a_bug_of_a_child_is_raised_by_its_supervisor_and_stops_its_other_children(bench):
    await bench.lived(tick(), answered(TWO), approve(TWO), tick())

    async with supervising(bench) as office:
        office.hands[A].breaks(ZeroDivisionError("a bug"))
        await anyio.wait_all_tasks_blocked()

        assert isinstance(office.error, ZeroDivisionError)
        assert office.hands[B].withdrawn == 0  # it is owed still, and the next supervisor finds its work


async def test_the_next_supervisor_starts_what_is_owed_again_and_says_that_it_took_over(bench):
    await bench.lived(tick(), answered(TWO), approve(TWO), tick())

    for appended in ([("goal.attended",)], []):  # the second of the same instance has nothing to say
        office_appended = bench.store.appended
        office_appended.clear()
        async with supervising(bench) as office:
            assert office.started == [A, B]
        assert office_appended == appended


async def test_what_a_child_says_on_the_way_is_stored_before_it_goes_on(bench):
    await bench.lived(tick(), answered(TWO), approve(TWO), tick())
    seen = ReportObserved(work=WorkId("p1.a"), attempt=1, surroundings=Digest("cd" * 32))

    async with supervising(bench) as office:
        await office.hands[A].say(seen)

        assert office.appended[-1] == ("attempt.observed",)
        assert office.running == [A, B]


# --- rest


async def test_a_goal_at_rest_is_no_task_and_is_armed_for_no_time(bench):
    await bench.lived(tick(), answered(a_plan()))

    async with supervising(bench) as office:
        assert (office.ended, office.error, office.started, office.armed) == (True, None, [], [None])


async def test_a_goal_that_waits_for_a_pause_rests_and_is_armed_for_its_end(bench):
    await bench.lived(tick(), unanswered(FailureClass.UPSTREAM))

    async with supervising(bench) as office:
        assert (office.ended, office.started) == (True, [])
        (row,) = await bench.store.goals()
        assert office.armed == [row.wake_at]
        assert row.wake_at is not None


async def test_a_goal_that_does_not_exist_is_no_task(bench):
    async with supervising(bench) as office:
        assert (office.ended, office.error, office.appended, office.armed) == (True, None, [], [])


# --- requests


async def test_an_ask_is_answered_with_the_goal_as_it_then_stands(bench):
    await bench.lived(tick())

    async with supervising(bench) as office:
        goal = await office.ask(cancel_goal("enough"))

        assert goal == await bench.stored()


async def test_a_rejected_ask_stops_nothing(bench):
    await bench.lived(tick())

    async with supervising(bench) as office:
        with pytest.raises(Rejected, match=r"plan.not_asking"):
            await office.ask(retry_plan())

        assert office.running == [PLANNING]


async def test_an_ask_that_cannot_be_stored_stops_nothing_that_runs(bench):
    await bench.lived(tick())

    async with supervising(bench) as office:
        bench.store.breaks("append", UnavailableError("the disk is full"))
        with pytest.raises(UnavailableError):
            await office.ask(cancel_goal())
        await anyio.wait_all_tasks_blocked()

        assert (office.running, office.ended) == ([PLANNING], False)


async def test_a_goal_is_created_by_the_supervisor_that_then_acts_for_it(bench):
    async with supervising(bench, create(bench.intent())) as office:
        assert office.appended == [("goal.created",), ("goal.ticked", "plan.requested", "planner.called")]
        assert office.started == [PLANNING]


async def test_a_promise_is_kept_by_the_append_it_came_with(bench):
    await bench.lived(tick())
    key, payload = IdempotencyKey("k1"), Digest("aa" * 32)

    async with supervising(bench) as office:
        goal = await office.ask(cancel_goal(), Promise(key, payload, lambda goal: f"v{goal.version}".encode()))

    assert await bench.store.answered(key) == Once(key, payload, f"v{goal.version}".encode())


# --- the lease


async def test_a_supervisor_whose_lease_is_lost_stops(bench):
    await bench.lived(tick())

    async with supervising(bench) as office:
        await office.inbox.tell(Signal.LEASE_LOST)
        await anyio.wait_all_tasks_blocked()

        assert isinstance(office.error, FencedError)


async def test_a_report_under_a_lost_lease_is_not_stored(bench):
    await bench.lived(tick())

    async with supervising(bench) as office:
        await bench.store.usurp(OTHER)
        office.appended.clear()
        office.hands[PLANNING].reports(replied(b"{}"))
        await anyio.wait_all_tasks_blocked()

        assert isinstance(office.error, FencedError)
        assert office.appended == []


async def test_an_ask_under_a_lost_lease_is_refused_with_it(bench):
    await bench.lived(tick())

    async with supervising(bench) as office:
        await bench.store.usurp(OTHER)
        with pytest.raises(FencedError):
            await office.ask(cancel_goal())
        await anyio.wait_all_tasks_blocked()

        assert isinstance(office.error, FencedError)


# --- draining


async def test_a_draining_supervisor_starts_nothing_and_ends(bench):
    await bench.lived()

    async with supervising(bench, draining=True) as office:
        assert (office.ended, office.appended, office.started) == (True, [], [])


async def test_what_was_owed_when_a_drain_began_is_left_to_the_next_daemon(bench):
    await bench.lived(tick())

    async with supervising(bench, draining=True) as office:
        assert (office.ended, office.started) == (True, [])


async def test_a_drain_waits_for_what_runs_and_starts_nothing_after_it(bench):
    await bench.lived(tick(), answered(TWO), approve(TWO), tick())

    async with supervising(bench) as office:
        office.draining = True
        await office.look()
        assert (office.ended, office.running) == (False, [A, B])

        office.hands[A].reports(failed("p1.a"))
        office.hands[B].reports(succeeded("p1.b"))
        await anyio.wait_all_tasks_blocked()

        assert (office.ended, office.started) == (True, [A, B])
        assert office.appended[-2:] == [("attempt.ended",), ("attempt.ended",)]


async def test_a_goal_cancelled_during_a_drain_is_stopped_at_once(bench):
    await bench.lived(tick())

    async with supervising(bench) as office:
        office.draining = True
        await office.ask(cancel_goal())
        await anyio.wait_all_tasks_blocked()

        assert (office.hands[PLANNING].withdrawn, office.ended) == (1, True)
