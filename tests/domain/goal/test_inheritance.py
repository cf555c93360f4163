"""What a goal leaves to one that goes on from it, and what the planner of that one is told of it."""

import msgspec

from harnd.domain.goal import commands as c
from harnd.domain.goal.briefing import briefing
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.inheritance import GUIDANCE_BYTES, inheritance
from harnd.domain.goal.intent import Inherited, Parent
from protocol.ids import GoalId, WorkId
from tests.kit.given import (
    a_plan,
    a_proof,
    accepted,
    an_intent,
    answered,
    applied,
    approve,
    cancelled,
    commit,
    create,
    draft,
    integrated,
    live,
    planning,
    reject,
    reopen,
    the_plan,
    tick,
)

PAIR = (draft("a"), draft("b", "a"))


def test_only_what_is_accepted_and_on_the_branch_is_left():
    goal = integrated(applied(*PAIR), "p1.a")
    assert inheritance(goal) == Parent(
        goal=GoalId("billing"),
        intent=goal.intent_digest,
        head=commit("merged p1.a"),
        accepted=(
            Inherited(work=WorkId("p1.a"), title="Do a", proof=a_proof("p1.a").digest(), commit=commit("merged p1.a")),
        ),
    )
    assert inheritance(accepted(*PAIR)).accepted == ()  # it is not on the branch yet
    assert inheritance(live(goal, reopen("p1.a"))).accepted == ()


def test_a_goal_that_is_over_leaves_the_same():
    goal = integrated(applied(*PAIR), "p1.a")
    assert inheritance(cancelled(goal)) == inheritance(goal)


def test_a_goal_that_got_nowhere_leaves_the_commit_it_started_from():
    assert inheritance(planning()).head == commit("base")


def rejected(*guidance: str) -> Goal:
    goal = planning(replans=100)
    for number, said in enumerate(guidance, 1):
        plan = a_plan(draft("a", objective=f"Try {number}."))
        goal = live(goal, answered(plan, plan=number), reject(plan, said, plan=number), tick())
    return goal


def test_guidance_goes_along_the_newest_of_it():
    assert inheritance(rejected("Smaller.", "In CSV.")).guidance == ("Smaller.", "In CSV.")
    many = [f"{number} {'ü' * 1_900}" for number in range(10)]
    kept = inheritance(rejected(*many)).guidance
    assert kept == tuple(many[-len(kept) :])
    assert sum(len(text.encode()) for text in kept) <= GUIDANCE_BYTES


def child(**changes: object) -> Goal:
    parent = inheritance(integrated(live(rejected("Smaller."), *_plan(2)), "p2.a"))
    intent = msgspec.structs.replace(an_intent(goal="billing-2"), base_commit=parent.head, parent=parent)
    return live(None, create(msgspec.structs.replace(intent, **changes)), tick())


def _plan(number: int) -> tuple[c.GoalCommand, c.GoalCommand]:
    plan = a_plan(draft("a"))
    return answered(plan, plan=number), approve(plan, plan=number)


def test_the_planner_is_told_what_was_accepted_before_and_what_was_said():
    goal = child()
    prompt = briefing(goal, the_plan(goal), goal.intent.planner)
    assert "# Goal billing, which this one goes on from" in prompt
    assert f"- Do a (its p2.a, proved in {commit('merged p2.a')[:12]})" in prompt
    assert "Its operator said to its planner:\n\n- Smaller." in prompt
    assert "starts elsewhere" not in prompt


def test_the_planner_is_told_when_the_goal_starts_from_somewhere_else():
    goal = child(base_commit=commit("base"), base_ref="v1")
    assert "This goal starts elsewhere, from v1" in briefing(goal, the_plan(goal), goal.intent.planner)


def test_what_the_parent_accepted_is_no_work_of_this_goal():
    assert child().work == {}
