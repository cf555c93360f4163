"""Approvals as people see them, over a real store: what waits, what is over, and what nobody has noticed yet."""

from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace

from harnd.domain.goal import commands as c
from harnd.domain.goal.intent import Automation
from harnd.domain.rejected import Rejected
from protocol import requests as ask
from protocol.ids import Digest, GoalId, TreeId, WorkId
from protocol.values import ApprovalState, AttemptOutcome, FailureClass, Risk
from protocol.views import ApprovalRow, ApprovalView, InboxKind
from tests.kit import given as g
from tests.kit.shelf import Shelf, shelf

BILLING, SEARCH = GoalId("billing"), GoalId("search")
A = WorkId("p1.a")
TREE = TreeId("7" * 40)
HOUR = 3_600


@pytest.fixture
async def house() -> AsyncIterator[Shelf]:
    async with shelf() as made:
        yield made


async def enrolled(house: Shelf, goal: str = "billing", *work) -> None:
    """A plan with this work was approved, and what could be started has been."""
    plan = g.a_plan(*work)
    intent = g.an_intent(goal=goal)
    await house.live(g.create(intent), g.tick(), g.answered(plan), g.approve(plan), g.tick(), goal=goal)


async def asks(house: Shelf, work: str = "p1.a", *, goal: str = "billing", risk: Risk = Risk.MEDIUM, **more) -> None:
    """A stage asks a person."""
    question = more.pop("question", "Publish?\nIt is 12.50.")
    wanted = c.Asks(
        question=question, risk=risk, tree=TREE, changed=more.pop("changed", ("bills.py",)), at=house.clock.now()
    )
    report = g.failed(work, FailureClass.DECISION, outcome=AttemptOutcome.FAILED, asks=wanted, stage="release", **more)
    await house.live(report, goal=goal)


async def shown(house: Shelf, number: int = 1) -> ApprovalView:
    return await house.ask(ask.ShowApproval(BILLING, number))


async def listed(house: Shelf, goal: GoalId | None = None, *, decided: bool = False):
    found = await house.ask(ask.ListApprovals(goal, decided=decided))
    return [(row.goal, row.approval, row.state) for row in found.approvals]


async def digest(house: Shelf) -> Digest:
    return (await shown(house)).digest


async def test_everything_that_an_answer_needs_is_shown(house: Shelf):
    await enrolled(house)
    house.at(60)
    await asks(house, risk=Risk.HIGH)
    view = await shown(house)
    assert (view.goal, view.approval, view.state, view.risk) == (BILLING, 1, ApprovalState.PENDING, Risk.HIGH)
    assert (view.work, view.title, view.attempt, view.stage) == (A, "Do a", 1, "release")
    assert (view.question, view.paths, view.paths_in_all) == ("Publish?\nIt is 12.50.", ("bills.py",), 1)
    assert (view.tree, view.repository) == (TREE, g.an_intent().repository)
    assert (view.requested_at, view.since, view.expires_at) == (g.later(60), g.later(60), g.later(60 + 4 * HOUR))
    assert (view.decided_by, view.reason, view.used) == (None, None, False)


async def test_a_row_has_the_first_words_of_the_question_on_one_line(house: Shelf):
    await enrolled(house)
    await asks(house, question="Publish\nthis? " + "x" * 300)
    (row,) = (await house.ask(ask.ListApprovals())).approvals
    assert row == ApprovalRow(
        goal=BILLING,
        approval=1,
        state=ApprovalState.PENDING,
        risk=Risk.MEDIUM,
        work=A,
        attempt=1,
        stage="release",
        question="Publish this? " + "x" * 185 + "…",
        digest=await digest(house),
        requested_at=g.T0,
        expires_at=g.later(24 * HOUR),
    )


async def test_what_changed_beyond_what_is_kept_is_counted(house: Shelf):
    await enrolled(house)
    await asks(house, changed=tuple(f"{number:04}.py" for number in range(2_000)))
    view = await shown(house)
    assert view.paths_in_all == 2_000
    assert 0 < len(view.paths) < 2_000


@pytest.mark.parametrize(
    ("second", "state"), [(24 * HOUR - 1, ApprovalState.PENDING), (24 * HOUR, ApprovalState.EXPIRED)]
)
async def test_what_nobody_answered_in_time_reads_as_expired_before_anybody_noticed(house: Shelf, second, state):
    await enrolled(house)
    await asks(house)
    house.at(second)
    view = await shown(house)
    assert view.state is state
    assert view.since == (g.T0 if state is ApprovalState.PENDING else view.expires_at)
    assert await listed(house) == [(BILLING, 1, state)]


