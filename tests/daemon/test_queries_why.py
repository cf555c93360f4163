"""Why a goal or a work item stands where it stands: working, waiting and stuck are told apart by what was observed."""

from collections.abc import AsyncIterator

import msgspec
import pytest

from harnd.domain.goal.usage import Usage
from protocol import requests as ask
from protocol.ids import GoalId
from protocol.values import Asked, FailureClass
from protocol.views import FailureView, WhyView
from tests.kit import given as g
from tests.kit.shelf import Shelf, shelf

BILLING = GoalId("billing")
CALL = "goal/billing/plan/1/call/1"
MAKE = "goal/billing/work/p1.a/attempt/1/stage/make-1"
CHECK = "goal/billing/work/p1.a/attempt/1/proof/check"
MERGED = "goal/billing/work/p1.a/attempt/1/integrated/check"


@pytest.fixture
async def house() -> AsyncIterator[Shelf]:
    async with shelf() as made:
        made.acting.fences[BILLING] = 1
        yield made


async def enrolled(house: Shelf, *work, **intent) -> None:
    """A plan with this work was approved, and what could be started has been."""
    plan = g.a_plan(*work)
    await house.live(g.create(g.an_intent(**intent)), g.tick(), g.answered(plan), g.approve(plan), g.tick())


async def why(house: Shelf, target: str = "billing") -> WhyView:
    return await house.ask(ask.ShowWhy(target))


# --- goals


async def test_a_goal_that_plans_and_is_heard(house: Shelf):
    await house.live(g.create(g.an_intent()), g.tick())
    house.seen.runs(CALL, spoke=170)
    house.at(180)
    assert await why(house) == WhyView(
        target="billing",
        condition="call 1 for plan 1 has run for 3m; agent planner (process 77) last wrote 10s ago",
        since=g.T0,
        would_change="the end of what is running",
        next_automatic="agent planner is ended if it stays silent",
        next_automatic_at=g.later(170 + 600),
        verbs=(),
    )


async def test_a_process_that_never_spoke_is_held_to_its_start(house: Shelf):
    await house.live(g.create(g.an_intent()), g.tick())
    house.seen.runs(CALL)
    house.at(100)
    found = await why(house)
    assert found.condition.endswith("agent planner (process 77) has not been heard")
    assert (found.next_automatic, found.next_automatic_at) == (
        "agent planner is ended if it stays silent",
        g.later(120),
    )


async def test_the_silence_of_a_quiet_agent_means_nothing(house: Shelf):
    intent = g.an_intent()
    quiet = tuple(msgspec.structs.replace(member, options=(("quiet", "true"),)) for member in intent.team)
    await house.live(g.create(msgspec.structs.replace(intent, team=quiet)), g.tick())
    house.seen.runs(CALL)
    found = await why(house)
    assert (found.next_automatic, found.next_automatic_at) == ("agent planner is ended if it still runs", g.later(1800))


async def test_the_first_limit_to_come_is_told(house: Shelf):
    await house.live(g.create(g.an_intent()), g.tick())
    house.seen.runs(CALL, spoke=1790)
    house.at(1795)
    found = await why(house)
    assert (found.next_automatic, found.next_automatic_at) == ("agent planner is ended if it still runs", g.later(1800))


async def test_the_active_runtime_may_end_before_any_limit(house: Shelf):
    await house.live(g.create(g.an_intent(active_runtime=60_000_000)), g.tick())
    house.seen.runs(CALL, spoke=9)
    house.at(10)
    found = await why(house)
    assert found.next_automatic == "what runs is ended, because the active runtime is used up then"
    assert found.next_automatic_at == g.later(60)


async def test_beside_what_runs_it_is_told_when_blocked_work_is_tried_again(house: Shelf):
    await enrolled(house, g.draft("a"), g.draft("b"), g.draft("c", "a", "b"), retry_blocked=True)
    await house.live(g.failed("p1.a", FailureClass.QUOTA))
    found = await why(house)
    assert (found.next_automatic, found.next_automatic_at) == ("harnd tries again what failed", g.later(600))
    found = await why(house, "billing/p1.a")
    assert found.next_automatic == "p1.a goes on where it stopped, unasked, 1 of 3: automation.retry_blocked"
    assert found.next_automatic_at == g.later(600)


