"""Reviews of plans: a panel reads every candidate alone, and what follows is a rule of what it said."""

import itertools

import msgspec
import pytest

from harnd.domain.digest import canonical, digest_of
from harnd.domain.goal import events as e
from harnd.domain.goal.candidate import normalised_digest
from harnd.domain.goal.commands import GoalCommand
from harnd.domain.goal.due import KeepReceipt, Review, due
from harnd.domain.goal.evolve import evolve
from harnd.domain.goal.fingerprint import fingerprint
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.inbox import asks
from harnd.domain.goal.plan_review import Review as PlanReview
from harnd.domain.goal.position import position
from harnd.domain.goal.receipt import Kept, compared, owed_receipt, receipt, receipt_digest
from harnd.domain.goal.review_report import reported
from harnd.domain.goal.review_task import PLAN_CONTRACT, criterion_digest, plan_scaffold, review_task
from harnd.domain.goal.seats import uncalled
from harnd.domain.review.contract import CriterionKey, Pair, SubjectId
from harnd.domain.review.output import Assessed, Malformed, PairError, Reviewed, WorkerError
from harnd.domain.review.panel import Outcome
from harnd.domain.review.partition import HARNESS_DEFAULT
from harnd.domain.review.prompt import render, scaffold_digest
from protocol import bounds
from protocol.ids import EffectKey
from protocol.values import (
    FailureClass,
    Instant,
    Micros,
    NextAction,
    Phase,
    PlanAuthor,
    PlanStatus,
    ReviewJobState,
    ReviewOutcome,
    Unit,
)
from tests.kit.given import (
    T0,
    Given,
    a_plan,
    an_intent,
    answered,
    approve,
    cancel_goal,
    create,
    draft,
    edit_plan,
    later,
    live,
    pause_at_once,
    pause_goal,
    planning,
    question,
    reject,
    resume_goal,
    retry_plan,
    retry_work,
    the_plan,
    tick,
    unanswered,
)
from tests.kit.panels import (
    APPROVES,
    ASKS,
    CRITIC,
    OBJECTS,
    SKEPTIC,
    TWO,
    advice,
    another_plan,
    finding,
    garbled,
    kept,
    leased,
    names,
    objected,
    opinion,
    panel,
    passed,
    read_by,
    said,
    silent,
    the_round,
)
from tests.kit.ways_out import until_it_stops

PLAN = a_plan()
DIGEST = digest_of(PLAN)


def kinds(goal: Goal, command: GoalCommand) -> list[str]:
    return [type(event).__name__ for event in Given(goal).when(command).events]


def reviewed(goal: Goal) -> Goal:
    return live(goal, kept(goal))


def came_to(goal: Goal) -> PlanReview:
    found = the_plan(goal).review
    assert found is not None
    return found


# --- a candidate and its panel


def test_a_candidate_is_read_before_it_is_proposed():
    goal = planning(reviewers=TWO)
    returned, brought, opened = Given(goal).when(answered(PLAN)).events
    assert isinstance(returned, e.PlannerReturned)
    assert brought == e.PlanCandidate(plan=1, call=1, candidate=PLAN, digest=DIGEST, normalised=normalised_digest(PLAN))
    assert isinstance(opened, e.ReviewOpened)
    assert (opened.round, opened.digest, opened.scaffold) == (1, DIGEST, plan_scaffold())
    assert [(seat.reviewer, seat.partition, seat.reused) for seat in opened.seats] == [
        ("critic", HARNESS_DEFAULT, None),
        ("skeptic", HARNESS_DEFAULT, None),
    ]


def test_without_reviewers_a_candidate_is_proposed_at_once():
    assert kinds(planning(), answered(PLAN)) == ["PlannerReturned", "PlanProposed"]


def test_a_question_of_the_planner_is_reviewed_by_nobody():
    assert kinds(planning(reviewers=TWO), answered(question())) == ["PlannerReturned", "PlanAttention"]


