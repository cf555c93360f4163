"""The limits of a frozen goal can grow, and nothing else about it can change."""

import pytest

from harnd.domain.goal import events as e
from harnd.domain.goal.decide import decide
from harnd.domain.goal.due import CallPlanner, RunAttempt, due
from harnd.domain.goal.fingerprint import fingerprint
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.growth import GROWTHS, extension, grows_as_usual
from harnd.domain.goal.inbox import asks
from harnd.domain.goal.ledger import Entry
from harnd.domain.goal.position import position
from harnd.domain.goal.reasons.item import reason_of
from harnd.domain.goal.rules.tick import tick as step
from harnd.domain.goal.usage import Usage
from harnd.domain.problem import Problem
from harnd.domain.rejected import Rejected
from protocol import bounds
from protocol.values import FailureClass, MicroDollars, Phase, Unit
from tests.kit.given import (
    HOUR,
    MINUTE,
    T0,
    Given,
    a_goal,
    a_template,
    accept,
    applied,
    blocked,
    cancel_work,
    cancelled,
    differing,
    extend_goal,
    failed,
    in_review,
    item,
    later,
    live,
    refusal,
    reopen,
    retry_work,
    success,
    tick,
    working,
)

# One goal for each limit that grows, at rest because it is reached, and how long that took.
SPENT = {
    Unit.ATTEMPTS: live(working(attempts=1), failed("p1.a"), at=later(5)),
    Unit.AGENT_CALLS: live(working(agent_calls=2), failed("p1.a"), at=later(5)),
    Unit.TICKS: live(applied(ticks=1), at=later(5)),
    Unit.ACTIVE_RUNTIME_US: live(working(active_runtime=5_000_000), failed("p1.a"), at=later(5)),
    Unit.TOKENS: live(working(tokens=500), failed("p1.a", usage=Usage(1, 500)), at=later(5)),
    Unit.MICRO_DOLLARS: live(working(money=7), failed("p1.a", usage=Usage(1, None, MicroDollars(7))), at=later(5)),
}


def refused(goal: Goal, add: dict[Unit, int]) -> Rejected:
    with pytest.raises(Rejected) as refusal:
        live(goal, extend_goal(add))
    return refusal.value


# --- what can be added


def test_limits_grow_by_what_a_person_adds():
    Given(a_goal()).when(extend_goal({Unit.ACTIVE_RUNTIME_US: HOUR, Unit.ATTEMPTS: 10})).then(
        e.BudgetExtended(added={Unit.ATTEMPTS: 10, Unit.ACTIVE_RUNTIME_US: HOUR}, by="ada")
    )


def test_only_the_ledger_changes_and_what_was_spent_stays_spent():
    before = live(working(attempts=3), failed("p1.a"))
    after = live(before, extend_goal({Unit.ATTEMPTS: 2}))
    assert differing(before, after) == {"ledger"}
    assert after.ledger.entries[Unit.ATTEMPTS] == Entry(limit=5, spent=1)
    assert after.intent_digest == before.intent.digest() == after.intent.digest()


def test_extensions_add_up():
    goal = live(a_goal(ticks=10), extend_goal({Unit.TICKS: 5}), extend_goal({Unit.TICKS: 7}))
    assert goal.limit(Unit.TICKS) == 22


@pytest.mark.parametrize("unit", [unit for unit in Unit if unit not in GROWTHS])
def test_what_was_enrolled_does_not_grow(unit):
    Given(a_goal()).when(extend_goal({unit: 1})).then_refused(
        "budget.not_extendable", f"{unit} cannot be extended; attempts, agent_calls, ticks, active_runtime_us can"
    )


@pytest.mark.parametrize(
    ("unit", "limits", "ceiling"),
    [
        (Unit.ATTEMPTS, {"attempts": 20}, bounds.ATTEMPTS.ceiling),
        (Unit.AGENT_CALLS, {"agent_calls": 20}, bounds.AGENT_CALLS.ceiling),
        (Unit.TICKS, {"ticks": 20}, bounds.TICKS.ceiling),
        (Unit.ACTIVE_RUNTIME_US, {"active_runtime": 20}, 30 * 24 * HOUR),
        (Unit.TOKENS, {"tokens": 20}, bounds.TOKENS),
        (Unit.MICRO_DOLLARS, {"money": 20}, bounds.MICRO_DOLLARS),
    ],
)
def test_a_limit_grows_to_what_could_have_been_enrolled_and_no_further(unit, limits, ceiling):
    goal = a_goal(**limits)
    assert live(goal, extend_goal({unit: ceiling - 20})).limit(unit) == ceiling
    Given(goal).when(extend_goal({unit: ceiling - 19})).then_refused("budget.ceiling")
    full = live(goal, extend_goal({unit: ceiling - 20}))
    Given(full).when(extend_goal({unit: 1})).then_refused("budget.ceiling")


