"""Automation: the names under which harnd decides in a person's place, each the key of a goal file that lets it."""

from typing import Final

AUTO_APPLY: Final = "replanning.auto_apply"
ACCEPT_PASSING_PROOF: Final = "automation.accept_passing_proof"
RETRY_BLOCKED: Final = "automation.retry_blocked"

_ALL: Final = frozenset({AUTO_APPLY, ACCEPT_PASSING_PROOF, RETRY_BLOCKED})


def decided_by_person(by: str) -> bool:
    """Tell whether a decision was a person's; everything else that decides has one of the names above."""
    return by not in _ALL
