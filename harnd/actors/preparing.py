"""Preparing: carries `prepare` stages out, each in place or, when it names its files, in a directory that is kept.

What a kept directory is named after is all that its command is told and may read: its words, the files it names, the
repository, and the directories of the stages before it.  Later commands and agents find it in their environment.
"""

from typing import Final, TypeAlias

import msgspec

from harnd.domain.digest import digest_of
from harnd.domain.goal.template import PREPARED, PrepareStage, variable
from harnd.ports.sessions import CommandTask, Ended, Ending
from harnd.ports.world import World
from protocol.ids import Digest

Variables: TypeAlias = tuple[tuple[str, str], ...]

_VERSION: Final = 1  # of what is kept: another one finds nothing of this


class Preparing:
    """The stages that one attempt or one proof prepares, in order."""

    def __init__(self, world: World, repository: str) -> None:
        self._world = world
        self._repository = repository
        self._names: dict[str, tuple[Digest, str]] = {}
        self.reports: list[str] = []  # what was not as it had been built

    @property
    def env(self) -> Variables:
        """Return the variables that say where the stages so far have built."""
        return tuple((variable(stage), path) for stage, (_, path) in self._names.items())

    async def run(self, stage: PrepareStage, task: CommandTask) -> Ended | None:
        """Carry a stage out; None when it was found as it had been built, and nothing ran."""
        task = msgspec.structs.replace(task, env=(*task.env, *self.env))
        if not stage.files:
            return await self._world.commands.run(task)
        ended: list[Ended] = []

        async def build(path: str) -> bool:
            # Anew, also when it ended before: what it left behind is gone.
            ended.append(
                await self._world.commands.run(
                    msgspec.structs.replace(task, env=(*task.env, (PREPARED, path)), anew=True)
                )
            )
            return ended[-1].ending is Ending.EXITED and ended[-1].exit_code == 0

        name = await self._name(stage, task)
        prepared = await self._world.preparations.get(name, build)
        if prepared is not None:
            self._names[stage.name] = (name, prepared.path)
            if prepared.mended:
                self.reports.append(f"prepared: somebody changed what {stage.name} had built, and it was built anew")
        return ended[-1] if ended else None

    async def _name(self, stage: PrepareStage, task: CommandTask) -> Digest:
        contents = await self._world.preparations.contents(task.cwd, stage.files)
        before = [[variable(earlier), name] for earlier, (name, _) in self._names.items()]
        return digest_of([_VERSION, self._repository, list(task.argv), list(stage.files), contents, before])
