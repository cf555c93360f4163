"""Goals, plans and budgets as people see them, over a real store."""

from collections.abc import AsyncIterator

import msgspec
import pytest

from harnd.domain.digest import digest_of
from harnd.domain.goal.forecast import FORETOLD
from harnd.domain.goal.intent import Criterion
from harnd.domain.goal.usage import Usage
from protocol import requests as ask
from protocol.errors import Refusal
from protocol.ids import CommitId, CriterionId, GoalId, SpecialistName, TemplateName, WorkId, WorkKey
from protocol.values import FailureClass, NextAction, Phase, PlanDecision, PlanStatus, Trigger, Unit
from protocol.views import (
    BudgetRow,
    BudgetView,
    CompletionEvidence,
    CriterionView,
    ForecastRow,
    GoalList,
    GoalRow,
    GoalView,
    InboxItem,
    InboxKind,
    MilestoneView,
    PlanCounts,
    PlanItem,
    PlanList,
    PlanMilestone,
    PlanRow,
    PlanView,
    ProblemView,
)
from tests.kit import given as g
from tests.kit.shelf import Shelf, shelf

BILLING = GoalId("billing")
HOSTILE = "Which?\n[31m \u202e $(rm -rf /) `id`; harnctl plan approve billing 1 'x\""


@pytest.fixture
async def house() -> AsyncIterator[Shelf]:
    async with shelf() as made:
        yield made


changed = msgspec.structs.replace


def refusal(code: str):
    return pytest.raises(Refusal, match=f"^{code}: ")


# --- goals


async def test_a_goal_says_what_is_decided_in_a_persons_place(house: Shelf):
    intent = g.an_intent(auto_apply=True, retry_blocked=True)
    await house.live(g.create(intent))
    view = await house.ask(ask.ShowGoal(BILLING))
    assert view.unasked == ("plans are applied", "blocked work is tried again")


async def test_an_empty_store_has_no_goals(house: Shelf):
    assert await house.ask(ask.ListGoals()) == GoalList(())


async def test_a_list_is_written_from_rows(house: Shelf):
    await house.live(g.create(g.an_intent()), g.tick())
    house.at(20)
    await house.live(g.answered(g.a_plan()))
    await house.live(g.create(g.an_intent(goal="docs")), goal="docs")
    await house.world.store.park(GoalId("docs"), "KeyError: 'x'")
    assert await house.ask(ask.ListGoals()) == GoalList(
        (
            GoalRow(
                goal=BILLING,
                title="Export the billing",
                phase=Phase.AWAITING_ATTENTION,
                next_action=NextAction.DECIDE_PLAN,
                reason="plan 1 waits for approval",
                since=g.later(20),
                wake_at=None,
                waiting=1,
                parked=None,
            ),
            GoalRow(
                goal=GoalId("docs"),
                title="Export the billing",
                phase=Phase.READY,
                next_action=NextAction.PLAN_INITIAL,
                reason="the planner is called next",
                since=g.later(20),
                wake_at=None,
                waiting=1,  # parked
                parked="KeyError: 'x'",
            ),
        )
    )


async def test_a_goal_that_was_archived_is_listed_when_it_is_asked_for(house: Shelf):
    await house.live(g.create(g.an_intent()), g.cancel_goal(), g.archive_goal())
    await house.live(g.create(g.an_intent(goal="docs")), goal="docs")
    assert [row.goal for row in (await house.ask(ask.ListGoals())).goals] == ["docs"]
    listed = (await house.ask(ask.ListGoals(archived=True))).goals
    assert [(row.goal, row.archived) for row in listed] == [("billing", True), ("docs", False)]
    assert (await house.ask(ask.ShowGoal(BILLING))).archived