def test_all_reviewers_are_called_at_once():
    goal = live(planning(reviewers=TWO), answered(PLAN))
    assert the_plan(goal).status is PlanStatus.REVIEWING
    Given(goal).when(tick()).then(
        e.GoalTicked(),
        e.ReviewJobCalled(plan=1, round=1, reviewer=CRITIC, attempt=1),
        e.ReviewJobCalled(plan=1, round=1, reviewer=SKEPTIC, attempt=1),
    )


def test_no_more_agents_are_called_at_once_than_may_be():
    goal = panel(agent_concurrency=1)
    assert names(goal) == ("skeptic",)
    assert kinds(live(goal, said("critic")), tick()) == ["GoalTicked", "ReviewJobCalled"]


def test_reviews_are_owed_until_they_are_answered():
    goal = panel()
    owed = due(goal, T0)
    assert [type(effect) for effect in owed] == [Review, Review]
    assert [effect.key for effect in owed] == [
        "goal/billing/plan/1/review/1/critic/attempt/1",
        "goal/billing/plan/1/review/1/skeptic/attempt/1",
    ]
    assert [effect.key for effect in due(live(goal, said("critic")), T0)] == [owed[1].key]


def test_an_opinion_finishes_a_seat_and_the_last_one_the_round():
    goal = live(panel(), said("critic"))
    Given(goal).when(said("skeptic", output=None)).then(
        e.ReviewJobReturned(plan=1, round=1, reviewer=SKEPTIC, attempt=1, ran=Micros(7_000_000), charged=True),
        e.ReviewJobCompleted(plan=1, round=1, reviewer=SKEPTIC, attempt=1, assessment=APPROVES),
        e.ReviewClosed(plan=1, round=1, outcome=Outcome.APPROVED),
    )


# --- the four outcomes


def test_what_passed_is_proposed_with_its_receipt():
    goal = read_by(panel(), opinion(opinion().verdict, advice()))
    owed = due(goal, T0)
    assert owed == (KeepReceipt(key=EffectKey("goal/billing/plan/1/receipt/1"), plan=1, review=1),)
    Given(goal).when(kept(goal)).then(
        e.PlanReviewed(
            plan=1,
            receipt=receipt_digest(goal, the_plan(goal), came_to(goal)),
            outcome=ReviewOutcome.PASSED,
            rounds=1,
            blocking=0,
            advisory=1,
        ),
        e.PlanProposed(plan=1, call=1, candidate=PLAN, digest=DIGEST, normalised=normalised_digest(PLAN)),
    )


@pytest.mark.parametrize(
    ("said_by_critic", "outcome"),
    [
        (OBJECTS, ReviewOutcome.REVISION_EXHAUSTED),
        (opinion(opinion().verdict, finding()), ReviewOutcome.REVISION_EXHAUSTED),
        (ASKS, ReviewOutcome.ATTENTION),
    ],
    ids=["revise", "a blocking finding beside an approval", "attention"],
)
def test_what_did_not_pass_lies_before_a_person(said_by_critic, outcome):
    goal = reviewed(read_by(panel(), said_by_critic))
    plan = the_plan(goal)
    assert (plan.status, plan.in_review_attention) == (PlanStatus.ATTENTION, True)
    assert came_to(goal).outcome is outcome
    assert plan.candidate == PLAN


def test_a_reviewer_without_a_valid_opinion_fails_the_review():
    goal = live(panel(), said("critic"), silent("skeptic", FailureClass.REFUSAL))
    assert the_round(goal).outcome is Outcome.FAILED
    goal = reviewed(goal)
    assert the_plan(goal).question == "reviewer skeptic gave no valid opinion (refusal): no luck"


def test_nothing_is_proposed_before_the_receipt_is_kept():
    goal = read_by(panel())
    assert the_plan(goal).status is PlanStatus.REVIEWING
    Given(goal).when(tick()).then_nothing()
    Given(goal).when(approve(PLAN)).then_refused("plan.not_proposed")


# --- revisions


def test_with_a_round_left_the_planner_is_called_again_within_the_request():
    goal = read_by(panel(rounds=1), OBJECTS)
    plan = the_plan(goal)
    assert (plan.status, plan.number, goal.left(Unit.PLANNER_CALLS)) == (PlanStatus.REQUESTED, 1, 4)
    assert kinds(goal, tick()) == ["GoalTicked", "PlannerCalled"]