async def test_a_paused_goal_says_what_still_runs(house: Shelf):
    await house.live(g.create(g.an_intent()), g.tick(), g.pause_goal("the disk is full"))
    house.seen.runs(CALL)
    house.at(100)
    found = await why(house)
    assert found.condition == (
        "paused by ada: the disk is full; still running: the planner (plan 1, call 1); "
        "call 1 for plan 1 has run for 1m; agent planner (process 77) has not been heard"
    )
    assert (found.next_automatic, found.next_automatic_at) == (
        "agent planner is ended if it stays silent",
        g.later(120),
    )
    assert found.verbs == ("harnctl goal resume billing",)


async def test_a_paused_goal_at_rest_waits_for_its_person_only(house: Shelf):
    await house.live(g.create(g.an_intent()), g.pause_goal())
    found = await why(house)
    assert (found.condition, found.next_automatic, found.next_automatic_at) == ("paused by ada", None, None)


async def test_nothing_runs_between_two_steps(house: Shelf):
    await house.live(g.create(g.an_intent()), g.tick())
    house.at(1)
    assert (await why(house)).condition == "call 1 for plan 1 has run for 1s; no process of it runs at the moment"


async def test_a_goal_nobody_acts_for_is_told_from_one_that_works(house: Shelf):
    await house.live(g.create(g.an_intent()), g.tick())
    house.acting.fences.clear()
    house.at(60)
    assert await why(house) == WhyView(
        target="billing",
        condition=(
            "nobody acts for the goal at the moment, although there is something to do: "
            "call 1 for plan 1 has run for 1m; no process of it runs at the moment"
        ),
        since=g.T0,
        would_change="a supervisor that takes it up: when the store answers again, or when harnd is started again",
        next_automatic=None,
        next_automatic_at=None,
        verbs=("harnctl doctor",),
    )


async def test_processes_of_other_goals_are_not_taken_for_ones_own(house: Shelf):
    await house.live(g.create(g.an_intent()), g.tick())
    house.seen.runs(CALL.replace("billing", "billing-2"))
    assert "no process of it runs" in (await why(house)).condition


async def test_a_goal_at_its_beginning_moves_by_itself(house: Shelf):
    await house.live(g.create(g.an_intent()))
    found = await why(house)
    assert (found.condition, found.next_automatic, found.verbs) == (
        "the planner is called next",
        "the planner is called next",
        (),
    )


async def test_a_goal_that_waits_for_a_person_needs_no_supervisor(house: Shelf):
    await house.live(g.create(g.an_intent()), g.tick())
    house.at(20)
    await house.live(g.answered(g.a_plan()))
    house.acting.fences.clear()
    house.at(500)
    assert await why(house) == WhyView(
        target="billing",
        condition="plan 1 waits for approval",
        since=g.later(20),
        would_change="a decision about the plan",
        next_automatic=None,
        next_automatic_at=None,
        verbs=tuple(f"harnctl plan {word} billing 1" for word in ("show", "approve", "reject", "edit")),
    )


async def test_a_pause_after_the_provider_failed_has_its_end(house: Shelf):
    await house.live(g.create(g.an_intent()), g.tick(), g.unanswered(FailureClass.UPSTREAM))
    house.acting.fences.clear()
    found = await why(house)
    assert found.condition == "the provider failed; harnd tries again after a pause"
    assert (found.next_automatic, found.next_automatic_at) == ("harnd tries again", g.later(30))


@pytest.mark.parametrize(
    ("failure", "condition"),
    [
        (
            FailureClass.QUOTA,
            "p1.a is blocked (quota): no luck; wait for the quota to come back, then resolve it",
        ),
        (FailureClass.AUTH, "p1.a is blocked (auth): no luck; log the agent in again, then resolve it"),
    ],
)
async def test_quota_and_login_are_told_apart(house: Shelf, failure, condition):
    await enrolled(house)
    house.at(60)
    await house.live(g.failed("p1.a", failure))
    found = await why(house)
    assert (found.condition, found.since, found.next_automatic) == (condition, g.later(60), None)


