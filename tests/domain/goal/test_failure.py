"""Failures: each class has one row that says who pays, whether it is tried again, and what a person can do."""

import pytest

from harnd.domain.goal.failure import ROWS, charged, tried_again
from protocol.values import FailureClass

# Nobody pays, a charged budget pays; not tried again, tried again, tried again so often without pay.
TABLE = {
    "environment": ("nobody", "never"),
    "upstream": ("nobody", 3),
    "quota": ("nobody", "never"),
    "auth": ("nobody", "never"),
    "schema": ("budget", "again"),
    "refusal": ("budget", "never"),
    "truncated": ("budget", "never"),
    "empty": ("budget", "again"),
    "timeout": ("budget", "again"),
    "stalled": ("budget", "again"),
    "proof": ("budget", "again"),
    "review": ("budget", "never"),
    "decision": ("nobody", "never"),
    "permission": ("budget", "never"),
    "lost": ("nobody", 20),
}


def test_every_class_has_a_row_and_this_is_the_table():
    assert set(ROWS) == set(FailureClass)
    assert {
        failure.value: (
            "budget" if row.charged else "nobody",
            (row.uncharged_bound or "again") if row.retried else "never",
        )
        for failure, row in ROWS.items()
    } == TABLE


@pytest.mark.parametrize("failure", list(FailureClass))
def test_every_row_says_what_a_person_can_do(failure):
    advice = ROWS[failure].advice
    assert advice
    assert "retry" in advice
    assert not advice.endswith(".")


def test_success_is_always_paid_for():
    assert charged(None)


@pytest.mark.parametrize(("spent", "again"), [(1, True), (2, True), (3, False), (4, False)])
def test_charged_failures_are_tried_again_while_attempts_are_left(spent, again):
    assert tried_again(FailureClass.PROOF, charged_before=spent, allowed=3, uncharged_before=0) is again


@pytest.mark.parametrize(
    ("failure", "count", "again"),
    [
        (FailureClass.UPSTREAM, 2, True),
        (FailureClass.UPSTREAM, 3, False),
        (FailureClass.LOST, 19, True),
        (FailureClass.LOST, 20, False),
    ],
)
def test_uncharged_failures_are_tried_again_within_their_own_bound(failure, count, again):
    assert tried_again(failure, charged_before=0, allowed=1, uncharged_before=count) is again


@pytest.mark.parametrize("failure", [failure for failure, row in ROWS.items() if not row.retried])
def test_what_a_person_must_see_is_never_tried_again(failure):
    assert not tried_again(failure, charged_before=0, allowed=100, uncharged_before=1)


def test_what_is_not_paid_for_and_tried_again_is_bounded():
    assert [
        failure for failure, row in ROWS.items() if row.retried and not row.charged and not row.uncharged_bound
    ] == []
