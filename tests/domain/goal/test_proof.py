"""Proofs: what harnd itself established, per criterion; unknown is a third value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnd.domain.goal.proof import CriterionProof, Evidence, Proof, judge, proves
from harnd.domain.goal.template import ProofCommand
from protocol.ids import CriterionId
from protocol.values import Micros, Verdict
from tests.kit.given import MINUTE, commit, criteria, tree

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
