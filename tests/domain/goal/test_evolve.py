"""What events make of a goal: the ledger, the runtime, and what the newest state keeps of older ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnd.domain.goal import events as e
from harnd.domain.goal.evolve import evolve
from harnd.domain.goal.goal import Milestone
from harnd.domain.goal.ledger import Entry, Ledger
from harnd.domain.goal.work import Standing
from protocol.ids import InstanceId, WorkId
from protocol.values import FailureClass, Instant, Micros, PlanStatus, Unit, WorkState
from tests.kit.given import (
    HOUR,
    T0,
    a_goal,
    a_plan,
    accepted,
    an_intent,
    answered,
    applied,
    approve,
    attend,
    babbled,
    blocked,
    cancel_work,
    commit,
    completion,
    criteria,
    draft,
    failed,
    in_review,
    integrated,
    integrating,
    item,
    later,
    live,
    milestone_met,
    planning,
    proposed,
    question,
    reassessing,
    reject,
    retry_plan,
    succeeded,
    the_plan,
    tick,
    unanswered,
    working,
)

# --- the beginning


def test_a_goal_begins_with_everything_left():
    goal = a_goal()
    assert goal.ledger.entries == {
        Unit.ATTEMPTS: Entry(20),
        Unit.AGENT_CALLS: Entry(50),
        Unit.PLANNER_CALLS: Entry(5),
        Unit.MILESTONES: Entry(2),
        Unit.WORK_ITEMS: Entry(20),
        Unit.TICKS: Entry(100),
        Unit.ACTIVE_RUNTIME_US: Entry(HOUR),
    }
    assert (goal.head, goal.created_by, goal.since, goal.version) == (commit("base"), "ada", T0, 1)


def test_a_stream_begins_with_its_creation():
    with pytest.raises(AssertionError, match="a stream cannot begin with GoalTicked"):
        evolve(None, e.GoalTicked(), T0)


def test_every_event_counts():
    goal = live(a_goal(), tick(later(1)), at=later(1))
    assert (goal.version, goal.last_at) == (4, later(1))


def test_ticks_and_attendance_are_nothing_that_happened_to_the_goal():
    goal = evolve(working(), e.GoalTicked(), later(5))
    goal = evolve(goal, e.GoalAttended(InstanceId("second")), later(6))
    assert (goal.since, goal.last_at) == (T0, later(6))


# --- the ledger


def test_a_request_is_set_aside_and_paid_for_when_it_led_to_something():
    def requests(goal):
        return goal.ledger.entries[Unit.PLANNER_CALLS]

    assert requests(planning()) == Entry(5, reserved=1)
    assert requests(live(planning(), babbled())) == Entry(5, reserved=1)
    assert requests(proposed()) == Entry(5, spent=1)
    assert requests(live(proposed(), reject(a_plan()))) == Entry(5, spent=1)
    assert requests(live(planning(), answered(question()))) == Entry(5, spent=1)
    assert requests(live(planning(), unanswered(FailureClass.REFUSAL))) == Entry(5, spent=1)
    assert requests(live(planning(), unanswered(FailureClass.ENVIRONMENT))) == Entry(5)


def test_a_call_is_set_aside_and_paid_for_when_it_was_answered():
    def calls(goal):
        return goal.ledger.entries[Unit.AGENT_CALLS]

    assert calls(planning()) == Entry(50, reserved=1)
    assert calls(live(planning(), babbled())) == Entry(50, spent=1)
    assert calls(live(planning(), babbled(), tick())) == Entry(50, spent=1, reserved=1)
    assert calls(live(planning(), unanswered(FailureClass.UPSTREAM))) == Entry(50)


def test_milestones_and_work_are_paid_for_when_they_are_made():
    goal = applied(draft("a"), draft("b", "a"))
    assert goal.ledger.entries[Unit.MILESTONES] == Entry(2, spent=1)
    assert goal.ledger.entries[Unit.WORK_ITEMS] == Entry(20, spent=2)


def test_an_account_that_a_rule_would_overdraw_stops_it():
    ledger = Ledger({Unit.ATTEMPTS: Entry(2, spent=1)}).reserve(Unit.ATTEMPTS, 1)
    assert ledger.entries[Unit.ATTEMPTS] == Entry(2, spent=1, reserved=1)
    with pytest.raises(AssertionError, match="attempts: 1 more than"):
        ledger.reserve(Unit.ATTEMPTS, 1)
    with pytest.raises(AssertionError, match="attempts: 1 more than"):
        ledger.spend(Unit.ATTEMPTS)
    with pytest.raises(AssertionError, match="attempts: settled more than was set aside"):
        ledger.settle(Unit.ATTEMPTS, reserved=2, spent=0)


def test_units_of_which_nothing_is_left_are_named():
    entries = {
        Unit.ATTEMPTS: Entry(2, spent=2),
        Unit.TICKS: Entry(2, spent=1, reserved=1),
        Unit.MILESTONES: Entry(2, spent=1),
    }
    assert Ledger(entries).exhausted() == (Unit.ATTEMPTS, Unit.TICKS)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5))), st.integers(0, 40))
def test_setting_aside_what_is_left_never_passes_the_limit(steps, limit):
    ledger = Ledger({Unit.AGENT_CALLS: Entry(limit)})
    for aside, used in steps:
        if ledger.left(Unit.AGENT_CALLS) >= aside:
            ledger = ledger.reserve(Unit.AGENT_CALLS, aside)
            ledger = ledger.settle(Unit.AGENT_CALLS, reserved=aside, spent=min(aside, used))
        entry = ledger.entries[Unit.AGENT_CALLS]
        assert 0 <= entry.spent + entry.reserved <= limit


# --- active runtime


def test_runtime_is_counted_from_the_call_to_its_end():
    goal = planning()
    assert [goal.active_runtime(later(s)) for s in (0, 7)] == [0, 7_000_000]
    goal = live(goal, answered(a_plan()), at=later(10))
    assert [goal.active_runtime(later(s)) for s in (10, 900)] == [10_000_000, 10_000_000]


def test_time_in_which_two_run_is_counted_once():
    goal = live(applied(draft("a"), draft("b"), draft("c", "a", "b")), tick(), at=T0)
    goal = live(goal, failed("p1.a", FailureClass.REFUSAL), at=later(10))
    assert goal.active_runtime(later(20)) == 20_000_000
    goal = live(goal, failed("p1.b", FailureClass.REFUSAL), at=later(30))
    assert goal.active_runtime(later(99)) == 30_000_000


def test_an_attempt_that_follows_another_at_once_goes_on_counting():
    goal = live(working(), failed("p1.a"), tick(), at=later(10))
    assert (goal.active_since, goal.active_runtime(later(15))) == (later(10), 15_000_000)


def test_waiting_for_people_and_integrating_cost_no_runtime():
    reviewed = live(working(), succeeded("p1.a"), at=later(5))
    for goal in (reviewed, integrating(), accepted(), blocked()):
        assert goal.active_since is None
        assert goal.active_runtime(later(1_000)) == goal.active_before


def test_what_is_left_of_the_runtime_is_never_less_than_nothing():
    goal = planning(active_runtime=10_000_000)
    assert [goal.runtime_left(later(s)) for s in (0, 9.999_999, 10, 11)] == [10_000_000, 1, 0, 0]


def test_a_clock_that_steps_back_gives_no_runtime_back():
    goal = live(planning(), answered(a_plan()), at=later(10))
    goal = live(goal, approve(a_plan()), tick(later(20)), at=later(20))
    assert goal.active_runtime(later(5)) == 10_000_000
    assert live(goal, failed("p1.a"), at=later(5)).active_before == 10_000_000


def test_the_time_in_which_no_daemon_lived_is_nobodys_runtime():
    goal = live(applied(draft("a"), draft("b"), draft("c", "a", "b")), tick(), at=T0)
    goal = live(goal, failed("p1.a", FailureClass.REFUSAL), at=later(60))  # the last that the dead daemon stored
    goal = live(goal, attend("second"), at=later(10_000))
    assert goal.active_runtime(later(10_000)) == 60_000_000
    goal = live(goal, failed("p1.b", FailureClass.LOST), at=later(10_005))
    assert goal.active_before == 65_000_000


def test_a_goal_at_rest_was_attended_without_any_runtime():
    goal = evolve(in_review(), e.GoalAttended(InstanceId("second")), later(500))
    assert (goal.active_since, goal.active_before) == (None, 0)


@given(st.lists(st.tuples(st.sampled_from("abx"), st.integers(0, 50)), max_size=30))
def test_runtime_is_the_length_of_the_union_of_everything_that_ran(steps):
    """Two items are started and end at any times; `x` is another daemon that takes the goal up."""
    goal = applied(draft("a"), draft("b"), draft("c", "a", "b"), active_runtime=10**12, attempts=10_000)
    now, counted = 0, 0
    for step, seconds in steps:
        now += seconds
        if step == "x":
            goal = live(goal, attend(f"daemon {goal.version}"), at=later(now))
            continue  # whatever ran has stood still since the last append
        counted += seconds if goal.calls_running else 0
        name = f"p1.{step}"
        attempts = len(item(goal, name).attempts)
        if item(goal, name).running is None:
            event = e.AttemptStarted(work=WorkId(name), attempt=attempts + 1, base=goal.head, generation=1, calls=0)
            goal = evolve(goal, event, later(now))
        else:
            goal = live(goal, failed(name, FailureClass.REFUSAL, attempts, calls=0), at=later(now))
    assert goal.active_runtime(later(now)) == counted * 1_000_000


# --- plans


def test_an_applied_plan_makes_one_milestone_with_the_next_sequence():
    goal = applied(draft("a"), draft("b", "a"))
    assert goal.milestones == (
        Milestone(
            sequence=1,
            title="Step 1",
            objective="Reach step 1.",
            acceptance=criteria("MC", "Step 1 is there."),
            plan=1,
            root=WorkId("p1.b"),
            applied_at=T0,
        ),
    )
    assert (goal.generation, the_plan(goal).status) == (1, PlanStatus.APPLIED)


def test_a_completion_cannot_be_applied():
    goal = live(reassessing(), answered(completion("p1.a"), plan=2))
    applied_plan = e.PlanApplied(plan=2, digest=the_plan(goal).digest or goal.intent_digest, root=WorkId("x"), by="ada")
    with pytest.raises(AssertionError, match="plan 2 was applied without a graph"):
        evolve(goal, applied_plan, T0)


def test_guidance_is_kept_with_the_number_of_its_plan():
    goal = live(proposed(), reject(a_plan(), "smaller"), tick())
    goal = live(goal, answered(question(), plan=2), retry_plan("CSV", plan=2))
    assert goal.guidance() == ((1, "smaller"), (2, "CSV"))
    assert [plan.number for plan in goal.rejected()] == [1]


def test_the_active_graph_is_that_of_the_last_applied_plan():
    second = a_plan(draft("b"), sequence=2)
    goal = live(reassessing(), answered(second, plan=2), approve(second, plan=2))
    assert [entry.id for entry in goal.active()] == ["p2.b"]
    assert goal.root is not None
    assert goal.root.id == "p2.b"


# --- states of work


def test_the_states_that_people_see():
    goal = live(working(draft("a"), draft("b", "a")), succeeded("p1.a"))
    states = {
        WorkState.WAITING: item(goal, "p1.b"),
        WorkState.IN_REVIEW: item(goal, "p1.a"),
    }
    assert {state: goal.state_of(entry) for state, entry in states.items()} == {state: state for state in states}


@pytest.mark.parametrize(
    ("goal", "standing", "state"),
    [
        (applied(), Standing.OPEN, WorkState.READY),
        (working(), Standing.RUNNING, WorkState.RUNNING),
        (in_review(), Standing.IN_REVIEW, WorkState.IN_REVIEW),
        (blocked(), Standing.BLOCKED, WorkState.BLOCKED),
        (accepted(), Standing.ACCEPTED, WorkState.RUNNING),
        (integrating(), Standing.INTEGRATING, WorkState.RUNNING),
        (milestone_met(), Standing.INTEGRATED, WorkState.SUCCEEDED),
        (live(applied(), cancel_work("p1.a")), Standing.CANCELLED, WorkState.CANCELLED),
    ],
    ids=lambda value: value.value if isinstance(value, Standing) else "",
)
def test_each_standing_has_one(goal, standing, state):
    assert (item(goal, "p1.a").standing, goal.state_of(item(goal, "p1.a"))) == (standing, state)


def test_what_holds_an_item_is_found_however_far_away():
    goal = applied(draft("a"), draft("b", "a"), draft("c", "b"), draft("d", "b", "c"))
    assert goal.held_by(item(goal, "p1.d")) is None
    goal = live(goal, cancel_work("p1.a"))
    assert [goal.held_by(item(goal, name)) for name in ("p1.b", "p1.c", "p1.d")] == ["p1.a"] * 3


def test_what_holds_an_item_is_found_in_no_time_in_a_wide_lattice():
    """Eleven layers of two make 2^11 paths; each item is looked at once."""
    work, below = [draft("z")], ["z"]
    for layer in range(11):
        keys = [f"l{layer}-{side}" for side in "ab"]
        work += [draft(key, *below) for key in keys]
        below = keys
    goal = applied(*work, draft("end", *below), work_per_plan=25, planned_work=50, attempts=50)
    goal = live(goal, cancel_work("p1.z"))
    assert goal.held_by(item(goal, "p1.end")) == "p1.z"


def test_the_graph_that_a_planner_was_asked_about_is_told_from_another():
    goals = [applied(), working(), in_review(), blocked(), milestone_met(), applied(draft("b"))]
    assert len({goal.graph_digest() for goal in goals}) == len(goals)
    assert applied().graph_digest() == applied().graph_digest()


def test_the_milestone_is_met_when_the_root_and_everything_below_it_is_on_the_branch():
    goal = integrated(applied(draft("a"), draft("b", "a")), "p1.a")
    assert not goal.milestone_met()
    assert integrated(goal, "p1.b").milestone_met()


def test_an_intent_names_its_team_and_its_templates():
    intent = an_intent()
    assert intent.specialist(intent.team[1].name) is intent.team[1]
    assert [template.name for template in intent.templates] == ["change", "chore"]


def test_an_instant_is_microseconds():
    assert Instant(T0 + Micros(1)) == later(0.000_001)
