"""The whole engine under simulation: every seed keeps the invariants, every crash ends in the same outcome."""

from dataclasses import replace
from functools import cache

import pytest

from harnd.domain.goal.automation import AUTO_APPLY
from harnd.domain.goal.goal import Ending
from protocol.ids import WorkId
from protocol.values import ApprovalState, FailureClass, PlanAuthor, PlanStatus, Trigger, Unit
from tests.sim.faults import Faults
from tests.sim.missions import Item, SimMission, careful_mission, demo_mission, overnight_mission, random_mission
from tests.sim.simulate import Result, simulate

SEEDS = 300
CHUNK = 10
ASKING_SEEDS = (15,)
FAILING_SEEDS = (1, 3, 6, 13, 20)
UNASKED_SEEDS = (25, 31)
WRITTEN_SEEDS = (12, 13)
STRIDE = 24  # so many tests share the crash points of the demo mission


@cache
def undisturbed() -> Result:
    return simulate(demo_mission(), seed=1)


def moody(seed: int) -> Result:
    return simulate(random_mission(seed), seed=seed, faults=Faults(chance=0.02, theft=0.01, seed=seed), moody=True)


def test_a_mission_goes_from_objective_to_completion():
    result = undisturbed()

    assert result.ending is Ending.SUCCEEDED
    assert result.accepted == ("p1.report", "p1.slug", "p1.wrap", "p2.cli")
    assert [len(item.attempts) for item in result.goal.work.values()] == [1, 2, 1, 1]
    assert len(result.goal.milestones) == 2


@pytest.mark.parametrize(
    "short", [{"attempts": 3}, {"agent_calls": 4}, {"ticks": 3}, {"active_runtime": 30_000_000}], ids=str
)
def test_a_goal_that_stops_for_want_of_a_budget_goes_on_by_itself_once_it_is_extended(short):
    result = simulate(replace(demo_mission(), limits=short), seed=1)

    asked = [line.split(maxsplit=1)[1] for line in result.trace if "operator ExtendGoal" in line]
    assert asked
    (unit,) = {line.rpartition("/")[2] for line in asked}
    assert unit.removesuffix("_us") in short
    assert result.goal.limit(Unit(unit)) > next(iter(short.values()))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("first", range(1, STRIDE + 1))
def test_a_crash_at_any_append_or_effect_ends_in_the_same_outcome(first):
    expected = undisturbed()

    for point in range(first, expected.points + 1, STRIDE):
        result = simulate(demo_mission(), seed=1, faults=Faults(crash_at=point))

        assert (point, result.crashes, result.outcome) == (point, 1, expected.outcome)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_every_seed_ends_and_keeps_the_invariants(first):
    for seed in range(first, first + CHUNK):
        result = moody(seed)

        assert result.ending is not None


@pytest.mark.parametrize("seed", [3, 17])
def test_a_seed_repeats_exactly(seed):
    assert moody(seed).trace == moody(seed).trace


@pytest.mark.timeout(300)
@pytest.mark.parametrize("first", range(1, STRIDE + 1))
def test_a_crash_at_any_point_of_what_is_applied_unasked_ends_in_the_same_outcome(first):
    mission = replace(demo_mission(), auto_apply=True)
    expected = simulate(mission, seed=1)

    assert {plan.decided_by for plan in expected.goal.plans} == {AUTO_APPLY}
    for point in range(first, expected.points + 1, 3 * STRIDE):
        result = simulate(mission, seed=1, faults=Faults(crash_at=point))

        assert (point, result.crashes, result.outcome) == (point, 1, expected.outcome)


def test_recovery_is_among_what_seeds_bring_about():
    plans = [plan for seed in range(10, 18) for plan in moody(seed).goal.plans if plan.trigger is Trigger.RECOVERY]
    assert PlanStatus.APPLIED in {plan.status for plan in plans}


def test_failures_of_every_class_are_among_what_seeds_bring_about():
    """All but those of reviewers of work, of whom there are none."""
    seen = {failure for seed in FAILING_SEEDS for failure in moody(seed).disk.invariants.failures}
    assert seen == set(FailureClass) - {FailureClass.REVIEW}


def test_plans_that_a_person_worded_or_wrote_are_among_what_seeds_bring_about():
    plans = [plan for seed in WRITTEN_SEEDS for plan in moody(seed).goal.plans if plan.author is PlanAuthor.OPERATOR]
    assert {plan.status for plan in plans} == {PlanStatus.APPLIED}
    assert {plan.rationale for plan in plans} == {"next", "I know my way about"}


def test_work_that_is_tried_again_unasked_is_among_what_seeds_bring_about():
    assert {item.unasked for seed in UNASKED_SEEDS for item in moody(seed).goal.work.values()} >= {1, 3}


def test_a_mission_that_may_go_on_unattended_asks_nobody_whenever_it_is_cut_short():
    mission = replace(demo_mission(), auto_apply=True, accepts=True)
    expected = simulate(mission, seed=1)
    assert (expected.ending, expected.accepted) == (Ending.SUCCEEDED, undisturbed().accepted)
    assert [line for line in expected.trace if "operator" in line] == []

    for point in range(5, expected.points + 1, 31):
        result = simulate(mission, seed=1, faults=Faults(crash_at=point))
        assert (point, result.crashes, result.outcome) == (point, 1, expected.outcome)


