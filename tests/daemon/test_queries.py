"""What is asked across goals: the inbox, events, processes, the daemon's status; and goals that cannot be read."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import replace
from typing import Any, cast

import msgspec
import pytest

from harnd.daemon.loading import Loader
from harnd.daemon.queries import Queries
from harnd.daemon.queries.status import noted
from harnd.domain.goal.commands import Asks
from harnd.ports.errors import UnavailableError
from harnd.ports.store import EventStore, Health
from protocol import bounds
from protocol import requests as ask
from protocol.decoding import write
from protocol.errors import Refusal
from protocol.framing import write_frame
from protocol.ids import EffectKey, GoalId, IdempotencyKey, InstanceId, TreeId, WorkId
from protocol.methods import METHODS
from protocol.values import FailureClass, Micros, Phase, Risk
from protocol.views import (
    EventView,
    InboxItem,
    InboxKind,
    InboxView,
    ProcessList,
    ProcessView,
    StatusView,
    StoreHealth,
)
from tests.kit import given as g
from tests.kit.shelf import ABOUT, Chosen, Shelf, shelf
from tests.kit.stores import ME, TTL, change, fact

BILLING, DOCS = GoalId("billing"), GoalId("docs")


@pytest.fixture
async def house() -> AsyncIterator[Shelf]:
    async with shelf() as made:
        yield made


async def planned(house: Shelf, goal: str) -> None:
    await house.live(g.create(g.an_intent(goal=goal)), g.tick(), g.answered(g.a_plan()), goal=goal)


# --- the inbox


async def test_what_waits_is_listed_oldest_first_each_with_its_command(house: Shelf):
    await planned(house, "docs")
    house.at(10)
    await planned(house, "billing")
    await house.live(g.approve(g.a_plan()), g.tick())
    house.at(20)
    await house.live(g.failed("p1.a", FailureClass.AUTH))
    await house.world.store.park(DOCS, "KeyError: 'x'")
    plan, parked, blocked = (await house.ask(ask.ListInbox())).items
    assert (plan.verb, plan.digest) == ("harnctl plan show docs 1", g.approve(g.a_plan()).digest)
    assert parked == InboxItem(
        goal=DOCS,
        kind=InboxKind.PARKED,
        subject="docs",
        summary="harnd gave up on it: KeyError: 'x'",
        since=g.T0,
        digest=None,
        verb="harnctl why docs",
    )
    assert blocked == InboxItem(
        goal=BILLING,
        kind=InboxKind.BLOCKED,
        subject="p1.a",
        summary="blocked (auth): no luck; log the agent in again, then resolve it",
        since=g.later(20),
        digest=None,
        verb="harnctl work show billing p1.a",
    )


@pytest.mark.parametrize(
    ("life", "kind", "verb"),
    [
        ((g.answered(g.question()),), InboxKind.ATTENTION, "harnctl plan show billing 1"),
        (
            (g.answered(g.a_plan()), g.approve(g.a_plan()), g.cancel_work("p1.a")),
            InboxKind.BLOCKED,
            "harnctl why billing",
        ),
    ],
    ids=["attention", "held up"],
)
async def test_every_kind_of_question_has_its_command(house: Shelf, life, kind, verb):
    await house.live(g.create(g.an_intent(milestones=1)), g.tick(), *life)
    (item,) = (await house.ask(ask.ListInbox())).items
    assert (item.kind, item.verb) == (kind, verb)


async def test_a_spent_budget_leads_to_more_of_it(house: Shelf):
    await house.live(g.create(g.an_intent(ticks=1)), g.tick(), g.unanswered(FailureClass.UPSTREAM))
    (item,) = (await house.ask(ask.ListInbox())).items
    assert (item.kind, item.verb) == (InboxKind.BUDGET, "harnctl goal extend billing --ticks 500")


async def test_a_limit_that_does_not_grow_leads_to_the_reason(house: Shelf):
    await house.live(g.create(g.an_intent(replans=1)), g.tick(), g.answered(g.question()))
    item = next(found for found in (await house.ask(ask.ListInbox())).items if found.kind is InboxKind.BUDGET)
    assert (item.subject, item.verb) == ("billing", "harnctl why billing")


async def test_an_empty_inbox(house: Shelf):
    assert await house.ask(ask.ListInbox()) == InboxView(())


async def test_an_inbox_says_up_to_which_event_it_is_current(house: Shelf):
    await planned(house, "billing")
    newest = await house.world.store.newest()
    view = await house.ask(ask.ListInbox())
    assert (len(view.items), view.after) == (1, newest)
    await house.live(g.reject(g.a_plan()))
    assert (await house.ask(ask.ListInbox())).after == newest + 1


class Busy:
    """A store in which something new waits for a person after each look at it."""

    def __init__(self, house: Shelf, goals: Iterator[str]) -> None:
        self._store = house.world.store
        self._house = house
        self._goals = goals

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)

        async def looked(*args: Any, **kwargs: Any) -> Any:
            found = await method(*args, **kwargs)
            if (goal := next(self._goals, None)) is not None:
                await planned(self._house, goal)
            return found

        return looked


async def test_what_happens_while_the_inbox_is_read_is_in_it_or_comes_after_it(house: Shelf):
    await planned(house, "billing")
    world = replace(house.world, store=cast("EventStore", Busy(house, iter(("docs", "shop", "site")))))
    view = await Queries(world, roster=house.acting, about=ABOUT, configuration=Chosen()).answer(ask.ListInbox())

    told = {item.goal for item in view.items}
    later = await house.world.store.read_all(after=view.after, limit=100)
    asked = {event.stream for event in later if event.tag == "plan.proposed/1"}
    everywhere = {event.stream for event in await house.world.store.read_all(after=0, limit=100)}
    assert len(everywhere) > len(told)  # something did happen after the last look
    assert told | asked == everywhere


# --- events


async def test_events_are_listed_a_page_at_a_time(house: Shelf):
    await house.live(g.create(g.an_intent()), g.tick())
    await house.live(g.create(g.an_intent(goal="docs")), goal="docs")
    first = await house.ask(ask.ListEvents(limit=2))
    assert [(event.seq, event.goal, event.version, event.tag) for event in first.events] == [
        (1, "billing", 1, "goal.created/1"),
        (2, "billing", 2, "goal.ticked/1"),
    ]
    assert first.events[1].body == {"type": "goal.ticked/1"}
    rest = await house.ask(ask.ListEvents(after=first.next_after))
    assert [event.seq for event in rest.events] == [3, 4, 5]
    assert (await house.ask(ask.ListEvents(after=5))).next_after == 5


async def of_goal(house: Shelf, goal: GoalId, *, after: int = 0, limit: int = 200) -> tuple[list[int], int]:
    page = await house.ask(ask.ListEvents(after=after, goal=goal, limit=limit))
    assert {event.goal for event in page.events} <= {goal}
    return [event.seq for event in page.events], page.next_after


async def test_the_last_events_of_one_goal_move_the_cursor_past_those_of_the_others(house: Shelf):
    await house.live(g.create(g.an_intent()), g.tick())
    await house.live(g.create(g.an_intent(goal="docs")), goal="docs")
    assert await of_goal(house, DOCS) == ([5], 5)
    assert await of_goal(house, BILLING) == ([1, 2, 3, 4], 5)
    assert await of_goal(house, BILLING, after=4) == ([], 5)
    assert await of_goal(house, BILLING, after=5) == ([], 5)
    assert await of_goal(house, BILLING, after=9) == ([], 9)


async def test_a_full_page_of_one_goal_moves_the_cursor_to_its_last_event(house: Shelf):
    await house.live(g.create(g.an_intent()), g.tick())
    await house.live(g.create(g.an_intent(goal="docs")), goal="docs")
    assert await of_goal(house, BILLING, limit=3) == ([1, 2, 3], 3)
    assert await of_goal(house, BILLING, after=3, limit=1) == ([4], 4)
    assert await of_goal(house, BILLING, after=4, limit=1) == ([], 5)


async def test_an_event_that_is_committed_while_a_page_is_read_is_not_jumped_over(house: Shelf):
    """The cursor goes no further than the store had come before it was read."""
    await house.live(g.create(g.an_intent()))
    await house.live(g.create(g.an_intent(goal="docs")), goal="docs")
    life = iter((g.tick(), g.answered(g.a_plan()), g.approve(g.a_plan())))
    store = CommitsMeanwhile(house.world.store, lambda: house.live(next(life)))
    house.queries = Queries(
        replace(house.world, store=cast("EventStore", store)), roster=house.acting, about=ABOUT, configuration=Chosen()
    )
    seen, after = await of_goal(house, BILLING)
    while (page := await of_goal(house, BILLING, after=after))[1] != after:
        seen, after = seen + page[0], page[1]
    assert next(life, None) is None
    assert seen == [event.seq for event in await house.world.store.read(BILLING)]


class CommitsMeanwhile:
    """A store in which something is committed right after each of the first reads."""

    def __init__(self, store: EventStore, commit: Callable[[], Awaitable[None]]) -> None:
        self._store = store
        self._commit = commit
        self._left = {"row", "newest", "read_all"}

    def __getattr__(self, name: str) -> Callable[..., Awaitable[object]]:
        async def read(*args: Any, **kwargs: Any) -> object:
            found = await getattr(self._store, name)(*args, **kwargs)
            if name in self._left:
                self._left.remove(name)
                await self._commit()
            return found

        return read


async def test_a_page_of_the_largest_events_fits_into_a_frame(house: Shelf):
    lease = await house.world.store.acquire(BILLING, ME, TTL)
    large = msgspec.json.encode({"text": "\u2603\\" * ((bounds.EVENT_BYTES - 20) // 5)})
    facts = tuple(msgspec.structs.replace(fact(), body=large) for _ in range(20))
    await house.world.store.append(change(fence=lease.fence, facts=facts))
    after, seen = 0, 0
    while (page := await house.ask(ask.ListEvents(after=after))).events:
        write_frame({"jsonrpc": "2.0", "id": "x" * bounds.REQUEST_ID_CHARS, "result": write(page)})
        seen, after = seen + len(page.events), page.next_after
    assert seen == 20


# --- processes


async def test_processes_are_listed_with_what_they_work_on(house: Shelf):
    house.seen.runs("goal/billing/plan/2/call/1", pid=11, started=1)
    house.seen.runs("goal/billing/work/p1.a/attempt/1/proof/check", pid=12, started=5)
    house.at(9)
    assert await house.ask(ask.ListProcesses()) == ProcessList(
        (
            ProcessView(
                effect=EffectKey("goal/billing/plan/2/call/1"), pid=11, age=Micros(8_000_000), goal=BILLING, work=None
            ),
            ProcessView(
                effect=EffectKey("goal/billing/work/p1.a/attempt/1/proof/check"),
                pid=12,
                age=Micros(4_000_000),
                goal=BILLING,
                work=WorkId("p1.a"),
            ),
        )
    )


async def test_a_clock_that_was_set_back_makes_no_negative_age(house: Shelf):
    house.seen.runs("goal/billing/plan/2/call/1", started=60)
    (process,) = (await house.ask(ask.ListProcesses())).processes
    assert process.age == 0


# --- status


async def test_the_daemon_in_one_look(house: Shelf):
    await planned(house, "docs")
    await planned(house, "billing")
    await house.world.store.park(DOCS, "KeyError: 'x'")
    house.seen.runs("goal/billing/plan/2/call/1")
    house.at(180)
    health = await house.world.store.health()
    assert await house.ask(ask.ShowStatus()) == StatusView(
        pid=4242,
        version="0.1.0",
        instance=InstanceId("5f0c2a"),
        uptime=Micros(180_000_000),
        state_dir=ABOUT.state_dir,
        socket=ABOUT.socket,
        goals={Phase.AWAITING_ATTENTION: 2},
        running_sessions=1,
        inbox=3,
        store=StoreHealth(
            engine=health.engine, schema=health.schema, events=12, size_bytes=health.size_bytes, wal_bytes=0
        ),
        notes=("goal docs is parked: KeyError: 'x'",),
    )


@pytest.mark.parametrize(
    ("wal_bytes", "notes"), [(64 * 2**20, []), (64 * 2**20 + 1, ["the store's log has grown to 64 MiB"])]
)
def test_a_log_that_grows_is_noted(wal_bytes, notes):
    health = Health(engine="SQLite 3.51.3", schema=1, events=44, size_bytes=90112, wal_bytes=wal_bytes)
    assert list(noted([], health)) == notes


@pytest.fixture
async def closed() -> Shelf:
    """A shelf whose store answers nothing any more."""
    async with shelf() as made:
        return made


async def test_a_store_that_does_not_answer_is_said_and_not_counted_as_empty(closed: Shelf):
    view = await closed.ask(ask.ShowStatus())
    assert (view.goals, view.inbox, view.store) == ({}, 0, None)
    assert view.notes == ("the store does not answer, so goals and inbox are not known: the store is closed",)


@pytest.mark.parametrize(
    "question",
    [ask.ListGoals(), ask.ListInbox(), ask.ShowGoal(BILLING), ask.ListEvents()],
    ids=lambda question: question.method,
)
async def test_other_questions_pass_on_what_the_store_said(closed: Shelf, question):
    with pytest.raises(UnavailableError):
        await closed.ask(question)


# --- goals that cannot be read


@pytest.fixture
async def poisoned(house: Shelf) -> Shelf:
    await planned(house, "billing")
    await planned(house, "docs")
    await house.poison("billing", after=6)
    return house


@pytest.mark.parametrize(
    "question",
    [
        ask.ShowGoal(BILLING),
        ask.ListPlans(BILLING),
        ask.ShowPlan(BILLING, 1),
        ask.ListWork(BILLING),
        ask.ShowWork(BILLING, WorkId("p1.a")),
        ask.ShowWorkLog(BILLING, WorkId("p1.a")),
        ask.ShowWorkDiff(BILLING, WorkId("p1.a")),
        ask.ShowWhy("billing"),
        ask.ShowBudget(BILLING),
    ],
    ids=lambda question: question.method,
)
async def test_a_goal_that_cannot_be_read_is_refused_for_that(poisoned: Shelf, question):
    with pytest.raises(Refusal) as refused:
        await poisoned.ask(question)
    assert refused.value.code == "goal.unreadable"
    assert "goal billing cannot be read by this harnd" in refused.value.message
    assert refused.value.details == {"goal": "billing", "after_version": 0}


async def test_a_goal_that_cannot_be_read_hides_no_other(poisoned: Shelf):
    assert [row.goal for row in (await poisoned.ask(ask.ListGoals())).goals] == ["billing", "docs"]
    assert [item.goal for item in (await poisoned.ask(ask.ListInbox())).items] == ["docs"]
    assert (await poisoned.ask(ask.ShowStatus())).goals == {Phase.AWAITING_ATTENTION: 2}
    assert (await poisoned.ask(ask.ShowGoal(DOCS))).goal == "docs"
    assert "goal.billing" in {check.name for check in (await poisoned.ask(ask.ShowDoctor())).checks}
    (event,) = (await poisoned.ask(ask.ListEvents(after=12))).events
    assert event == EventView(
        seq=13, goal=BILLING, version=7, at=g.T0, tag="goal.ascended/9", body={"type": "goal.ascended/9"}
    )


@pytest.mark.parametrize(
    ("body", "shown"), [(b"\xff{", "\ufffd{"), (b"[1]", "[1]"), (b"x" * 900, "x" * 200)], ids=["bytes", "list", "long"]
)
async def test_a_damaged_event_is_shown_for_what_it_is(house: Shelf, body, shown):
    await planned(house, "billing")
    await house.poison("billing", after=6, body=body)
    (event,) = (await house.ask(ask.ListEvents(after=6))).events
    assert event.body == {"unreadable": shown}


# --- the desk


async def test_every_question_of_the_protocol_is_answered(house: Shelf):
    base = house.workspace.make("/srv/billing", {"README.md": b"# Billing\n"})
    intent = msgspec.structs.replace(g.an_intent(), base_commit=base)
    await house.live(g.create(intent), g.tick(), g.answered(g.a_plan()), g.approve(g.a_plan()), g.tick())
    asks = Asks(question="Publish?", risk=Risk.LOW, tree=TreeId("7" * 40), changed=(), at=g.T0)
    await house.live(g.failed("p1.a", commit=base), g.tick(), g.failed("p1.a", attempt=2, asks=asks, stage="release"))
    given = {"goal": "billing", "plan": 1, "work": "p1.a", "target": "billing/p1.a", "approval": 1}
    of_the_connection = {"initialize", "events.subscribe", "events.unsubscribe"}
    for name, method in METHODS.items():
        if method.changes or name in of_the_connection:
            continue
        fields = {field.name: given[field.name] for field in msgspec.structs.fields(method.request) if field.required}
        reply = await house.ask(msgspec.convert(fields, method.request))
        assert type(reply) is method.reply
        assert msgspec.convert(write(reply), method.reply) == reply  # what is sent is what was meant


async def test_a_change_is_no_question(house: Shelf):
    with pytest.raises(Refusal, match=r"^request\.unknown_method: "):
        await house.ask(ask.CancelGoal(key=IdempotencyKey("k"), goal=BILLING, reason="enough"))


# --- loading


async def test_a_goal_that_was_loaded_before_is_read_on_from_there(house: Shelf):
    loader = Loader(house.world.store)
    await house.live(g.create(g.an_intent()), g.tick())
    before = await loader.load(BILLING)
    assert await loader.load(BILLING) is before
    await house.live(g.answered(g.a_plan()))
    after = await loader.load(BILLING)
    assert (before.version, after.version) == (4, 6)
    assert after == await Loader(house.world.store).load(BILLING)


async def test_only_the_goals_asked_for_last_are_kept(house: Shelf):
    loader = Loader(house.world.store, keep=2)
    for name in ("a", "b", "c"):
        await house.live(g.create(g.an_intent(goal=name)), goal=name)
    for name in ("a", "b", "a", "c"):
        await loader.load(GoalId(name))
    assert repr(loader) == "<Loader a@1 c@1>"


async def test_loading_takes_no_lease(house: Shelf):
    await house.live(g.create(g.an_intent()))
    await Loader(house.world.store).load(BILLING)
    await house.live(g.tick())  # under the lease that the journal had before


async def test_a_long_stream_is_folded_whole(house: Shelf):
    await house.live(g.create(g.an_intent(replans=100, agent_calls=100, ticks=200)))
    for number in range(1, 100):
        await house.live(g.tick(), g.answered(g.question(), plan=number), g.retry_plan(plan=number))
    goal = await Loader(house.world.store).load(BILLING)
    assert (len(goal.plans), goal.version) == (99, 1 + 99 * 6)