async def test_a_spent_budget_is_told(house: Shelf):
    await enrolled(house, ticks=2)
    await house.live(g.failed("p1.a"))
    found = await why(house)
    assert (found.condition, found.would_change) == ("every tick is spent", "a larger budget")
    assert found.verbs == (
        "harnctl budget billing",
        "harnctl goal extend billing --ticks 500",
        "harnctl goal cancel billing",
    )


async def test_a_goal_that_was_given_up_says_why_and_what_tries_it_again(house: Shelf):
    await house.live(g.create(g.an_intent()), g.tick())
    await house.world.store.park(BILLING, "KeyError: 'x'")
    house.acting.fences.clear()
    expected = WhyView(
        target="billing",
        condition="harnd gave up on billing, because it failed again and again: KeyError: 'x'",
        since=g.T0,
        would_change="a decision about it that goes through, or a new start of harnd",
        next_automatic="harnd tries it once more when it is started the next time",
        next_automatic_at=None,
        verbs=("harnctl doctor", "harnctl events --goal billing"),
    )
    assert await why(house) == expected
    await house.poison("billing", after=4)  # which is what may have been the trouble
    assert await why(house) == expected


async def test_several_things_under_way_are_all_told(house: Shelf):
    await enrolled(house, g.draft("a"), g.draft("b"), g.draft("c", "a", "b"))
    house.seen.runs(MAKE, spoke=5)
    house.at(6)
    assert (await why(house)).condition == (
        "attempt 1 at p1.a has run for 6s; agent make-1 (process 77) last wrote 1s ago; "
        "attempt 1 at p1.b has run for 6s; no process of it runs at the moment"
    )


# --- work items


async def conditions(house: Shelf) -> dict[str, str]:
    listed = await house.ask(ask.ListWork(BILLING))
    return {row.work: row.reason for row in listed.work}


async def test_an_item_under_way_with_the_process_of_its_proof(house: Shelf):
    await enrolled(house)
    house.seen.runs(CHECK, started=70)
    house.at(75)
    assert await why(house, "billing/p1.a") == WhyView(
        target="billing/p1.a",
        condition="attempt 1 at p1.a has run for 1m; proof check (process 77) has not been heard",
        since=g.T0,
        would_change="the end of attempt 1 at p1.a",
        next_automatic="proof check is ended if it still runs",
        next_automatic_at=g.later(70 + 60),
        verbs=("harnctl work log billing p1.a",),
    )


async def test_a_chain_of_waiting_items_is_told_with_its_end(house: Shelf):
    await enrolled(house, g.draft("a"), g.draft("b", "a"), g.draft("c", "b"), g.draft("d", "c"))
    await house.live(g.failed("p1.a", FailureClass.PERMISSION))
    found = await why(house, "billing/p1.b")
    blocked = "p1.a is blocked (permission): no luck; look at what was changed out of bounds, then retry or cancel"
    assert found.condition == f"p1.b waits for p1.a; {blocked}"
    assert found.would_change == "a decision about p1.a"
    assert found.verbs == tuple(f"harnctl work {verb} billing p1.a" for verb in ("show", "log", "retry", "cancel"))
    assert await conditions(house) == {
        "p1.a": blocked,
        "p1.b": f"p1.b waits for p1.a; {blocked}",
        "p1.c": f"p1.c waits for p1.b, and p1.b for p1.a; {blocked}",
        "p1.d": f"p1.d waits for p1.c, and p1.c, over 1 more, for p1.a; {blocked}",
    }


async def test_of_several_dependencies_the_one_that_is_stuck_is_followed(house: Shelf):
    await enrolled(house, g.draft("a"), g.draft("b"), g.draft("c", "a", "b"))
    await house.live(g.cancel_work("p1.b", "not wanted"))
    assert (await conditions(house))["p1.c"] == "p1.c waits for p1.a, p1.b; p1.b was cancelled: not wanted"


