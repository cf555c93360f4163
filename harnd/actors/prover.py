"""The prover: runs a template's proof commands on a clean checkout of exactly one commit, and says what they found.

Proof commands only read, so one that was cut short is simply run again; one that ended keeps what it found, also over a
crash, so that no failure is lost between two runs.  Those that must fail without the work are run first on the commit
that the item started from.  Nothing an agent said reaches them.
"""

from harnd.actors.classing import Failure, failure_of_command, whole_text
from harnd.actors.preparing import Preparing, Variables
from harnd.domain.goal.assignment import names_of
from harnd.domain.goal.due import within
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.keys import BEFORE, PROOF, check_key
from harnd.domain.goal.names import Names
from harnd.domain.goal.proof import Evidence, Proof, Run, evidence_of, judge
from harnd.domain.goal.rendering import RenderError, render
from harnd.domain.goal.template import PrepareStage, ProofCommand
from harnd.domain.goal.work import Work
from harnd.ports.sessions import CommandTask, Ended
from harnd.ports.workspace import Place
from harnd.ports.world import World
from protocol.ids import CommitId, TreeId
from protocol.values import AttemptOutcome, FailureClass, Instant, Micros


class Prover:
    """Proves one commit of one attempt; `purpose` tells the attempt's own commit from the integrated one.

    `again` counts the proofs that were begun for the purpose: each runs its commands anew.
    """

    def __init__(
        self, world: World, goal: Goal, item: Work, place: Place, *, purpose: str, until: Instant, again: int = 1
    ) -> None:
        self._world = world
        self._goal = goal
        self._item = item
        self._place = place
        self._purpose = purpose
        self._until = until
        self._again = again
        self._template = goal.template_of(item)
        self._names: Names = names_of(goal, item, place.attempt, {}, {})
        self.reports: list[str] = []  # what was not as it had been prepared

    async def prove(self, commit: CommitId, tree: TreeId) -> Proof | Failure:
        """Run everything, and map what was found to the item's criteria.

        A machine on which a proof cannot even be started is a `Failure` of the environment, not of the work.
        """
        try:
            before = await self._without_the_work() if self._purpose == PROOF else {}
            path = await self._world.workspace.checkout(self._place, commit, self._purpose)
            return await self._proved(path, commit, tree, before)
        except RenderError as error:
            return Failure(AttemptOutcome.FAILED, FailureClass.SCHEMA, f"a proof command {error}")

    async def _proved(self, path: str, commit: CommitId, tree: TreeId, before: dict[str, list[Run]]) -> Proof | Failure:
        env = await self._prepared(path, self._purpose)
        if isinstance(env, Failure):
            return env
        evidence: list[Evidence] = []
        for command in self._template.proofs:
            runs: list[Run] = []
            while _goes_on(runs, command):
                ended = await self._run(command, path, self._purpose, run=len(runs) + 1, env=env)
                failure = failure_of_command(ended, failing=FailureClass.PROOF)
                if failure is not None and failure.kind is FailureClass.ENVIRONMENT:
                    return failure
                runs.append(await self._found(ended, failure))
            evidence.append(evidence_of(command.name, runs, before.get(command.name, ())))
        return judge(self._item.acceptance, self._template.proofs, evidence, commit=commit, tree=tree)

    async def _without_the_work(self) -> dict[str, list[Run]]:
        """Run what must fail there on the commit that the item started from, before anything of it was done."""
        commands = [command for command in self._template.proofs if command.red_then_green]
        if not commands:
            return {}
        path = await self._world.workspace.checkout(self._place, self._item.attempts[0].base, BEFORE)
        env = await self._prepared(path, BEFORE)
        return {command.name: await self._runs_before(command, path, env) for command in commands}

    async def _runs_before(self, command: ProofCommand, path: str, env: Variables | Failure) -> list[Run]:
        note = ""
        if isinstance(env, Failure):
            note = f"it could not be prepared there: {env.detail}"
            if env.kind is not FailureClass.ENVIRONMENT:
                return [Run("unknown", Micros(0), detail=note)]
            env = ()  # what it needs may be part of the work, and cannot be built without: then it fails all the same
        runs: list[Run] = []
        while _goes_on(runs, command):
            ended = await self._run(command, path, BEFORE, run=len(runs) + 1, env=env)
            failure = failure_of_command(ended, failing=FailureClass.PROOF)
            if failure is not None and failure.kind is FailureClass.ENVIRONMENT:
                detail = f"it could not be started there: {failure.detail}"
                return [*runs, Run("failed", ended.ran, detail=detail)]
            runs.append(await self._found(ended, failure, note=note))
        return runs

    async def _found(self, ended: Ended, failure: Failure | None, *, note: str = "") -> Run:
        output = await self._world.blobs.put(whole_text(ended).encode())
        if failure is None:
            return Run("passed", ended.ran, exit_code=0, output=output)
        if failure.kind is FailureClass.PROOF:
            return Run("failed", ended.ran, exit_code=ended.exit_code, output=output, detail=note)
        return Run("unknown", ended.ran, output=output, detail=failure.detail)

    async def _prepared(self, path: str, purpose: str) -> Variables | Failure:
        """Prepare a checkout, and return the variables that its commands are given."""
        preparing = Preparing(self._world, self._place.repository)
        for stage in self._template.stages:
            if isinstance(stage, PrepareStage):
                ended = await preparing.run(stage, self._task(stage, path, purpose))
                failure = failure_of_command(ended, failing=FailureClass.ENVIRONMENT) if ended is not None else None
                if failure is not None:
                    return failure
        self.reports += preparing.reports
        return preparing.env

    async def _run(self, command: ProofCommand, path: str, purpose: str, *, run: int, env: Variables) -> Ended:
        return await self._world.commands.run(self._task(command, path, purpose, run=run, env=env))

    def _task(
        self, entry: PrepareStage | ProofCommand, path: str, purpose: str, *, run: int = 1, env: Variables = ()
    ) -> CommandTask:
        intent, item, attempt = self._goal.intent, self._item.id, self._place.attempt
        return CommandTask(
            key=check_key(intent, item, attempt, purpose, entry, again=self._again, run=run),
            argv=tuple(render(word, self._names) for word in entry.argv),
            cwd=path,
            timeout=within(entry.timeout, until=self._until, now=self._world.clock.now()),
            env=env,
            fresh=True,
        )


def _goes_on(runs: list[Run], command: ProofCommand) -> bool:
    """Tell whether a command is run once more: until it passes, and no oftener than its template says."""
    return not runs or (runs[-1].found != "passed" and len(runs) <= command.reruns)
