"""Decisions about work: accept exactly this proof, ask for changes, try again, give up."""

import pytest

from harnd.domain.goal import events as e
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.usage import Usage
from harnd.domain.goal.work import Standing
from protocol.ids import WorkId
from protocol.values import AttemptOutcome, FailureClass, Micros, Unit
from tests.kit.given import (
    Given,
    a_plan,
    a_proof,
    a_template,
    accept,
    accepted,
    answered,
    applied,
    approve,
    blocked,
    cancel_work,
    cancelled,
    draft,
    failed,
    in_review,
    integrated,
    integrating,
    item,
    later,
    live,
    milestone_met,
    reassessing,
    reopen,
    retry_work,
    succeeded,
    tick,
    working,
)

A = WorkId("p1.a")
PROOF = a_proof("p1.a").digest()
SLOW = e.OpenFinding("f1", "It is slow.")


def in_review_again(*findings: str) -> Goal:
    """It was reopened with these findings, and the next attempt succeeded."""
    return live(in_review(), reopen("p1.a", *findings), tick(), succeeded("p1.a", 2))


# --- accepting


def test_accepting_names_the_proof():
    Given(in_review()).when(accept("p1.a")).then(e.WorkAccepted(work=A, attempt=1, proof=PROOF, by="ada"))


def test_accepting_twice_is_accepting_once():
    Given(accepted()).when(accept("p1.a")).then_nothing()
    Given(integrating()).when(accept("p1.a")).then_nothing()
    Given(milestone_met()).when(accept("p1.a")).then_nothing()


def test_another_proof_is_stale():
    other = a_proof("another")
    Given(in_review()).when(accept("p1.a", other)).then_refused(
        "work.stale_proof", f"the proof of p1.a has digest {PROOF}, not {other.digest()}"
    )


@pytest.mark.parametrize(
    ("goal", "state"),
    [
        (applied(), "ready"),
        (working(), "running"),
        (blocked(), "blocked"),
        (live(applied(), cancel_work("p1.a")), "cancelled"),
    ],
    ids=["ready", "running", "blocked", "cancelled"],
)
def test_only_work_in_review_is_accepted(goal, state):
    Given(goal).when(accept("p1.a")).then_refused(
        "work.not_in_review", f"p1.a is {state}; only work in review is accepted"
    )


def test_every_finding_is_disposed_of():
    Given(in_review_again("It is slow.", "It is ugly.")).when(
        accept("p1.a", f1="fixed", f2="deferred: the next milestone is about looks")
    ).then(
        e.WorkAccepted(
            work=A,
            attempt=2,
            proof=PROOF,
            by="ada",
            dispositions=(("f1", "fixed"), ("f2", "deferred: the next milestone is about looks")),
        )
    )


@pytest.mark.parametrize(
    ("dispositions", "reason"),
    [
        ({}, "f1 ('It is slow.') must be `fixed` or `deferred: reason`"),
        ({"f1": "done"}, "f1 ('It is slow.') must be `fixed` or `deferred: reason`"),
        ({"f1": "Fixed"}, "f1 ('It is slow.') must be `fixed` or `deferred: reason`"),
        ({"f1": "deferred"}, "f1 ('It is slow.') must be `fixed` or `deferred: reason`"),
        ({"f1": "deferred:  "}, "f1 ('It is slow.') must be `fixed` or `deferred: reason`"),
        ({"f1": f"deferred: {'x' * 501}"}, "the reason for f1 is longer than 500 characters"),
        ({"f1": "fixed", "f2": "fixed"}, "f2 is no open finding"),
        ({"f9": "fixed"}, "f9 is no open finding; f1 ('It is slow.') must be `fixed` or `deferred: reason`"),
    ],
    ids=["none", "another word", "capital", "no reason", "blank reason", "long reason", "one too many", "another"],
)
def test_accepting_is_refused_until_each_finding_is_fixed_or_deferred(dispositions, reason):
    Given(in_review_again("It is slow.")).when(accept("p1.a", **dispositions)).then_refused(
        "work.findings_open", reason
    )