async def test_without_a_free_slot(house: Shelf):
    await enrolled(house, g.draft("a"), g.draft("b"), g.draft("c", "a", "b"), parallel_work=1)
    found = await why(house, "billing/p1.b")
    assert found.condition == "p1.b is ready, and there is no free slot: 1 at a time, now p1.a"
    assert found.would_change == "the end of p1.a"
    assert found.next_automatic == "p1.b is started as soon as there is room"


@pytest.mark.parametrize(
    ("paths", "condition"),
    [
        (("src/a/x.py",), "p1.b is ready, and its paths overlap with those of p1.a, which runs"),
        ((), "p1.b is ready, declares no paths, and so cannot run beside p1.a"),
    ],
)
async def test_overlapping_paths(house: Shelf, paths, condition):
    await enrolled(house, g.draft("a"), g.draft("b", paths=paths), g.draft("c", "a", "b"))
    assert (await conditions(house))["p1.b"] == condition


async def test_without_a_free_agent(house: Shelf):
    wide = g.a_template("wide", agents=2, wide=True)
    await enrolled(
        house,
        g.draft("a", template="wide"),
        g.draft("b", template="wide"),
        g.draft("c", "a", "b", template="wide"),
        templates=(wide,),
        agent_concurrency=3,
    )
    found = await why(house, "billing/p1.b")
    assert found.condition == "p1.b is ready, and too few agents are free: it takes 2, and 1 of 3 can be had"
    assert found.would_change == "the end of p1.a"


async def test_an_item_that_is_ready_is_started_at_once(house: Shelf):
    plan = g.a_plan()
    await house.live(g.create(g.an_intent()), g.tick(), g.answered(plan), g.approve(plan))
    found = await why(house, "billing/p1.a")
    assert (found.condition, found.next_automatic) == ("p1.a is ready", "p1.a is started at once")


