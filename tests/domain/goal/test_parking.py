"""Parking: what stops where it can go on, what it keeps meanwhile, and every way on from there."""

import msgspec
import pytest

from harnd.domain.goal import events as e
from harnd.domain.goal.due import RunAttempt, due
from harnd.domain.goal.evolve import evolve
from harnd.domain.goal.failure import ROWS
from harnd.domain.goal.fingerprint import fingerprint
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.inbox import asks
from harnd.domain.goal.parking import Again
from harnd.domain.goal.position import position
from harnd.domain.goal.reasons.item import reason_of
from harnd.domain.goal.usage import Usage
from harnd.domain.goal.work import Standing
from protocol.ids import WorkId
from protocol.values import AttemptOutcome, FailureClass, Micros, NextAction, ParkCause, Phase, Unit, WorkState
from tests.kit.given import (
    MINUTE,
    T0,
    Given,
    a_template,
    accept,
    blocked,
    cancel_goal,
    cancel_work,
    draft,
    failed,
    integrating,
    item,
    later,
    live,
    moved,
    parked,
    proved,
    reopen,
    resolve,
    resolved,
    retry_work,
    succeeded,
    tick,
    working,
)

A = WorkId("p1.a")
AGAIN = (Again("make-1", 0, Usage(calls=1, tokens=30)),)
RESOLVABLE = [failure for failure, row in ROWS.items() if row.resolvable]


def stopped(failure: FailureClass = FailureClass.QUOTA, **intent: object) -> Goal:
    """The first attempt at `p1.a` stopped in its first stage, ten minutes after it began."""
    return live(working(**intent), failed("p1.a", failure, stage="make-1", again=AGAIN), at=later(600))


def paused(**intent: object) -> Goal:
    return evolve(working(**intent), e.AttemptParked(work=A, attempt=1, cause=ParkCause.PAUSE), T0)


ENDED = e.AttemptEnded(
    work=A,
    attempt=1,
    outcome=AttemptOutcome.CANCELLED,
    charged=False,
    ran=Micros(0),
    usage=Usage(calls=1),
    detail="cancelled by the operator",
)


# --- what stops


@pytest.mark.parametrize("failure", [failure for failure in RESOLVABLE if failure is not FailureClass.UPSTREAM])
def test_an_attempt_that_nothing_is_wrong_with_stops_where_it_is_and_asks_a_person(failure):
    Given(working()).when(failed("p1.a", failure, stage="make-1", again=AGAIN)).then(
        e.AttemptParked(
            work=A,
            attempt=1,
            cause=ParkCause.FAILURE,
            stage="make-1",
            failure=failure,
            detail="no luck",
            ran=MINUTE,
            usage=Usage(calls=1),
            again=AGAIN,
        )
    )


def test_a_provider_that_fails_is_tried_again_and_only_the_last_time_stops_the_attempt():
    goal = working()
    for attempt in (1, 2):
        goal = live(goal, failed("p1.a", FailureClass.UPSTREAM, attempt))
        assert item(goal, "p1.a").parked is None
        goal = live(goal, tick(later(600)))
    goal = live(goal, failed("p1.a", FailureClass.UPSTREAM, 3))
    assert (item(goal, "p1.a").standing, len(item(goal, "p1.a").attempts)) == (Standing.BLOCKED, 3)
    assert item(goal, "p1.a").parked is not None


@pytest.mark.parametrize("failure", [failure for failure in FailureClass if failure not in RESOLVABLE])
def test_what_is_wrong_with_the_work_ends_the_attempt(failure):
    goal = live(working(), failed("p1.a", failure))
    assert item(goal, "p1.a").unended is None


# --- what it is meanwhile


def test_a_parked_attempt_is_owed_nothing_spends_no_time_and_keeps_what_was_set_aside():
    goal = stopped()
    assert due(goal, later(600)) == ()
    assert goal.active_runtime(later(100_000)) == 10 * MINUTE
    assert {unit: goal.ledger.entries[unit].reserved for unit in (Unit.ATTEMPTS, Unit.AGENT_CALLS)} == {
        Unit.ATTEMPTS: 1,
        Unit.AGENT_CALLS: 1,
    }
    assert goal.state_of(item(goal, "p1.a")) is WorkState.BLOCKED


def test_it_takes_no_slot():
    goal = live(stopped_beside("src/b"), tick(later(600)))
    assert item(goal, "p1.b").running is not None


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("src/a/x", "p1.b is ready, and its paths overlap with those of p1.a, which is parked"),
        ("src/b", "p1.b is ready"),
    ],
)
def test_nothing_else_begins_at_its_paths(path, said):
    goal = stopped_beside(path)
    assert reason_of(goal, item(goal, "p1.b"), later(600)).condition == said


