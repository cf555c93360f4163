"""The attempt runner: carries a work item's template out, from a worktree to a commit and its proof.

It can be run again from the start, after a crash or when a parked attempt goes on: worktree, processes and commit are
found by their names, and finished processes give their stored results.  It reports; the rules judge.  The worktree is
left to whoever stores the report: an attempt that is parked keeps it.
"""

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar

import anyio
import msgspec

from harnd.actors.asking import Asking, Say
from harnd.actors.classing import Failure, failure_of_command, failure_of_session, whole_text
from harnd.actors.places import place_of
from harnd.actors.preparing import Preparing, Variables
from harnd.actors.prover import Prover
from harnd.domain.goal.assignment import agent_prompt, names_of, texts_wanted
from harnd.domain.goal.commands import Asks, AttemptReport, ReportAttempt, ReportObserved
from harnd.domain.goal.due import RunAttempt, within
from harnd.domain.goal.goal import Goal
from harnd.domain.goal.keys import PROOF, stage_key
from harnd.domain.goal.names import Names
from harnd.domain.goal.parking import PROVING, Again
from harnd.domain.goal.rendering import RenderError, render
from harnd.domain.goal.template import AgentStage, ApproveStage, CommandStage, ParallelStage, PrepareStage, Stage
from harnd.domain.goal.usage import Usage, combined
from harnd.ports.errors import PortError
from harnd.ports.sessions import CommandTask, Ended, Ending, SessionEnd, SessionTask
from harnd.ports.workspace import Recording, Refused, Surroundings, storable
from harnd.ports.world import World
from protocol.ids import Digest, EffectKey
from protocol.values import AttemptOutcome, FailureClass, Instant, Micros

E = TypeVar("E", Ended, SessionEnd)
_CUT_SHORT: Final = (Ending.INTERRUPTED, Ending.LOST)
_WORKTREE_GONE: Final = Failure(
    AttemptOutcome.LOST, FailureClass.LOST, "its worktree was cleared away before it had ended"
)

_ASKED: Final = Failure(AttemptOutcome.FAILED, FailureClass.DECISION, "a person is asked")


