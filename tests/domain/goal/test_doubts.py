"""Doubts: what is proved only by a person's word, or changed what they protected, is accepted by its name alone."""

import pytest

from harnd.domain.goal import events as e
from harnd.domain.goal.decide import decide
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.inbox import asks
from harnd.domain.goal.proof import Proof
from harnd.domain.goal.reasons.item import reason_of
from harnd.domain.goal.work import Standing
from protocol import bounds
from protocol.ids import WorkId
from protocol.values import AttemptOutcome, FailureClass, Verdict
from tests.kit.given import (
    T0,
    Given,
    a_flaky_proof,
    a_proof,
    a_template,
    accept,
    acknowledge,
    draft,
    item,
    live,
    proved,
    reopen,
    retry_work,
    succeeded,
    tick,
    working,
)

A = WorkId("p1.a")
FLAKY = a_flaky_proof("p1.a", of=["WC-2"], but=["WC-1"])


def doubtful(proof: Proof = FLAKY, *, changed: tuple[str, ...] = ("src/a.py", "tests/x.py")) -> Goal:
    """Work in review whose tests are protected."""
    goal = working(draft("a", acceptance=("It works.", "It lasts.")), templates=[a_template(protected=["tests/**"])])
    return live(goal, succeeded("p1.a", proof=proof, changed=changed))


# --- what a doubt is


def test_flaky_criteria_and_protected_paths_are_doubts_about_work_in_review():
    goal = doubtful()
    attempt = item(goal, "p1.a").attempts[-1]
    assert item(goal, "p1.a").standing is Standing.IN_REVIEW
    assert (attempt.outcome, attempt.protected) == (AttemptOutcome.SUCCEEDED, ("tests/x.py",))
    assert attempt.doubts() == ("WC-2", "tests/x.py")


def test_a_satisfied_proof_of_other_paths_leaves_no_doubt():
    proof = a_proof("p1.a", of=["WC-1", "WC-2"])
    assert item(doubtful(proof, changed=("src/a.py", "test.py")), "p1.a").attempts[-1].doubts() == ()


def test_a_protected_path_is_a_doubt_although_the_proof_holds():
    proof = a_proof("p1.a", of=["WC-1", "WC-2"])
    assert item(doubtful(proof), "p1.a").attempts[-1].doubts() == ("tests/x.py",)


@pytest.mark.parametrize(
    ("pattern", "path", "protected"),
    [
        ("tests", "tests/x.py", True),
        ("tests/", "tests/deep/x.py", True),
        ("tests/x.py", "tests/x.py", True),
        ("*.lock", "uv.lock", True),
        ("*.lock", "deep/uv.lock", True),
        ("tests/**", "tests", False),
        ("tests", "tests.py", False),
        (".", "any/thing", True),
    ],
)
def test_what_a_template_protects_is_a_file_a_folder_or_a_glob(pattern, path, protected):
    goal = working(draft("a"), templates=[a_template(protected=[pattern])])
    (ended,) = decide(goal, succeeded("p1.a", changed=(path,)))
    assert isinstance(ended, e.AttemptEnded)
    assert ended.protected == ((path,) if protected else ())


def test_what_only_failed_and_what_is_not_known_is_no_doubt_but_a_failure():
    goal = working(draft("a", acceptance=("It works.", "It lasts.")))
    for verdict in ("unsatisfied", "unknown"):
        proof = a_proof("p1.a", verdict=Verdict(verdict), of=["WC-1", "WC-2"])
        (ended,) = decide(goal, succeeded("p1.a", proof=proof))
        assert isinstance(ended, e.AttemptEnded)
        assert (ended.outcome, ended.failure) == (AttemptOutcome.FAILED, FailureClass.PROOF)


def test_a_failed_attempt_says_too_what_it_changed_of_what_is_protected():
    goal = working(draft("a"), templates=[a_template(protected=["tests"])])
    bad = a_proof("p1.a", verdict=Verdict.UNSATISFIED)
    (ended,) = decide(goal, succeeded("p1.a", proof=bad, changed=("tests/x.py",)))
    assert isinstance(ended, e.AttemptEnded)
    assert ended.protected == ("tests/x.py",)


def test_more_protected_paths_than_can_be_named_are_out_of_bounds():
    paths = [f"tests/{number}.py" for number in range(bounds.PATHS_KEPT + 1)]
    goal = working(draft("a"), templates=[a_template(protected=["tests"])])
    assert item(live(goal, succeeded("p1.a", changed=paths[:-1])), "p1.a").standing is Standing.IN_REVIEW
    (ended,) = decide(goal, succeeded("p1.a", changed=paths))
    assert isinstance(ended, e.AttemptEnded)
    assert (ended.outcome, ended.failure, ended.blocked) == (AttemptOutcome.FAILED, FailureClass.PERMISSION, True)


def test_protected_paths_too_long_to_be_named_are_out_of_bounds_too():
    paths = [f"tests/{number}/{'x' * 4_000}" for number in range(9)]
    goal = working(draft("a"), templates=[a_template(protected=["tests"])])
    assert item(live(goal, succeeded("p1.a", changed=paths[:8])), "p1.a").standing is Standing.IN_REVIEW
    (ended,) = decide(goal, succeeded("p1.a", changed=paths))
    assert isinstance(ended, e.AttemptEnded)
    assert (ended.failure, len(ended.protected), len(ended.detail) < 3_000) == (FailureClass.PERMISSION, 8, True)