def test_what_was_disposed_of_is_not_open_any_more():
    goal = live(in_review_again("It is slow."), accept("p1.a", f1="fixed"), reopen("p1.a", "It is ugly."))
    assert (item(goal, "p1.a").findings, item(goal, "p1.a").dispositions) == (
        (e.OpenFinding("f2", "It is ugly."),),
        (("f1", "fixed"),),
    )


# --- reopening


def test_reopening_names_what_is_wrong():
    Given(in_review()).when(reopen("p1.a", " It is slow. ", "It is ugly.")).then(
        e.WorkReopened(work=A, findings=(SLOW, e.OpenFinding("f2", "It is ugly.")), by="ada")
    )


def test_findings_are_numbered_through_the_life_of_an_item():
    goal = live(in_review_again("It is slow."), reopen("p1.a", "It is ugly."))
    assert item(goal, "p1.a").findings == (SLOW, e.OpenFinding("f2", "It is ugly."))


@pytest.mark.parametrize(
    "goal",
    [in_review(), blocked(FailureClass.REFUSAL), accepted(), milestone_met(), live(applied(), cancel_work("p1.a"))],
    ids=["in review", "blocked", "accepted", "integrated", "cancelled"],
)
def test_what_has_come_to_rest_can_be_reopened(goal):
    Given(goal).when(reopen("p1.a", "It is slow.")).then(e.WorkReopened(work=A, findings=(SLOW,), by="ada"))
    assert item(live(goal, reopen("p1.a")), "p1.a").standing is Standing.OPEN


@pytest.mark.parametrize(
    ("goal", "state"),
    [(applied(), "ready"), (working(), "running"), (integrating(), "running")],
    ids=["ready", "running", "integrating"],
)
def test_what_is_under_way_cannot(goal, state):
    Given(goal).when(reopen("p1.a")).then_refused("work.not_reopenable", f"p1.a is {state}; there is nothing to reopen")


def test_reopened_work_leaves_the_queue():
    assert live(accepted(), reopen("p1.a")).queue == ()


@pytest.mark.parametrize("count", [20, 1])
def test_twenty_findings_are_kept(count):
    texts = [f"finding {number}" for number in range(count)]
    assert len(item(live(in_review(), reopen("p1.a", *texts)), "p1.a").findings) == count


@pytest.mark.parametrize(("before", "more"), [(0, 21), (1, 20), (20, 1)])
def test_more_than_twenty_open_findings_are_refused(before, more):
    goal = in_review_again(*[f"old {number}" for number in range(before)]) if before else in_review()
    Given(goal).when(reopen("p1.a", *[f"new {number}" for number in range(more)])).then_refused(
        "work.findings_count",
        f"{more} findings beside {before} open ones; expected at least one and at most 20 in all",
    )


@pytest.mark.parametrize(
    ("finding", "code"),
    [("  ", "text.finding_missing"), ("x" * 1_001, "text.finding_too_long")],
)
def test_a_finding_says_something_within_bounds(finding, code):
    Given(in_review()).when(reopen("p1.a", finding)).then_refused(code)


# --- trying again


def test_blocked_work_is_tried_again_with_or_without_guidance():
    refused = blocked(FailureClass.REFUSAL)
    Given(refused).when(retry_work("p1.a")).then(e.WorkRetried(work=A, guidance="", by="ada"))
    Given(refused).when(retry_work("p1.a", " use make ")).then(e.WorkRetried(work=A, guidance="use make", by="ada"))


@pytest.mark.parametrize(
    ("guidance", "code"), [("  ", "text.guidance_missing"), ("x" * 2_001, "text.guidance_too_long")]
)
def test_guidance_says_something_within_bounds(guidance, code):
    Given(blocked()).when(retry_work("p1.a", guidance)).then_refused(code)


@pytest.mark.parametrize(
    ("goal", "state"),
    [(applied(), "ready"), (working(), "running"), (in_review(), "in review"), (milestone_met(), "succeeded")],
    ids=["ready", "running", "in review", "integrated"],
)
def test_only_blocked_work_is_tried_again(goal, state):
    Given(goal).when(retry_work("p1.a")).then_refused(
        "work.not_blocked", f"p1.a is {state}; only blocked work is retried"
    )


