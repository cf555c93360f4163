"""Parts: every process that one attempt runs, in order, with the key it runs under and the limits it is held to.

The keys are the ones that the actors give; nothing here says whether a part has run.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from harnd.domain.goal.goal import Goal
from harnd.domain.goal.intent import Specialist
from harnd.domain.goal.keys import BEFORE, INTEGRATED, PROOF, call_key, check_key, stage_key
from harnd.domain.goal.parking import PROVING
from harnd.domain.goal.plan import Plan
from harnd.domain.goal.template import AgentStage, CommandStage, PrepareStage, ProofCommand
from harnd.domain.goal.work import Work
from protocol.ids import EffectKey
from protocol.values import Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One process: what it is for, and how long it may run and say nothing."""

    key: EffectKey
    title: str  # such as `agent implement`
    timeout: Micros
    startup_silence: Micros | None = None  # None: it may be silent
    silence: Micros | None = None


def parts_of(goal: Goal, item: Work, attempt: int) -> tuple[Part, ...]:
    """Return the parts of an attempt: its stages, its proof, and the proof on the integrated tree."""
    return (*_stages(goal, item, attempt), *_proofs(goal, item, attempt), *integrated_parts(goal, item, attempt))


def integrated_parts(goal: Goal, item: Work, attempt: int) -> tuple[Part, ...]:
    """Return what runs when an accepted attempt is brought together with the goal's branch."""
    # Which of them were of this attempt is not stored: of another's there is no trace under this one's keys.
    return tuple(
        part
        for number in range(1, max(1, len(item.integrations)) + 1)
        for part in _checks(goal, item, attempt, purpose=INTEGRATED, where=" on the integrated tree", again=number)
    )


def planner_part(goal: Goal, plan: Plan, call: int) -> Part:
    """Return the one process of a planner call."""
    planner = goal.intent.planner
    return _session(call_key(goal.intent, plan.number, call), f"agent {planner.name}", planner)


def _stages(goal: Goal, item: Work, attempt: int) -> Iterator[Part]:
    tried = item.attempts[attempt - 1]
    for stage in goal.template_of(item).simple_stages():
        for run in range(tried.run_of(stage.name) + tried.pauses + 1):
            key = stage_key(goal.intent, item.id, attempt, stage.name, run=run)
            again = f", made again ({run})" if run else ""
            match stage:
                case AgentStage():
                    title = f"agent {stage.name}{again}"
                    yield _session(key, title, goal.intent.specialist(stage.specialist))
                case CommandStage() | PrepareStage():
                    yield Part(key=key, title=_title(stage) + again, timeout=stage.timeout)


def _proofs(goal: Goal, item: Work, attempt: int) -> Iterator[Part]:
    for again in range(1, item.attempts[attempt - 1].run_of(PROVING) + 2):
        yield from _checks(goal, item, attempt, purpose=BEFORE, where=" without the work", again=again)
        yield from _checks(goal, item, attempt, purpose=PROOF, where=" on the clean checkout", again=again)


def _checks(goal: Goal, item: Work, attempt: int, *, purpose: str, where: str, again: int = 1) -> Iterator[Part]:
    template = goal.template_of(item)
    prepares = [stage for stage in template.stages if isinstance(stage, PrepareStage)]
    proofs = [proof for proof in template.proofs if purpose != BEFORE or proof.red_then_green]
    entries: list[PrepareStage | ProofCommand] = [*prepares, *proofs] if proofs else []
    for entry in entries:
        said = _title(entry) + ("" if isinstance(entry, ProofCommand) and purpose == PROOF else where)
        for run in range(1, 2 + (entry.reruns if isinstance(entry, ProofCommand) else 0)):
            key = check_key(goal.intent, item.id, attempt, purpose, entry, again=again, run=run)
            yield Part(key=key, title=said if run == 1 else f"{said}, run {run}", timeout=entry.timeout)


def _title(entry: PrepareStage | CommandStage | ProofCommand) -> str:
    match entry:
        case PrepareStage():
            return f"prepare {entry.name}"
        case CommandStage():
            return f"command {entry.name}"
        case ProofCommand():
            return f"proof {entry.name}"


def _session(key: EffectKey, title: str, specialist: Specialist) -> Part:
    # The one word that every harness understands alike: silence of a quiet agent means nothing.
    if dict(specialist.options).get("quiet") == "true":
        return Part(key=key, title=title, timeout=specialist.timeout)
    return Part(
        key=key,
        title=title,
        timeout=specialist.timeout,
        startup_silence=specialist.startup_silence,
        silence=specialist.silence,
    )
