"""A world of real processes, files and git for review jobs, and the job that a panel would have there."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from harnd.actors.reviewer import JobReport, JobTask, Reviewer
from harnd.adapters.clock import SystemClock
from harnd.adapters.commands import ProcessCommands
from harnd.adapters.entropy import SystemEntropy
from harnd.adapters.harness.sessions import HarnessSessions
from harnd.adapters.preparations import DirectoryPreparations
from harnd.adapters.process.spawner import Spawner
from harnd.adapters.processes import SpawnedProcesses
from harnd.adapters.review_jobs import DirectoryReviewJobs
from harnd.adapters.store.blobs import FileBlobs
from harnd.adapters.store.database import memory
from harnd.adapters.store.inline import InlineRunner
from harnd.adapters.store.sqlite import SqliteStore
from harnd.domain.goal.intent import Specialist
from harnd.domain.review.contract import Codec, Contract, JobToken, Nonce, ResultKind
from harnd.domain.review.panel import opinion_schema
from harnd.domain.review.partition import HARNESS_DEFAULT
from harnd.ports.workspace import Place
from harnd.ports.world import World
from protocol.ids import CommitId, Digest, EffectKey, GoalId, HarnessName, InstanceId, WorkId
from protocol.values import SECOND, Instant, Micros
from tests.kit.agents import QUICK, ROOT
from tests.kit.given import a_specialist
from tests.kit.repositories import GitHouse
from tests.kit.reviews import NONCE, a_job

TOKEN: Final = JobToken("ab" * 16)
PLAN: Final = "Milestone 1: bills can be exported."
AMPLE: Final = Micros(50 * SECOND)


def a_panel_job(plan: str = PLAN, **more: Any) -> tuple[Contract, Mapping[Digest, str]]:
    """Ask for one opinion about one plan."""
    subjects, criteria = {"plan-1": plan}, {"plan-contract/critic": "Is it a plan?"}
    fields = {"subjects": subjects, "criteria": criteria, "schema": opinion_schema(), **more}
    return a_job(ResultKind.ASSESSMENT, Codec.JSON, **fields)


def a_task(
    place: Place, commit: CommitId, specialist: Specialist, *, now: int, plan: str = PLAN, **changes: Any
) -> JobTask:
    """Describe an attempt that has an hour."""
    contract, texts = a_panel_job(plan)
    plain = JobTask(
        key=EffectKey("goal/billing/plan/1/review/1/critic/attempt/1"),
        place=place,
        commit=commit,
        contract=contract,
        texts=texts,
        token=TOKEN,
        nonce=NONCE,
        specialist=specialist,
        partition=HARNESS_DEFAULT,
        until=Instant(now + 3_600 * SECOND),
    )
    return msgspec.structs.replace(plain, **changes)


class ReviewWorld:
    """Real adapters below one folder; workers are programs of `review_worker`."""

    def __init__(self, folder: Path) -> None:
        self.house = GitHouse(folder)
        self.house.write(self.house.path, ".gitignore", b"*.pyc\n")
        self.commit = self.house.commit("second")
        self.house.set_ref("refs/heads/harn/billing", self.commit)
        self.place = Place(self.house.path, GoalId("billing"), WorkId("p1.critic"), 0)
        self.clock = SystemClock()
        self.restart("first")

    def restart(self, instance: str) -> None:
        """Let the next daemon begin."""
        state = self.house.state
        self.house.restart()
        environ = {**self.house.environ, "PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}
        spawner = Spawner(state, InstanceId(instance), source=environ, grace=lambda: QUICK)
        self.blobs = FileBlobs(state / "blobs")
        self.jobs = DirectoryReviewJobs(state)
        self.world = World(
            clock=self.clock,
            entropy=SystemEntropy(),
            store=SqliteStore(InlineRunner(memory()), self.clock),
            blobs=self.blobs,
            sessions=HarnessSessions(spawner),
            commands=ProcessCommands(spawner),
            processes=SpawnedProcesses(spawner),
            workspace=self.house.workspace,
            preparations=DirectoryPreparations(state),
            review_jobs=self.jobs,
        )

    def specialist(self, deed: str, *, timeout: Micros = AMPLE, **options: str) -> Specialist:
        """Describe a reviewer whose program does this deed."""
        program = str(Path(__file__).with_name("review_worker.py"))
        argv = (sys.executable, "-S", program, deed, "{prompt_file}")
        return msgspec.structs.replace(
            a_specialist("critic"),
            harness=HarnessName("command"),
            options=(("argv", argv), ("quiet", "true"), *options.items()),
            timeout=timeout,
        )

    def reviewer(self, deed: str, **changes: Any) -> Reviewer:
        """Give one attempt to a worker that does this deed; `timeout` and options of the harness are its own."""
        own = {name: changes.pop(name) for name in ("timeout", "fresh_context") if name in changes}
        task = a_task(self.place, self.commit, self.specialist(deed, **own), now=self.clock.now(), **changes)
        return Reviewer(self.world, task)

    async def review(self, deed: str, **changes: Any) -> JobReport:
        """Carry one attempt out."""
        return await self.reviewer(deed, **changes).run()


def another(number: int) -> dict[str, Any]:
    """Name another attempt: its key, token and nonce."""
    return {
        "key": EffectKey(f"goal/billing/plan/1/review/1/critic/attempt/{number}"),
        "token": JobToken(f"{number:032x}"),
        "nonce": Nonce(f"{number + 1_000:032x}"),
    }
