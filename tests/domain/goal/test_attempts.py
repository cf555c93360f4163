"""Attempts: a runner reports, the rules judge.  Success is a satisfied proof of a real change."""

import msgspec
import pytest

from harnd.domain.digest import digest_of
from harnd.domain.goal import commands as c
from harnd.domain.goal import events as e
from harnd.domain.goal.codec import encode
from harnd.domain.goal.decide import decide
from harnd.domain.goal.failure import ROWS
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.ledger import Entry
from harnd.domain.goal.proof import Proof
from harnd.domain.goal.usage import Usage
from harnd.domain.goal.work import Standing
from protocol import bounds
from protocol.ids import CommitId, Digest, TreeId, WorkId
from protocol.values import AttemptOutcome, FailureClass, Micros, ParkCause, Unit, Verdict
from tests.kit.given import (
    Given,
    a_proof,
    a_template,
    cancel_work,
    cancelled,
    commit,
    differing,
    draft,
    failed,
    in_review,
    item,
    later,
    live,
    lost,
    reopen,
    retry_work,
    succeeded,
    tick,
    tree,
    working,
)

A = WorkId("p1.a")
MINUTE = Micros(60_000_000)


def ended(outcome: AttemptOutcome, failure: FailureClass | None, detail: str, **fields: object) -> e.AttemptEnded:
    plain = e.AttemptEnded(
        work=A,
        attempt=1,
        outcome=outcome,
        charged=True,
        ran=MINUTE,
        usage=Usage(calls=1),
        failure=failure,
        blocked=failure is not None and not ROWS[failure].retried,  # of three attempts it is the first
        detail=detail,
    )
    return msgspec.structs.replace(plain, **fields)


# --- success


def test_a_satisfied_proof_of_a_real_change_is_success():
    Given(working()).when(succeeded("p1.a")).then(
        e.AttemptEnded(
            work=A,
            attempt=1,
            outcome=AttemptOutcome.SUCCEEDED,
            charged=True,
            ran=MINUTE,
            usage=Usage(calls=1),
            commit=commit("p1.a"),
            tree=tree("p1.a"),
            changed=("src/a/x.py",),
            proof=a_proof("p1.a"),
        )
    )


def test_success_waits_for_a_person():
    assert item(in_review(), "p1.a").standing is Standing.IN_REVIEW


def test_changes_outside_the_declared_paths_are_noted():
    Given(working()).when(succeeded("p1.a", changed=["src/a/x.py", "README.md", "src/ab.py"])).then(
        ended(
            AttemptOutcome.SUCCEEDED,
            None,
            "",
            commit=commit("p1.a"),
            tree=tree("p1.a"),
            changed=("src/a/x.py", "README.md", "src/ab.py"),
            undeclared=("README.md", "src/ab.py"),
            proof=a_proof("p1.a"),
        )
    )


def test_of_very_many_changes_the_first_are_kept_and_all_are_counted():
    many = [f"src/a/{number:05}" for number in range(3_000)]
    Given(working()).when(succeeded("p1.a", changed=many)).then(
        ended(
            AttemptOutcome.SUCCEEDED,
            None,
            "",
            commit=commit("p1.a"),
            tree=tree("p1.a"),
            changed=tuple(many[: bounds.PATHS_KEPT]),
            changed_in_all=3_000,
            proof=a_proof("p1.a"),
        )
    )


def test_paths_too_long_for_one_frame_are_kept_as_far_as_there_is_room_and_all_are_counted():
    many = [f"src/{number:03}/{chr(92) * 4_000}" for number in range(bounds.PATHS_KEPT)]
    goal = working(draft("a", paths=["docs"]), templates=[a_template(protected=["tests"])])
    (event,) = decide(goal, succeeded("p1.a", changed=many))
    assert isinstance(event, e.AttemptEnded)
    assert (event.changed, event.undeclared, event.changed_in_all) == (tuple(many[:4]), tuple(many[:4]), len(many))
    assert len(encode(event)[1]) < bounds.EVENT_BYTES


# --- what is said to be success and is none


