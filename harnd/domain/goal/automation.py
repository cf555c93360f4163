"""Automation: the names under which harnd decides in a person's place, each the key of a goal file that lets it."""

from typing import Final

from harnd.domain.goal.intent import Intent

AUTO_APPLY: Final = "replanning.auto_apply"
ACCEPT_PASSING_PROOF: Final = "automation.accept_passing_proof"
RETRY_BLOCKED: Final = "automation.retry_blocked"

_ALL: Final = frozenset({AUTO_APPLY, ACCEPT_PASSING_PROOF, RETRY_BLOCKED})


def decided_by_person(by: str) -> bool:
    """Tell whether a decision was a person's; everything else that decides has one of the names above."""
    return by not in _ALL


def decided_unasked(intent: Intent) -> tuple[str, ...]:
    """Name what harnd decides in a person's place for as long as a goal lives, each as one reads it in a list."""
    switches = {
        "plans are applied": intent.replanning is not None and intent.replanning.auto_apply,
        "work is accepted on its proof": intent.automation is not None and intent.automation.accept_passing_proof,
        "blocked work is tried again": intent.automation is not None and intent.automation.retry_blocked,
    }
    return tuple(what for what, on in switches.items() if on)