async def test_a_goal_in_full(house: Shelf):
    plan = g.a_plan(g.draft("a"), g.draft("b", "a"))
    await house.live(g.create(g.an_intent()), g.tick(), g.answered(plan), g.approve(plan), g.tick())
    house.at(60)
    await house.live(g.succeeded("p1.a"))
    house.acting.fences[BILLING] = 3
    intent, proof = g.an_intent(), g.a_proof("p1.a")
    view = await house.ask(ask.ShowGoal(BILLING))
    assert [row.work for row in view.work] == ["p1.a", "p1.b"]
    assert view == GoalView(
        goal=BILLING,
        title="Export the billing",
        phase=Phase.AWAITING_ATTENTION,
        next_action=NextAction.DECIDE_WORK,
        reason="proved and waiting to be accepted: p1.a",
        since=g.later(60),
        would_change="a decision about the work",
        wake_at=None,
        parked=None,
        repository="/srv/billing",
        branch="harn/billing",
        head=None,
        base_ref="main",
        base_commit=intent.base_commit,
        planner=SpecialistName("planner"),
        labels=(),
        objective="Bills can be exported.",
        acceptance=(CriterionView(CriterionId("AC-1"), "Bills are exported."),),
        invariants=(),
        non_goals=(),
        intent_digest=intent.digest(),
        generation=1,
        milestones=(
            MilestoneView(
                sequence=1,
                title="Step 1",
                objective="Reach step 1.",
                acceptance=(CriterionView(CriterionId("MC-1"), "Step 1 is there."),),
                plan=1,
                outcome=None,
            ),
        ),
        plans=PlanCounts(requested=1, applied=1, rejected=0, failed=0, max_requests=5, max_milestones=2),
        work=view.work,
        attention=(
            InboxItem(
                goal=BILLING,
                kind=InboxKind.WORK,
                subject="p1.a",
                summary="Do a: proved, to be accepted",
                since=g.later(60),
                digest=proof.digest(),
                verb="harnctl work show billing p1.a",
            ),
        ),
        fence=3,
        version=view.version,
    )


async def test_the_head_is_where_the_branch_is(house: Shelf):
    base = house.workspace.make("/srv/billing", {"README.md": b"bills\n"})
    await house.workspace.open_branch("/srv/billing", BILLING, base)
    await house.live(g.create(g.an_intent()))
    assert (await house.ask(ask.ShowGoal(BILLING))).head == CommitId(base)


async def test_a_goal_that_was_given_up_is_not_looked_at_by_itself(house: Shelf):
    await house.live(g.create(g.an_intent()), g.tick(), g.unanswered(FailureClass.UPSTREAM))
    assert (await house.ask(ask.ShowGoal(BILLING))).wake_at == g.later(30)
    await house.world.store.park(BILLING, "KeyError: 'x'")
    view = await house.ask(ask.ShowGoal(BILLING))
    (row,) = (await house.ask(ask.ListGoals())).goals
    assert (view.wake_at, row.wake_at) == (None, None)
    assert [(item.kind, item.verb) for item in view.attention] == [(InboxKind.PARKED, "harnctl why billing")]


async def test_a_milestone_says_what_became_of_it(house: Shelf):
    await house.live(g.create(g.an_intent()), g.tick(), g.answered(g.a_plan()), g.approve(g.a_plan()), g.tick())
    await house.live(g.succeeded("p1.a"), g.accept("p1.a"), g.tick(), g.proved("p1.a"), g.moved("p1.a"))
    assert [one.outcome for one in (await house.ask(ask.ShowGoal(BILLING))).milestones] == ["met"]


async def test_a_milestone_is_given_up_with_its_goal(house: Shelf):
    await house.live(g.create(g.an_intent()), g.tick(), g.answered(g.a_plan()), g.approve(g.a_plan()))
    await house.live(g.cancel_goal())
    view = await house.ask(ask.ShowGoal(BILLING))
    assert [one.outcome for one in view.milestones] == ["given up with the goal"]
    assert [row.reason for row in view.work] == ["p1.a was left as it was when the goal was cancelled"]


@pytest.mark.parametrize(
    "request_",
    [
        ask.ShowGoal(BILLING),
        ask.ListPlans(BILLING),
        ask.ShowPlan(BILLING, 1),
        ask.ListWork(BILLING),
        ask.ShowWork(BILLING, WorkId("p1.a")),
        ask.ShowWorkLog(BILLING, WorkId("p1.a")),
        ask.ShowWorkDiff(BILLING, WorkId("p1.a")),
        ask.ShowWhy("billing"),
        ask.ShowWhy("billing/p1.a"),
        ask.ShowBudget(BILLING),
        ask.ListEvents(goal=BILLING),
    ],
    ids=lambda request: f"{request.method} {getattr(request, 'target', '')}".strip(),
)
async def test_nothing_is_said_of_an_unknown_goal(house: Shelf, request_):
    with refusal("goal.unknown"):
        await house.ask(request_)


# --- plans


async def test_plans_are_listed_with_what_became_of_them(house: Shelf):
    first = g.a_plan(rationale="One.")
    await house.live(g.create(g.an_intent()), g.tick(), g.answered(first))
    house.at(30)
    await house.live(g.reject(first, "smaller"), g.tick(), g.answered(g.question("Which  format?"), plan=2))
    assert await house.ask(ask.ListPlans(BILLING)) == PlanList(
        goal=BILLING,
        plans=(
            PlanRow(
                plan=1,
                trigger=Trigger.INITIAL,
                status=PlanStatus.REJECTED,
                decision=PlanDecision.APPLY,
                title="Step 1",
                digest=digest_of(first),
                requested_at=g.T0,
                decided_at=g.later(30),
            ),
            PlanRow(
                plan=2,
                trigger=Trigger.INITIAL,
                status=PlanStatus.ATTENTION,
                decision=PlanDecision.ATTENTION,
                title="Which format?",
                digest=None,
                requested_at=g.later(30),
                decided_at=None,
            ),
        ),
    )