def test_an_attempt_that_changed_nothing_has_failed_however_well_it_is_proved():
    Given(working()).when(succeeded("p1.a", changed=())).then(
        ended(
            AttemptOutcome.FAILED,
            FailureClass.EMPTY,
            "the attempt changed nothing",
            commit=commit("p1.a"),
            tree=tree("p1.a"),
            proof=a_proof("p1.a"),
        )
    )


NO_CRITERIA = Proof(CommitId("c" * 40), TreeId("d" * 40), (), a_proof("x").evidence)


@pytest.mark.parametrize(
    ("proof", "detail"),
    [
        (a_proof("x", verdict=Verdict.UNSATISFIED), "the proof does not hold: check failed"),
        (a_proof("x", verdict=Verdict.UNKNOWN), "the proof does not hold: check unknown"),
        (NO_CRITERIA, "the proof does not hold: no criterion"),
    ],
    ids=["unsatisfied", "unknown", "no criteria"],
)
def test_a_proof_that_is_not_satisfied_is_a_failure(proof, detail):
    goal = live(working(), succeeded("p1.a", proof=proof))
    attempt = item(goal, "p1.a").attempts[0]
    assert (attempt.outcome, attempt.failure, attempt.detail) == (AttemptOutcome.FAILED, FailureClass.PROOF, detail)


def test_a_success_that_nobody_proved_is_a_failure():
    report = c.AttemptReport(AttemptOutcome.SUCCEEDED, MINUTE, Usage(calls=1), changed=("src/a/x.py",))
    Given(working()).when(c.ReportAttempt(work=A, attempt=1, report=report)).then(
        ended(AttemptOutcome.FAILED, FailureClass.PROOF, "nothing was proved", changed=("src/a/x.py",))
    )


# --- failures, as they were reported


PARKS = [FailureClass.ENVIRONMENT, FailureClass.QUOTA, FailureClass.AUTH, FailureClass.DECISION]


@pytest.mark.parametrize("failure", [failure for failure in FailureClass if failure not in PARKS])
def test_a_failure_is_kept_with_its_class_and_who_pays(failure):
    Given(working()).when(failed("p1.a", failure, output=digest_of("out"), reports=("a ref moved",))).then(
        ended(
            AttemptOutcome.FAILED,
            failure,
            "no luck",
            charged=ROWS[failure].charged,
            output=digest_of("out"),
            reports=("a ref moved",),
        )
    )


def test_a_failure_without_a_class_is_the_environments():
    report = c.AttemptReport(AttemptOutcome.FAILED, MINUTE, Usage(calls=1))
    Given(working()).when(c.ReportAttempt(work=A, attempt=1, report=report)).then(
        e.AttemptParked(
            work=A,
            attempt=1,
            cause=ParkCause.FAILURE,
            failure=FailureClass.ENVIRONMENT,
            ran=MINUTE,
            usage=Usage(calls=1),
        )
    )


# --- the operator's checkout


def test_what_changed_in_the_operators_checkout_is_laid_to_the_item_that_declares_it():
    Given(working()).when(failed("p1.a", strayed=("src/a/x.py", "notes.txt"))).then(
        ended(
            AttemptOutcome.FAILED,
            FailureClass.PERMISSION,
            "files of the operator's checkout changed while it ran, and they are this item's: src/a/x.py",
        )
    )


def test_what_somebody_else_changed_there_is_blamed_on_nobody():
    Given(working()).when(failed("p1.a", strayed=("notes.txt",))).then(
        ended(AttemptOutcome.FAILED, FailureClass.PROOF, "no luck")
    )


def test_an_attempt_that_changed_nothing_in_its_own_place_answers_for_any_change_there():
    goal = live(working(), with_strayed(succeeded("p1.a", changed=()), "notes.txt"))
    assert item(goal, "p1.a").blocked is FailureClass.PERMISSION


def with_strayed(report: c.ReportAttempt, *paths: str) -> c.ReportAttempt:
    return msgspec.structs.replace(report, report=msgspec.structs.replace(report.report, strayed=paths))


# --- what lay around it before anything ran