def revised() -> Goal:
    return live(read_by(panel(rounds=1), OBJECTS), tick())


def test_a_replacement_gets_a_full_panel_of_its_own():
    goal = live(revised(), answered(another_plan(), call=2), tick())
    last = the_round(goal)
    assert (last.number, [seat.reviewer for seat in last.seats], len(due(goal, T0))) == (2, list(TWO), 2)
    done = reviewed(read_by(goal))
    assert the_plan(done).status is PlanStatus.PROPOSED
    assert the_plan(done).candidate == another_plan()


def test_no_round_is_left_for_ever():
    goal = read_by(live(revised(), answered(another_plan(), call=2), tick()), OBJECTS)
    assert isinstance(due(goal, T0)[0], KeepReceipt)
    assert came_to(reviewed(goal)).outcome is ReviewOutcome.REVISION_EXHAUSTED


def test_the_same_candidate_again_has_the_last_word():
    goal = revised()
    reworded = a_plan(rationale="As you say.")
    assert kinds(goal, answered(reworded, call=2)) == ["PlannerReturned", "RevisionUnchanged"]
    goal = reviewed(live(goal, answered(reworded, call=2)))
    plan = the_plan(goal)
    assert plan.candidate == PLAN
    assert plan.question == "its reviewers object: scope.too-wide; the planner gave the same candidate back"


def test_to_go_back_to_an_earlier_candidate_is_no_revision_either():
    goal = live(read_by(panel(rounds=3), OBJECTS), tick())
    goal = live(read_by(live(goal, answered(another_plan(), call=2), tick()), OBJECTS), tick())
    _, unchanged = Given(goal).when(answered(PLAN, call=3)).events
    assert unchanged == e.RevisionUnchanged(plan=1, round=1, call=3)


def test_every_answer_of_the_planner_has_schema_attempts_of_its_own():
    goal = panel(rounds=1, schema_attempts=1)
    goal = live(read_by(goal, OBJECTS), tick())
    assert kinds(goal, unanswered(FailureClass.SCHEMA, call=2)) == ["PlannerReturned", "PlannerFailed", "PlanFailed"]
    goal = live(read_by(panel(rounds=1), OBJECTS), tick())
    assert kinds(goal, unanswered(FailureClass.SCHEMA, call=2)) == ["PlannerReturned", "PlannerFailed"]


def test_the_planner_may_ask_a_person_instead_of_revising():
    goal = live(revised(), answered(question(), call=2))
    plan = the_plan(goal)
    assert (plan.status, plan.in_review_attention) == (PlanStatus.ATTENTION, False)
    Given(goal).when(approve(PLAN, override="I know.")).then_refused("plan.not_proposed")


# --- attempts of a reviewer


def test_a_refused_output_is_corrected_by_a_fresh_attempt():
    goal = live(panel(), garbled("critic"))
    assert names(goal) == ("critic",)
    goal = live(goal, tick())
    seat = the_round(goal).seats[0]
    assert (len(seat.attempts), seat.refused.number if seat.refused else 0) == (2, 1)


def test_corrections_end_with_the_schema_attempts():
    goal = live(panel(), garbled("critic"), tick(), garbled("critic", attempt=2))
    assert names(goal) == ()
    goal = live(goal, said("skeptic"))
    assert the_round(goal).outcome is Outcome.FAILED


def test_a_lost_reviewer_costs_nothing_and_is_called_again_within_its_bound():
    goal = panel(ticks=1000)
    for attempt in range(1, bounds.UNCHARGED_LOST + 1):
        assert names(goal) == ()
        goal = live(goal, silent("critic", FailureClass.LOST, attempt=attempt), tick())
    assert names(goal) == ()
    assert due(goal, T0)[0].key.endswith("skeptic/attempt/1")
    assert goal.ledger.entries[Unit.AGENT_CALLS].spent == 1  # the planner's


