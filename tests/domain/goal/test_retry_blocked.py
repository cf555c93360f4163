"""Blocked work that is tried again unasked: after pauses, a few times, never over a budget, and told as what it is."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from harnd.domain.goal import events as e
from harnd.domain.goal.automation import RETRY_BLOCKED
from harnd.domain.goal.commands import GoalCommand
from harnd.domain.goal.decide import decide
from harnd.domain.goal.failure import ROWS
from harnd.domain.goal.fingerprint import fingerprint
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.inbox import asks
from harnd.domain.goal.position import position
from harnd.domain.goal.reasons.item import reason_of
from harnd.domain.goal.wanted import wanted_trigger
from harnd.domain.goal.work import Standing
from protocol.ids import WorkId
from protocol.values import Asked, FailureClass, Instant, NextAction, Phase, Trigger, Unit
from tests.domain.goal.walking import check_way_out
from tests.kit.given import (
    T0,
    Given,
    a_plan,
    a_template,
    accept,
    answered,
    asked,
    blocked,
    cancel_work,
    deny,
    draft,
    extend_goal,
    failed,
    give,
    in_review,
    integrating,
    item,
    later,
    live,
    lost,
    parked,
    pause_goal,
    plain,
    reject,
    reopen,
    resolve,
    resume_goal,
    retry_work,
    succeeded,
    tick,
    working,
)

A = WorkId("p1.a")
ONCE = (a_template(attempts=1), a_template("chore", root=False))
MINUTE = 60 * 1_000_000
PAUSES = (10 * MINUTE, 30 * MINUTE, 90 * MINUTE)
UNATTENDED = [failure for failure, row in ROWS.items() if row.unattended and not row.uncharged_bound]
ASKED = [failure for failure, row in ROWS.items() if not row.unattended]


def stopped(failure: FailureClass = FailureClass.PROOF, **intent: Any) -> Goal:
    """The first attempt at `p1.a` failed for good, and the goal may try it again unasked."""
    return blocked(failure, **{"templates": ONCE, "retry_blocked": True, **intent})


def wake(goal: Goal) -> Instant:
    """When harnd looks again by itself."""
    found = position(goal, goal.last_at).wake_at
    assert found is not None
    return found


def tried(goal: Goal) -> Goal:
    """Wait for the pause to end, and let the attempt be made."""
    at = wake(goal)
    return live(goal, tick(at), at=at)


def failing(goal: Goal, failure: FailureClass = FailureClass.PROOF) -> Goal:
    """The attempt that runs fails again."""
    return live(goal, failed(A, failure, len(item(goal, A).attempts)), at=goal.last_at)


def moves(goal: Goal, at: Instant) -> list[type]:
    return [type(event) for event in decide(goal, tick(at))]


# --- when


def test_it_is_tried_again_after_ten_minutes_and_not_before():
    goal = stopped()
    assert wake(goal) == later(600)
    assert moves(goal, Instant(later(600) - 1)) == []
    assert moves(goal, later(600)) == [e.GoalTicked, e.WorkRetried, e.AttemptStarted]


def test_each_pause_is_three_times_the_one_before_and_counts_from_when_it_blocked():
    goal, pauses = stopped(), []
    while item(goal, A).standing is Standing.BLOCKED and position(goal, goal.last_at).wake_at is not None:
        pauses.append(wake(goal) - item(goal, A).since)
        goal = failing(tried(goal))
    assert tuple(pauses) == PAUSES


def test_nothing_wakes_it_between_the_timers():
    goal = stopped()
    quiet = fingerprint(goal, T0)
    assert fingerprint(goal, Instant(later(600) - 1)) == quiet
    assert fingerprint(goal, later(600)) != quiet


def test_a_pause_of_the_goal_is_waited_for_and_no_timer_with_it():
    goal = live(stopped(), pause_goal())
    assert position(goal, T0).wake_at is None
    assert [ask.kind for ask in asks(goal, T0)] == []
    assert moves(goal, later(6_000)) == []
    assert moves(live(goal, resume_goal()), later(6_000)) == [e.GoalTicked, e.WorkRetried, e.AttemptStarted]


# --- what


@pytest.mark.parametrize("failure", UNATTENDED)
def test_every_class_that_may_pass_is_tried_again(failure: FailureClass):
    goal = stopped(failure)
    (said,) = [event for event in decide(goal, tick(later(600))) if isinstance(event, e.WorkRetried | e.WorkResolved)]
    assert said.by == RETRY_BLOCKED
    assert isinstance(said, e.WorkResolved if ROWS[failure].resolvable else e.WorkRetried)
    assert item(live(goal, tick(later(600)), at=later(600)), A).standing is Standing.RUNNING


@pytest.mark.parametrize("failure", ASKED)
def test_every_other_class_is_left_to_others(failure: FailureClass):
    goal = stopped(failure)
    tries = (e.WorkRetried, e.WorkResolved, e.WorkRequeued)
    assert [event for event in decide(goal, tick(later(6_000))) if isinstance(event, tries)] == []
    assert [ask.kind for ask in asks(goal, T0)] == (["blocked"] if ROWS[failure].asked is Asked.PERSON else [])


def test_without_the_switch_nothing_is_tried_again():
    goal = stopped(FailureClass.ENVIRONMENT, retry_blocked=False)
    assert moves(goal, later(6_000)) == []
    assert [ask.kind for ask in asks(goal, T0)] == ["blocked"]


def test_what_stopped_where_it_can_go_on_goes_on_there_and_says_who_let_it():
    goal = stopped(FailureClass.QUOTA)
    at = later(600)
    resumed = e.AttemptResumed(work=A, attempt=1, by=RETRY_BLOCKED)
    Given(goal).when(tick(at)).then(e.GoalTicked(), e.WorkResolved(work=A, by=RETRY_BLOCKED), resumed)
    assert len(item(live(goal, tick(at), at=at), A).attempts) == 1


def test_what_a_person_told_the_attempt_before_is_told_the_next_one():
    goal = live(stopped(), retry_work(A, "Mind the commas."), tick(), failed(A, attempt=2))
    assert item(tried(goal), A).guidance == "Mind the commas."


def unreachable(failure: FailureClass = FailureClass.ENVIRONMENT, **intent: Any) -> Goal:
    """Accepted work could not be brought in."""
    return live(integrating(retry_blocked=True, **intent), parked(A, failure=failure))


def test_accepted_work_that_could_not_be_brought_in_is_brought_in_again_with_the_same_pauses():
    goal, pauses = unreachable(), []
    while position(goal, goal.last_at).wake_at is not None:
        pauses.append(wake(goal) - item(goal, A).since)
        goal = tried(goal)
        number = len(item(goal, A).integrations)
        goal = live(goal, parked(A, number, failure=FailureClass.ENVIRONMENT), at=goal.last_at)
    assert tuple(pauses) == PAUSES
    assert len(item(goal, A).attempts) == 1
    assert [ask.kind for ask in asks(goal, goal.last_at)] == ["blocked"]


def test_accepted_work_is_accepted_still_when_it_is_brought_in_again():
    goal = unreachable(FailureClass.TIMEOUT, templates=ONCE)
    assert moves(goal, later(600)) == [e.GoalTicked, e.WorkRequeued, e.IntegrationStarted]


def test_work_that_does_not_pass_on_the_integrated_tree_is_made_again():
    goal = live(integrating(retry_blocked=True, templates=ONCE), parked(A, 1, "src/x", failure=FailureClass.PROOF))
    assert moves(goal, later(600)) == [e.GoalTicked, e.WorkRetried, e.AttemptStarted]


# --- how often


def exhausted(failure: FailureClass = FailureClass.PROOF, **intent: Any) -> Goal:
    """It was tried again as often as may be."""
    goal = stopped(failure, **intent)
    for _ in PAUSES:
        goal = failing(tried(goal), failure)
    return goal


def test_three_times_in_a_row_are_all_and_then_others_are_asked():
    goal = exhausted(FailureClass.QUOTA)
    assert moves(goal, Instant(goal.last_at + 100 * PAUSES[-1])) == []
    where = check_way_out(goal, goal.last_at)
    assert (where.phase, where.next_action, where.wake_at) == (Phase.BLOCKED, NextAction.RESOLVE_BLOCKED, None)
    assert "harnd tried it again 3 times, unasked" in where.reason
    assert [ask.kind for ask in asks(goal, goal.last_at)] == ["blocked"]


@pytest.mark.parametrize("touch", [retry_work(A), resolve(A), reopen(A)], ids=lambda each: type(each).__name__)
def test_a_person_who_touches_it_begins_the_row_anew(touch: GoalCommand):
    goal = live(exhausted(FailureClass.QUOTA), touch)
    assert item(goal, A).unasked == 0
    goal = live(
        goal, tick(), failed(A, FailureClass.QUOTA, len(item(goal, A).attempts) + (item(goal, A).parked is None))
    )
    assert wake(goal) - item(goal, A).since == PAUSES[0]


def test_a_person_who_cancels_it_begins_the_row_anew():
    assert item(live(exhausted(FailureClass.QUOTA), cancel_work(A)), A).unasked == 0


@pytest.mark.parametrize("answer", [give, deny])
def test_a_person_who_answers_what_it_asks_begins_the_row_anew(answer: Callable[[Goal], GoalCommand]):
    goal = live(tried(stopped()), asked(A, attempt=2))
    assert (item(goal, A).unasked, item(live(goal, answer(goal)), A).unasked) == (1, 0)


def test_nothing_but_a_person_begins_the_row_anew():
    goal = stopped(accept_passing_proof=True)
    goal = tried(goal)
    goal = live(goal, succeeded(A, 2), tick(goal.last_at), at=goal.last_at)
    assert (item(goal, A).standing, item(goal, A).unasked) == (Standing.INTEGRATING, 1)
    goal = live(goal, parked(A, failure=FailureClass.ENVIRONMENT), at=goal.last_at)
    assert wake(goal) - item(goal, A).since == PAUSES[1]


def test_a_person_who_accepts_it_begins_the_row_anew():
    goal = live(tried(stopped()), succeeded(A, 2), accept(A))
    assert item(goal, A).unasked == 0


def test_what_nobody_paid_for_is_not_forgiven_unasked():
    """The daemon died twenty times over one item: each further try is one, not twenty."""
    goal = working(retry_blocked=True)
    for number in range(1, 21):
        goal = live(goal, lost(A, number), tick())
    assert item(goal, A).blocked is FailureClass.LOST
    goal = tried(goal)
    goal = live(goal, lost(A, 21), at=goal.last_at)
    assert (item(goal, A).blocked, item(goal, A).unasked) == (FailureClass.LOST, 1)


# --- budgets


def test_what_is_charged_takes_an_attempt_of_the_goals():
    goal = stopped()
    assert tried(goal).left(Unit.ATTEMPTS) == goal.left(Unit.ATTEMPTS) - 1


def test_without_an_attempt_left_a_person_is_asked_until_there_is_one():
    goal = stopped(attempts=1)
    assert moves(goal, later(6_000)) == []
    assert position(goal, T0).wake_at is None
    goal = live(goal, extend_goal({Unit.ATTEMPTS: 1}))
    assert moves(goal, later(6_000)) == [e.GoalTicked, e.WorkRetried, e.AttemptStarted]


def test_agents_who_have_answered_as_often_as_they_may_are_not_asked_again():
    assert moves(stopped(answers_per_work=1, replans=1), later(6_000)) == []


def test_what_is_parked_needs_no_further_attempt():
    assert moves(stopped(FailureClass.QUOTA, attempts=1), later(600)) == [
        e.GoalTicked,
        e.WorkResolved,
        e.AttemptResumed,
    ]


def test_without_a_step_nothing_is_tried_again():
    steps = stopped(FailureClass.QUOTA).ledger
    goal = stopped(FailureClass.QUOTA, ticks=steps.limit(Unit.TICKS) - steps.left(Unit.TICKS))
    assert moves(goal, later(6_000)) == []
    assert position(goal, T0).phase is Phase.BUDGET_EXHAUSTED


# --- before the planner


def test_the_planner_is_asked_for_another_way_only_when_nothing_is_tried_again_any_more():
    goal = stopped()
    assert wanted_trigger(goal) is None
    assert moves(goal, T0) == []
    after = exhausted()
    assert wanted_trigger(after) is Trigger.RECOVERY
    assert moves(after, after.last_at) == [e.GoalTicked, e.PlanRequested, e.PlannerCalled]


def test_a_plan_for_another_way_is_not_withdrawn_unasked():
    """The planner was asked when no call was left for another attempt; now there are enough."""
    goal = live(stopped(templates=[a_template(agents=2, attempts=1)], agent_calls=3), tick())
    assert goal.plans[1].trigger is Trigger.RECOVERY
    goal = live(goal, extend_goal({Unit.AGENT_CALLS: 9}), answered(a_plan(draft("around"), sequence=2), plan=2))
    assert position(goal, T0).next_action is NextAction.DECIDE_PLAN
    assert moves(goal, later(6_000)) == []
    assert moves(live(goal, reject(a_plan(draft("around"), sequence=2), plan=2)), later(600))[1] is e.WorkRetried


def test_what_asks_a_person_beside_it_is_asked_meanwhile():
    two = (draft("a"), draft("b"), draft("c", "a", "b"))
    goal = blocked(FailureClass.QUOTA, *two, retry_blocked=True)
    goal = live(goal, failed("p1.b", FailureClass.AUTH))
    assert [ask.subject for ask in asks(goal, T0)] == ["p1.b"]
    assert position(goal, T0).phase is Phase.WAITING


# --- told


def test_it_is_told_when_and_nobody_is_asked():
    goal = stopped()
    where = check_way_out(goal, T0)
    assert (where.phase, where.next_action, where.wake_at) == (Phase.WAITING, NextAction.WAIT_FOR_TIMER, later(600))
    assert where.reason.endswith("; p1.a is tried again, unasked, 1 of 3: automation.retry_blocked")
    assert where.would_change == "a pause, or a decision about p1.a"
    assert {"harnctl work retry billing p1.a", "harnctl work cancel billing p1.a"} <= set(where.verbs)
    assert asks(goal, T0) == ()
    reason = reason_of(goal, item(goal, A), T0)
    assert reason.next_automatic == "p1.a is tried again, unasked, 1 of 3: automation.retry_blocked"
    assert reason.next_automatic_at == later(600)


def test_what_goes_on_where_it_stopped_says_so_and_offers_to_resolve_it_sooner():
    goal = stopped(FailureClass.QUOTA)
    reason = reason_of(goal, item(goal, A), T0)
    assert reason.next_automatic == "p1.a goes on where it stopped, unasked, 1 of 3: automation.retry_blocked"
    assert "harnctl work resolve billing p1.a" in reason.verbs


def test_at_the_end_of_the_pause_it_is_the_next_step():
    where = check_way_out(stopped(), later(600))
    assert (where.phase, where.next_action) == (Phase.READY, NextAction.RUN)
    assert where.reason == "blocked work is tried again next, unasked: automation.retry_blocked"


def test_work_that_waits_for_it_says_when():
    two = (draft("a"), draft("b", "a"))
    goal = blocked(FailureClass.QUOTA, *two, retry_blocked=True)
    assert reason_of(goal, item(goal, "p1.b"), T0).next_automatic_at == later(600)


def test_in_a_goal_without_a_planner_a_person_is_asked_in_the_end():
    goal = live(plain(retry_blocked=True, templates=ONCE), tick(), failed("p0.a"))
    assert (position(goal, T0).phase, asks(goal, T0)) == (Phase.WAITING, ())
    for number in range(2, 2 + len(PAUSES)):
        goal = live(tried(goal), failed("p0.a", attempt=number), at=wake(goal))
    assert (position(goal, goal.last_at).wake_at, [ask.subject for ask in asks(goal, goal.last_at)]) == (None, ["p0.a"])


def test_a_switch_that_is_off_leaves_no_trace_in_an_intent():
    assert b"retry_blocked" not in msgspec.json.encode(in_review(accept_passing_proof=True).intent)