def test_everything_wrong_with_a_request_is_told_at_once_and_nothing_of_it_is_done():
    wrong = refused(a_goal(), {Unit.TICKS: 1, Unit.ATTEMPTS: 10_000, Unit.MILESTONES: 1, Unit.PLANNER_CALLS: 2})
    assert (wrong.code, wrong.fix) == ("budget.not_extendable", "look at what it may spend: harnctl budget billing")
    assert wrong.problems == (
        Problem(
            "budget.not_extendable",
            "add.planner_calls",
            "planner_calls cannot be extended; attempts, agent_calls, ticks, active_runtime_us can",
        ),
        Problem(
            "budget.not_extendable",
            "add.milestones",
            "milestones cannot be extended; attempts, agent_calls, ticks, active_runtime_us can",
        ),
        Problem(
            "budget.ceiling",
            "add.attempts",
            "attempts may be 10000 at most and are 20 now: expected up to 9980 more, found 10000",
        ),
    )
    assert all(problem.message in wrong.reason for problem in wrong.problems)


@pytest.mark.parametrize("ended", [success(), cancelled(a_goal())], ids=["succeeded", "cancelled"])
def test_a_goal_that_has_ended_spends_nothing_any_more(ended):
    Given(ended).when(extend_goal({Unit.ATTEMPTS: 1})).then_refused("goal.ended")


def test_a_goal_that_is_not_there_is_not_extended():
    Given(None).when(extend_goal({Unit.ATTEMPTS: 1})).then_refused("goal.unknown")


# --- what follows


@pytest.mark.parametrize("unit", SPENT)
def test_a_goal_that_rests_for_want_of_a_budget_moves_by_itself_once_there_is_more(unit):
    goal, now = SPENT[unit], later(5)
    assert position(goal, now).phase is Phase.BUDGET_EXHAUSTED
    assert [ask.kind for ask in asks(goal, now)] == ["budget"]
    assert step(goal, now) == []
    more = live(goal, extend_goal({unit: GROWTHS[unit].usual}), at=now)
    assert fingerprint(more, now) != fingerprint(goal, now)
    assert position(more, now).phase is Phase.READY
    assert asks(more, now) == ()
    assert [type(event) for event in step(more, now)][-1] is e.AttemptStarted


@pytest.mark.parametrize("unit", GROWTHS)
def test_one_more_is_one_more(unit):
    goal = live(SPENT[unit], extend_goal({unit: 1}), at=later(5))
    assert position(goal, later(5)).phase is Phase.READY
    assert goal.left(unit) >= 1


def test_more_ticks_where_there_are_some_wake_nobody():
    goal = a_goal()
    assert fingerprint(live(goal, extend_goal({Unit.TICKS: 5})), T0) == fingerprint(goal, T0)


def test_what_is_started_after_an_extension_may_run_as_long_as_is_left_then():
    goal = live(SPENT[Unit.ACTIVE_RUNTIME_US], extend_goal({Unit.ACTIVE_RUNTIME_US: HOUR}), tick(later(5)), at=later(5))
    (effect,) = due(goal, later(5))
    assert isinstance(effect, RunAttempt)
    assert effect.runtime_left == HOUR
    (effect,) = due(live(a_goal(), extend_goal({Unit.ACTIVE_RUNTIME_US: MINUTE}), tick()), T0)
    assert isinstance(effect, CallPlanner)
    assert effect.runtime_left == HOUR + MINUTE


def test_a_used_up_runtime_is_told_with_what_was_added():
    goal = live(
        SPENT[Unit.ACTIVE_RUNTIME_US], extend_goal({Unit.ACTIVE_RUNTIME_US: MINUTE}), tick(later(5)), at=later(5)
    )
    goal = live(goal, failed("p1.a", attempt=2), at=later(65))
    assert "the active runtime of 1m is used up" in position(goal, later(65)).reason


# --- the way out of what attempts hold up