def test_an_unreachable_provider_ends_the_request_uncharged_and_without_a_verdict():
    goal, at = panel(), T0
    for attempt in range(1, bounds.UNCHARGED_UPSTREAM_IN_A_ROW):
        goal = live(goal, silent("critic", FailureClass.UPSTREAM, attempt=attempt), at=at)
        assert kinds(goal, tick(at)) == []
        at = later(1000 * attempt)
        goal = live(goal, tick(at), at=at)
    attempt = bounds.UNCHARGED_UPSTREAM_IN_A_ROW
    events = Given(goal).when(silent("critic", FailureClass.UPSTREAM, attempt=attempt)).events
    assert [type(event).__name__ for event in events] == [
        "ReviewJobReturned",
        "ReviewJobFailed",
        "ReviewJobReturned",  # of the other reviewer, who is not waited for
        "PlanFailed",
    ]
    goal = live(goal, silent("critic", FailureClass.UPSTREAM, attempt=attempt), at=at)
    plan = the_plan(goal)
    assert (plan.failure, plan.charged, came_to(goal).outcome) == (FailureClass.UPSTREAM, False, None)
    assert goal.ledger.entries[Unit.PLANNER_CALLS].spent == 0
    assert {entry.reserved for entry in goal.ledger.entries.values()} == {0}


def test_only_outages_in_a_row_are_counted_together():
    goal, at = panel(), T0
    failures = [FailureClass.UPSTREAM, FailureClass.UPSTREAM, FailureClass.LOST, FailureClass.UPSTREAM]
    for attempt, failure in enumerate(failures, 1):
        goal = live(goal, silent("critic", failure, attempt=attempt), at=at)
        at = later(200 * attempt)
        goal = live(goal, tick(at), at=at)
    assert (the_plan(goal).status, len(due(goal, at))) == (PlanStatus.REVIEWING, 2)


def test_an_outage_that_ends_leaves_no_trace_in_the_verdict():
    goal = live(panel(), silent("critic", FailureClass.UPSTREAM))
    goal = live(goal, tick(later(60)), at=later(60))
    goal = live(goal, said("critic", attempt=2), said("skeptic"))
    assert the_round(goal).outcome is Outcome.APPROVED


def test_what_changed_besides_the_output_makes_it_void():
    goal = live(panel(), said("critic", touched=("src/a.py",)))
    attempt = the_round(goal).seats[0].attempts[0]
    assert (attempt.failure, attempt.opinion) == (FailureClass.PERMISSION, None)
    assert attempt.output is not None


def test_an_output_of_another_model_than_declared_makes_no_evidence():
    goal = live(panel(), said("critic", model="claude-sonnet-5"))
    assert the_round(goal).seats[0].attempts[0].failure is FailureClass.ENVIRONMENT
    assert goal.baselines == ()


def test_what_a_worker_claims_of_itself_is_kept_and_decides_nothing():
    goal = live(panel(), said("critic", self_reported_model="claude-sonnet-5"))
    attempt = the_round(goal).seats[0].attempts[0]
    assert (attempt.self_reported_model, attempt.model, attempt.state) == (
        "claude-sonnet-5",
        None,
        ReviewJobState.COMPLETED,
    )


# --- leases


def test_the_first_lease_of_an_attempt_stands():
    goal = live(panel(), leased("critic", token="one"))
    assert the_round(goal).seats[0].attempts[0].state is ReviewJobState.LEASED
    Given(goal).when(leased("critic", token="two")).then_nothing()


def test_a_lease_that_ran_out_is_not_waited_for_and_costs_nothing():
    goal = live(panel(), leased("critic", until=later(60)))
    assert kinds(goal, tick(Instant(later(60) - 1))) == []
    assert kinds(goal, tick(later(60))) == [
        "GoalTicked",
        "ReviewJobReturned",
        "ReviewJobExpired",
        "ReviewJobCalled",
    ]
    assert position(goal, T0).wake_at == later(60)


def test_a_lease_runs_out_under_a_pause_too():
    goal = live(panel(), leased("critic", until=later(60)), pause_goal())
    assert kinds(goal, tick(later(60))) == ["ReviewJobReturned", "ReviewJobExpired"]


