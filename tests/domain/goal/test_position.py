"""The position: where a goal stands, why, what would change it, and what a person can type."""

import pytest

from harnd.domain.goal.position import Position, position
from protocol.values import FailureClass, NextAction, Phase, Unit
from tests.domain.goal.walking import check_way_out
from tests.kit.given import (
    T0,
    a_goal,
    a_plan,
    a_template,
    accept,
    accepted,
    answered,
    applied,
    approve,
    archive_goal,
    blocked,
    cancel_work,
    cancelled,
    completion,
    draft,
    failed,
    in_review,
    integrated,
    integrating,
    later,
    live,
    milestone_met,
    parked,
    pause_goal,
    planning,
    proposed,
    question,
    reassessing,
    reject,
    reopen,
    retry_plan,
    succeeded,
    success,
    tick,
    unanswered,
    working,
)

TWO = (draft("a"), draft("b"), draft("c", "a", "b"))
BLOCKED_VERBS = tuple(f"harnctl work {decision} billing p1.a" for decision in ("show", "log", "retry", "cancel"))
PARKED_VERBS = (*BLOCKED_VERBS[:2], "harnctl work resolve billing p1.a", *BLOCKED_VERBS[2:])


def running(what: str, wake: float | None = 3_600) -> Position:
    return Position(
        Phase.RUNNING,
        NextAction.WAIT_FOR_RUN,
        f"running: {what}",
        "the end of what is running",
        wake_at=None if wake is None else later(wake),
    )


def paused(why: str, action: NextAction = NextAction.RESUME, wake: float | None = None) -> Position:
    return Position(
        Phase.PAUSED,
        action,
        f"paused by ada{why}",
        "resuming it",
        verbs=("harnctl goal resume billing",),
        wake_at=None if wake is None else later(wake),
    )


def budget(reason: str, unit: Unit, more: str) -> Position:
    return Position(
        Phase.BUDGET_EXHAUSTED,
        NextAction.ANSWER_BUDGET,
        reason,
        "a larger budget",
        verbs=("harnctl budget billing", f"harnctl goal extend billing {more}", "harnctl goal cancel billing"),
        grows=unit,
    )


def fixed(reason: str, *more: str) -> Position:
    return Position(
        Phase.BUDGET_EXHAUSTED,
        NextAction.ANSWER_BUDGET,
        reason,
        "nothing: this limit does not grow",
        verbs=("harnctl budget billing", "harnctl goal cancel billing", *more),
    )


NO_PLAN = "and there can be no plan for another way: it takes 1 milestone, and none is left"
SHORT = "p1.a is ready, and the budget allows no further attempt: "


def ready(action: NextAction, reason: str) -> Position:
    return Position(Phase.READY, action, reason, "the next tick, at once")


