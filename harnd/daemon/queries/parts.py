"""Parts: every process that one attempt runs, in order, with the key it runs under and the limits it is held to.

The keys are the ones that the actors give; nothing here says whether a part has run.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from harnd.domain.goal.goal import Goal
from harnd.domain.goal.intent import Specialist
from harnd.domain.goal.keys import call_key, check_key, stage_key
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
    return tuple(_checks(goal, item, attempt, purpose="integrated", where=" on the integrated tree"))


def planner_part(goal: Goal, plan: Plan, call: int) -> Part:
    """Return the one process of a planner call."""
    planner = goal.intent.planner
    return _session(call_key(goal.intent, plan.number, call), f"agent {planner.name}", planner)


def _stages(goal: Goal, item: Work, attempt: int) -> Iterator[Part]:
    for stage in goal.template_of(item).simple_stages():
        key = stage_key(goal.intent, item.id, attempt, stage.name)
        match stage:
            case AgentStage():
                yield _session(key, f"agent {stage.name}", goal.intent.specialist(stage.specialist))
            case CommandStage() | PrepareStage():
                yield Part(key=key, title=_title(stage), timeout=stage.timeout)


def _proofs(goal: Goal, item: Work, attempt: int) -> Iterator[Part]:
    yield from _checks(goal, item, attempt, purpose="proof", where=" on the clean checkout")


def _checks(goal: Goal, item: Work, attempt: int, *, purpose: str, where: str) -> Iterator[Part]:
    template = goal.template_of(item)
    prepares = [stage for stage in template.stages if isinstance(stage, PrepareStage)]
    entries: list[PrepareStage | ProofCommand] = [*prepares, *template.proofs]
    for entry in entries:
        key = check_key(goal.intent, item.id, attempt, purpose, entry)
        said = _title(entry) + ("" if isinstance(entry, ProofCommand) and purpose == "proof" else where)
        yield Part(key=key, title=said, timeout=entry.timeout)


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
