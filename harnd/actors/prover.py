"""The prover: runs a template's proof commands on a clean checkout of exactly one commit, and says what they found.

Proof commands only read, so one that was cut short is simply run again.  Nothing an agent said reaches them.
"""

from harnd.actors.classing import Failure, failure_of_command, whole_text
from harnd.domain.goal.assignment import names_of
from harnd.domain.goal.due import within
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.keys import check_key
from harnd.domain.goal.names import Names
from harnd.domain.goal.proof import Evidence, Proof, judge
from harnd.domain.goal.rendering import RenderError, render
from harnd.domain.goal.template import PrepareStage, ProofCommand
from harnd.domain.goal.work import Work
from harnd.ports.sessions import CommandTask, Ended
from harnd.ports.workspace import Place
from harnd.ports.world import World
from protocol.ids import CommitId, TreeId
from protocol.values import AttemptOutcome, FailureClass, Instant


class Prover:
    """Proves one commit of one attempt; `purpose` tells the attempt's own commit from the integrated one."""

    def __init__(self, world: World, goal: Goal, item: Work, place: Place, *, purpose: str, until: Instant) -> None:
        self._world = world
        self._goal = goal
        self._item = item
        self._place = place
        self._purpose = purpose
        self._until = until
        self._template = goal.template_of(item)
        self._names: Names = names_of(goal, item, place.attempt, {}, {})

    async def prove(self, commit: CommitId, tree: TreeId) -> Proof | Failure:
        """Run everything, and map what was found to the item's criteria.

        A machine on which a proof cannot even be started is a `Failure` of the environment, not of the work.
        """
        path = await self._world.workspace.checkout(self._place, commit, self._purpose)
        try:
            return await self._proved(path, commit, tree)
        except RenderError as error:
            return Failure(AttemptOutcome.FAILED, FailureClass.SCHEMA, f"a proof command {error}")

    async def _proved(self, path: str, commit: CommitId, tree: TreeId) -> Proof | Failure:
        for stage in self._template.stages:
            if isinstance(stage, PrepareStage) and (failure := await self._prepare(stage, path)) is not None:
                return failure
        evidence: list[Evidence] = []
        for command in self._template.proofs:
            found = await self._run_proof(command, path)
            if isinstance(found, Failure):
                return found
            evidence.append(found)
        return judge(self._item.acceptance, self._template.proofs, evidence, commit=commit, tree=tree)

    async def _prepare(self, stage: PrepareStage, path: str) -> Failure | None:
        ended = await self._run(stage, path)
        return failure_of_command(ended, failing=FailureClass.ENVIRONMENT)

    async def _run_proof(self, command: ProofCommand, path: str) -> Evidence | Failure:
        ended = await self._run(command, path)
        failure = failure_of_command(ended, failing=FailureClass.PROOF)
        if failure is not None and failure.kind is FailureClass.ENVIRONMENT:
            return failure
        output = await self._world.blobs.put(whole_text(ended).encode())
        if failure is None:
            return Evidence(command.name, "passed", ended.ran, exit_code=0, output=output)
        if failure.kind is FailureClass.PROOF:
            return Evidence(command.name, "failed", ended.ran, exit_code=ended.exit_code, output=output)
        return Evidence(command.name, "unknown", ended.ran, output=output, detail=failure.detail)

    async def _run(self, entry: PrepareStage | ProofCommand, path: str) -> Ended:
        task = CommandTask(
            key=check_key(self._goal.intent, self._item.id, self._place.attempt, self._purpose, entry),
            argv=tuple(render(word, self._names) for word in entry.argv),
            cwd=path,
            timeout=within(entry.timeout, until=self._until, now=self._world.clock.now()),
            fresh=True,
        )
        return await self._world.commands.run(task)