def test_blocked_work_without_an_attempt_left_is_led_out_of_by_an_extension():
    goal = blocked(FailureClass.REVIEW, attempts=1)
    reason = reason_of(goal, item(goal, "p1.a"), T0)
    assert reason.condition.endswith("; and every attempt of the goal is spent")
    assert reason.verbs == (
        "harnctl work show billing p1.a",
        "harnctl work log billing p1.a",
        "harnctl goal extend billing --attempts 10",
        "harnctl work retry billing p1.a",
        "harnctl work cancel billing p1.a",
    )
    assert position(goal, T0).verbs == reason.verbs
    with refusal("budget.attempts"):
        live(goal, retry_work("p1.a"))
    extended = live(goal, extend_goal({Unit.ATTEMPTS: 10}))
    assert "extend" not in " ".join(position(extended, T0).verbs)
    assert position(live(extended, retry_work("p1.a")), T0).phase is Phase.READY


@pytest.mark.parametrize(
    ("goal", "command"),
    [
        (blocked(FailureClass.REFUSAL, attempts=1), retry_work("p1.a")),
        (blocked(FailureClass.REFUSAL, attempts=1), reopen("p1.a")),
        (live(blocked(FailureClass.REFUSAL, attempts=1), cancel_work("p1.a")), reopen("p1.a")),
        (in_review(attempts=1), reopen("p1.a")),
        (live(in_review(attempts=1), accept("p1.a")), reopen("p1.a")),
    ],
    ids=["retry", "reopen blocked", "reopen cancelled", "reopen in review", "reopen accepted"],
)
def test_a_decision_that_takes_an_attempt_says_how_to_get_one(goal, command):
    with pytest.raises(Rejected) as wrong:
        live(goal, command)
    assert (wrong.value.code, wrong.value.fix) == ("budget.attempts", "harnctl goal extend billing --attempts 10")
    assert decide(live(goal, extend_goal({Unit.ATTEMPTS: 1})), command) != []


def test_given_up_work_without_an_attempt_left_is_led_out_of_by_an_extension():
    goal = live(blocked(FailureClass.REFUSAL, attempts=1), cancel_work("p1.a"))
    verbs = (
        "harnctl budget billing",
        "harnctl goal extend billing --attempts 10",
        "harnctl goal cancel billing",
        "harnctl work reopen billing p1.a",
    )
    assert position(goal, T0).verbs == verbs
    assert reason_of(goal, item(goal, "p1.a"), T0).verbs == (verbs[1], verbs[3])


# --- what a person is told to type


def test_more_than_usual_is_named_where_more_is_missing():
    goal = live(applied(templates=[a_template(agents=70)], agent_calls=71), at=later(5))
    assert extension(goal, Unit.AGENT_CALLS, missing=63) == "harnctl goal extend billing --agent-calls 63"
    assert not grows_as_usual(goal, Unit.AGENT_CALLS, missing=63)


@pytest.mark.parametrize(
    ("left", "verb"),
    [(HOUR * 5, "2h"), (HOUR * 2, "2h"), (MINUTE * 90 + 1, "90m"), (HOUR, "1h"), (MINUTE - 1, None)],
)
def test_runtime_is_named_in_whole_hours_or_minutes(left, verb):
    goal = a_goal(active_runtime=30 * 24 * HOUR - left)
    told = verb and f"harnctl goal extend billing --runtime {verb}"
    assert extension(goal, Unit.ACTIVE_RUNTIME_US) == told


@pytest.mark.parametrize(
    ("limits", "verb"),
    [
        ({"attempts": bounds.ATTEMPTS.ceiling - 3}, "harnctl goal extend billing --attempts 3"),
        ({"attempts": bounds.ATTEMPTS.ceiling}, None),
    ],
)
def test_no_more_is_named_than_may_be_added(limits, verb):
    assert extension(a_goal(**limits), Unit.ATTEMPTS) == verb
    assert not grows_as_usual(a_goal(**limits), Unit.ATTEMPTS)


def test_at_its_ceiling_a_spent_budget_is_led_out_of_by_the_end_alone():
    goal = live(working(active_runtime=30 * 24 * HOUR), failed("p1.a"), at=later(30 * 24 * 3_600))
    where = position(goal, later(30 * 24 * 3_600))
    assert (where.phase, where.would_change) == (Phase.BUDGET_EXHAUSTED, "nothing: this limit does not grow")
    assert where.verbs == ("harnctl budget billing", "harnctl goal cancel billing")
    assert [ask.subject for ask in asks(goal, later(30 * 24 * 3_600))] == ["billing"]