class AttemptRunner:
    """One attempt at one work item."""

    def __init__(self, world: World, goal: Goal, effect: RunAttempt, say: Say) -> None:
        self._world = world
        self._say = say
        self._goal = goal
        self._effect = effect
        self._item = goal.work[effect.work]
        self._attempt = self._item.attempts[effect.attempt - 1]
        self._template = goal.template_of(self._item)
        self._place = place_of(goal, effect)
        self._agents = anyio.CapacityLimiter(goal.intent.limits.agent_concurrency)
        self._outputs: dict[str, str] = {}
        self._texts: dict[Digest, str] = {}
        self._asking = Asking(world, goal, effect, self._place, say)
        self._asks: Asks | None = None
        self._preparing = Preparing(world, self._place.repository)
        # What was used for nothing was used all the same; the calls are those of the runs that count.
        self._used = [_uncounted(again.usage) for again in self._attempt.remade if again.usage.calls]
        self._ran = 0
        self._again: list[Again] = []
        self._stage = PROVING
        self._before: Surroundings | None = None
        self._until = Instant(world.clock.now() + effect.runtime_left)
        self._said: Digest | None = None  # what the failing stage printed

    async def run(self) -> ReportAttempt:
        """Carry the attempt out, and report."""
        workspace, place = self._world.workspace, self._place
        # The branch first: one that was not there before would be taken away again with whoever made it.
        await workspace.open_branch(place.repository, place.goal, self._goal.intent.base_commit)
        gone = await self._is_gone()
        path = await workspace.open_worktree(place, self._attempt.base)
        before = self._before = await self._surroundings()
        await self._read_texts()
        failure = _WORKTREE_GONE if gone else await self._stages(path)
        report = self._failed(failure) if failure is not None else await self._recorded()
        report = await self._looked_around(before, report)
        return ReportAttempt(work=self._effect.work, attempt=self._effect.attempt, report=report)

    def failed(self, error: PortError) -> ReportAttempt:
        """Report that the world did not let the attempt be made."""
        failure = Failure(AttemptOutcome.FAILED, FailureClass.ENVIRONMENT, str(error))
        return ReportAttempt(work=self._effect.work, attempt=self._effect.attempt, report=self._failed(failure))

    async def withdraw(self) -> None:
        """Put back what it moved outside its own place: the next look around would take it for somebody else's move."""
        if self._before is not None:
            await self._world.workspace.restore(self._place.repository, self._before)

    async def _is_gone(self) -> bool:
        """Tell whether the worktree of an attempt that goes on is cleared away, and with it what its stages left.

        One that was looked around, or had been parked, has had a worktree, whichever daemon opened it.
        """
        begun = self._attempt.resumed_at is not None or self._attempt.surroundings is not None
        return begun and not await self._world.workspace.has_worktree(self._place)

    async def _surroundings(self) -> Surroundings:
        """Return what lay around the attempt before anything of it ran, whichever daemon looked."""
        blobs = self._world.blobs
        if self._attempt.surroundings is not None:
            return await self._seen(self._attempt.surroundings)
        before = await self._world.workspace.surroundings(self._place.repository)
        # The standard library's JSON carries file names that are no UTF-8, which msgspec's refuses.
        seen = await blobs.put(json.dumps(msgspec.to_builtins(before)).encode())
        goal = await self._say(ReportObserved(self._effect.work, self._effect.attempt, surroundings=seen))
        stored = goal.work[self._effect.work].attempts[self._effect.attempt - 1].surroundings
        return before if stored in (seen, None) else await self._seen(stored)

    async def _seen(self, surroundings: Digest) -> Surroundings:
        return msgspec.convert(json.loads(await self._world.blobs.get(surroundings)), Surroundings)

    async def _read_texts(self) -> None:
        for digest in texts_wanted(self._item):
            self._texts[digest] = (await self._world.blobs.get(digest)).decode(errors="replace")

    # --- stages

    async def _stages(self, path: str) -> Failure | None:
        for stage in self._template.stages:
            self._stage = stage.name
            if (failure := await self._made(stage, path)) is not None:
                return failure
        self._stage = PROVING
        return None

    async def _made(self, stage: Stage, path: str) -> Failure | None:
        try:
            return await self._carried_out(stage, path)
        except RenderError as error:
            return Failure(AttemptOutcome.FAILED, FailureClass.SCHEMA, f"stage {stage.name}: {error}")

    async def _carried_out(self, stage: Stage, path: str) -> Failure | None:
        match stage:
            case PrepareStage():
                return await self._prepare(stage, path)
            case CommandStage():
                return await self._command(stage, path)
            case AgentStage():
                return await self._agent(stage, path)
            case ParallelStage():
                return await self._parallel(stage, path)
            case ApproveStage():
                self._asks = await self._asking.asks(stage, self._names())
                return _ASKED if self._asks is not None else None

    async def _parallel(self, parallel: ParallelStage, path: str) -> Failure | None:
        failures: dict[str, Failure | None] = {}
        errors: list[PortError] = []

        async def one(stage: AgentStage | CommandStage) -> None:
            try:
                failures[stage.name] = await self._made(stage, path)
            except PortError as error:  # raised below: the group would wrap it, and nobody would class it
                errors.append(error)
                tasks.cancel_scope.cancel()

        async with anyio.create_task_group() as tasks:
            for stage in parallel.stages:
                tasks.start_soon(one, stage)
        for error in errors:
            raise error
        # In the order of the template, so that the same failures are reported whoever ended first.
        return next((found for stage in parallel.stages if (found := failures[stage.name]) is not None), None)

    async def _prepare(self, stage: PrepareStage, path: str) -> Failure | None:
        run = self._attempt.run_of(stage.name)  # one that a pause cut short is made again under its own key
        ended = await self._preparing.run(stage, self._task(stage, path, run, fresh=True))
        if ended is None:
            return None
        failure = failure_of_command(ended, failing=FailureClass.ENVIRONMENT)
        return await self._noted(ended, failure, Again(stage.name, run))

    async def _command(self, stage: CommandStage, path: str) -> Failure | None:
        async def once(run: int) -> Ended:
            return await self._world.commands.run(self._task(stage, path, run, env=self._preparing.env))

        run, ended = await self._newest(stage.name, once)
        if stage.output is not None:
            self._outputs[stage.output] = ended.stdout.head
        return await self._noted(ended, failure_of_command(ended, failing=FailureClass.PROOF), Again(stage.name, run))

    def _task(
        self, stage: PrepareStage | CommandStage, path: str, run: int, *, env: Variables = (), fresh: bool = False
    ) -> CommandTask:
        names = self._names()
        return CommandTask(
            key=self._key(stage.name, run),
            argv=tuple(render(word, names) for word in stage.argv),
            cwd=path,
            timeout=self._within(stage.timeout),
            env=env,
            fresh=fresh,
        )

    async def _agent(self, stage: AgentStage, path: str) -> Failure | None:
        pointers = tuple(storable(name) for name in await self._world.workspace.pointers(self._place))

        async def once(run: int) -> SessionEnd:
            async with self._agents:
                return await self._world.sessions.run(self._session(stage, path, run, pointers))

        run, end = await self._newest(stage.name, once)
        usage = _usage(end)
        self._used.append(usage)
        if stage.output is not None:
            self._outputs[stage.output] = end.reply.text
        return await self._noted(end.ended, failure_of_session(end, wants_json=False), Again(stage.name, run, usage))

    async def _newest(self, stage: str, once: Callable[[int], Awaitable[E]]) -> tuple[int, E]:
        """Make the newest run of a stage, or get what it came to; what a pause cut short is made again."""
        first = self._attempt.run_of(stage)
        last = first + self._attempt.pauses
        for run in range(first, last):
            end = await once(run)
            if _ended(end).ending not in _CUT_SHORT:
                return run, end
            if isinstance(end, SessionEnd):
                self._used.append(_uncounted(_usage(end)))
        return last, await once(last)

    async def _noted(self, ended: Ended, failure: Failure | None, run: Again) -> Failure | None:
        self._ran += ended.ran
        if failure is None:
            return None
        self._again.append(run)
        self._said = await self._world.blobs.put(whole_text(ended).encode(errors="replace"))
        return failure._replace(detail=f"stage {run.stage}: {failure.detail}")

    def _session(self, stage: AgentStage, path: str, run: int, pointers: Sequence[str]) -> SessionTask:
        specialist = self._goal.intent.specialist(stage.specialist)
        return SessionTask(
            key=self._key(stage.name, run),
            harness=specialist.harness,
            options=specialist.options,
            prompt=agent_prompt(specialist, stage, self._names(), run=run, pointers=pointers),
            cwd=path,
            wants_json=False,
            timeout=self._within(specialist.timeout),
            startup_silence=specialist.startup_silence,
            silence=specialist.silence,
            model=specialist.model,
            effort=specialist.effort,
            env=specialist.env,
            given=self._preparing.env,
        )

    def _names(self) -> Names:
        return names_of(self._goal, self._item, self._attempt.number, dict(self._outputs), self._texts)

    def _key(self, stage: str, run: int) -> EffectKey:
        return stage_key(self._goal.intent, self._effect.work, self._effect.attempt, stage, run=run)

    def _within(self, timeout: Micros) -> Micros:
        return within(timeout, until=self._until, now=self._world.clock.now())

    # --- the result

    async def _recorded(self) -> AttemptReport:
        message = f"{self._item.title}\n\nWork item {self._item.id} of goal {self._goal.intent.goal}.\n"
        recording = await self._world.workspace.record(self._place, self._attempt.base, message)
        if isinstance(recording, Refused):
            self._said = await self._world.blobs.put(recording.output.encode(errors="replace"))
            detail = "the repository's hooks refused the commit"
            return self._failed(Failure(AttemptOutcome.FAILED, FailureClass.PROOF, detail))
        if not recording.changed:
            return self._report(AttemptOutcome.SUCCEEDED, recording=recording)  # which the rules will not believe
        return await self._proved(recording)

    async def _proved(self, recording: Recording) -> AttemptReport:
        prover = Prover(
            self._world,
            self._goal,
            self._item,
            self._place,
            purpose=PROOF,
            until=self._until,
            again=self._attempt.run_of(PROVING) + 1,
        )
        proof = await prover.prove(recording.commit, recording.tree)
        self._preparing.reports += prover.reports
        if isinstance(proof, Failure):
            self._again.append(Again(PROVING, self._attempt.run_of(PROVING)))
            return self._failed(proof, recording)
        report = self._report(AttemptOutcome.SUCCEEDED, recording=recording)
        return _with(report, proof=proof)

    def _failed(self, failure: Failure, recording: Recording | None = None) -> AttemptReport:
        report = self._report(failure.outcome, recording=recording)
        again = tuple(sorted(self._again, key=lambda run: run.stage))
        return _with(
            report,
            failure=failure.kind,
            detail=failure.detail,
            output=self._said,
            stage=self._stage,
            again=again,
            asks=self._asks,
        )

    def _report(self, outcome: AttemptOutcome, *, recording: Recording | None) -> AttemptReport:
        return AttemptReport(
            outcome=outcome,
            ran=Micros(self._ran),
            usage=combined(self._used) if self._used else Usage(),
            commit=recording.commit if recording else None,
            tree=recording.tree if recording else None,
            changed=tuple(storable(path) for path in recording.changed) if recording else (),
        )

    async def _looked_around(self, before: Surroundings, report: AttemptReport) -> AttemptReport:
        workspace, repository = self._world.workspace, self._place.repository
        differences = await workspace.restore(repository, before)
        reports = (*self._preparing.reports, *differences)
        if not differences:
            return _with(report, reports=reports)
        strayed = (await workspace.surroundings(repository)).strayed_since(before)
        return _with(report, reports=reports, strayed=tuple(storable(path) for path in strayed))


def _with(report: AttemptReport, **changes: object) -> AttemptReport:
    return msgspec.structs.replace(report, **changes)


def _ended(end: Ended | SessionEnd) -> Ended:
    return end.ended if isinstance(end, SessionEnd) else end


def _usage(end: SessionEnd) -> Usage:
    return Usage(calls=1, tokens=end.usage.tokens, cost=end.usage.cost)


def _uncounted(usage: Usage) -> Usage:
    return msgspec.structs.replace(usage, calls=0)
