"""Tokens and money: set aside by what calls used so far, booked when they ended, and unknown where nobody said."""

import pytest

from harnd.domain.goal import events as e
from harnd.domain.goal.hindrance import call_shortage
from harnd.domain.goal.inbox import asks
from harnd.domain.goal.ledger import Entry
from harnd.domain.goal.position import position
from harnd.domain.goal.shortage import Spent, shortage
from harnd.domain.goal.usage import Told, Usage, combined
from protocol.values import FailureClass, MicroDollars, NextAction, Phase, Trigger, Unit
from tests.kit.given import (
    T0,
    Given,
    a_goal,
    a_plan,
    a_template,
    an_intent,
    answered,
    applied,
    approve,
    cancel_goal,
    cancel_work,
    draft,
    extend_goal,
    failed,
    item,
    live,
    planning,
    question,
    retry_plan,
    succeeded,
    tick,
    unanswered,
)

DOLLAR = 1_000_000
LIMITED = {"tokens": 10_000, "money": 5 * DOLLAR}
TWO = (draft("a"), draft("b"), draft("c", "a", "b"))


def tokens(goal):
    return goal.ledger.entries[Unit.TOKENS]


def money(goal):
    return goal.ledger.entries[Unit.MICRO_DOLLARS]


def used(calls: int = 1, tokens: int | None = None, cost: int | None = None) -> Usage:
    return Usage(calls, tokens, None if cost is None else MicroDollars(cost))


# --- what is not limited


def test_what_a_goal_does_not_limit_has_no_account_and_hinders_nothing():
    goal = live(planning(), answered(a_plan(), tokens=10**9, cost=10**9))
    assert goal.ledger.entries.keys().isdisjoint({Unit.TOKENS, Unit.MICRO_DOLLARS})
    assert (goal.used().tokens, goal.used().cost) == (10**9, 10**9)


def test_an_intent_without_them_has_the_digest_it_always_had():
    assert b"tokens" not in a_goal().intent_digest.encode()
    assert an_intent(tokens=None, money=None).digest() == an_intent().digest()
    assert an_intent(tokens=1).digest() != an_intent().digest()


# --- before a call


def test_before_anything_is_known_a_call_sets_one_aside():
    Given(a_goal(**LIMITED)).when(tick()).then(
        e.GoalTicked(),
        e.PlanRequested(plan=1, trigger=Trigger.INITIAL, graph=a_goal().graph_digest()),
        e.PlannerCalled(plan=1, call=1, set_aside={Unit.TOKENS: 1, Unit.MICRO_DOLLARS: 1}),
    )
    assert tokens(planning(**LIMITED)) == Entry(10_000, reserved=1)


def test_afterwards_as_much_as_calls_used_on_average():
    goal = live(planning(**LIMITED), answered(question(), tokens=1_000, cost=30_000), retry_plan(), tick())
    goal = live(goal, answered(a_plan(), plan=2, tokens=2_001, cost=10_000), approve(a_plan(), plan=2), tick())
    assert tokens(goal) == Entry(10_000, spent=3_001, reserved=1_501, told=2)
    assert money(goal) == Entry(5 * DOLLAR, spent=40_000, reserved=20_000, told=2)


def test_for_every_call_of_an_attempt_and_never_more_than_is_left():
    many = [a_template(agents=3)]
    goal = live(planning(templates=many, tokens=4_000), answered(a_plan(), tokens=1_500), approve(a_plan()), tick())
    assert tokens(goal) == Entry(4_000, spent=1_500, reserved=2_500, told=1)


def test_what_is_set_aside_holds_back_others():
    goal = live(planning(tokens=4_000), answered(a_plan(*TWO), tokens=2_500), approve(a_plan(*TWO)), tick())
    assert [one.running is not None for one in goal.work.values()] == [True, False, False]
    assert shortage(goal, item(goal, "p1.b"), T0) == Spent(Unit.TOKENS, 1, 0)
    assert position(goal, T0).phase is Phase.RUNNING


# --- after a call


def test_what_was_used_is_booked_and_may_pass_the_limit_by_what_was_under_way():
    goal = live(applied(tokens=4_000), tick(), failed("p1.a", usage=used(1, 6_000)))
    assert (tokens(goal), tokens(goal).left) == (Entry(4_000, spent=6_000, told=1, untold=1), -2_000)
    Given(goal).when(tick()).then_nothing()


def test_what_nobody_is_charged_for_is_spent_all_the_same():
    goal = live(planning(**LIMITED), unanswered(FailureClass.UPSTREAM))
    assert money(goal) == Entry(5 * DOLLAR, untold=1)
    goal = live(applied(**LIMITED), tick(), failed("p1.a", FailureClass.LOST, usage=used(1, 700, 90)))
    assert (money(goal).spent, goal.ledger.entries[Unit.AGENT_CALLS].spent) == (90, 1)