CASES = {
    "new": (a_goal(), ready(NextAction.PLAN_INITIAL, "the planner is called next")),
    "planner called": (planning(), running("the planner (plan 1, call 1)")),
    "proposed": (
        proposed(),
        Position(
            Phase.AWAITING_ATTENTION,
            NextAction.DECIDE_PLAN,
            "plan 1 waits for approval",
            "a decision about the plan",
            verbs=tuple(f"harnctl plan {word} billing 1" for word in ("show", "approve", "reject", "edit")),
        ),
    ),
    "planner asks": (
        live(planning(), answered(question("Which format?"))),
        Position(
            Phase.AWAITING_ATTENTION,
            NextAction.RETRY_PLAN,
            "the planner asks: Which format?",
            "an answer to the planner",
            verbs=tuple(f"harnctl plan {word} billing 1" for word in ("show", "retry", "edit")),
        ),
    ),
    "plan failed": (
        live(planning(), unanswered(FailureClass.AUTH)),
        Position(
            Phase.AWAITING_ATTENTION,
            NextAction.RETRY_PLAN,
            "plan 1 failed (auth): no luck; log the agent in again, then retry",
            "an answer to the planner",
            verbs=tuple(f"harnctl plan {word} billing 1" for word in ("show", "retry", "edit")),
        ),
    ),
    "rejected": (live(proposed(), reject(a_plan())), ready(NextAction.PLAN_INITIAL, "the planner is called next")),
    "applied": (applied(), ready(NextAction.RUN, "work is started next")),
    "working": (working(*TWO), running("p1.a attempt 1, p1.b attempt 1")),
    "in review": (
        in_review(),
        Position(
            Phase.AWAITING_ATTENTION,
            NextAction.DECIDE_WORK,
            "proved and waiting to be accepted: p1.a",
            "a decision about the work",
            verbs=tuple(f"harnctl work {decision} billing p1.a" for decision in ("show", "accept", "reopen")),
        ),
    ),
    "accepted": (
        accepted(),
        ready(NextAction.RUN, "accepted work is brought onto the goal's branch next"),
    ),
    "integrating": (integrating(), running("integration of p1.a", wake=None)),
    "clash": (
        live(integrating(), parked("p1.a", 1, "src/a")),
        Position(
            Phase.BLOCKED,
            NextAction.RESOLVE_BLOCKED,
            "p1.a is blocked (decision): it clashes; settle what stands against it, then retry",
            "a decision about p1.a",
            verbs=BLOCKED_VERBS,
        ),
    ),
    "blocked": (
        blocked(FailureClass.ENVIRONMENT),
        Position(
            Phase.BLOCKED,
            NextAction.RESOLVE_BLOCKED,
            "p1.a is blocked (environment): no luck; repair what is missing on this machine, then resolve it",
            "a decision about p1.a",
            verbs=PARKED_VERBS,
        ),
    ),
    "pause": (
        live(working(), failed("p1.a", FailureClass.UPSTREAM)),
        Position(
            Phase.WAITING,
            NextAction.WAIT_FOR_TIMER,
            "the provider failed; harnd tries again after a pause",
            "the end of the pause",
            wake_at=later(30),
        ),
    ),
    "planner pauses": (
        live(planning(), unanswered(FailureClass.UPSTREAM)),
        Position(
            Phase.WAITING,
            NextAction.WAIT_FOR_TIMER,
            "the provider failed; harnd tries again after a pause",
            "the end of the pause",
            wake_at=later(30),
        ),
    ),
    "given up": (
        live(applied(draft("a"), draft("b", "a")), cancel_work("p1.a")),
        Position(
            Phase.READY,
            NextAction.REPLAN_RECOVERY,
            "nothing of the active work can go on, and the planner is called for another way next",
            "the next tick, at once",
            verbs=("harnctl work reopen billing p1.a",),
        ),
    ),
    "given up without a milestone": (
        live(applied(draft("a"), draft("b", "a"), milestones=1), cancel_work("p1.a")),
        Position(
            Phase.AWAITING_ATTENTION,
            NextAction.RESOLVE_BLOCKED,
            f"p1.a was cancelled: not needed; {NO_PLAN}",
            "reopening p1.a",
            verbs=("harnctl work reopen billing p1.a", "harnctl goal cancel billing"),
        ),
    ),
    "met": (milestone_met(), ready(NextAction.PLAN_MILESTONE, "the planner is called next")),
    "no ticks": (live(applied(ticks=1)), budget("every tick is spent", Unit.TICKS, "--ticks 500")),
    "no requests": (
        live(proposed(replans=1), reject(a_plan())),
        fixed("the planner cannot be called: every plan request is spent"),
    ),
    "question and no requests": (
        live(planning(replans=1), answered(question("Which?"))),
        fixed("the planner asks: Which?; and every plan request is spent", "harnctl plan edit billing 1"),
    ),
    "no attempts": (
        live(working(attempts=1), failed("p1.a")),
        budget(f"{SHORT}every attempt is spent or set aside", Unit.ATTEMPTS, "--attempts 10"),
    ),
    "no calls": (
        live(working(agent_calls=2), failed("p1.a")),
        budget(f"{SHORT}it takes 1 agent call, and none is left", Unit.AGENT_CALLS, "--agent-calls 50"),
    ),
    "no answers": (
        live(working(answers_per_work=1), failed("p1.a")),
        ready(
            NextAction.REPLAN_RECOVERY,
            "nothing of the active work can go on, and the planner is called for another way next",
        ),
    ),
    "no answers and no milestone": (
        live(working(answers_per_work=1, milestones=1), failed("p1.a")),
        Position(
            Phase.AWAITING_ATTENTION,
            NextAction.RESOLVE_BLOCKED,
            f"{SHORT}agents have answered 1 time for it, and 1 answer is allowed; {NO_PLAN}",
            "nothing: this limit does not grow",
            verbs=("harnctl work show billing p1.a", "harnctl goal cancel billing"),
        ),
    ),
    "success": (
        success(),
        Position(
            Phase.SUCCEEDED,
            NextAction.NONE,
            "the mission is met",
            "a finding on its work",
            verbs=("harnctl goal reopen billing", "harnctl goal archive billing"),
        ),
    ),
    "success that cannot be looked at again": (
        success(replans=2),
        Position(
            Phase.SUCCEEDED,
            NextAction.NONE,
            "the mission is met",
            "nothing; it is done",
            verbs=("harnctl goal archive billing",),
        ),
    ),
    "archived": (
        live(success(), archive_goal()),
        Position(Phase.SUCCEEDED, NextAction.NONE, "the mission is met; it is archived", "nothing; it is done"),
    ),
    "cancelled": (
        cancelled(a_goal()),
        Position(
            Phase.CANCELLED,
            NextAction.NONE,
            "cancelled by the operator: not needed",
            "nothing; it is over",
            verbs=("harnctl goal archive billing",),
        ),
    ),
    "paused at rest": (live(a_goal(), pause_goal("the disk is full")), paused(": the disk is full")),
    "paused while something runs": (
        live(working(*TWO), pause_goal()),
        paused("; still running: p1.a attempt 1, p1.b attempt 1", NextAction.WAIT_FOR_RUN, wake=3_600),
    ),
    "paused with a decision to make": (live(proposed(), pause_goal()), paused("")),
}