def test_a_persons_word_is_worth_one_attempt_beyond_the_templates():
    goal = blocked(FailureClass.PROOF, templates=[a_template(attempts=1)])
    again = live(goal, retry_work("p1.a"), tick())
    assert item(again, "p1.a").running is not None
    assert item(live(again, failed("p1.a", attempt=2)), "p1.a").standing is Standing.BLOCKED


def test_after_a_persons_word_uncharged_failures_count_anew():
    goal = working()
    for attempt in (1, 2, 3):
        at = later(attempt * 300)
        goal = live(goal, failed("p1.a", FailureClass.UPSTREAM, attempt), tick(later(attempt * 300 + 299)), at=at)
    assert item(goal, "p1.a").standing is Standing.BLOCKED
    goal = live(goal, retry_work("p1.a"), tick(later(1_000)), at=later(1_000))
    goal = live(goal, failed("p1.a", FailureClass.UPSTREAM, 4), at=later(1_000))
    assert item(goal, "p1.a").standing is Standing.OPEN


@pytest.mark.parametrize("command", [retry_work("p1.a"), reopen("p1.a")], ids=["retry", "reopen"])
def test_no_word_buys_an_attempt_that_is_not_left(command):
    Given(blocked(FailureClass.REFUSAL, attempts=1)).when(command).then_refused(
        "budget.attempts", "every attempt of this goal is spent"
    )


# --- giving up


@pytest.mark.parametrize(
    "goal",
    [applied(), in_review(), blocked(FailureClass.REFUSAL), accepted()],
    ids=["ready", "in review", "blocked", "accepted"],
)
def test_work_is_given_up_with_a_reason(goal):
    Given(goal).when(cancel_work("p1.a", " too dear ")).then(e.WorkCancelled(work=A, by="ada", reason="too dear"))
    assert live(goal, cancel_work("p1.a")).queue == ()


def test_giving_up_what_runs_ends_its_attempt():
    Given(working()).when(cancel_work("p1.a")).then(
        e.AttemptEnded(
            work=A,
            attempt=1,
            outcome=AttemptOutcome.CANCELLED,
            charged=False,
            ran=Micros(0),
            usage=Usage(),
            detail="cancelled by the operator",
        ),
        e.WorkCancelled(work=A, by="ada", reason="not needed"),
    )
    assert live(working(), cancel_work("p1.a")).left(Unit.ATTEMPTS) == 20


def test_giving_up_twice_is_giving_up_once():
    Given(live(applied(), cancel_work("p1.a"))).when(cancel_work("p1.a", "another reason")).then_nothing()


@pytest.mark.parametrize("goal", [integrating(), milestone_met()], ids=["integrating", "integrated"])
def test_what_is_on_its_way_to_the_branch_is_not_given_up(goal):
    Given(goal).when(cancel_work("p1.a")).then_refused("work.integrated", "p1.a is on the goal's branch already")


# --- which work


@pytest.mark.parametrize(
    "command",
    [accept("p1.z"), reopen("p1.z"), retry_work("p1.z"), cancel_work("p1.z")],
    ids=["accept", "reopen", "retry", "cancel"],
)
def test_work_that_is_not_there_is_unknown(command):
    Given(applied()).when(command).then_refused("work.unknown", "goal billing has no work p1.z")


@pytest.mark.parametrize(
    "command",
    [accept("p1.a"), reopen("p1.a"), retry_work("p1.a"), cancel_work("p1.a")],
    ids=["accept", "reopen", "retry", "cancel"],
)
def test_work_that_a_later_plan_builds_upon_is_settled(command):
    second = a_plan(draft("b"), sequence=2)
    goal = live(reassessing(), answered(second, plan=2), approve(second, plan=2))
    Given(goal).when(command).then_refused(
        "work.not_active", "p1.a belongs to plan 1, which a later plan has built upon"
    )


# --- what reopening does to the rest


def test_work_that_rests_on_reopened_work_waits_for_it():
    goal = integrated(applied(draft("a"), draft("b", "a")), "p1.a")
    goal = live(goal, reopen("p1.a"))
    assert (goal.unmet(item(goal, "p1.b")), [entry.id for entry in goal.ready()]) == ((A,), [A])


def test_after_the_end_work_is_left_as_it_is():
    Given(cancelled(in_review())).when(accept("p1.a")).then_refused("goal.ended")
