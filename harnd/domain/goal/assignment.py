"""Assignments: what an agent that works on an item is told, and the names its template's texts may use.

An assignment is a function of stored state and of the outputs that failed, so the same attempt is told the same thing
after a restart.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from harnd.domain.goal.earlier import told
from harnd.domain.goal.goal import Goal, Milestone
from harnd.domain.goal.intent import Specialist
from harnd.domain.goal.names import AttemptNames, GoalNames, MilestoneNames, MissionNames, Names, WorkNames
from harnd.domain.goal.rendering import render
from harnd.domain.goal.template import AgentStage
from harnd.domain.goal.work import Attempt, Work
from protocol import bounds
from protocol.ids import Digest
from protocol.values import ApprovalState, Verdict


def names_of(goal: Goal, item: Work, attempt: int, outputs: dict[str, str], texts: Mapping[Digest, str]) -> Names:
    """Return the names a template's texts may use; `texts` are those of `texts_wanted`."""
    return Names(
        goal=GoalNames(id=goal.intent.goal, title=goal.intent.title),
        mission=_mission_names(goal),
        milestone=_milestone_names(goal.milestones[_index_of(goal, item)]),
        work=WorkNames(
            id=item.id,
            key=item.key,
            title=item.title,
            objective=item.objective,
            acceptance=item.acceptance,
            paths=item.paths,
            dependencies=item.dependencies,
        ),
        attempt=AttemptNames(number=attempt),
        feedback=tuple(_feedback(goal, item, attempt, texts)),
        outputs=outputs,
    )


def texts_wanted(item: Work) -> tuple[Digest, ...]:
    """Return the blobs that say what the work failed on last."""
    telling = _telling(item.attempts)
    wanted = _failed_outputs(telling) if telling else []
    if item.integration is not None and item.integration.proof is not None:
        wanted.extend(entry.output for entry in item.integration.proof.failures() if entry.output is not None)
    return tuple(dict.fromkeys(wanted))


