"""Keys: the one name of everything that runs for a goal, from which its receipt and its result are found again.

A key follows from stored state alone, so that the next daemon gives the same one; two things never share one.
"""

from typing import Final

from harnd.domain.goal.intent import Intent
from harnd.domain.goal.template import PrepareStage, ProofCommand
from protocol.ids import EffectKey, GoalId, SpecialistName, WorkId

# What a command on a checkout is for; each purpose has a checkout of its own.
BEFORE: Final = "before"  # the commit that the item started from, without its work
PROOF: Final = "proof"  # the attempt's own commit
INTEGRATED: Final = "integrated"  # the merged commit


def effect_key(intent: Intent, *parts: str | int) -> EffectKey:
    """Name an effect of a goal, such as `goal/billing/plan/2/call/1`."""
    return _key(intent.goal, *parts)


def call_key(intent: Intent, plan: int, call: int) -> EffectKey:
    """Name a planner call."""
    return effect_key(intent, "plan", plan, "call", call)


def review_key(intent: Intent, plan: int, review: int, reviewer: SpecialistName, attempt: int) -> EffectKey:
    """Name an attempt of a reviewer; rounds count within the plan."""
    return effect_key(intent, "plan", plan, "review", review, reviewer, "attempt", attempt)


def receipt_key(intent: Intent, plan: int, review: int) -> EffectKey:
    """Name the keeping of the receipt of a plan's review."""
    return effect_key(intent, "plan", plan, "receipt", review)


def attempt_key(intent: Intent, work: WorkId, attempt: int) -> EffectKey:
    """Name an attempt."""
    return effect_key(intent, "work", work, "attempt", attempt)


def stage_key(intent: Intent, work: WorkId, attempt: int, stage: str, *, run: int = 0) -> EffectKey:
    """Name one run of what runs in a stage of an attempt."""
    return effect_key(intent, "work", work, "attempt", attempt, "stage", stage, *_run(run))


def check_key(
    intent: Intent,
    work: WorkId,
    attempt: int,
    purpose: str,
    entry: PrepareStage | ProofCommand,
    *,
    again: int = 1,
    run: int = 1,
) -> EffectKey:
    """Name a command on a checkout; a stage that prepares and a proof may bear the same name.

    `again` counts the proofs that were begun for a purpose, so that one that was asked for anew is not answered with
    what an earlier one found; `run` counts the runs of a command in one of them.
    """
    names = (entry.name,) if isinstance(entry, ProofCommand) else ("prepare", entry.name)
    later = (*(("again", again) if again > 1 else ()), *(("run", run) if run > 1 else ()))
    return effect_key(intent, "work", work, "attempt", attempt, purpose, *names, *later)


def record_key(goal: GoalId, work: WorkId, attempt: int, run: str) -> EffectKey:
    """Name one run of the commit that records an attempt.

    Every `run` is another one, and its stored result is asked for by nobody: whether there is a commit, git tells.
    """
    return _key(goal, "work", work, "attempt", attempt, "record", run)


def _run(number: int) -> tuple[str | int, ...]:
    return ("run", number) if number else ()


def _key(goal: GoalId, *parts: str | int) -> EffectKey:
    return EffectKey("/".join(("goal", goal, *(str(part) for part in parts))))