def observed(name: str = "as it was", attempt: int = 1) -> c.ReportObserved:
    return c.ReportObserved(work=A, attempt=attempt, surroundings=digest_of(name))


def test_what_lies_around_an_attempt_is_kept_once():
    Given(working()).when(observed()).then(e.AttemptObserved(work=A, attempt=1, surroundings=digest_of("as it was")))
    goal = live(working(), observed())
    assert item(goal, "p1.a").attempts[0].surroundings == digest_of("as it was")
    Given(goal).when(observed("as it is after a restart")).then_nothing()


@pytest.mark.parametrize(
    ("goal", "attempt"),
    [
        (working(), 2),
        (working(), 0),
        (in_review(), 1),
        (live(working(), cancel_work("p1.a")), 1),
        (cancelled(working()), 1),
    ],
    ids=["later attempt", "no attempt", "ended", "given up", "after the end"],
)
def test_what_lies_around_anything_else_is_nobodys(goal, attempt):
    Given(goal).when(observed(attempt=attempt)).then_nothing()


# --- late and foreign results


@pytest.mark.parametrize(
    "report",
    [succeeded("p1.a", 2), succeeded("p1.a", 0), succeeded("p9.nowhere"), succeeded("p1.a", -1)],
    ids=["later attempt", "no attempt", "unknown work", "before the first"],
)
def test_a_result_of_nothing_that_was_started_is_nothing(report):
    Given(working()).when(report).then_nothing()


def test_a_second_result_is_superseded_and_changes_nothing():
    goal = in_review()
    Given(goal).when(failed("p1.a")).then(e.AttemptSuperseded(work=A, attempt=1, outcome=AttemptOutcome.FAILED))
    assert differing(goal, live(goal, failed("p1.a"))) == set()


def test_a_result_of_an_earlier_attempt_is_superseded():
    goal = live(working(), failed("p1.a"), tick())
    Given(goal).when(succeeded("p1.a", 1)).then(
        e.AttemptSuperseded(work=A, attempt=1, outcome=AttemptOutcome.SUCCEEDED)
    )


def test_a_result_of_work_that_was_given_up_is_superseded():
    Given(live(working(), cancel_work("p1.a"))).when(succeeded("p1.a")).then(
        e.AttemptSuperseded(work=A, attempt=1, outcome=AttemptOutcome.SUCCEEDED)
    )


# --- whether it is tried again


def failing(failure: FailureClass, times: int, **intent: object) -> Goal:
    """So many attempts at `p1.a` have failed in this class, each well after the last."""
    goal = working(active_runtime=10**12, **intent)
    for attempt in range(1, times + 1):
        at = later(attempt * 1_000)
        goal = live(goal, failed("p1.a", failure, attempt, calls=0), at=at)
        goal = live(goal, tick(later(attempt * 1_000 + 900)), at=later(attempt * 1_000 + 900))
    return goal


@pytest.mark.parametrize("failure", [failure for failure, row in ROWS.items() if row.retried and row.charged])
def test_charged_failures_are_tried_again_as_often_as_the_template_says(failure):
    assert [item(failing(failure, times), "p1.a").standing for times in (1, 2, 3)] == [
        Standing.RUNNING,
        Standing.RUNNING,
        Standing.BLOCKED,
    ]


@pytest.mark.parametrize("failure", [failure for failure, row in ROWS.items() if not row.retried])
def test_other_failures_wait_for_a_person_at_once(failure):
    goal = failing(failure, 1)
    assert (item(goal, "p1.a").standing, item(goal, "p1.a").blocked) == (Standing.BLOCKED, failure)


@pytest.mark.parametrize(("failure", "most"), [(FailureClass.UPSTREAM, 3), (FailureClass.LOST, 20)])
def test_failures_that_nobody_pays_for_have_their_own_bound(failure, most):
    goal = failing(failure, most - 1)
    assert item(goal, "p1.a").standing is Standing.RUNNING
    assert item(failing(failure, most), "p1.a").standing is Standing.BLOCKED
    assert goal.ledger.entries[Unit.ATTEMPTS] == Entry(limit=20, spent=0, reserved=1)