def test_what_was_not_reported_is_counted_and_never_zero():
    goal = live(applied(**LIMITED), tick(), succeeded("p1.a", usage=used(1, 700, None)))
    assert tokens(goal) == Entry(10_000, spent=700, told=1, untold=1)  # the planner said nothing
    assert money(goal) == Entry(5 * DOLLAR, untold=2)
    assert (goal.used().tokens, goal.used().cost) == (None, None)


def test_of_several_calls_those_that_report_are_booked():
    usage = combined((Usage(1, 500, MicroDollars(40)), Usage(1, None, MicroDollars(2)), Usage(1, 300)))
    assert usage == Usage(3, None, None, 800, MicroDollars(42), 2, 2)
    assert usage.told(Unit.TOKENS) == Told(800, 2, 1)
    assert Usage(2, None, MicroDollars(5)).told(Unit.TOKENS) == Told(0, 0, 2)
    assert combined((Usage(1, 500, MicroDollars(40)), Usage(1, 1, MicroDollars(2)))) == used(2, 501, 42)


def test_a_run_that_was_made_again_counts_as_no_call_and_its_use_is_booked():
    again = Usage(0, 250, MicroDollars(10))
    assert combined([again, used(1, 500, 40)]) == used(1, 750, 50)
    assert combined([Usage(0), used(1, 500, 40)]).told(Unit.TOKENS) == Told(500, 1, 1)


def test_an_attempt_that_was_cut_short_may_have_made_any_of_its_calls():
    goal = live(applied(*TWO, **LIMITED), tick(), cancel_work("p1.a"))
    assert (tokens(goal).reserved, tokens(goal).untold) == (1, 2)
    goal = live(goal, cancel_goal())
    assert (tokens(goal).reserved, tokens(goal).untold) == (0, 3)


# --- the question, and its answer


def exhausted():
    return live(planning(tokens=4_000), answered(a_plan(), tokens=4_700), approve(a_plan()), tick())


def test_nothing_left_asks_a_person_who_is_told_what_is_missing():
    goal = exhausted()
    where = position(goal, T0)
    assert (where.phase, where.next_action, where.grows) == (
        Phase.BUDGET_EXHAUSTED,
        NextAction.ANSWER_BUDGET,
        Unit.TOKENS,
    )
    assert where.reason.endswith("the budget allows no further attempt: the 4,000 tokens are used up or set aside")
    assert where.verbs == (
        "harnctl budget billing",
        "harnctl goal extend billing --tokens 500000",
        "harnctl goal cancel billing",
    )
    assert [(ask.kind, ask.subject) for ask in asks(goal, T0)] == [("budget", "budget/tokens")]


@pytest.mark.parametrize(("more", "phase"), [(700, Phase.BUDGET_EXHAUSTED), (701, Phase.RUNNING)])
def test_the_overshoot_is_made_good_first(more, phase):
    goal = live(exhausted(), extend_goal({Unit.TOKENS: more}), tick())
    assert position(goal, T0).phase is phase


def test_money_is_asked_for_in_dollars():
    goal = live(planning(money=DOLLAR), answered(question(), cost=25 * DOLLAR + 1), retry_plan(), tick())
    assert call_shortage(goal, T0) == Spent(Unit.MICRO_DOLLARS, 1, -24 * DOLLAR - 1)
    where = position(goal, T0)
    assert where.reason == "the planner cannot be called: the $1.00 are used up or set aside"
    assert "harnctl goal extend billing --money 24.01" in where.verbs
    assert where.grows is None  # the usual ten dollars are not enough
    goal = live(goal, extend_goal({Unit.MICRO_DOLLARS: 24_010_000}), tick())
    assert position(goal, T0).phase is Phase.RUNNING


def test_what_is_not_limited_is_not_extended():
    Given(a_goal()).when(extend_goal({Unit.TOKENS: 5})).then_refused(
        "budget.not_extendable", "tokens of this goal are not limited"
    )
    everything = a_goal(tokens=5, money=5)
    Given(everything).when(extend_goal({Unit.MILESTONES: 1})).then_refused(
        "budget.not_extendable",
        "milestones cannot be extended; attempts, agent_calls, ticks, active_runtime_us, tokens, micro_dollars can",
    )
    Given(a_goal(tokens=10**12 - 1)).when(extend_goal({Unit.TOKENS: 2})).then_refused("budget.ceiling")


def test_work_without_agents_needs_neither():
    goal = live(
        planning(tokens=100, templates=[a_template(), a_template("plain", agents=0)]),
        answered(a_plan(draft("a", template="plain"), draft("b", "a")), tokens=500),
    )
    goal = live(goal, approve(a_plan(draft("a", template="plain"), draft("b", "a"))), tick())
    assert item(goal, "p1.a").running is not None
    assert item(goal, "p1.a").attempts[0].set_aside == {}
