"""Goal files: what a person wrote, checked and completed by defaults.

A `GoalFile` is an intent but for what only the daemon knows: where the repository is and which commit the base means.
"""

from typing import Final

import msgspec

from harnd.domain.files.amounts import micro_dollars
from harnd.domain.files.durations import micros
from harnd.domain.files.own_graph import drafts
from harnd.domain.files.schemas import SPECIALIST
from harnd.domain.files.source import At
from harnd.domain.goal.graph import Drafts
from harnd.domain.goal.intent import (
    Automation,
    Criterion,
    Intent,
    Limits,
    Mission,
    Parent,
    Replanning,
    ReviewPolicy,
    Specialist,
)
from harnd.domain.goal.template import (
    AgentStage,
    ApproveStage,
    CommandStage,
    ParallelStage,
    PrepareStage,
    ProofCommand,
    Simple,
    Stage,
    Template,
)
from protocol import bounds
from protocol.bounds import Range
from protocol.ids import CommitId, CriterionId, GoalId, HarnessName, SpecialistName, TemplateName, goal_branch
from protocol.values import Micros, Risk

HEAD: Final = "HEAD"


class GoalFile(msgspec.Struct, frozen=True):
    """A goal as its files state it."""

    goal: GoalId
    title: str
    repository: str  # as written: from the directory of the goal file, unless it is absolute
    base_ref: str | None  # None when none is written
    limits: Limits
    team: tuple[Specialist, ...]  # sorted by name
    templates: tuple[Template, ...]  # sorted by name
    mission: Mission | None = None
    replanning: Replanning | None = None
    labels: tuple[str, ...] = ()
    graph: Drafts = ()
    parent: GoalId | None = None
    automation: Automation | None = None  # None: everything is asked
    review: ReviewPolicy | None = None  # None: nobody reviews plans

    def start(self, parent: Parent | None) -> tuple[str, str]:
        """Return what the goal starts from, as it is called and as git finds it."""
        if self.base_ref is not None:
            return self.base_ref, self.base_ref
        return (goal_branch(parent.goal), parent.head) if parent else (HEAD, HEAD)

    def intent(self, *, repository: str, base_commit: CommitId, parent: Parent | None = None) -> Intent:
        """Freeze it, with the canonical path of the repository and the commit that it starts from."""
        return Intent(
            goal=self.goal,
            title=self.title,
            repository=repository,
            base_ref=self.start(parent)[0],
            base_commit=base_commit,
            limits=self.limits,
            team=self.team,
            templates=self.templates,
            mission=self.mission,
            replanning=self.replanning,
            labels=self.labels,
            graph=self.graph,
            parent=parent,
            automation=self.automation,
            review=self.review,
        )


def goal_file(goal: At, team: At, templates: tuple[At, ...]) -> GoalFile:
    """Build the value of files in which nothing is wrong."""
    return GoalFile(
        goal=GoalId(goal["goal"].text()),
        title=goal["title"].text().strip(),
        repository=goal["repository"].text("."),
        base_ref=goal["base"].text() or None,
        limits=_limits(goal["limits"]),
        team=tuple(sorted(map(_specialist, team.entries().values()), key=lambda member: member.name)),
        templates=tuple(sorted(map(template_of, templates), key=lambda template: template.name)),
        mission=_mission(goal["mission"]) if "mission" in goal else None,
        replanning=_replanning(goal["replanning"]) if "replanning" in goal else None,
        labels=goal["labels"].texts(),
        graph=drafts(goal["work"]),
        parent=GoalId(goal["parent"].text()) if "parent" in goal else None,
        automation=_automation(goal["automation"]),
    )


def _number(at: At, choice: Range) -> int:
    return at.whole(choice.default)


def _lasting(at: At, choice: Range) -> Micros:
    return micros(at.value, choice.default)


def _limits(limits: At) -> Limits:
    return Limits(
        attempts=_number(limits["attempts"], bounds.ATTEMPTS),
        agent_calls=_number(limits["agent_calls"], bounds.AGENT_CALLS),
        answers_per_work=_number(limits["answers_per_work"], bounds.ANSWERS_PER_WORK),
        parallel_work=_number(limits["parallel_work"], bounds.PARALLEL_WORK),
        agent_concurrency=_number(limits["agent_concurrency"], bounds.AGENT_CONCURRENCY),
        active_runtime=_lasting(limits["active_runtime"], bounds.ACTIVE_RUNTIME_S),
        ticks=_number(limits["ticks"], bounds.TICKS),
        tokens=limits["tokens"].whole(0) or None,
        money=micro_dollars(limits["money"].value),
    )


