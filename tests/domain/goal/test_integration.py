"""Integrations: accepted work is proved on the integrated tree, then moved; or parked, naming what is in the way."""

import pytest

from harnd.domain.goal import events as e
from harnd.domain.goal.work import Standing
from protocol.ids import WorkId
from protocol.values import FailureClass, Verdict
from tests.kit.given import (
    Given,
    a_proof,
    a_template,
    accept,
    accepted,
    commit,
    draft,
    in_review,
    integrating,
    item,
    live,
    moved,
    parked,
    proved,
    retry_work,
    succeeded,
    tick,
    tree,
    working,
)

A = WorkId("p1.a")
MERGED = "merged p1.a"


def integrated_and_proved():
    return live(integrating(), proved("p1.a"))


# --- what is reported and what follows


def test_a_satisfied_proof_of_the_integrated_tree_makes_the_move_owed():
    Given(integrating()).when(proved("p1.a")).then(
        e.IntegrationProved(work=A, number=1, commit=commit(MERGED), tree=tree(MERGED), proof=a_proof(MERGED))
    )


@pytest.mark.parametrize(
    ("verdict", "found"), [(Verdict.UNSATISFIED, "check failed"), (Verdict.UNKNOWN, "check unknown")]
)
def test_anything_less_parks_it_with_the_proof(verdict, found):
    proof = a_proof(MERGED, verdict=verdict)
    Given(integrating()).when(proved("p1.a", proof=proof)).then(
        e.IntegrationParked(
            work=A,
            number=1,
            failure=FailureClass.PROOF,
            detail=f"the proof does not hold on the integrated tree: {found}",
            blocked=False,
            accepted=False,
            proof=proof,
        )
    )


def test_a_move_takes_the_commit_that_was_proved():
    Given(integrated_and_proved()).when(moved("p1.a")).then(
        e.WorkIntegrated(work=A, number=1, commit=commit(MERGED), tree=tree(MERGED))
    )


def test_nothing_is_moved_before_it_is_proved():
    Given(integrating()).when(moved("p1.a")).then_nothing()


def test_a_clash_parks_it_naming_the_paths():
    Given(integrating()).when(parked("p1.a", 1, "src/a", "src/b")).then(
        e.IntegrationParked(
            work=A,
            number=1,
            failure=FailureClass.DECISION,
            detail="it clashes",
            blocked=True,
            accepted=False,
            paths=("src/a", "src/b"),
        )
    )


def test_a_branch_that_somebody_moved_parks_what_was_proved():
    Given(integrated_and_proved()).when(parked("p1.a")).then(
        e.IntegrationParked(
            work=A, number=1, failure=FailureClass.DECISION, detail="it clashes", blocked=True, accepted=True
        )
    )


def test_a_proof_is_reported_once():
    """A second report, made after a restart, must not put another commit in the place of the one being moved."""
    Given(integrated_and_proved()).when(proved("p1.a", proof=a_proof("another"))).then_nothing()


@pytest.mark.parametrize(
    "report",
    [
        proved("p1.a", 2),
        parked("p1.a", 0),
        moved("p1.a", 2),
        proved("p1.b"),
        proved("p9.nowhere"),
    ],
    ids=["later number", "earlier number", "other move", "other work", "unknown work"],
)
def test_a_late_or_foreign_report_changes_nothing(report):
    Given(integrating(draft("a"), draft("b", "a"))).when(report).then_nothing()


@pytest.mark.parametrize("goal", [working(), in_review(), accepted()], ids=["running", "in review", "accepted"])
def test_what_is_not_being_integrated_is_not_reported_about(goal):
    Given(goal).when(proved("p1.a")).then_nothing()
    Given(goal).when(moved("p1.a")).then_nothing()


# --- what becomes of the work


def test_the_branch_contains_the_work_and_is_where_it_was_moved_to():
    goal = live(integrated_and_proved(), moved("p1.a"))
    assert (goal.head, goal.queue, item(goal, "p1.a").standing) == (commit(MERGED), (), Standing.INTEGRATED)


def test_a_clash_waits_for_a_person():
    goal = live(integrating(), parked("p1.a", 1, "src/a"))
    assert (item(goal, "p1.a").standing, item(goal, "p1.a").blocked) == (Standing.BLOCKED, FailureClass.DECISION)
    assert goal.queue == ()


def test_a_proof_that_fails_on_the_integrated_tree_is_tried_again_on_the_new_base():
    two = (draft("a"), draft("b"), draft("c", "a", "b"))
    goal = live(working(*two), succeeded("p1.a"), succeeded("p1.b"), accept("p1.a"), accept("p1.b"), tick())
    goal = live(goal, proved("p1.a"), moved("p1.a"), tick())
    goal = live(goal, proved("p1.b", proof=a_proof("merged p1.b", verdict=Verdict.UNSATISFIED)))
    Given(goal).when(tick()).then(
        e.GoalTicked(), e.AttemptStarted(work=WorkId("p1.b"), attempt=2, base=commit(MERGED), generation=1, calls=1)
    )


def test_and_blocked_when_the_template_has_no_attempts_left():
    bad = a_proof(MERGED, verdict=Verdict.UNSATISFIED)
    goal = live(integrating(templates=[a_template(attempts=1)]), proved("p1.a", proof=bad))
    assert item(goal, "p1.a").standing is Standing.BLOCKED


def test_what_clashed_is_no_longer_accepted():
    goal = live(integrating(), parked("p1.a", 1, "a.txt"))
    assert item(goal, "p1.a").accepted_proof is None
    Given(live(goal, retry_work("p1.a"), tick(), succeeded("p1.a", 2))).when(accept("p1.a")).then(
        e.WorkAccepted(work=A, attempt=2, proof=a_proof("p1.a").digest(), by="ada")
    )


@pytest.mark.parametrize("failure", [FailureClass.ENVIRONMENT, FailureClass.DECISION])
def test_what_could_not_be_brought_in_for_another_reason_is_brought_in_as_it_was_accepted(failure):
    goal = live(integrating(), parked("p1.a", failure=failure), retry_work("p1.a"))
    Given(goal).when(tick()).then(e.GoalTicked(), e.IntegrationStarted(work=A, number=2, onto=goal.head))


# --- the queue


def test_work_is_brought_in_one_at_a_time_in_the_order_of_acceptance():
    two = (draft("a"), draft("b"), draft("c", "a", "b"))
    goal = live(working(*two), succeeded("p1.a"), succeeded("p1.b"), accept("p1.b"), accept("p1.a"))
    Given(goal).when(tick()).then(
        e.GoalTicked(), e.IntegrationStarted(work=WorkId("p1.b"), number=1, onto=commit("base"))
    )
    goal = live(goal, tick())
    Given(goal).when(tick()).then_nothing()
    goal = live(goal, proved("p1.b"), moved("p1.b"))
    Given(goal).when(tick()).then(e.GoalTicked(), e.IntegrationStarted(work=A, number=1, onto=commit("merged p1.b")))