# --- accepting


def test_work_is_accepted_with_every_doubt_named():
    Given(doubtful()).when(acknowledge("p1.a", FLAKY, "tests/x.py", "WC-2")).then(
        e.WorkAccepted(work=A, attempt=1, proof=FLAKY.digest(), by="ada", acknowledged=("tests/x.py", "WC-2"))
    )


@pytest.mark.parametrize(
    ("named", "reason"),
    [
        (
            (),
            "WC-2 is flaky and must be acknowledged; tests/x.py is protected, was changed and must be acknowledged",
        ),
        (("WC-2",), "tests/x.py is protected, was changed and must be acknowledged"),
        (("tests/x.py",), "WC-2 is flaky and must be acknowledged"),
        (("WC-2", "tests/x.py", "WC-1"), "WC-1 is no doubt about p1.a"),
        (
            ("tests", "WC-2"),
            "tests is no doubt about p1.a; tests/x.py is protected, was changed and must be acknowledged",
        ),
    ],
    ids=["none", "the path is missing", "the criterion is missing", "one too many", "a folder is no name"],
)
def test_accepting_is_refused_until_each_doubt_is_named_and_nothing_else(named, reason):
    Given(doubtful()).when(acknowledge("p1.a", FLAKY, *named)).then_refused("work.unacknowledged", reason)


def test_without_a_doubt_nothing_can_be_acknowledged():
    proof = a_proof("p1.a", of=["WC-1", "WC-2"])
    goal = doubtful(proof, changed=("src/a.py",))
    Given(goal).when(acknowledge("p1.a", proof, "WC-1")).then_refused(
        "work.unacknowledged", "WC-1 is no doubt about p1.a"
    )


def test_findings_and_doubts_are_told_together():
    goal = live(doubtful(), reopen("p1.a", "It is slow."), tick())
    goal = live(goal, succeeded("p1.a", 2, proof=FLAKY, changed=("src/a.py",)))
    Given(goal).when(accept("p1.a", FLAKY)).then_refused(
        "work.findings_open",
        "f1 ('It is slow.') must be `fixed` or `deferred: reason`; WC-2 is flaky and must be acknowledged",
    )


def test_accepting_twice_is_accepting_once_whatever_is_named():
    goal = live(doubtful(), acknowledge("p1.a", FLAKY, "WC-2", "tests/x.py"))
    Given(goal).when(accept("p1.a", FLAKY)).then_nothing()


# --- the integrated tree


def integrating(*, acknowledged: bool) -> Goal:
    proof = FLAKY if acknowledged else a_proof("p1.a", of=["WC-1", "WC-2"])
    goal = doubtful(proof, changed=("src/a.py",))
    return live(goal, acknowledge("p1.a", proof, *(["WC-2"] if acknowledged else [])), tick())


def test_what_was_acknowledged_as_flaky_may_be_flaky_on_the_integrated_tree():
    report = proved("p1.a", proof=FLAKY)
    Given(integrating(acknowledged=True)).when(report).then(
        e.IntegrationProved(work=A, number=1, commit=report.commit, tree=report.tree, proof=FLAKY)
    )


def test_what_is_flaky_there_for_the_first_time_waits_for_a_person_and_stays_accepted():
    goal = integrating(acknowledged=False)
    detail = "the proof is flaky on the integrated tree, which nobody has acknowledged: WC-2"
    Given(goal).when(proved("p1.a", proof=FLAKY)).then(
        e.IntegrationParked(
            work=A,
            number=1,
            failure=FailureClass.DECISION,
            detail=detail,
            blocked=True,
            accepted=True,
            proof=FLAKY,
        )
    )
    goal = live(goal, proved("p1.a", proof=FLAKY))
    assert item(goal, "p1.a").standing is Standing.BLOCKED
    Given(goal).when(retry_work("p1.a")).then(e.WorkRequeued(work=A, by="ada"))


def test_another_criterion_than_the_acknowledged_one_waits_too():
    goal = integrating(acknowledged=True)
    both = a_flaky_proof("p1.a", of=["WC-1", "WC-2"])
    assert item(live(goal, proved("p1.a", proof=both)), "p1.a").blocked is FailureClass.DECISION


def test_a_word_is_worth_nothing_for_the_next_proof():
    goal = live(integrating(acknowledged=True), proved("p1.a", proof=a_proof("p1.a", verdict=Verdict.UNSATISFIED)))
    assert item(goal, "p1.a").acknowledged == ()


# --- where a person sees it


def test_a_person_is_told_how_many_doubts_there_are_and_which():
    goal = doubtful()
    (ask,) = asks(goal, T0)
    assert ask.summary.endswith("proved, with 2 doubts to acknowledge, to be accepted")
    assert reason_of(goal, item(goal, "p1.a"), T0).condition == (
        "p1.a is proved and waits to be accepted, with 2 doubts to acknowledge: WC-2, tests/x.py"
    )