async def test_who_answered_and_why_is_told(house: Shelf):
    await enrolled(house, "billing", g.draft("a"))
    await asks(house)
    house.at(30)
    no = c.DenyApproval(approval=1, digest=await digest(house), reason="Not yet.", by="ada", now=house.clock.now())
    await house.live(no)
    view = await shown(house)
    assert (view.state, view.decided_by, view.reason, view.since) == (
        ApprovalState.DENIED,
        "ada",
        "Not yet.",
        g.later(30),
    )


async def test_of_all_goals_the_most_urgent_comes_first_and_what_was_decided_only_when_asked_for(house: Shelf):
    for goal in ("billing", "search"):
        await enrolled(house, goal, g.draft("a"), g.draft("b"), g.draft("c", "a", "b"))
    await asks(house, "p1.a", risk=Risk.LOW)
    await asks(house, "p1.b", risk=Risk.HIGH)
    await asks(house, "p1.a", goal="search", risk=Risk.CRITICAL)
    first = await digest(house)
    await house.live(c.GiveApproval(approval=1, digest=first, by="ada", now=house.clock.now()))
    waiting = [(SEARCH, 1, ApprovalState.PENDING), (BILLING, 2, ApprovalState.PENDING)]
    assert await listed(house) == waiting
    assert await listed(house, decided=True) == [*waiting, (BILLING, 1, ApprovalState.APPROVED)]
    assert await listed(house, BILLING) == waiting[1:]


async def test_a_goal_that_cannot_be_read_hides_no_other(house: Shelf):
    await enrolled(house)
    await enrolled(house, "search")
    await asks(house)
    await asks(house, goal="search")
    row = await house.world.store.row(SEARCH)
    assert row is not None
    await house.poison("search", after=row.version)
    found = await house.ask(ask.ListApprovals(decided=True))
    assert ([row.goal for row in found.approvals], found.unreadable) == ([BILLING], (SEARCH,))


async def test_the_inbox_and_the_goal_say_what_is_at_stake_and_until_when(house: Shelf):
    await enrolled(house)
    await asks(house, risk=Risk.CRITICAL)
    (item,) = (await house.ask(ask.ListInbox())).items
    assert (item.kind, item.subject, item.digest) == (InboxKind.APPROVAL, "approval/1", await digest(house))
    assert (item.risk, item.expires_at) == (Risk.CRITICAL, g.later(HOUR))
    assert item.verb == "harnctl approval show billing 1"
    assert (await house.ask(ask.ShowGoal(BILLING))).attention == (item,)


async def test_there_is_no_approval_of_another_number(house: Shelf):
    await enrolled(house)
    with pytest.raises(Rejected, match=r"^approval.unknown: goal billing has no approval 1$") as refused:
        await shown(house)
    assert refused.value.fix == "harnctl approval list billing --all"


async def test_work_that_was_approved_and_waits_can_be_resolved(house: Shelf):
    plan = g.a_plan()
    intent = replace(g.an_intent(), automation=Automation(resume_approved=False))
    await house.live(g.create(intent), g.tick(), g.answered(plan), g.approve(plan), g.tick())
    await asks(house)
    assert not (await house.ask(ask.ShowWork(BILLING, A))).resolvable
    await house.live(c.GiveApproval(approval=1, digest=await digest(house), by="ada", now=house.clock.now()))
    assert (await house.ask(ask.ShowWork(BILLING, A))).resolvable


async def test_who_is_asked_again_is_told_what_became_of_the_first_question(house: Shelf):
    await enrolled(house)
    await asks(house)
    assert (await shown(house)).asked_again is None
    house.at(24 * HOUR)
    await house.live(g.tick(), g.resolve("p1.a"), g.tick())
    await asks(house)
    assert (await shown(house)).state is ApprovalState.EXPIRED
    assert (await shown(house, 2)).asked_again == "nobody answered in time"


async def test_in_the_inbox_what_much_hangs_on_comes_first_and_the_rest_by_its_age(house: Shelf):
    await house.live(g.create(g.an_intent(goal="docs")), g.tick(), g.answered(g.a_plan()), goal="docs")
    house.at(10)
    await enrolled(house)
    await asks(house)
    house.at(20)
    await enrolled(house, "search")
    await asks(house, goal="search", risk=Risk.HIGH)
    house.at(30)
    await enrolled(house, "ship")
    await asks(house, goal="ship", risk=Risk.CRITICAL)
    items = (await house.ask(ask.ListInbox())).items
    assert [item.goal for item in items] == ["ship", "search", "docs", "billing"]