def _mission(mission: At) -> Mission:
    return Mission(
        objective=mission["objective"].text().strip(),
        acceptance=_criteria(mission["acceptance"], "AC"),
        max_milestones=_number(mission["max_milestones"], bounds.MILESTONES),
        invariants=_criteria(mission["invariants"], "INV"),
        non_goals=_criteria(mission["non_goals"], "NG"),
    )


def _criteria(at: At, prefix: str) -> tuple[Criterion, ...]:
    return tuple(
        Criterion(CriterionId(f"{prefix}-{number}"), text.strip()) for number, text in enumerate(at.texts(), start=1)
    )


def _replanning(replanning: At) -> Replanning:
    return Replanning(
        planner=SpecialistName(replanning["planner"].text()),
        max_replans=_number(replanning["max_replans"], bounds.REPLANS),
        work_per_plan=_number(replanning["work_per_plan"], bounds.WORK_PER_PLAN),
        planned_work=_number(replanning["planned_work"], bounds.PLANNED_WORK),
        auto_apply=replanning["auto_apply"].value is True,
    )


def _automation(automation: At) -> Automation | None:
    chosen = Automation(
        accept_passing_proof=automation["accept_passing_proof"].value is True,
        retry_blocked=automation["retry_blocked"].value is True,
        resume_approved=automation["resume_approved"].value is not False,
    )
    return chosen if chosen != Automation() else None  # so that to write a default is to say nothing


def _specialist(member: At) -> Specialist:
    return Specialist(
        name=SpecialistName(str(member.path[-1])),
        harness=HarnessName(member["harness"].text()),
        timeout=_lasting(member["timeout"], bounds.AGENT_TIMEOUT_S),
        startup_silence=_lasting(member["startup_silence"], bounds.STARTUP_SILENCE_S),
        silence=_lasting(member["silence"], bounds.SILENCE_S),
        max_turns=_number(member["max_turns"], bounds.MAX_TURNS),
        schema_attempts=_number(member["schema_attempts"], bounds.SCHEMA_ATTEMPTS),
        instructions=member["instructions"].text().strip(),
        model=member["model"].text() or None,
        effort=member["effort"].text() or None,
        env=member["env"].texts(),
        options=options_of(member),
    )


def options_of(member: At) -> tuple[tuple[str, str | tuple[str, ...]], ...]:
    """Collect the harness's own settings; true and false become words, as harnesses read them."""
    own = {key: at for key, at in member.entries().items() if key not in SPECIALIST}
    return tuple((key, _option(at)) for key, at in sorted(own.items()))


def _option(at: At) -> str | tuple[str, ...]:
    match at.value:
        case list():
            return at.texts()
        case bool(answer):
            return "true" if answer else "false"
        case _:
            return at.text()


def template_of(template: At) -> Template:
    """Build the value of a template file in which nothing is wrong."""
    return Template(
        name=TemplateName(template["name"].text()),
        purpose=template["purpose"].text().strip(),
        digest=template.source.digest,
        max_attempts=_number(template["max_attempts"], bounds.TEMPLATE_ATTEMPTS),
        root=template["root"].value is True,
        stages=tuple(map(_stage, template["stages"].items())),
        proofs=tuple(map(_proof, template["proofs"].items())),
        protected=template["protected_paths"].texts(),
    )


def _stage(stage: At) -> Stage:
    match stage["kind"].text():
        case "prepare":
            return PrepareStage(
                name=stage["name"].text(),
                argv=stage["argv"].texts(),
                timeout=_lasting(stage["timeout"], bounds.COMMAND_TIMEOUT_S),
                files=stage["files"].texts(),
            )
        case "parallel":
            return ParallelStage(name=stage["name"].text(), stages=tuple(map(_simple, stage["stages"].items())))
        case "approve":
            return ApproveStage(
                name=stage["name"].text(),
                question=stage["question"].text(),
                risk=Risk(stage["risk"].text() or Risk.MEDIUM),
            )
        case _:
            return _simple(stage)


def _simple(stage: At) -> Simple:
    output = stage["output"].text() or None
    if stage["kind"].text() == "command":
        return CommandStage(
            name=stage["name"].text(),
            argv=stage["argv"].texts(),
            timeout=_lasting(stage["timeout"], bounds.COMMAND_TIMEOUT_S),
            output=output,
        )
    return AgentStage(
        name=stage["name"].text(),
        specialist=SpecialistName(stage["specialist"].text()),
        prompt=stage["prompt"].text(),
        inputs=stage["inputs"].texts(),
        output=output,
    )


def _proof(proof: At) -> ProofCommand:
    return ProofCommand(
        name=proof["name"].text(),
        argv=proof["argv"].texts(),
        timeout=_lasting(proof["timeout"], bounds.COMMAND_TIMEOUT_S),
        proves=proof["proves"].texts(),
        red_then_green=proof["red_then_green"].value is True,
        reruns=_number(proof["reruns"], bounds.RERUNS),
    )
