"""Proofs: what harnd itself established, per criterion; unknown is a third value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnd.domain.goal.proof import CriterionProof, Evidence, Proof, Run, evidence_of, judge, proves
from harnd.domain.goal.template import ProofCommand
from protocol.ids import CriterionId
from protocol.values import Micros, Verdict
from tests.kit.given import MINUTE, a_flaky_proof, a_proof, commit, criteria, tree

COMMIT, TREE = commit("work"), tree("work")
SATISFIED, UNSATISFIED, UNKNOWN = Verdict.SATISFIED, Verdict.UNSATISFIED, Verdict.UNKNOWN


def command(name: str, *proves: str) -> ProofCommand:
    return ProofCommand(name, ("make", name), MINUTE, proves)


def found(**findings: str) -> list[Evidence]:
    return [Evidence(name, finding, Micros(1)) for name, finding in findings.items()]  # type: ignore[arg-type]


def verdicts(commands: list[ProofCommand], evidence: list[Evidence], *texts: str) -> list[Verdict]:
    proof = judge(criteria("WC", *(texts or ("It works.",))), commands, evidence, commit=COMMIT, tree=TREE)
    return [entry.verdict for entry in proof.criteria]


def test_a_proof_keeps_what_was_found_and_what_it_says_of_each_criterion():
    evidence = found(tests="passed", style="failed")
    assert judge(
        criteria("WC", "It works.", "It is pretty."),
        [command("tests", "WC-1"), command("style", "WC-2")],
        evidence,
        commit=COMMIT,
        tree=TREE,
    ) == Proof(
        commit=COMMIT,
        tree=TREE,
        criteria=(
            CriterionProof(CriterionId("WC-1"), SATISFIED, ("tests",)),
            CriterionProof(CriterionId("WC-2"), UNSATISFIED, ("style",)),
        ),
        evidence=tuple(evidence),
    )


@pytest.mark.parametrize(
    ("findings", "verdict"),
    [
        ({"one": "passed", "two": "passed"}, SATISFIED),
        ({"one": "passed", "two": "failed"}, UNSATISFIED),
        ({"one": "passed", "two": "unknown"}, UNKNOWN),
        ({"one": "failed", "two": "unknown"}, UNSATISFIED),
        ({"one": "passed"}, UNKNOWN),
        ({"one": "failed"}, UNSATISFIED),
        ({}, UNKNOWN),
    ],
    ids=["both", "one failed", "one unknown", "failed and unknown", "one missing", "failed, one missing", "none"],
)
def test_a_criterion_is_what_all_that_speak_about_it_say(findings, verdict):
    assert verdicts([command("one"), command("two")], found(**findings)) == [verdict]


def test_a_criterion_that_nothing_speaks_about_is_unknown():
    assert verdicts([command("tests", "WC-1")], found(tests="passed"), "one", "two") == [SATISFIED, UNKNOWN]


def test_evidence_of_no_command_of_the_template_says_nothing():
    assert verdicts([command("tests")], found(claimed="passed")) == [UNKNOWN]


def test_a_command_that_names_no_criterion_speaks_about_each():
    assert proves(command("tests"), CriterionId("WC-7"))
    assert proves(command("tests", "WC-1", "WC-7"), CriterionId("WC-7"))
    assert not proves(command("tests", "WC-1"), CriterionId("WC-7"))


@pytest.mark.parametrize(
    ("given", "satisfied"),
    [
        ([], False),
        ([SATISFIED], True),
        ([SATISFIED, SATISFIED], True),
        ([SATISFIED, UNKNOWN], False),
        ([SATISFIED, UNSATISFIED], False),
        ([UNKNOWN], False),
    ],
    ids=["zero criteria", "one", "two", "unknown", "unsatisfied", "only unknown"],
)
def test_a_proof_is_satisfied_when_every_criterion_is_and_there_is_one(given, satisfied):
    entries = tuple(CriterionProof(CriterionId(f"WC-{n}"), verdict, ()) for n, verdict in enumerate(given, 1))
    assert Proof(COMMIT, TREE, entries, ()).satisfied is satisfied


def test_no_criteria_are_not_satisfied_however_good_the_evidence():
    assert not judge((), [command("tests")], found(tests="passed"), commit=COMMIT, tree=TREE).satisfied


def test_what_did_not_pass_is_told():
    evidence = found(a="passed", b="failed", c="unknown")
    assert Proof(COMMIT, TREE, (), tuple(evidence)).failures() == (evidence[1], evidence[2])


@given(st.dictionaries(st.sampled_from("abcd"), st.sampled_from(["passed", "failed", "unknown"])), st.data())
def test_more_evidence_against_never_helps(findings, data):
    commands = [command(name) for name in "abcd"]
    before = verdicts(commands, found(**findings))
    if findings:
        worse = findings | {data.draw(st.sampled_from(sorted(findings))): "failed"}
        assert verdicts(commands, found(**worse)) == [UNSATISFIED]
    assert (before == [SATISFIED]) == (findings == dict.fromkeys("abcd", "passed"))


# --- runs


def ran(*findings: str) -> list[Run]:
    """Runs of a second each; one that is not known says so."""
    return [
        Run(found, Micros(1), {"passed": 0, "failed": 1}.get(found), detail="it ran out of time" * (found == "unknown"))  # type: ignore[arg-type]
        for found in findings
    ]


@pytest.mark.parametrize(
    ("runs", "before", "found", "detail"),
    [
        (["passed"], [], "passed", ""),
        (["failed"], [], "failed", ""),
        (["failed", "failed"], [], "failed", ""),
        (["failed", "passed"], [], "flaky", "it passed in run 2, and not before"),
        (["unknown", "failed", "passed"], [], "flaky", "it passed in run 3, and not before"),
        (["unknown"], [], "unknown", "it ran out of time"),
        (["unknown", "failed"], [], "failed", ""),
        (["unknown", "unknown"], [], "unknown", "it ran out of time"),
        (["passed"], ["failed"], "passed", ""),
        (["passed"], ["failed", "failed"], "passed", ""),
        (["passed"], ["passed"], "unsound", "passes without the work"),
        (["failed", "passed"], ["passed"], "unsound", "passes without the work"),
        (["unknown"], ["passed"], "unsound", "passes without the work"),
        (["failed"], ["passed"], "failed", ""),
        (["passed"], ["failed", "passed"], "flaky", "it failed and then passed without the work, in 2 runs"),
        (["failed", "passed"], ["failed"], "flaky", "it passed in run 2, and not before"),
        (
            ["passed"],
            ["unknown"],
            "unknown",
            "whether it fails without the work is not known: it ran out of time",
        ),
        (
            ["failed", "passed"],
            ["unknown"],
            "unknown",
            "whether it fails without the work is not known: it ran out of time",
        ),
        (["failed"], ["unknown"], "failed", ""),
    ],
)
def test_runs_come_to_what_speaks_most_against_the_work(runs, before, found, detail):
    evidence = evidence_of("tests", ran(*runs), ran(*before))
    assert (evidence.found, evidence.detail) == (found, detail)


def test_every_run_is_kept_when_there_was_more_than_one():
    assert evidence_of("tests", ran("failed", "passed"), ran("failed")) == Evidence(
        "tests",
        "flaky",
        Micros(2),
        1,  # of the run that failed: its output is what a person wants to read
        detail="it passed in run 2, and not before",
        runs=tuple(ran("failed", "passed")),
        before=tuple(ran("failed")),
    )
    assert evidence_of("tests", ran("passed")).runs == ()


@pytest.mark.parametrize(
    ("findings", "verdict", "flaky"),
    [
        ({"one": "passed", "two": "flaky"}, UNKNOWN, True),
        ({"one": "flaky", "two": "flaky"}, UNKNOWN, True),
        ({"one": "flaky", "two": "unknown"}, UNKNOWN, False),
        ({"one": "flaky"}, UNKNOWN, False),
        ({"one": "flaky", "two": "failed"}, UNSATISFIED, False),
        ({"one": "passed", "two": "unsound"}, UNSATISFIED, False),
        ({"one": "flaky", "two": "unsound"}, UNSATISFIED, False),
        ({"one": "passed", "two": "passed"}, SATISFIED, False),
    ],
    ids=["one", "both", "one unknown", "one missing", "one failed", "unsound", "flaky and unsound", "none"],
)
def test_a_flaky_criterion_is_never_satisfied_and_told_apart_from_what_is_not_known(findings, verdict, flaky):
    commands = [command("one"), command("two")]
    proof = judge(criteria("WC", "It works."), commands, found(**findings), commit=COMMIT, tree=TREE)
    assert [entry.verdict for entry in proof.criteria] == [verdict]
    assert proof.flaky() == ((CriterionId("WC-1"),) if flaky else ())
    assert proof.satisfied is (verdict is SATISFIED)
    assert proof.satisfied_but_for(["WC-1"]) is (flaky or verdict is SATISFIED)


def test_a_word_excuses_only_what_is_flaky():
    for verdict in (UNKNOWN, UNSATISFIED):
        assert not a_proof("a", verdict=verdict).satisfied_but_for(["WC-1"])
    assert not a_flaky_proof("a", of=["WC-1", "WC-2"]).satisfied_but_for(["WC-1"])
    assert a_flaky_proof("a", of=["WC-2"], but=["WC-1"]).satisfied_but_for(["WC-2", "WC-3"])
    assert not Proof(COMMIT, TREE, (), ()).satisfied_but_for(["WC-1"])