@pytest.mark.parametrize("name", CASES)
def test_each_condition_has_its_sentence_and_its_verbs(name):
    goal, expected = CASES[name]
    assert position(goal, T0) == expected
    assert check_way_out(goal, T0) == expected


def test_no_runtime_is_a_budget_too():
    goal = live(working(active_runtime=5_000_000), failed("p1.a"), at=later(5))
    used_up = f"{SHORT}the active runtime of 5s is used up"
    assert position(goal, later(5)) == budget(used_up, Unit.ACTIVE_RUNTIME_US, "--runtime 2h")


# --- which condition is told first


def test_what_runs_is_told_before_what_waits():
    goal = live(working(*TWO), succeeded("p1.a"))
    assert position(goal, T0) == running("p1.b attempt 1")


def test_what_waits_for_acceptance_is_told_before_what_is_blocked():
    goal = live(working(*TWO), failed("p1.a", FailureClass.REFUSAL), succeeded("p1.b"))
    assert position(goal, T0).next_action is NextAction.DECIDE_WORK


def test_everything_in_review_is_named_and_the_first_offered():
    goal = live(working(*TWO), succeeded("p1.a"), succeeded("p1.b"))
    where = position(goal, T0)
    assert where.reason == "proved and waiting to be accepted: p1.a, p1.b"
    assert where.verbs[1] == "harnctl work accept billing p1.a"


def test_what_runs_is_told_also_when_it_took_the_last_tick():
    assert position(live(a_goal(ticks=1), tick()), T0) == running("the planner (plan 1, call 1)")


def test_a_mission_that_is_met_is_completed_without_a_tick():
    done = completion("p1.a")
    goal = live(reassessing(ticks=4), answered(done, plan=2))
    assert position(goal, T0).next_action is NextAction.DECIDE_PLAN
    assert position(live(goal, approve(done, plan=2)), T0).phase is Phase.SUCCEEDED


# --- when harnd looks again by itself


@pytest.mark.parametrize(("seconds", "phase"), [(29.999_999, Phase.WAITING), (30, Phase.READY)])
def test_a_pause_ends_at_its_very_instant(seconds, phase):
    goal = live(working(), failed("p1.a", FailureClass.UPSTREAM))
    assert position(goal, later(seconds)).phase is phase


def test_harnd_wakes_for_the_first_of_several_pauses():
    goal = live(working(*TWO), failed("p1.b", FailureClass.UPSTREAM), at=later(5))
    goal = live(goal, failed("p1.a", FailureClass.UPSTREAM), at=later(9))
    assert position(goal, later(10)).wake_at == later(35)
    assert position(goal, later(35)).phase is Phase.READY


def test_a_pause_ends_also_while_something_else_runs():
    goal = live(working(*TWO), failed("p1.a", FailureClass.UPSTREAM))
    assert position(goal, later(10)) == running("p1.b attempt 1", wake=30)
    assert position(goal, later(30)) == running("p1.b attempt 1", wake=3_600)


def test_a_pause_that_no_budget_lets_end_is_none():
    goal = live(working(answers_per_work=1, templates=[a_template(agents=1)]), failed("p1.a", FailureClass.UPSTREAM))
    assert position(goal, T0).phase is Phase.WAITING
    goal = live(working(attempts=1), failed("p1.a", FailureClass.PROOF))
    assert position(goal, T0).wake_at is None


def test_harnd_wakes_when_the_runtime_of_what_runs_is_over():
    goal = working(active_runtime=10_000_000)
    assert position(goal, later(4)).wake_at == later(10)
    assert position(goal, later(10)).wake_at is None


# --- the way out


def test_reopening_leads_out_of_given_up_work():
    goal = live(applied(draft("a"), draft("b", "a")), cancel_work("p1.a"), reopen("p1.a"))
    assert position(goal, T0) == ready(NextAction.RUN, "work is started next")


def test_an_answer_leads_out_of_a_question():
    goal = live(planning(), answered(question()), retry_plan("CSV"))
    assert position(goal, T0) == ready(NextAction.PLAN_INITIAL, "the planner is called next")


def test_acceptance_leads_on():
    assert position(live(in_review(), accept("p1.a")), T0).next_action is NextAction.RUN
    assert position(integrated(applied(draft("a"), draft("b", "a")), "p1.a"), T0).next_action is NextAction.RUN