def stopped_beside(path: str) -> Goal:
    """`p1.a` stopped before `p1.b` could begin: one at a time."""
    goal = working(draft("a"), draft("b", paths=[path]), draft("c", "a", "b"), parallel_work=1)
    return live(goal, failed("p1.a", FailureClass.QUOTA), at=later(600))


def test_its_usage_so_far_is_known():
    goal = live(working(), failed("p1.a", FailureClass.QUOTA, usage=Usage(calls=1, tokens=70)))
    assert goal.used().tokens is None  # the planner's call told nothing
    assert item(goal, "p1.a").attempts[0].usage == Usage(calls=1, tokens=70)


def test_the_inbox_and_the_position_say_what_to_do():
    goal = stopped(FailureClass.ENVIRONMENT)
    where = position(goal, later(600))
    assert (where.phase, where.next_action) == (Phase.BLOCKED, NextAction.RESOLVE_BLOCKED)
    assert where.verbs[2:] == (
        "harnctl work resolve billing p1.a",
        "harnctl work retry billing p1.a",
        "harnctl work cancel billing p1.a",
    )
    (ask,) = asks(goal, later(600))
    assert ask.summary.endswith("repair what is missing on this machine, then resolve it")


# --- going on


def test_what_is_resolved_goes_on_by_itself():
    Given(stopped()).when(resolve("p1.a")).then(e.WorkResolved(work=A, by="ada"))
    goal = live(stopped(), resolve("p1.a", " topped up "))
    assert item(goal, "p1.a").guidance == "topped up"
    Given(goal).when(tick()).then(e.GoalTicked(), e.AttemptResumed(work=A, attempt=1, by="ada"))


def test_the_same_attempt_goes_on_and_knows_what_it_has_to_make_again():
    goal = live(resolved(), tick(later(7_200)), at=later(7_200))
    attempt = item(goal, "p1.a").running
    assert attempt is not None
    assert (attempt.number, attempt.resumed_at, attempt.surroundings) == (1, later(7_200), None)
    assert [type(effect) for effect in due(goal, later(7_200))] == [RunAttempt]
    assert goal.active_since == later(7_200)


def test_a_stage_that_failed_twice_has_its_third_run():
    goal = live(stopped(), resolve("p1.a"), tick(), at=later(700))
    second = (Again("make-1", 1, Usage(calls=1)),)
    goal = live(goal, failed("p1.a", FailureClass.QUOTA, stage="make-1", again=second))
    attempt = item(goal, "p1.a").attempts[0]
    assert (attempt.run_of("make-1"), attempt.run_of("make-2")) == (2, 0)


def test_resolving_twice_is_resolving_once():
    Given(resolved()).when(resolve("p1.a")).then_nothing()


def test_it_ends_like_any_other_and_is_paid_for_once():
    goal = live(resolved(), tick(), succeeded("p1.a"))
    assert item(goal, "p1.a").standing is Standing.IN_REVIEW
    entries = goal.ledger.entries
    assert [(entries[unit].spent, entries[unit].reserved) for unit in (Unit.ATTEMPTS, Unit.AGENT_CALLS)] == [
        (1, 0),
        (2, 0),  # the planner's, and its own
    ]


def test_what_was_reported_before_it_stopped_is_told_at_its_end():
    goal = live(working(), failed("p1.a", FailureClass.QUOTA, reports=("ref: a tag moved",)), resolve("p1.a"), tick())
    goal = live(goal, failed("p1.a", FailureClass.REFUSAL, reports=("head: switched",)))
    assert item(goal, "p1.a").attempts[0].reports == ("ref: a tag moved", "head: switched")


def test_it_waits_for_a_slot_and_says_so():
    goal = live(stopped_beside("src/b"), tick(), resolve("p1.a"), tick())
    assert item(goal, "p1.a").standing is Standing.PARKED
    reason = reason_of(goal, item(goal, "p1.a"), T0)
    assert reason.condition == "attempt 1 at p1.a may go on, and there is no free slot: 1 at a time, now p1.b"
    assert goal.state_of(item(goal, "p1.a")) is WorkState.READY


def test_it_does_not_go_on_without_runtime_and_asks_for_more():
    goal = live(stopped(active_runtime=10 * MINUTE), resolve("p1.a"))
    Given(goal).when(tick(later(600))).then_nothing()
    where = position(goal, later(600))
    assert (where.phase, where.next_action, where.grows) == (
        Phase.BUDGET_EXHAUSTED,
        NextAction.ANSWER_BUDGET,
        Unit.ACTIVE_RUNTIME_US,
    )


def test_what_may_go_on_is_told_as_the_next_step():
    where = position(resolved(), T0)
    assert (where.phase, where.next_action, where.reason) == (
        Phase.READY,
        NextAction.RESUME,
        "a parked attempt goes on next",
    )