@pytest.mark.parametrize("first", range(1, 4))
def test_a_night_in_which_everything_fails_for_a_while_asks_nobody_whenever_it_is_cut_short(first):
    expected = simulate(overnight_mission(), seed=1)
    assert expected.ending is Ending.SUCCEEDED
    assert {name: item.unasked for name, item in expected.goal.work.items()} == {
        name: int(name != "p1.root") for name in expected.accepted
    }
    assert [line for line in expected.trace if "operator" in line] == []

    for point in range(first, expected.points + 1, 67):
        result = simulate(overnight_mission(), seed=1, faults=Faults(crash_at=point))
        assert (point, result.crashes, result.outcome) == (point, 1, expected.outcome)


def test_nothing_wakes_a_blocked_goal_between_the_timers():
    """Whoever takes a goal up has a new fence: each is the end of a pause, and none came to nothing."""
    result = simulate(overnight_mission(), seed=1)
    appends = [line.split() for line in result.trace if " append " in line]
    fences = [int(fence.removeprefix("fence=")) for _, _, _, fence, _ in appends]
    assert sorted(set(fences)) == list(range(1, max(fences) + 1))
    taken_up = [appends[fences.index(fence)] for fence in range(2, max(fences) + 1)]
    blocked_at = {
        float(at) for at, _, _, _, tags in appends if any(tag in tags for tag in ("attempt.parked", "attempt.ended"))
    }
    assert taken_up
    assert {float(at) - 600 for at, *_ in taken_up} <= blocked_at
    assert {("work.re" in tags) for *_, tags in taken_up} == {True}


CAREFUL = {
    "answered": careful_mission(),
    "answered after the worktree was changed": replace(careful_mission(), meddled="src/slug.txt"),
}
CAREFUL_STRIDE = 8
DECIDED = {
    "answered": [ApprovalState.APPROVED] * 4,
    "answered after the worktree was changed": [ApprovalState.CANCELLED, *[ApprovalState.APPROVED] * 4],
}


@cache
def careful(how: str) -> Result:
    return simulate(CAREFUL[how], seed=1)


@pytest.mark.parametrize("how", CAREFUL)
def test_what_is_asked_is_answered_and_used_once_and_what_changed_is_asked_anew(how):
    result = careful(how)

    assert result.ending is Ending.SUCCEEDED
    assert [each.state for each in result.goal.approvals] == DECIDED[how]
    assert [each.consumed for each in result.goal.approvals] == [
        each.state is ApprovalState.APPROVED for each in result.goal.approvals
    ]
    assert [len(item.attempts) for item in result.goal.work.values()] == [1, 1, 1]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("first", range(1, CAREFUL_STRIDE + 1))
@pytest.mark.parametrize("how", CAREFUL)
def test_a_crash_at_any_point_of_work_that_asks_ends_in_the_same_outcome(how, first):
    expected = careful(how)
    every = 1 if how == "answered" else 3

    for point in range(first * every, expected.points + 1, CAREFUL_STRIDE * every):
        result = simulate(CAREFUL[how], seed=1, faults=Faults(crash_at=point))

        assert (point, result.crashes, result.outcome) == (point, 1, expected.outcome)


def test_every_answer_to_what_is_asked_and_none_is_among_what_seeds_bring_about():
    seen = {each.state for seed in ASKING_SEEDS for each in moody(seed).goal.approvals}
    assert seen == set(ApprovalState) - {ApprovalState.PENDING}


def test_what_does_not_pass_is_tried_again_three_times_and_then_a_person_is_asked():
    lasting = Item("quota", lasting="quota", until=1e9)
    mission = SimMission(milestones=((lasting,),), auto_apply=True, accepts=True, retries=True)
    result = simulate(mission, seed=1)
    said = [line.split() for line in result.trace if "operator" in line]
    assert {(what, about) for _, _, what, about in said} == {("ResolveWork", "p1.quota")}
    assert float(said[0][0]) > (10 + 30 + 90) * 60
    assert (result.ending, result.goal.work[WorkId("p1.quota")].unasked) == (Ending.SUCCEEDED, 0)


def test_work_that_cannot_go_on_is_planned_around():
    hopeless = Item("wrap", trouble=("bad", "bad"))
    mission = SimMission(
        milestones=((Item("slug"), hopeless, Item("report", needs=("slug", "wrap"))), (Item("cli"),)),
        max_attempts=2,
        spare=1,
    )
    result = simulate(mission, seed=1)

    assert result.ending is Ending.SUCCEEDED
    assert [plan.trigger for plan in result.goal.plans] == ["initial", "recovery", "milestone", "milestone"]
    assert result.accepted == ("p1.slug", "p2.report-r", "p2.slug-r", "p2.wrap-r", "p3.cli")


def test_seeds_differ():
    assert len({moody(seed).trace for seed in range(5)}) == 5


def test_a_failing_seed_says_which_it_is_and_what_came_last():
    class Broken(Faults):
        def strikes(self) -> bool:
            if self.passed > 30:
                raise RuntimeError("planted")
            self.passed += 1
            return False

    with pytest.raises(ExceptionGroup) as failure:
        simulate(demo_mission(), seed=7, faults=Broken())

    said = "\n".join(failure.value.__notes__)
    assert "seed 7, after 1 incarnations" in said
    assert "append demo fence=1 goal.created/1" in said
