"""Inheritance: what a goal leaves to one that goes on from it, small enough to be frozen in the other's intent."""

from collections.abc import Iterable
from typing import Final

from harnd.domain.goal.goal import Goal
from harnd.domain.goal.intent import Inherited, Parent
from harnd.domain.goal.work import Standing, Work

GUIDANCE_BYTES: Final = 24 * 1024  # of what its operator said, the newest of it
WORK: Final = 100  # items, the newest of them


def inheritance(goal: Goal) -> Parent:
    """Return the goal as a parent: where its branch is, what was accepted and is on it, what its planner was told.

    Work that is accepted and not on the branch yet is no part of it: the commit that is left does not have it.
    """
    return Parent(
        goal=goal.intent.goal,
        intent=goal.intent_digest,
        head=goal.head,
        accepted=tuple(_inherited(item) for item in _on_branch(goal)[-WORK:]),
        guidance=_newest([said for _, said in goal.guidance()]),
    )


def _on_branch(goal: Goal) -> list[Work]:
    return [item for item in goal.work.values() if item.standing is Standing.INTEGRATED]


def _inherited(item: Work) -> Inherited:
    integration = item.integration
    if integration is None or integration.commit is None or item.accepted_proof is None:
        raise AssertionError(f"{item.id} is on the branch without having been accepted")
    return Inherited(work=item.id, title=item.title, proof=item.accepted_proof, commit=integration.commit)


def _newest(texts: Iterable[str]) -> tuple[str, ...]:
    kept: list[str] = []
    room = GUIDANCE_BYTES
    for text in reversed(list(texts)):
        room -= len(text.encode())
        if room < 0:
            break
        kept.insert(0, text)
    return tuple(kept)