def test_what_a_pause_stopped_goes_on_by_itself():
    goal = live(paused(), tick())
    attempt = item(goal, "p1.a").running
    assert attempt is not None
    assert attempt.pauses == 1


def test_what_came_to_its_end_while_a_pause_stopped_it_has_ended():
    goal = live(paused(), succeeded("p1.a"))
    assert item(goal, "p1.a").standing is Standing.IN_REVIEW


def test_a_late_end_is_no_way_round_a_person():
    Given(stopped()).when(succeeded("p1.a")).then(
        e.AttemptSuperseded(work=A, attempt=1, outcome=AttemptOutcome.SUCCEEDED)
    )


def test_parking_and_going_on_change_the_fingerprint():
    goals = [working(), stopped(), live(stopped(), resolve("p1.a")), live(stopped(), resolve("p1.a"), tick())]
    assert len({fingerprint(goal, later(600)) for goal in goals}) == 4


# --- every other way out


@pytest.mark.parametrize(
    "goal", [blocked(FailureClass.QUOTA), resolved(), paused()], ids=["blocked", "may go on", "paused"]
)
def test_a_retry_gives_the_parked_attempt_up_and_starts_over(goal):
    usage = item(goal, "p1.a").attempts[0].usage
    ended = msgspec.structs.replace(ENDED, usage=usage)
    Given(goal).when(retry_work("p1.a")).then(ended, e.WorkRetried(work=A, guidance="", by="ada"))
    after = live(goal, retry_work("p1.a"), tick())
    assert [attempt.outcome for attempt in item(after, "p1.a").attempts] == [AttemptOutcome.CANCELLED, None]
    assert after.ledger.entries[Unit.ATTEMPTS].reserved == 1


def test_the_last_attempt_can_be_given_up_for_another():
    goal = live(blocked(FailureClass.QUOTA, attempts=1), retry_work("p1.a"), tick())
    assert item(goal, "p1.a").running is not None


@pytest.mark.parametrize("goal", [blocked(FailureClass.QUOTA), resolved()], ids=["blocked", "may go on"])
def test_it_can_be_reopened_or_given_up(goal):
    for command in (reopen("p1.a"), cancel_work("p1.a"), cancel_goal()):
        after = live(goal, command)
        assert item(after, "p1.a").unended is None
        assert {after.ledger.entries[unit].reserved for unit in (Unit.ATTEMPTS, Unit.AGENT_CALLS)} == {0}


# --- what could not be brought in


def test_what_could_not_be_brought_in_for_such_a_reason_is_brought_in_again():
    goal = live(integrating(), parked("p1.a", failure=FailureClass.ENVIRONMENT))
    Given(goal).when(resolve("p1.a", "unlocked")).then(
        e.WorkResolved(work=A, by="ada", note="unlocked"), e.WorkRequeued(work=A, by="ada")
    )
    done = live(goal, resolve("p1.a"), tick(), proved("p1.a", 2), moved("p1.a", 2))
    assert item(done, "p1.a").standing is Standing.INTEGRATED


def test_what_clashes_needs_another_attempt():
    goal = live(integrating(), parked("p1.a", 1, "src/a/x.py"))
    Given(goal).when(resolve("p1.a")).then_refused("work.not_resolvable")


# --- refusals


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        (working(), "p1.a is running; only blocked work is resolved"),
        (live(working(), succeeded("p1.a")), "p1.a is in review; only blocked work is resolved"),
        (
            blocked(FailureClass.REFUSAL),
            "p1.a is blocked (refusal), and there is nothing to go on with: it is tried again",
        ),
    ],
    ids=["running", "in review", "refused"],
)
def test_only_what_stopped_can_go_on(goal, said):
    Given(goal).when(resolve("p1.a")).then_refused("work.not_resolvable", said)


def test_a_note_says_something_within_bounds():
    Given(stopped()).when(resolve("p1.a", "  ")).then_refused("text.note_missing")
    Given(stopped()).when(resolve("p1.a", "x" * 2_001)).then_refused("text.note_too_long")


def test_nothing_of_a_goal_that_has_ended_goes_on():
    Given(live(stopped(), cancel_goal())).when(resolve("p1.a")).then_refused("goal.ended")


def test_an_item_with_two_agents_sets_both_aside_while_it_is_parked():
    goal = blocked(FailureClass.QUOTA, templates=[a_template(agents=2)])
    assert goal.ledger.entries[Unit.AGENT_CALLS].reserved == 2
    done = live(goal, resolve("p1.a"), tick(), succeeded("p1.a", calls=2), accept("p1.a"))
    assert item(done, "p1.a").answers == 2