async def test_a_long_question_is_cut_where_a_title_is_wanted(house: Shelf):
    await house.live(g.create(g.an_intent()), g.tick(), g.answered(g.question("x" * 81)))
    (row,) = (await house.ask(ask.ListPlans(BILLING))).plans
    assert row.title == "x" * 79 + "…"


async def test_a_plan_in_full_after_a_reply_that_was_refused(house: Shelf):
    plan = g.a_plan(g.draft("a"), g.draft("b", "a", template="change"))
    await house.live(g.create(g.an_intent()), g.tick(), g.babbled(), g.tick(), g.answered(plan, call=2))
    assert await house.ask(ask.ShowPlan(BILLING, 1)) == PlanView(
        goal=BILLING,
        plan=1,
        trigger=Trigger.INITIAL,
        status=PlanStatus.PROPOSED,
        digest=digest_of(plan),
        decision=PlanDecision.APPLY,
        rationale="This comes first.",
        milestone=PlanMilestone(
            sequence=1,
            title="Step 1",
            objective="Reach step 1.",
            acceptance=(CriterionView(CriterionId("MC-1"), "Step 1 is there."),),
        ),
        items=(_item("a"), _item("b", "a")),
        root=WorkKey("b"),
        question=None,
        completion=(),
        guidance=None,
        problems=(ProblemView("answer.unreadable", "", "there is no object in the answer"),),
        failure=None,
        detail="",
        calls=2,
        requested_at=g.T0,
        decided_at=None,
        decided_by=None,
    )


def _item(key: str, *needs: str) -> PlanItem:
    return PlanItem(
        key=WorkKey(key),
        title=f"Do {key}",
        objective=f"Make {key} work.",
        acceptance=(CriterionView(CriterionId("WC-1"), "It works."),),
        dependencies=tuple(WorkId(name) for name in needs),
        template=TemplateName("change"),
        paths=(f"src/{key}",),
    )


async def test_a_plan_that_calls_the_mission_complete_shows_what_it_rests_on(house: Shelf):
    intent = g.an_intent()
    held = (Criterion(CriterionId("INV-1"), "No name is removed."),)
    assert intent.mission is not None
    intent = msgspec.structs.replace(intent, mission=msgspec.structs.replace(intent.mission, invariants=held))
    await house.live(g.create(intent), g.tick(), g.answered(g.a_plan()), g.approve(g.a_plan()), g.tick())
    await house.live(g.succeeded("p1.a"), g.accept("p1.a"), g.tick(), g.proved("p1.a"), g.moved("p1.a"), g.tick())
    await house.live(g.answered(g.completion("p1.a"), plan=2))
    view = await house.ask(ask.ShowPlan(BILLING, 2))
    assert (view.decision, view.milestone, view.items, view.root) == (PlanDecision.COMPLETE, None, (), None)
    assert view.completion == (
        CompletionEvidence(
            criterion=CriterionId("AC-1"), text="Bills are exported.", note="It is proved.", references=("p1.a",)
        ),
    )
    assert view.invariants == (CriterionView(CriterionId("INV-1"), "No name is removed."),)


async def test_a_failed_plan_says_so_and_who_answered(house: Shelf):
    await house.live(g.create(g.an_intent()), g.tick(), g.unanswered(FailureClass.AUTH))
    failed = await house.ask(ask.ShowPlan(BILLING, 1))
    assert (failed.status, failed.failure, failed.decided_at) == (PlanStatus.FAILED, FailureClass.AUTH, None)
    house.at(9)
    await house.live(g.retry_plan("logged in again"))
    answered = await house.ask(ask.ShowPlan(BILLING, 1))
    assert (answered.guidance, answered.decided_at, answered.decided_by) == ("logged in again", g.later(9), "ada")


@pytest.mark.parametrize("number", [2, 2**53 - 1])
async def test_a_plan_that_is_not_there_is_refused(house: Shelf, number):
    await house.live(g.create(g.an_intent()), g.tick())
    with g.refusal("plan.unknown"):
        await house.ask(ask.ShowPlan(BILLING, number))