def test_lost_and_interrupted_share_one_bound():
    goal = working(active_runtime=10**12)
    for attempt in range(1, 21):
        outcome = AttemptOutcome.LOST if attempt % 2 else AttemptOutcome.INTERRUPTED
        goal = live(goal, failed("p1.a", FailureClass.LOST, attempt, outcome=outcome, calls=0), tick())
    assert item(goal, "p1.a").standing is Standing.BLOCKED


def test_failures_that_nobody_pays_for_take_none_of_the_templates_attempts():
    goal = working(templates=[a_template(attempts=1)])
    goal = live(goal, lost("p1.a", 1), tick(), lost("p1.a", 2), tick(), failed("p1.a", attempt=3))
    assert item(goal, "p1.a").standing is Standing.BLOCKED
    assert item(goal, "p1.a").charged_attempts() == 1


def test_another_failure_in_between_ends_a_row():
    goal = failing(FailureClass.UPSTREAM, 2)
    goal = live(goal, failed("p1.a", FailureClass.STALLED, 3), tick(), at=later(9_000))
    goal = live(goal, failed("p1.a", FailureClass.UPSTREAM, 4), at=later(9_001))
    assert item(goal, "p1.a").uncharged(FailureClass.UPSTREAM) == 1
    assert item(goal, "p1.a").standing is Standing.OPEN


# --- what it costs


def test_an_attempt_sets_its_calls_aside_and_pays_for_those_it_made():
    goal = working(templates=[a_template(agents=3)])
    assert goal.ledger.entries[Unit.AGENT_CALLS] == Entry(limit=50, spent=1, reserved=3)
    goal = live(goal, failed("p1.a", calls=2))
    assert goal.ledger.entries[Unit.AGENT_CALLS] == Entry(limit=50, spent=3)
    assert goal.ledger.entries[Unit.ATTEMPTS] == Entry(limit=20, spent=1)
    assert item(goal, "p1.a").answers == 2


def test_what_nobody_pays_for_spends_no_budget_of_any_kind():
    goal = live(working(), failed("p1.a", FailureClass.LOST, calls=1))
    assert goal.ledger.entries[Unit.ATTEMPTS] == Entry(limit=20)
    assert goal.ledger.entries[Unit.AGENT_CALLS] == Entry(limit=50, spent=1)  # the planner's
    assert item(goal, "p1.a").answers == 0


def test_lost_attempts_do_not_use_up_the_answers_of_an_item():
    goal = working(answers_per_work=1)
    goal = live(goal, failed("p1.a", FailureClass.LOST, calls=1), tick())
    assert item(goal, "p1.a").running is not None


def test_an_unreported_cost_is_unknown():
    usage = item(live(working(), failed("p1.a")), "p1.a").attempts[0].usage
    assert (usage.tokens, usage.cost) == (None, None)


# --- guidance of a person


def test_after_guidance_an_item_is_open_again_and_says_so():
    goal = live(working(), failed("p1.a", FailureClass.REFUSAL), retry_work("p1.a", "It is allowed."))
    assert (item(goal, "p1.a").standing, item(goal, "p1.a").guidance) == (Standing.OPEN, "It is allowed.")


def test_a_reopened_item_forgets_why_it_was_blocked():
    goal = live(working(), failed("p1.a", FailureClass.REFUSAL), reopen("p1.a"))
    assert (item(goal, "p1.a").blocked, item(goal, "p1.a").blocked_detail) == (None, "")


def test_other_items_are_not_touched_by_a_failure():
    goal = working(draft("a"), draft("b"), draft("c", "a", "b"))
    after = live(goal, failed("p1.a", FailureClass.REFUSAL))
    assert (item(after, "p1.b"), item(after, "p1.c")) == (item(goal, "p1.b"), item(goal, "p1.c"))


def test_a_proof_is_identified_by_everything_in_it():
    proofs = [a_proof("x"), a_proof("y"), a_proof("x", verdict=Verdict.UNKNOWN), a_proof("x", of=["WC-1", "WC-2"])]
    digests: set[Digest] = {proof.digest() for proof in proofs}
    assert len(digests) == 4