def test_a_lease_runs_out_when_no_step_is_left():
    goal = live(panel(ticks=2), leased("critic", until=later(60)))
    assert goal.left(Unit.TICKS) == 0
    assert kinds(goal, tick(later(60))) == ["ReviewJobReturned", "ReviewJobExpired"]


def test_what_comes_after_its_lease_is_late_once():
    goal = live(live(panel(), leased("critic", until=later(60))), tick(later(60)), at=later(60))
    late = said("critic")
    Given(goal).when(late).then(
        e.ReviewJobSuperseded(plan=1, round=1, reviewer=CRITIC, attempt=1, output=late.report.output)
    )
    Given(live(goal, late)).when(late).then_nothing()


def test_the_same_output_twice_is_a_replay():
    goal = live(panel(), said("critic"))
    Given(goal).when(said("critic")).then_nothing()
    other = said("critic", OBJECTS, output=digest_of("other"))
    assert kinds(goal, other) == ["ReviewJobSuperseded"]
    assert the_round(live(goal, other)).seats[0].opinion == APPROVES


@pytest.mark.parametrize(
    "command", [said("nobody"), said("critic", at=2), said("critic", attempt=2), said("x", plan=9)]
)
def test_a_foreign_report_changes_nothing(command):
    Given(panel()).when(command).then_nothing()


# --- a person


def test_what_did_not_pass_is_let_through_by_an_override_with_a_reason_alone():
    goal = objected()
    Given(goal).when(approve(PLAN)).then_refused("plan.not_passed")
    Given(goal).when(approve(PLAN, override=" ")).then_refused("text.reason_missing")
    first, *rest = Given(goal).when(approve(PLAN, override="We need it.")).events
    assert first == e.PlanOverridden(plan=1, digest=DIGEST, reason="We need it.", by="ada")
    assert [type(event).__name__ for event in rest] == ["WorkCreated", "PlanApplied"]


def test_what_passed_takes_no_override():
    goal = passed()
    Given(goal).when(approve(PLAN, override="I insist.")).then_refused("plan.no_override")
    assert kinds(goal, approve(PLAN)) == ["WorkCreated", "PlanApplied"]


def test_an_override_names_what_was_read():
    Given(objected()).when(approve(another_plan(), override="We need it.")).then_refused("plan.stale")


def test_an_edit_gets_a_fresh_panel_and_is_not_revised():
    goal = passed(rounds=3)
    goal = live(goal, edit_plan(another_plan(), PLAN), tick())
    plan = the_plan(goal)
    assert (plan.status, plan.author, len(plan.reviews), len(due(goal, T0))) == (
        PlanStatus.REVIEWING,
        PlanAuthor.OPERATOR,
        2,
        2,
    )
    goal = read_by(goal, OBJECTS)
    assert isinstance(due(goal, T0)[0], KeepReceipt)
    assert due(goal, T0)[0].key == "goal/billing/plan/1/receipt/2"
    goal = reviewed(goal)
    assert the_plan(goal).in_review_attention
    assert goal.ledger.entries[Unit.PLANNER_CALLS].spent == 1


def test_an_edit_from_review_attention_names_the_candidate_it_replaces():
    goal = objected()
    Given(goal).when(edit_plan(another_plan())).then_refused("plan.stale")
    assert kinds(goal, edit_plan(another_plan(), PLAN)) == ["PlanEdited", "ReviewOpened"]


def test_an_edit_whose_provider_stays_away_fails_and_costs_no_request():
    goal, at = live(passed(), edit_plan(another_plan(), PLAN), tick()), T0
    for attempt in range(1, bounds.UNCHARGED_UPSTREAM_IN_A_ROW + 1):
        at = later(1000 * attempt)
        goal = live(goal, tick(at), at=at)
        goal = live(goal, silent("critic", FailureClass.UPSTREAM, at=2, attempt=attempt), at=at)
    assert the_plan(goal).status is PlanStatus.FAILED
    assert goal.ledger.entries[Unit.PLANNER_CALLS].spent == 1


def test_from_review_attention_a_person_may_ask_for_another_plan():
    goal = live(objected(), retry_plan("Without the scope."))
    assert kinds(goal, tick()) == ["GoalTicked", "PlanRequested", "PlannerCalled"]
    assert kinds(objected(), reject(PLAN)) == ["PlanRejected"]