def agent_prompt(
    specialist: Specialist, stage: AgentStage, names: Names, *, run: int = 0, pointers: Sequence[str] = ()
) -> str:
    """Write the whole prompt of an agent stage.

    `run` counts from 0 how often it was begun before; `pointers` are the files whose content is not in the worktree.
    """
    parts = [
        f"You are the specialist `{specialist.name}`, working on one item of a larger plan.",
        specialist.instructions,
        f"Item {names.work.id} of goal {names.goal.id}, attempt {names.attempt.number}, stage {stage.name}.",
        "# Assignment",
        render(stage.prompt, names).strip(),
        *_findings_part(names),
        _BEGUN_BEFORE if run else "",
        *_pointers_part(pointers),
        _RULES,
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


_BEGUN_BEFORE = """# Begun before

This stage was begun before and came to no end, for a reason outside the work. What it left is in the files: look at
them, then go on."""

_RULES = """# Rules

- Work only inside the current directory: it is a git worktree made for this attempt. Other places are not yours.
- Leave your changes in the files; harnd commits them.
- harnd itself runs the commands that prove the result, on a clean checkout. Saying that it works proves nothing.
- Nobody can answer a question while you work. If you cannot go on, say why in your answer and stop."""


_POINTERS = """# Large files

git-lfs keeps these files elsewhere. Here each holds a few lines that name its content, not the content: what reads or
builds from it fails for that reason and not because of the work. Leave them as they are."""
_POINTERS_NAMED: Final = 20


def _findings_part(names: Names) -> Iterator[str]:
    if names.feedback:
        lines = "\n".join(f"- {line}" for line in names.feedback)
        yield f"# What was wrong before\n\nThis is attempt {names.attempt.number}. Mend this first:\n\n{lines}"


def _pointers_part(pointers: Sequence[str]) -> Iterator[str]:
    if pointers:
        lines = "\n".join(f"- {path!r}" for path in pointers[:_POINTERS_NAMED])
        more = f"\n- and {len(pointers) - _POINTERS_NAMED} more" if len(pointers) > _POINTERS_NAMED else ""
        yield f"{_POINTERS}\n\n{lines}{more}"


def _feedback(goal: Goal, item: Work, attempt: int, texts: Mapping[Digest, str]) -> Iterator[str]:
    if item.guidance:
        yield f"The operator says: {item.guidance}"
    for finding in item.findings:
        yield f"The operator found ({finding.id}): {finding.text}"
    # Nobody pays for what was denied, so no attempt tells of it; it holds for every later one.
    for approval in goal.approvals:
        if approval.work == item.id and approval.attempt < attempt and approval.state is ApprovalState.DENIED:
            yield f"The operator denied what stage {approval.stage} asked ({approval.question}): {approval.reason}"
    telling = _telling(item.attempts[: attempt - 1])
    if telling is not None:
        yield from _about_attempt(telling, texts)
    yield from _about_integration(item, texts)
    if (where := told(goal.intent.goal, item, attempt)) is not None:
        yield where


def _telling(attempts: tuple[Attempt, ...]) -> Attempt | None:
    """Return the last ended attempt that says something about the work.

    One that nobody pays for was cut short from outside; to tell of it instead would hide what is to be mended.
    """
    return next((attempt for attempt in reversed(attempts) if not attempt.open and attempt.charged), None)


def _about_attempt(attempt: Attempt, texts: Mapping[Digest, str]) -> Iterator[str]:
    if attempt.failure is None:
        return
    yield f"The last one {attempt.outcome} ({attempt.failure}): {attempt.detail}"
    if attempt.proof is not None:
        unmet = [entry.criterion for entry in attempt.proof.criteria if entry.verdict is not Verdict.SATISFIED]
        if unmet:
            yield f"Criteria not satisfied: {', '.join(unmet)}"
    for digest in _failed_outputs(attempt):
        if digest in texts:
            yield f"It printed:\n{_clipped(texts[digest])}"
    for report in attempt.reports:
        yield f"Around the attempt: {report}"


def _about_integration(item: Work, texts: Mapping[Digest, str]) -> Iterator[str]:
    integration = item.integration
    if integration is None or integration.failure is None:
        return
    yield f"It could not be brought together with the rest ({integration.failure}): {integration.detail}"
    if integration.paths:
        yield f"Clashing paths: {', '.join(integration.paths)}"
    for entry in integration.proof.failures() if integration.proof else ():
        if entry.output is not None and entry.output in texts:
            yield f"{entry.name} printed:\n{_clipped(texts[entry.output])}"


def _failed_outputs(attempt: Attempt) -> list[Digest]:
    outputs = [attempt.output] if attempt.output is not None else []
    failures = attempt.proof.failures() if attempt.proof else ()
    return [*outputs, *(entry.output for entry in failures if entry.output is not None)]


def _clipped(text: str) -> str:
    # The end of an output is where a test run says what failed.
    if len(text) <= bounds.OUTPUT_SHOWN_BYTES:
        return text
    return f"[{len(text) - bounds.OUTPUT_SHOWN_BYTES} characters left out]\n{text[-bounds.OUTPUT_SHOWN_BYTES :]}"


def _mission_names(goal: Goal) -> MissionNames:
    """Name the mission; where there is none, what the operator's own work is to reach stands in for it."""
    mission = goal.intent.mission
    if mission is None:
        return MissionNames(objective=goal.milestones[0].objective, acceptance=goal.milestones[0].acceptance)
    return MissionNames(
        objective=mission.objective,
        acceptance=mission.acceptance,
        invariants=mission.invariants,
        non_goals=mission.non_goals,
    )


def _milestone_names(milestone: Milestone) -> MilestoneNames:
    return MilestoneNames(
        sequence=milestone.sequence,
        title=milestone.title,
        objective=milestone.objective,
        acceptance=milestone.acceptance,
    )


def _index_of(goal: Goal, item: Work) -> int:
    return next(index for index, milestone in enumerate(goal.milestones) if milestone.plan == item.plan)
