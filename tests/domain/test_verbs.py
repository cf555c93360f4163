"""Verbs: whole commands of the client, safe to paste."""

from harnd.domain.verbs import verb


def test_verbs_are_quoted_for_a_shell():
    assert verb("plan", "show", "billing", 2) == "harnctl plan show billing 2"
    assert verb("why", "a b; $(x)") == "harnctl why 'a b; $(x)'"
