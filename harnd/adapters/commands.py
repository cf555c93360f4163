"""Commands: what harnd itself runs to prepare, check and prove, on real processes."""

from harnd.adapters.process.spawner import Job, Limits, Spawner
from harnd.ports.sessions import CommandTask, Ended


class ProcessCommands:
    """The port `CommandRunner`, through the shim.  Only the command's own time limit holds: it may be silent."""

    def __init__(self, spawner: Spawner) -> None:
        self._spawner = spawner

    def __repr__(self) -> str:
        return f"<ProcessCommands {self._spawner!r}>"

    async def run(self, task: CommandTask) -> Ended:
        """Run to the end.  Cancelling ends the whole process tree, stores `INTERRUPTED` and re-raises."""
        limits = Limits(timeout=task.timeout)
        job = Job(
            key=task.key,
            argv=task.argv,
            cwd=task.cwd,
            limits=limits,
            env=task.env,
            fresh=task.fresh,
            anew=task.anew,
        )
        return await self._spawner.run(job)
