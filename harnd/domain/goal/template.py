"""Templates: pinned recipes that execute a kind of work.

A template is data.  Its stages run in order in the attempt's worktree; its proofs run on clean checkouts, by harnd
itself, and are the only evidence that satisfies a criterion.  Texts marked *sandboxed* are rendered with the names of
`harnd.domain.goal.rendering` and nothing else.
"""

from collections.abc import Iterator
from typing import Final, TypeAlias

import msgspec

from protocol.ids import Digest, SpecialistName, TemplateName
from protocol.values import Micros, Risk

PREPARED: Final = "HARND_PREPARED"  # the variable that tells a `prepare` stage with files where to build


class PrepareStage(msgspec.Struct, frozen=True, tag="prepare", omit_defaults=True):
    """Builds what proofs need, such as an environment; runs in the worktree and again in each checkout.

    One that names its files builds in a directory of its own, once for the same words and contents.
    """

    name: str
    argv: tuple[str, ...]  # sandboxed
    timeout: Micros
    files: tuple[str, ...] = ()  # what the result depends on


class AgentStage(msgspec.Struct, frozen=True, tag="agent", omit_defaults=True):
    """One agent call that may change the worktree."""

    name: str
    specialist: SpecialistName
    prompt: str  # sandboxed
    inputs: tuple[str, ...] = ()  # outputs of earlier stages that the prompt may name
    output: str | None = None  # the name under which later stages find the answer


class CommandStage(msgspec.Struct, frozen=True, tag="command", omit_defaults=True):
    """One command in the worktree that must exit 0, such as a formatter."""

    name: str
    argv: tuple[str, ...]  # sandboxed
    timeout: Micros
    output: str | None = None


Simple: TypeAlias = AgentStage | CommandStage


class ParallelStage(msgspec.Struct, frozen=True, tag="parallel", omit_defaults=True):
    """Stages that run at once in the same worktree; all must succeed."""

    name: str
    stages: tuple[Simple, ...]


class ApproveStage(msgspec.Struct, frozen=True, tag="approve", omit_defaults=True):
    """A person is asked before the attempt goes on; it is parked meanwhile, and what was approved is what goes on."""

    name: str
    question: str  # sandboxed
    risk: Risk = Risk.MEDIUM


Stage: TypeAlias = PrepareStage | AgentStage | CommandStage | ParallelStage | ApproveStage


def variable(stage: str) -> str:
    """Name the variable that tells later commands and agents where a stage has built."""
    return f"{PREPARED}_{stage.upper().replace('-', '_')}"


class ProofCommand(msgspec.Struct, frozen=True, omit_defaults=True):
    """A command whose exit code 0 satisfies criteria of the work item."""

    name: str
    argv: tuple[str, ...]  # sandboxed
    timeout: Micros
    proves: tuple[str, ...] = ()  # criterion ids; empty: every criterion of the item
    red_then_green: bool = False  # whether it must fail on the commit that the item started from
    reruns: int = 0  # how often it is run again when it did not pass; passing then is flaky, never satisfied


class Template(msgspec.Struct, frozen=True, omit_defaults=True):
    """A recipe, as frozen into an intent; `digest` is of the file's bytes."""

    name: TemplateName
    purpose: str  # what the planner reads
    digest: Digest
    max_attempts: int
    root: bool  # may stand at the end of a plan
    stages: tuple[Stage, ...]
    proofs: tuple[ProofCommand, ...]
    protected: tuple[str, ...] = ()  # files, folders and globs whose change a person must acknowledge

    def agent_stages(self) -> tuple[AgentStage, ...]:
        """Return every agent stage, parallel ones included, in order."""
        return tuple(stage for stage in self.simple_stages() if isinstance(stage, AgentStage))

    def simple_stages(self) -> Iterator[PrepareStage | Simple]:
        """Walk the stages that run one process each."""
        for stage in self.stages:
            if isinstance(stage, ParallelStage):
                yield from stage.stages
            elif not isinstance(stage, ApproveStage):
                yield stage

    def width(self) -> int:
        """Return how many agents are at work at once, at most."""
        at_once = [
            sum(isinstance(inner, AgentStage) for inner in stage.stages)
            if isinstance(stage, ParallelStage)
            else int(isinstance(stage, AgentStage))
            for stage in self.stages
        ]
        return max(at_once, default=0)