def test_fresh_evidence_is_reused_without_a_call():
    """A reviewer could not be reached; what the others found of the same candidate still stands."""
    goal = live(panel(), said("critic"), silent("skeptic", FailureClass.AUTH))
    goal = reviewed(goal)
    edited, opened = Given(goal).when(edit_plan(PLAN, PLAN)).events
    assert isinstance(edited, e.PlanEdited)
    assert isinstance(opened, e.ReviewOpened)
    assert [seat.reused for seat in opened.seats] == [e.JobName(1, 1, CRITIC, 1), None]
    goal = live(goal, edit_plan(PLAN, PLAN), tick())
    assert [effect.key for effect in due(goal, T0)] == ["goal/billing/plan/1/review/2/skeptic/attempt/1"]
    goal = reviewed(live(goal, said("skeptic", at=2)))
    assert the_plan(goal).status is PlanStatus.PROPOSED


def test_when_all_evidence_is_fresh_the_round_closes_as_it_opens():
    goal = objected()
    assert kinds(goal, edit_plan(PLAN, PLAN)) == ["PlanEdited", "ReviewOpened", "ReviewClosed"]


# --- unattended


def test_what_passed_is_applied_unasked_where_that_was_enrolled():
    assert kinds(passed(auto_apply=True), tick())[:3] == ["GoalTicked", "WorkCreated", "PlanApplied"]


def test_what_did_not_pass_or_was_edited_is_never_applied_unasked():
    Given(objected(auto_apply=True)).when(tick()).then_nothing()
    goal = live(panel(auto_apply=True), said("critic", OBJECTS), said("skeptic"))
    goal = live(reviewed(goal), edit_plan(another_plan(), PLAN), tick())
    goal = reviewed(read_by(goal))
    assert the_plan(goal).passed
    Given(goal).when(tick()).then_nothing()


def test_a_proposal_without_a_receipt_is_not_applied_unasked_whatever_a_stream_says():
    goal = read_by(panel(auto_apply=True))
    proposed = e.PlanProposed(plan=1, call=1, candidate=PLAN, digest=DIGEST, normalised=normalised_digest(PLAN))
    Given(evolve(goal, proposed, T0)).when(tick()).then_nothing()


# --- pause, cancel, withdrawal


def test_a_review_is_withdrawn_with_its_plan_when_the_graph_changes():
    stopped = until_it_stops(live(passed(), approve(PLAN), tick()), FailureClass.PROOF)
    goal = live(stopped, tick())
    goal = live(goal, answered(a_plan(draft("d"), sequence=2), plan=2), tick())
    assert len(due(goal, T0)) == len(TWO)
    assert kinds(goal, retry_work("p1.a")) == [
        "ReviewJobReturned",
        "ReviewJobReturned",
        "PlanFailed",
        "PlanRetried",
        "WorkRetried",
    ]
    goal = live(goal, retry_work("p1.a"))
    assert due(goal, T0) == ()
    assert goal.ledger.entries[Unit.PLANNER_CALLS].spent == 1


def test_a_pause_lets_reviewers_finish_and_calls_nobody():
    goal = live(panel(), pause_goal(), garbled("critic"))
    Given(goal).when(tick()).then_nothing()
    assert kinds(live(goal, resume_goal()), tick()) == ["GoalTicked", "ReviewJobCalled"]


def test_a_pause_at_once_withdraws_reviewers_who_are_then_called_anew():
    goal = live(panel(), pause_at_once())
    assert due(goal, T0) == ()
    assert {seat.attempts[0].state for seat in the_round(goal).seats} == {ReviewJobState.SUPERSEDED}
    goal = live(goal, resume_goal(), tick())
    assert [len(seat.attempts) for seat in the_round(goal).seats] == [2, 2]


def test_a_receipt_is_kept_under_a_pause_too():
    goal = live(read_by(panel()), pause_goal())
    assert isinstance(due(goal, T0)[0], KeepReceipt)
    assert the_plan(reviewed(goal)).status is PlanStatus.PROPOSED


