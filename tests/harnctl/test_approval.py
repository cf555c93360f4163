"""Approvals at the command line: what is asked is shown as it is, and an answer binds to it."""

import pytest
from msgspec.structs import replace

from harnctl.render.sanitise import hidden_in
from protocol.errors import CODES
from protocol.requests import DenyApproval, GiveApproval, ShowApproval
from protocol.values import SECOND, ApprovalState, Instant
from protocol.views import InboxKind
from tests.harnctl.conftest import NOW
from tests.kit.scripted_daemon import golden

ASKED = golden("approval.show").digest
APPROVE = ("approval", "approve", "billing-export", "1")
DENY = ("approval", "deny", "billing-export", "1")
HIDDEN = "cu\u200brl \u202etxt.sh" + "\xa0" * 300 + "; rm -rf /"


def answers(daemon):
    return [request for request in daemon.asked if not isinstance(request, ShowApproval)]


def test_at_a_terminal_the_question_is_shown_and_the_yes_binds_to_it(harnctl, daemon):
    ran = harnctl(*APPROVE, typed="y\n")
    assert ran.code == 0
    assert "Publish 2 rows to the ledger?\nThe total is 12.50.\n" in ran.out
    assert "what would be approved:\n  git -C " in ran.out
    assert ran.err == f"Give approval 1 of billing-export with the digest {ASKED[:12]}? [y/N] "
    assert f"bound to {ASKED}\n" in ran.out
    assert [request.digest for request in answers(daemon)] == [ASKED]


def test_without_a_terminal_the_command_to_type_is_shown_and_works(harnctl, daemon):
    ran = harnctl(*APPROVE, piped="y\n")
    assert (ran.code, answers(daemon)) == (2, [])
    command = ran.err.splitlines()[-1].split()
    assert command == ["harnctl", *APPROVE, "--digest", ASKED[:12]]
    assert harnctl(*command[1:]).code == 0
    assert [type(request) for request in answers(daemon)] == [GiveApproval]


def test_a_denial_needs_a_reason_and_what_was_said_is_in_the_command_to_type(harnctl, daemon):
    assert (harnctl(*DENY, "--yes").code, daemon.asked) == (2, [])
    ran = harnctl(*DENY, "--reason", "Not before the audit.")
    assert ran.err.splitlines()[-1].strip() == (
        f"harnctl approval deny billing-export 1 --reason 'Not before the audit.' --digest {ASKED[:12]}"
    )
    assert harnctl(*DENY, "--reason", "-", "--yes", piped="Not before the audit.\n").code == 0
    (denied,) = answers(daemon)
    assert isinstance(denied, DenyApproval)
    assert (denied.digest, denied.reason) == (ASKED, "Not before the audit.")


@pytest.mark.parametrize(
    ("state", "code"),
    [
        (ApprovalState.APPROVED, "approval.decided"),
        (ApprovalState.DENIED, "approval.decided"),
        (ApprovalState.CANCELLED, "approval.cancelled"),
        (ApprovalState.EXPIRED, "approval.expired"),
    ],
)
@pytest.mark.parametrize("verb", [APPROVE, (*DENY, "--reason", "no")])
def test_an_approval_that_waits_for_nobody_is_not_asked_about(harnctl, daemon, state, code, verb):
    daemon.answers("approval.show", golden("approval.show", state=state))
    ran = harnctl(*verb, typed="y\n")
    assert (ran.code, answers(daemon)) == (5, [])
    assert f"approval 1 of billing-export is {state}, and does not wait for this decision [{code}]" in " ".join(
        ran.err.split()
    )
    assert code in CODES


def test_an_approval_that_changed_since_it_was_read_is_stale(harnctl, daemon):
    ran = harnctl(*APPROVE, "--digest", "0" * 8)
    assert (ran.code, answers(daemon)) == (5, [])
    assert "[approval.stale]" in ran.err.replace("\n", " ")


def test_what_is_hidden_in_a_question_is_spelled_out_and_counted(harnctl, daemon):
    daemon.answers("approval.show", golden("approval.show", question=HIDDEN))
    shown = harnctl("approval", "show", "billing-export", "1", columns=1_000).out
    assert "cu\\u200brl \\u202etxt.sh[300 blanks]; rm -rf /" in shown
    assert "302 characters of it are invisible or unusual, and spelled out here" in shown


@pytest.mark.parametrize(("text", "hidden"), [("", 0), ("a\tb\nc", 0), ("na\u00efve", 0), ("\r", 1), (HIDDEN, 302)])
def test_what_is_not_shown_as_itself_is_counted(text, hidden):
    assert hidden_in(text) == hidden


def test_when_an_approval_expires_is_said_and_what_leads_on_when_it_has(harnctl, daemon):
    waiting = golden("approval.show", expires_at=Instant(NOW + 200 * 60 * SECOND))
    daemon.answers("approval.show", waiting)
    assert "(in 3h 20m)" in harnctl("approval", "show", "billing-export", "1").out
    over = replace(waiting, state=ApprovalState.EXPIRED, since=Instant(NOW - 60 * SECOND))
    daemon.answers("approval.show", over)
    ran = harnctl("approval", "show", "billing-export", "1")
    assert "(1m ago)" in ran.out
    assert "to be asked anew:\n  harnctl work resolve billing-export p1.writer\n" in ran.out
    assert "approval approve" not in ran.out


def test_the_inbox_says_what_is_at_stake_and_for_how_long(harnctl, daemon):
    item = golden("inbox.list").items[0]
    asked = replace(
        item,
        kind=InboxKind.APPROVAL,
        subject="approval/1",
        risk="critical",
        expires_at=Instant(NOW + 30 * 60 * SECOND),
    )
    daemon.answers("inbox.list", golden("inbox.list", items=(asked,)))
    assert "critical risk  expires in 30m" in harnctl("inbox").out
    daemon.answers("inbox.list", golden("inbox.list", items=(replace(asked, expires_at=Instant(NOW)),)))
    assert "critical risk  expired" in harnctl("inbox").out


def test_nothing_that_waits_is_said_to_be_nothing(harnctl, daemon):
    daemon.answers("approval.list", golden("approval.list", approvals=(), unreadable=()))
    assert harnctl("approval", "list").out == "Nothing waits for your approval.\n"