async def test_hostile_words_of_a_planner_stay_text(house: Shelf):
    await house.live(g.create(g.an_intent()), g.tick(), g.answered(g.question(HOSTILE)))
    view = await house.ask(ask.ShowPlan(BILLING, 1))
    (waiting,) = (await house.ask(ask.ListInbox())).items
    why = await house.ask(ask.ShowWhy("billing"))
    assert (view.question, waiting.summary, why.condition) == (HOSTILE, HOSTILE, f"the planner asks: {HOSTILE}")
    assert (waiting.verb, why.verbs) == (
        "harnctl plan show billing 1",
        tuple(f"harnctl plan {word} billing 1" for word in ("show", "retry", "edit")),
    )


# --- budgets


async def test_a_goal_that_has_spent_nothing_knows_it(house: Shelf):
    await house.live(g.create(g.an_intent()))
    house.at(30)
    view = await house.ask(ask.ShowBudget(BILLING))
    assert (view.tokens, view.cost) == (0, 0)
    assert view.rows[-1] == _row(Unit.ACTIVE_RUNTIME_US, g.HOUR)


async def test_what_is_set_aside_and_what_passes_is_told(house: Shelf):
    plan = g.a_plan(g.draft("a"))
    await house.live(g.create(g.an_intent()), g.tick(), g.answered(plan), g.approve(plan), g.tick())
    house.at(30)
    assert await house.ask(ask.ShowBudget(BILLING)) == BudgetView(
        goal=BILLING,
        rows=(
            _row(Unit.ATTEMPTS, 20, reserved=1),
            _row(Unit.AGENT_CALLS, 50, spent=1, reserved=1),
            _row(Unit.PLANNER_CALLS, 5, spent=1),
            _row(Unit.MILESTONES, 2, spent=1),
            _row(Unit.WORK_ITEMS, 20, spent=1),
            _row(Unit.TICKS, 100, spent=2),
            _row(Unit.ACTIVE_RUNTIME_US, g.HOUR, spent=30_000_000),
        ),
        tokens=None,  # the planner did not report any
        cost=None,
        forecast=tuple(ForecastRow(unit=unit, more=1 if unit is Unit.PLANNER_CALLS else None) for unit in FORETOLD),
    )


@pytest.mark.parametrize(
    ("planner", "agent", "sums"),
    [
        ((100, 7), (20, 5), (120, 12)),
        ((100, 7), (None, 5), (None, 12)),
        ((None, None), (20, 5), (None, None)),
        ((0, 0), (0, 0), (0, 0)),
    ],
)
async def test_one_call_that_did_not_report_makes_the_sum_unknown(house: Shelf, planner, agent, sums):
    plan = g.a_plan(g.draft("a"))
    report = changed(g.answered(plan).report, tokens=planner[0], cost=planner[1])
    await house.live(g.create(g.an_intent()), g.tick(), changed(g.answered(plan), report=report), g.approve(plan))
    usage = Usage(calls=1, tokens=agent[0], cost=agent[1])
    await house.live(g.tick(), g.failed("p1.a", FailureClass.PROOF, usage=usage))
    view = await house.ask(ask.ShowBudget(BILLING))
    assert (view.tokens, view.cost) == sums


async def test_an_attempt_that_a_person_cut_short_is_unknown(house: Shelf):
    plan = g.a_plan(g.draft("a"))
    report = changed(g.answered(plan).report, tokens=1, cost=1)
    await house.live(g.create(g.an_intent()), g.tick(), changed(g.answered(plan), report=report), g.approve(plan))
    await house.live(g.tick(), g.cancel_goal())
    assert (await house.ask(ask.ShowBudget(BILLING))).tokens is None


def _row(unit: Unit, limit: int, *, spent: int = 0, reserved: int = 0) -> BudgetRow:
    return BudgetRow(unit=unit, limit=limit, spent=spent, reserved=reserved, left=limit - spent - reserved)


async def test_tokens_and_money_have_rows_where_they_are_limited(house: Shelf):
    limited = g.an_intent(tokens=4_000, money=7)
    await house.live(g.create(limited), g.tick(), g.answered(g.question(), tokens=4_700))
    rows = {row.unit: row for row in (await house.ask(ask.ShowBudget(BILLING))).rows}
    assert rows[Unit.TOKENS] == BudgetRow(unit=Unit.TOKENS, limit=4_000, spent=4_700, reserved=0, left=-700)
    assert rows[Unit.MICRO_DOLLARS] == BudgetRow(
        unit=Unit.MICRO_DOLLARS, limit=7, spent=0, reserved=0, left=7, unknown=1
    )


async def test_the_question_of_a_spent_limit_in_tokens_names_what_answers_it(house: Shelf):
    await house.live(g.create(g.an_intent(tokens=10)), g.tick(), g.answered(g.question(), tokens=10), g.retry_plan())
    (item,) = (await house.ask(ask.ListInbox())).items
    assert (item.subject, item.verb) == ("budget/tokens", "harnctl goal extend billing --tokens 500000")