def test_a_cancelled_goal_waits_for_no_reviewer():
    goal = live(panel(), cancel_goal())
    assert due(goal, T0) == ()
    assert kinds(goal, said("critic")) == ["ReviewJobSuperseded"]
    assert due(live(read_by(panel()), cancel_goal()), T0) == ()


# --- what people see


def test_a_review_is_told_where_the_goal_stands():
    opened = live(planning(reviewers=TWO), answered(PLAN))
    assert (position(opened, T0).phase, position(opened, T0).next_action) == (Phase.READY, NextAction.REVIEW_PLAN)
    running = position(panel(), T0)
    assert (running.phase, running.next_action, running.reason) == (
        Phase.RUNNING,
        NextAction.WAIT_FOR_RUN,
        "running: reviewer critic (plan 1, round 1), reviewer skeptic (plan 1, round 1)",
    )
    owed = position(read_by(panel()), T0)
    assert (owed.phase, owed.reason) == (Phase.RUNNING, "running: keeping the receipt of its review")
    attention = position(objected(), T0)
    assert (attention.phase, attention.next_action) == (Phase.AWAITING_ATTENTION, NextAction.DECIDE_PLAN)
    assert "harnctl plan approve billing 1 --override" in attention.verbs


def test_review_attention_is_in_the_inbox_with_its_digest():
    (ask,) = asks(objected(), T0)
    assert (ask.kind, ask.subject, ask.digest) == ("attention", "plan/1", DIGEST)
    assert ask.summary == "did not pass its review: its reviewers object: scope.too-wide"


def test_reviewers_short_of_budget_are_said_to_be():
    goal = live(panel(agent_calls=2), said("critic"))
    stands = position(goal, T0)
    assert stands.phase is Phase.BUDGET_EXHAUSTED
    assert stands.reason.startswith("the reviewers of the plan cannot be called: ")


def test_every_step_of_a_review_moves_the_fingerprint():
    goals = [
        live(planning(reviewers=TWO, rounds=1), answered(PLAN)),
        panel(rounds=1),
        live(panel(rounds=1), said("critic")),
        live(panel(rounds=1), garbled("critic")),
        live(panel(rounds=1), leased("critic")),
        read_by(panel(rounds=1)),
        read_by(panel(rounds=1), OBJECTS),
        revised(),
        passed(rounds=1),
    ]
    found = [fingerprint(goal, T0) for goal in goals]
    assert len(set(found)) == len(found)


# --- budgets


def test_a_reviewer_takes_a_call_when_it_is_called_and_pays_when_it_answered():
    goal = panel()
    entry = goal.ledger.entries[Unit.AGENT_CALLS]
    assert (entry.spent, entry.reserved) == (1, 2)
    goal = live(goal, said("critic", tokens=70), silent("skeptic", FailureClass.AUTH))
    entry = goal.ledger.entries[Unit.AGENT_CALLS]
    assert (entry.spent, entry.reserved) == (2, 0)


def test_the_sum_of_answers_of_a_plan_is_what_its_policy_says():
    policy = an_intent(reviewers=("a", "b", "c"), rounds=2).review
    assert policy is not None
    assert policy.answers == 1 + 3 * 3 + 2


# --- the receipt


def test_a_receipt_is_the_same_however_often_it_is_rebuilt():
    goal = read_by(panel(), opinion(opinion().verdict, advice()))
    assert owed_receipt(goal) == the_plan(goal)
    before = receipt(goal, the_plan(goal), came_to(goal))
    after = reviewed(goal)
    assert receipt(after, the_plan(after), came_to(after)) == before
    assert compared(after, the_plan(after), came_to(after), before) is Kept.EXACT
    assert compared(after, the_plan(after), came_to(after), before[:-1]) is Kept.DAMAGED


@pytest.mark.parametrize("fields", [{"damaged": "it is cut short"}, {"receipt": digest_of("another")}])
def test_nothing_passes_with_a_damaged_receipt(fields):
    goal = read_by(panel(auto_apply=True))
    goal = live(goal, kept(goal, **fields))
    plan = the_plan(goal)
    assert plan.in_review_attention
    assert not plan.passed
    assert came_to(goal).outcome is ReviewOutcome.FAILED
    Given(goal).when(tick()).then_nothing()