@pytest.mark.parametrize(
    ("limits", "spent", "verb"),
    [
        ({"ticks": 2}, "every tick is spent", "goal extend billing --ticks 500"),
        ({"attempts": 1}, "every attempt is spent or set aside", "goal extend billing --attempts 10"),
        ({"agent_calls": 2}, "it takes 1 agent call, and none is left", "goal extend billing --agent-calls 50"),
        ({"active_runtime": 30_000_000}, "the active runtime of 30s is used up", "goal extend billing --runtime 2h"),
        (
            {"answers_per_work": 1},
            "agents have answered 1 time for it, and 1 answer is allowed",
            "work show billing p1.a",
        ),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
async def test_each_budget_that_stops_an_attempt_is_named(house: Shelf, limits, spent, verb):
    await enrolled(house, **limits)
    house.at(60)
    await house.live(g.failed("p1.a", usage=Usage(calls=1)))
    found = await why(house, "billing/p1.a")
    assert found.condition == f"p1.a is ready, and the budget allows no further attempt: {spent}"
    assert found.verbs[-2:] == (f"harnctl {verb}", "harnctl goal cancel billing")


async def test_a_pause_of_an_item(house: Shelf):
    await enrolled(house)
    await house.live(g.failed("p1.a", FailureClass.UPSTREAM))
    found = await why(house, "billing/p1.a")
    assert found.condition == "the provider failed p1.a, and harnd pauses before it tries again"
    assert (found.next_automatic, found.next_automatic_at) == ("p1.a is tried again", g.later(30))


async def test_in_review(house: Shelf):
    await enrolled(house)
    house.at(60)
    await house.live(g.succeeded("p1.a"))
    found = await why(house, "billing/p1.a")
    assert (found.condition, found.since) == ("p1.a is proved and waits to be accepted", g.later(60))
    assert found.verbs == tuple(f"harnctl work {verb} billing p1.a" for verb in ("show", "accept", "reopen"))


async def test_the_queue_to_the_branch(house: Shelf):
    await enrolled(house, g.draft("a"), g.draft("b"), g.draft("c", "a", "b"))
    await house.live(g.succeeded("p1.a"), g.succeeded("p1.b"), g.accept("p1.a"), g.accept("p1.b"))
    assert (await conditions(house))["p1.a"] == "p1.a is accepted and queued for integration"
    await house.live(g.tick())
    assert await conditions(house) == {
        "p1.a": "p1.a is being brought together with harn/billing and proved there",
        "p1.b": "p1.b is accepted and queued for integration behind p1.a",
        "p1.c": "p1.c waits for p1.a, p1.b; p1.a is being brought together with harn/billing and proved there",
    }
    house.seen.runs(MERGED)
    assert (await why(house, "billing/p1.a")).condition == (
        "the integration of p1.a has run for 0s; proof check on the integrated tree (process 77) has not been heard"
    )
    house.seen.running = ()
    await house.live(g.proved("p1.a"))
    assert (await conditions(house))["p1.a"] == "p1.a is proved together with harn/billing, which is being moved there"
    await house.live(g.moved("p1.a"))
    assert (await conditions(house))["p1.a"] == "p1.a is done: it was accepted and is on harn/billing"


async def test_what_a_later_plan_has_passed_by_is_not_decided_any_more(house: Shelf):
    await enrolled(house, g.draft("a"), g.draft("b", "a"))
    for name in ("p1.a", "p1.b"):
        await house.live(g.tick(), g.succeeded(name), g.accept(name), g.tick(), g.proved(name), g.moved(name))
    await house.live(g.reopen("p1.a"), g.cancel_work("p1.a"))
    assert (await why(house, "billing/p1.a")).would_change == "reopening p1.a"
    second = g.a_plan(sequence=2)
    await house.live(g.tick(), g.answered(second, plan=2), g.approve(second, plan=2))
    cancelled, done = await why(house, "billing/p1.a"), await why(house, "billing/p1.b")
    assert (cancelled.condition, done.condition) == (
        "p1.a was cancelled: not needed",
        "p1.b is done: it was accepted and is on harn/billing",
    )
    assert {(cancelled.would_change, cancelled.verbs), (done.would_change, done.verbs)} == {("nothing", ())}


async def test_a_cancelled_item_can_be_reopened_while_its_goal_goes_on(house: Shelf):
    await enrolled(house)
    await house.live(g.cancel_work("p1.a", "not wanted"))
    assert (await why(house, "billing/p1.a")).verbs == ("harnctl work reopen billing p1.a",)
    await house.live(g.cancel_goal())
    found = await why(house, "billing/p1.a")
    assert (found.condition, found.would_change, found.verbs) == ("p1.a was cancelled: not wanted", "nothing", ())


async def test_a_goal_that_is_over(house: Shelf):
    await enrolled(house)
    await house.live(g.cancel_goal("enough"))
    house.acting.fences.clear()
    found = await why(house)
    assert (found.condition, found.would_change) == ("cancelled by the operator: enough", "nothing; it is over")


async def test_blocked_work_comes_with_the_row_of_its_failure_and_so_does_its_goal(house: Shelf):
    await enrolled(house, g.draft("a"), g.draft("b", "a"))
    await house.live(g.failed("p1.a", FailureClass.QUOTA))
    found = await why(house, "billing/p1.a")
    assert found.failures == (
        FailureView(
            subject="p1.a",
            failure=FailureClass.QUOTA,
            happened="a quota is used up; `command` cannot tell, `scripted` can",
            charged=False,
            retried=False,
            used=None,
            bound=None,
            asked=Asked.PERSON,
            resolvable=True,
            unattended=True,
            advice="wait for the quota to come back, then resolve it",
        ),
    )
    assert (await why(house)).failures == (await why(house, "billing/p1.b")).failures == found.failures


async def test_work_that_nothing_blocks_comes_with_no_row(house: Shelf):
    await enrolled(house)
    assert ((await why(house)).failures, (await why(house, "billing/p1.a")).failures) == ((), ())
