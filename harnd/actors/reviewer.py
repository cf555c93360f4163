"""The reviewer: carries one attempt at a review job out, from its prompt to what can be said of its one output.

It knows no goal: it is given a plain description and gives a plain report, for reviews of plans as for those of
changes.  Whether the report ends a job, and what a job means, is the rules' business.

Only the file counts.  What a worker prints says at most why there is no file; a file that is whole counts whatever the
exit code.  A worker that did not come to its own end, or changed what is not its own, has given no result: neither for
nor against anything.

It can be run again after a crash under the same token and nonce: a report that was made is given again, and a session
that was started is not started twice.
"""

from collections.abc import Mapping
from functools import partial
from typing import Final

import anyio
import anyio.to_thread
import msgspec

from harnd.actors.classing import Failure, failure_of_session
from harnd.actors.places import tidy
from harnd.actors.watching import Changes, Watch
from harnd.domain.goal.due import within
from harnd.domain.goal.intent import Specialist
from harnd.domain.measures import size
from harnd.domain.problem import Problem
from harnd.domain.review.contract import OUTPUT_NAMES, Contract, JobToken, Nonce
from harnd.domain.review.correction import Correction
from harnd.domain.review.output import Malformed, Output, Reviewed, WorkerError
from harnd.domain.review.partition import Partition, shipped_register
from harnd.domain.review.prompt import DISPATCH, Prompt, render
from harnd.domain.review.provenance import Provenance, Runner, SelfReport
from harnd.domain.review.reading import read_output
from harnd.domain.review.touched import Touched
from harnd.ports.errors import CorruptError, PortError
from harnd.ports.review_jobs import Collected, JobDirectory, NoOutput, Note
from harnd.ports.sessions import Ending, SessionEnd, SessionTask, Usage
from harnd.ports.workspace import Place
from harnd.ports.world import World
from protocol import bounds
from protocol.ids import CommitId, Digest, EffectKey
from protocol.values import AttemptOutcome, FailureClass, Instant, Micros

_READ_AT_ONCE: Final = 64 * 1024  # bytes; the worst output of that size holds the loop up for a moment
_NOBODYS_FAULT: Final = (FailureClass.UPSTREAM, FailureClass.QUOTA, FailureClass.AUTH)
_NAMED: Final = 3  # paths in a sentence
_LACKS: Final = {
    NoOutput.MISSING: "is not there",
    NoOutput.LINK: "is a link, expected a file",
    NoOutput.SHARED: "has a second name somewhere, expected a file of its own",
    NoOutput.NOT_A_FILE: "is no file",
    NoOutput.UNREADABLE: "cannot be read",
    NoOutput.UNSETTLED: "was written while it was read",
}


class JobTask(msgspec.Struct, frozen=True):
    """One attempt at a review job."""

    key: EffectKey
    place: Place  # of this attempt alone
    commit: CommitId  # what lies in the worker's checkout
    contract: Contract
    texts: Mapping[Digest, str]
    token: JobToken
    nonce: Nonce
    specialist: Specialist
    partition: Partition  # that the job was made for
    until: Instant  # when it must have ended, whatever its own timeout
    correction: Correction | None = None
    prompt: Digest | None = None  # what was said of it before; no other one is dispatched


class JobReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came of an attempt: `results`, or `problems` of its output, or a `failure`; exactly one of them is there."""

    ran: Micros
    provenance: Provenance
    results: Reviewed | None = None
    problems: tuple[Problem, ...] = ()
    failure: FailureClass | None = None
    detail: str = ""
    output: Digest | None = None  # the blob of what was written, as far as it is kept
    size: int = 0  # of all that was written
    usage: Usage = Usage()
    touched: tuple[Touched, ...] = ()  # by the worker, and by nobody else
    around: tuple[str, ...] = ()  # what else moved in the repository meanwhile
    read_only: bool = False  # whether the harness says that it was started so


class Reviewer:
    """One attempt at one review job."""

    def __init__(self, world: World, task: JobTask) -> None:
        self._world = world
        self.task = self._task = task
        self._job = JobDirectory(task.token, OUTPUT_NAMES[task.contract.codec])
        self._watch = Watch(world, task.place, self._job)

    def prompt(self) -> Prompt:
        """Render the prompt; raises `Rejected` (`review.contract`) with everything that is wrong with the contract."""
        task, output = self._task, self._world.review_jobs.paths(self._job).output
        return render(task.contract, task.texts, nonce=task.nonce, output=output, correction=task.correction)

    async def run(self) -> JobReport:
        """Have the worker read its prompt, and report; raises `Rejected` as `prompt` does."""
        if (known := await self._world.review_jobs.kept(self._job, Note.REPORT)) is not None:
            return _decoded(known)
        if (refusal := self._refusal()) is not None:
            return refusal
        prompt = self.prompt()
        if self._task.prompt not in (None, prompt.digest) and not await self._watch.has_begun():
            return self._nothing(FailureClass.LOST, "what it was to be shown has changed since that was said")
        seen = await self._watch.before(self._task.commit, prompt)
        end = await self._world.sessions.run(self._session(seen.path))
        changes = await self._watch.after(seen)
        collected = await self._world.review_jobs.collect(self._job, seen.prompt)
        report = await self._report(end, collected, changes)
        await self._world.review_jobs.keep(self._job, Note.REPORT, msgspec.json.encode(report))
        await tidy(self._world.workspace, self._task.place)
        return report

    def failed(self, error: PortError) -> JobReport:
        """Report that the world did not let the attempt be made."""
        return self._nothing(FailureClass.ENVIRONMENT, str(error))

    async def withdraw(self) -> None:
        """Remove everything of an attempt that nobody wants any more."""
        await tidy(self._world.workspace, self._task.place)
        await self.clear()

    async def clear(self) -> None:
        """Remove the job's directory, once its report is stored."""
        await self._world.review_jobs.discard(self._task.token)

    # --- the session

    def _refusal(self) -> JobReport | None:
        """Refuse, before anything is made, what could give no result that counts."""
        specialist = self._task.specialist
        declared = self._world.sessions.capabilities(specialist.harness, specialist.options)
        if declared is None:
            why = f"there is no harness {specialist.harness} with these options"
            return self._nothing(FailureClass.ENVIRONMENT, why)
        if not declared.fresh_context:
            why = f"the harness of {specialist.name} remembers earlier calls, and a review begins without any"
            return self._nothing(FailureClass.ENVIRONMENT, why)
        if (mismatch := shipped_register().contradicts(self._task.partition, self._runner())) is not None:
            return self._nothing(FailureClass.ENVIRONMENT, str(mismatch))
        return None

    def _session(self, cwd: str) -> SessionTask:
        task, specialist = self._task, self._task.specialist
        path = self._world.review_jobs.paths(self._job).prompt
        return SessionTask(
            key=task.key,
            harness=specialist.harness,
            options=specialist.options,
            prompt=DISPATCH.format(prompt=path),
            cwd=cwd,
            wants_json=False,
            timeout=within(specialist.timeout, until=task.until, now=self._world.clock.now()),
            startup_silence=specialist.startup_silence,
            silence=specialist.silence,
            model=specialist.model,
            effort=specialist.effort,
            env=specialist.env,
            prompt_path=path,
        )

    def _runner(self) -> Runner:
        specialist = self._task.specialist
        return Runner(specialist.harness, specialist.model, specialist.effort)

    # --- the report

    async def _report(self, end: SessionEnd, collected: Collected, changes: Changes) -> JobReport:
        touched = (*collected.touched, *changes.touched)[: bounds.PATHS_KEPT]
        found = await self._found(end, collected, touched)
        specialist = self._task.specialist
        declared = self._world.sessions.capabilities(specialist.harness, specialist.options)
        plain = JobReport(
            ran=end.ended.ran,
            provenance=self._provenance(found),
            output=None if collected.content is None else await self._world.blobs.put(collected.content),
            size=collected.size,
            usage=end.usage,
            touched=touched,
            around=changes.around,
            read_only=declared is not None and declared.read_only_launch,
        )
        match found:
            case Reviewed():
                return msgspec.structs.replace(plain, results=found)
            case Malformed(problems=problems):
                return msgspec.structs.replace(plain, problems=problems)
            case WorkerError(errors=errors):
                said = f"{found}: {errors[0].body.strip()[: bounds.CRITERION_CHARS]}"
                return msgspec.structs.replace(plain, failure=FailureClass.REFUSAL, detail=said)
            case Failure(kind=kind, detail=detail):
                return msgspec.structs.replace(plain, failure=kind, detail=detail)

    async def _found(self, end: SessionEnd, collected: Collected, touched: tuple[Touched, ...]) -> Output | Failure:
        failure = failure_of_session(end, wants_json=False)
        if failure is not None and (end.ended.ending is not Ending.EXITED or end.ended.exit_code is None):
            return failure  # whatever lies there, nobody knows whether it is done
        if touched:
            return _failed(FailureClass.PERMISSION, _trespass(touched))
        if collected.content is None:
            return self._without(collected.lack or NoOutput.MISSING, failure)
        output = await self._read(collected)
        if isinstance(output, Malformed) and failure is not None and failure.kind in _NOBODYS_FAULT:
            return failure
        return _classed(output)

    def _without(self, lack: NoOutput, failure: Failure | None) -> Malformed | Failure:
        if lack is not NoOutput.MISSING:
            return Malformed((Problem(lack.value, self._job.output, _LACKS[lack]),))
        if failure is not None:
            return failure
        return _failed(FailureClass.EMPTY, f"it ended without writing {self._job.output} [{lack.value}]")

    async def _read(self, collected: Collected) -> Output:
        content = collected.content or b""
        if collected.size > bounds.ANSWER_BYTES:  # of which no more than that was taken
            found = f"has {size(collected.size)}, expected at most {size(bounds.ANSWER_BYTES)}"
            return Malformed((Problem("too_large", "", found),))
        read = partial(read_output, self._task.contract, self._task.nonce, content)
        if len(content) <= _READ_AT_ONCE:
            return read()
        return await anyio.to_thread.run_sync(read, abandon_on_cancel=True)

    def _provenance(self, found: Output | Failure) -> Provenance:
        claimed = found.self_report if isinstance(found, Reviewed | WorkerError) else None
        return Provenance(self._runner(), None if claimed is None else SelfReport(claimed))

    def _nothing(self, failure: FailureClass, detail: str) -> JobReport:
        return JobReport(Micros(0), Provenance(self._runner()), failure=failure, detail=detail)


def _classed(output: Output) -> Output | Failure:
    """Tell an output in which nothing is said, or only that nothing will be, from one that can be corrected."""
    if isinstance(output, Malformed):
        match output.problems:
            case (Problem(code="empty", message=message),):
                return _failed(FailureClass.EMPTY, message)
            case (Problem(code="refusal", message=message),):
                return _failed(FailureClass.REFUSAL, message)
            case _:
                pass
    return output


def _trespass(touched: tuple[Touched, ...]) -> str:
    more = f" and {len(touched) - _NAMED} more" if len(touched) > _NAMED else ""
    return f"it changed what is not its own: {', '.join(map(str, touched[:_NAMED]))}{more}"


def _failed(kind: FailureClass, detail: str) -> Failure:
    return Failure(AttemptOutcome.FAILED, kind, detail)


def _decoded(kept: bytes) -> JobReport:
    try:
        return msgspec.json.decode(kept, type=JobReport)
    except msgspec.MsgspecError as error:
        raise CorruptError(f"the report of a review cannot be read: {error}") from error
