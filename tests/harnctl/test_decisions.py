"""A decision binds to what was shown, is asked for at a terminal, and is never made by accident."""

import os
import stat

import pytest

from protocol.errors import CODES, Refusal
from protocol.requests import AcceptWork, ApprovePlan, RejectPlan, ReopenWork, RetryPlan, ShowPlan, ShowWork
from protocol.values import PlanStatus, Unit, WorkState
from protocol.views import DoubtView
from tests.kit.scripted_daemon import golden

PLAN = golden("plan.show").digest
PROOF = golden("work.show").proof_digest
APPROVE = ("plan", "approve", "billing-export", "1")
REJECT = ("plan", "reject", "billing-export", "1")
ACCEPT = ("work", "accept", "billing-export", "p1.parser")
REOPEN = ("work", "reopen", "billing-export", "p1.parser")


@pytest.fixture
def editor(place):
    """An editor that keeps what it was shown and writes what it was told."""

    def make(writes, ends=0):
        path = place / "editor"
        path.write_text(f"#!/bin/sh\ncp \"$1\" '{place}/shown'\nprintf '{writes}' > \"$1\"\nexit {ends}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return os.fspath(path)

    return make


def said(ran):
    """The code of an error, which must be one that the protocol lists."""
    code = ran.err.replace("\n", " ").rstrip().rpartition("[")[2].partition("]")[0]
    assert code in CODES
    return code


def changes(daemon):
    return [request for request in daemon.asked if not isinstance(request, ShowPlan | ShowWork)]


@pytest.mark.parametrize("answer", ["y\n", "YES\n"])
def test_at_a_terminal_the_plan_is_shown_and_the_yes_binds_to_it(harnctl, daemon, answer):
    ran = harnctl(*APPROVE, typed=answer)
    assert ran.code == 0
    assert "Parsing first makes the rest testable." in ran.out
    assert ran.err == f"Approve plan 1 of billing-export with the digest {PLAN[:12]}? [y/N] "
    assert f"bound to {PLAN}\n" in ran.out
    assert [request.digest for request in changes(daemon)] == [PLAN]


@pytest.mark.parametrize("answer", ["\n", "n\n", "", "yep\n"])
def test_anything_but_a_clear_yes_changes_nothing(harnctl, daemon, answer):
    ran = harnctl(*APPROVE, typed=answer)
    assert (ran.code, changes(daemon)) == (1, [])
    assert ran.err.endswith("? [y/N] nothing was changed\n")  # an answer, and no error


def test_without_a_terminal_the_command_to_type_is_shown_and_works(harnctl, daemon):
    ran = harnctl(*APPROVE, piped="y\n")
    assert (ran.code, changes(daemon)) == (2, [])
    command = ran.err.splitlines()[-1].split()
    assert command == ["harnctl", *APPROVE, "--digest", PLAN[:12]]
    assert harnctl(*command[1:]).code == 0
    assert [type(request) for request in changes(daemon)] == [ApprovePlan]


def test_ctrl_c_at_a_question_begins_a_line_and_decides_nothing(harnctl, daemon, monkeypatch):
    monkeypatch.setattr("tests.harnctl.conftest.Terminal.readline", interrupted, raising=False)
    ran = harnctl(*APPROVE, typed="")
    assert (ran.code, changes(daemon)) == (130, [])
    assert ran.err.endswith("? [y/N] \nnothing was decided\n")


def interrupted(_terminal):
    raise KeyboardInterrupt


def test_yes_says_which_digest_it_binds_to(harnctl, daemon):
    ran = harnctl(*APPROVE, "--yes")
    assert ran.code == 0
    assert f"bound to {PLAN}\n" in ran.out
    assert [request.digest for request in changes(daemon)] == [PLAN]


def test_as_json_a_decision_is_one_document_and_the_plan_goes_to_the_person(harnctl, daemon):
    ran = harnctl(*APPROVE, "--json", typed="y\n")
    assert ran.document["schema"] == "harnctl.plan.approve/1"
    assert "Parsing first makes the rest testable." in ran.err


def test_no_colour_is_no_reason_not_to_ask(harnctl, daemon):
    assert harnctl(*APPROVE, typed="y\n", NO_COLOR="1").code == 0
    coloured = harnctl(*APPROVE, typed="y\n", NO_COLOR="")
    assert coloured.code == 0
    assert "\x1b[33m! proposed\x1b[0m" in coloured.out


@pytest.mark.parametrize("digits", [8, 12, 63])
def test_the_beginning_of_a_digest_is_looked_up(harnctl, daemon, digits):
    assert harnctl(*APPROVE, "--digest", PLAN[:digits]).code == 0
    assert [request.digest for request in changes(daemon)] == [PLAN]


def test_a_whole_digest_is_sent_without_looking(harnctl, daemon):
    harnctl(*APPROVE, "--digest", PLAN)
    assert [type(request) for request in daemon.asked] == [ApprovePlan]


@pytest.mark.parametrize("digest", ["", PLAN[:7], "x" * 8, PLAN.upper(), PLAN + "0"])
def test_what_is_no_digest_is_misuse(harnctl, daemon, digest):
    ran = harnctl(*APPROVE, "--digest", digest)
    assert (ran.code, daemon.asked) == (2, [])


def test_a_plan_that_changed_since_it_was_read_is_stale(harnctl, daemon):
    ran = harnctl(*APPROVE, "--digest", "0123456789ab")
    assert (ran.code, changes(daemon)) == (5, [])
    assert said(ran) == "plan.stale"
    assert ran.err.endswith("look again:\n  harnctl plan show billing-export 1\n")


def test_a_plan_that_waits_for_nobody_is_not_asked_about(harnctl, daemon):
    daemon.answers("plan.show", golden("plan.show", status=PlanStatus.APPLIED))
    ran = harnctl(*APPROVE, typed="y\n")
    assert (ran.code, changes(daemon)) == (3, [])
    assert said(ran) == "plan.not_proposed"
    assert ran.err.endswith("  harnctl plan show billing-export 1\n")


def test_a_plan_that_moved_between_the_question_and_the_yes_is_refused(harnctl, daemon):
    daemon.answers("plan.approve", Refusal("plan.stale", "plan 1 has another digest now"))
    assert harnctl(*APPROVE, typed="y\n").code == 5


# --- words


def test_a_rejection_without_guidance_opens_the_editor(harnctl, daemon, editor, place):
    ran = harnctl(*REJECT, typed="y\n", EDITOR=editor("smaller steps\\n# not this\\n"))
    assert ran.code == 0
    assert [(type(request), request.guidance) for request in changes(daemon)] == [(RejectPlan, "smaller steps")]
    assert "# what should be planned instead of plan 1 of billing-export" in (place / "shown").read_text()


@pytest.mark.parametrize(("writes", "ends"), [("", 0), ("# only a comment\\n", 0), ("words", 1)])
def test_an_editor_that_is_left_empty_or_fails_changes_nothing(harnctl, daemon, editor, writes, ends):
    ran = harnctl(*REJECT, typed="y\n", EDITOR=editor(writes, ends))
    assert (ran.code, changes(daemon)) == (1, [])


def test_an_editor_that_is_not_there_is_said_to_be(harnctl, daemon):
    ran = harnctl(*REJECT, typed="y\n", VISUAL="/nowhere/ed")
    assert (ran.code, changes(daemon)) == (2, [])
    assert "the editor /nowhere/ed does not start" in ran.err


def test_guidance_comes_from_a_pipe(harnctl, daemon):
    ran = harnctl(*REJECT, "--digest", PLAN, "--guidance", "-", piped="one\ntwo\n")
    assert ran.code == 0
    assert [request.guidance for request in daemon.asked] == ["one\ntwo"]


def test_without_a_terminal_a_rejection_needs_words(harnctl, daemon):
    ran = harnctl(*REJECT, "--digest", PLAN)
    assert (ran.code, daemon.asked) == (2, [])
    assert "--guidance TEXT, or --guidance -" in ran.err
    assert ran.err.endswith(f"  harnctl plan reject billing-export 1 --digest {PLAN} --guidance TEXT\n")


@pytest.mark.parametrize("words", [(), ("--guidance", " "), ("--guidance", "-")])
def test_a_plan_is_not_shown_for_nothing_when_words_are_missing(harnctl, daemon, words):
    ran = harnctl(*REJECT, *words)
    assert (ran.code, ran.out, daemon.asked) == (2, "", [])
    assert ran.err.endswith("  harnctl plan reject billing-export 1 --guidance TEXT\n")


def test_what_was_said_is_in_the_command_to_type(harnctl, daemon):
    ran = harnctl(*REJECT, "--guidance", "two steps")
    assert ran.err.endswith(f"  harnctl plan reject billing-export 1 --guidance 'two steps' --digest {PLAN[:12]}\n")
    ran = harnctl(*ACCEPT, "--dispose", "f1=fixed")
    assert ran.err.endswith(
        f"  harnctl work accept billing-export p1.parser --dispose f1=fixed --digest {PROOF[:12]}\n"
    )


def test_a_failed_plan_is_asked_for_again_without_words(harnctl, daemon):
    assert harnctl("plan", "retry", "billing-export", "1").code == 0
    assert [(type(request), request.guidance) for request in changes(daemon)] == [(RetryPlan, "")]


def test_a_plan_that_put_a_question_is_answered(harnctl, daemon, editor, place):
    daemon.answers("plan.show", golden("plan.show", question="Which database?"))
    assert harnctl("plan", "retry", "billing-export", "1").code == 2
    assert harnctl("plan", "retry", "billing-export", "1", typed="", EDITOR=editor("sqlite")).code == 0
    assert [request.guidance for request in changes(daemon)] == ["sqlite"]
    assert "# Which database?" in (place / "shown").read_text()


# --- work


def test_an_accept_asks_about_every_open_finding(harnctl, daemon):
    ran = harnctl(*ACCEPT, typed="y\nneeds a ticket\n")
    assert ran.code == 0
    assert "f1: no test for empty input  fixed, or why not now? " in ran.err
    (request,) = changes(daemon)
    assert (request.digest, request.dispositions) == (PROOF, {"f1": "deferred: needs a ticket"})


def test_what_an_attempt_changed_is_shown_before_the_question(harnctl, daemon):
    ran = harnctl(*ACCEPT, typed="n\n")
    assert "changed by attempt 1\n  src/ledger.py\n  setup.cfg  (outside its declared paths)\n" in ran.out
    assert "  harnctl work diff billing-export p1.parser --attempt 1\n" in ran.out


def test_a_finding_that_was_answered_on_the_command_line_is_not_asked_about(harnctl, daemon):
    assert harnctl(*ACCEPT, "--dispose", "f1=fixed", typed="y\n").code == 0
    assert [request.dispositions for request in changes(daemon)] == [{"f1": "fixed"}]


def test_an_open_finding_without_an_answer_is_the_daemons_to_refuse(harnctl, daemon):
    daemon.answers("work.accept", Refusal("work.findings_open", "f1 is neither fixed nor deferred"))
    assert harnctl(*ACCEPT, "--yes").code == 3
    assert [type(request) for request in changes(daemon)] == [AcceptWork]


@pytest.mark.parametrize("answer", ["f1", "f1=", "=fixed", "f1=deferred", "f1=deferred: ", "f1=fine"])
def test_what_answers_no_finding_is_misuse(harnctl, daemon, answer):
    ran = harnctl(*ACCEPT, "--digest", PROOF, "--dispose", answer)
    assert (ran.code, daemon.asked) == (2, [])


def test_work_that_is_not_in_review_cannot_be_accepted(harnctl, daemon):
    daemon.answers("work.show", golden("work.show", state=WorkState.BLOCKED))
    ran = harnctl(*ACCEPT, typed="y\n")
    assert (ran.code, said(ran), changes(daemon)) == (3, "work.not_in_review", [])


def test_work_that_asks_for_an_approval_says_where_it_is_asked(harnctl, daemon):
    daemon.answers("work.show", golden("work.show", state=WorkState.AWAITING_APPROVAL))
    ran = harnctl("work", "show", "billing-export", "p1.parser")
    assert ran.out.endswith("\n\n  harnctl why billing-export/p1.parser\n")


def test_a_proof_that_changed_since_it_was_read_is_stale(harnctl, daemon):
    ran = harnctl(*ACCEPT, "--digest", "0123456789ab")
    assert (ran.code, said(ran), changes(daemon)) == (5, "work.stale_proof", [])


def test_work_is_reopened_with_a_finding_a_line(harnctl, daemon, editor):
    assert harnctl(*REOPEN, typed="", EDITOR=editor("one\\n\\n  two\\n")).code == 0
    assert [(type(request), request.findings) for request in changes(daemon)] == [(ReopenWork, ("one", "two"))]
    ran = harnctl(*REOPEN)
    assert (ran.code, ran.err.splitlines()[-1]) == (2, "  harnctl work reopen billing-export p1.parser --finding TEXT")


@pytest.mark.parametrize("line", ["goal cancel billing-export", "work cancel billing-export p1.parser"])
def test_what_cannot_be_undone_is_asked_about(harnctl, daemon, line):
    command = (*line.split(), "--reason", "moot")
    assert harnctl(*command, typed="n\n").code == 1
    ran = harnctl(*command)
    assert (ran.code, ran.err.splitlines()[-1]) == (2, f"  harnctl {line} --reason moot --yes")
    assert daemon.asked == []
    assert harnctl(*command, typed="y\n").code == 0
    assert len(daemon.asked) == 1


@pytest.mark.parametrize("line", ["goal cancel billing-export", "work cancel billing-export p1.parser"])
def test_what_cannot_be_undone_needs_a_reason(harnctl, daemon, line, editor):
    ran = harnctl(*line.split(), "--yes")
    assert (ran.code, ran.err.splitlines()[-1]) == (2, f"  harnctl {line} --reason TEXT")
    assert daemon.asked == []
    assert harnctl(*line.split(), "--yes", typed="", EDITOR=editor("moot\\n")).code == 0
    assert [request.reason for request in changes(daemon)] == ["moot"]


# --- extending a goal

EXTEND = ("goal", "extend", "billing-export")


@pytest.mark.parametrize(("written", "seconds"), [("45s", 45), ("90m", 5_400), ("2h", 7_200), ("1d", 86_400)], ids=str)
def test_runtime_is_written_with_its_unit(harnctl, daemon, written, seconds):
    assert harnctl(*EXTEND, "--runtime", written).code == 0
    assert [request.add for request in daemon.asked] == [{Unit.ACTIVE_RUNTIME_US: seconds * 1_000_000}]


@pytest.mark.parametrize(("written", "micro"), [("10", 10_000_000), ("12.50", 12_500_000), ("0.000001", 1)], ids=str)
def test_money_is_written_in_dollars(harnctl, daemon, written, micro):
    assert harnctl(*EXTEND, "--money", written, "--tokens", "5000").code == 0
    assert [request.add for request in daemon.asked] == [{Unit.TOKENS: 5_000, Unit.MICRO_DOLLARS: micro}]


@pytest.mark.parametrize("written", ["0", "-1", "12,50", "$5", "1e3", "0.0000001", "5 USD", "", "inf", "1."])
def test_what_is_no_amount_is_misuse(harnctl, daemon, written):
    ran = harnctl(*EXTEND, "--money", written)
    assert (ran.code, daemon.asked) == (2, [])
    assert "such as 10 or 12.50" in ran.err.replace("\n", " ")


@pytest.mark.parametrize("written", ["2", "0h", "-1h", "1h30m", "2 h", "1.5h", "two hours", ""])
def test_what_is_no_time_is_misuse(harnctl, daemon, written):
    ran = harnctl(*EXTEND, "--runtime", written)
    assert (ran.code, daemon.asked) == (2, [])
    assert "such as 90m, 2h or 1d" in ran.err.replace("\n", " ")


@pytest.mark.parametrize("option", ["--attempts", "--agent-calls", "--ticks"])
@pytest.mark.parametrize("amount", ["0", "-1", "many"])
def test_a_limit_only_grows(harnctl, daemon, option, amount):
    assert harnctl(*EXTEND, option, amount).code == 2
    assert daemon.asked == []


def test_an_extension_by_nothing_says_what_can_grow_and_asks_nothing(harnctl, daemon):
    ran = harnctl(*EXTEND, typed="")
    assert (ran.code, daemon.asked) == (2, [])
    assert "--attempts N, --agent-calls N, --ticks N, --runtime TIME, --tokens N or --money DOLLARS" in ran.err.replace(
        "\n", " "
    )
    assert ran.err.splitlines()[-1] == "  harnctl goal extend billing-export --attempts 10"


def test_an_extension_needs_no_yes(harnctl, daemon):
    ran = harnctl(*EXTEND, "--attempts", "1", typed="")
    assert (ran.code, ran.err) == (0, "")
    assert [request.add for request in daemon.asked] == [{Unit.ATTEMPTS: 1}]


# --- doubts

FLAKY = DoubtView(name="WC-2", said="flaky: units: it passed in run 2, and not before")
TOUCHED = DoubtView(name="tests/x.py", said="changed, although the template protects it")


def doubtful(daemon, *doubts: DoubtView) -> None:
    daemon.answers("work.show", golden("work.show", open_findings=(), doubts=doubts))


def test_a_person_is_asked_about_every_doubt_after_the_work_itself(harnctl, daemon):
    doubtful(daemon, FLAKY, TOUCHED)
    ran = harnctl(*ACCEPT, typed="y\ny\nn\n")
    assert "doubts to acknowledge" in ran.out
    assert "WC-2 (flaky: units: it passed in run 2, and not before): accept it all the same? [y/N] " in ran.err
    assert [request.acknowledged for request in changes(daemon)] == [("WC-2",)]


def test_a_doubt_that_was_named_on_the_command_line_is_not_asked_about(harnctl, daemon):
    doubtful(daemon, FLAKY, TOUCHED)
    named = ("--acknowledge", "tests/x.py", "--acknowledge", "WC-2", "--acknowledge", "WC-2")
    assert harnctl(*ACCEPT, *named, typed="y\n").code == 0
    assert [request.acknowledged for request in changes(daemon)] == [("tests/x.py", "WC-2")]


def test_yes_to_the_work_is_no_yes_to_a_doubt(harnctl, daemon):
    doubtful(daemon, FLAKY)
    daemon.answers("work.accept", Refusal("work.unacknowledged", "WC-2 is flaky and must be acknowledged"))
    ran = harnctl(*ACCEPT, "--yes")
    assert (ran.code, said(ran)) == (3, "work.unacknowledged")
    assert [request.acknowledged for request in changes(daemon)] == [()]


def test_what_to_type_without_a_terminal_keeps_the_doubts_that_were_named(harnctl, daemon):
    doubtful(daemon, FLAKY)
    ran = harnctl(*ACCEPT, "--acknowledge", "WC-2")
    assert ran.code == 2
    assert "work accept billing-export p1.parser --acknowledge WC-2 --digest " in ran.err