def test_a_receipt_that_nobody_owes_changes_nothing():
    goal = read_by(panel())
    report = kept(goal)
    Given(live(goal, report)).when(report).then_nothing()
    Given(goal).when(msgspec.structs.replace(report, review=2)).then_nothing()


# --- the task


def test_every_reviewer_is_asked_the_same_about_the_same_texts():
    goal = panel()
    plan, last = the_plan(goal), the_round(goal)
    tasks = [review_task(goal, plan, last, seat) for seat in last.seats]
    assert tasks[0] == tasks[1]
    prompt = render(tasks[0].contract, tasks[0].texts, nonce=leased("critic").nonce, output="/job/output.json")
    assert "`key` names new work in this plan." in prompt.text
    assert "The active root is context only." in prompt.text
    assert '"decision": "apply"' in prompt.text
    assert scaffold_digest(tasks[0].contract) == plan_scaffold()


def test_what_reviewers_are_told_does_not_change_while_they_read():
    goal = panel()
    plan, last = the_plan(goal), the_round(goal)
    before = review_task(goal, plan, last, last.seats[1])
    goal = live(goal, said("critic"), pause_goal("meanwhile"))
    last = the_round(goal)
    assert review_task(goal, the_plan(goal), last, last.seats[1]) == before


def test_the_criterion_moves_with_the_instructions_of_a_reviewer():
    specialist = an_intent(reviewers=("critic",)).team[0]
    assert criterion_digest(specialist) != criterion_digest(
        msgspec.structs.replace(specialist, instructions="Be kind.")
    )
    assert "no finding may demand" in PLAN_CONTRACT


PAIR = Pair(SubjectId("plan-1"), CriterionKey("plan-contract"))


def test_what_a_file_says_is_reported_as_an_opinion_as_problems_or_as_a_failure():
    plain = msgspec.structs.replace(said("critic").report, opinion=None)
    assert reported(plain, Reviewed((Assessed(PAIR, canonical(OBJECTS)),), "m")).opinion == OBJECTS
    assert reported(plain, Reviewed((Assessed(PAIR, b"{}"),))).problems
    refused = Malformed(garbled("critic").report.problems)
    assert reported(plain, refused).problems == refused.problems
    error = reported(plain, WorkerError((PairError(PAIR, "I cannot."),)))
    assert (error.failure, error.opinion, error.problems) == (FailureClass.REFUSAL, None, ())


# --- properties


@pytest.mark.parametrize("opinions", list(itertools.product((APPROVES, OBJECTS, ASKS), repeat=2)))
def test_the_order_of_answers_decides_nothing(opinions):
    reports = [said("critic", opinions[0]), said("skeptic", opinions[1])]
    one = reviewed(live(panel(), *reports))
    other = reviewed(live(panel(), *reversed(reports)))
    twice = reviewed(live(panel(), *(report for report in reports for _ in range(2))))
    outcomes = {(came_to(goal).outcome, came_to(goal).receipt) for goal in (one, other, twice)}
    assert len(outcomes) == 1


@pytest.mark.parametrize("what", [APPROVES, OBJECTS, ASKS], ids=["approves", "objects", "asks"])
@pytest.mark.parametrize("failure", [failure for failure in FailureClass if failure is not FailureClass.UPSTREAM])
def test_whoever_is_missing_helps_nobody(what, failure):
    goal, attempt = live(panel(ticks=1000), said("critic", what)), 1
    while the_round(goal).outcome is None:
        goal = live(goal, silent("skeptic", failure, attempt=attempt), tick())
        attempt += 1
    assert the_round(goal).outcome is Outcome.FAILED
    assert attempt <= bounds.UNCHARGED_LOST + 1


def test_an_enrolled_goal_without_reviewers_has_no_word_of_them():
    (created,) = Given(None).when(create(an_intent())).events
    assert isinstance(created, e.GoalCreated)
    assert b"review" not in canonical(created.intent)
    assert uncalled(planning()) == ()
